/** What goes wrong on purpose: the next requests that match fail, hang, lie or are lost. */
import type { Answer } from './answers.ts';
import type { State } from './state.ts';

export type RequestKind = 'rest' | 'graphql' | 'git' | 'signed';

/** One request, as the log keeps it. */
export interface Seen {
  readonly at: number;
  readonly kind: RequestKind;
  readonly method: string;
  readonly path: string;
  /** GitHub's operation id, `graphql/<first field>`, `git/push` and the like, or `signed`. */
  readonly operation: string;
  readonly login: string;
  readonly runId: number | undefined;
  readonly job: string | undefined;
  readonly creates: boolean;
  readonly body: unknown;
  status: number;
}

interface FaultMatch {
  readonly method?: string;
  readonly path?: RegExp;
  readonly operation?: string;
  readonly kind?: RequestKind;
  readonly login?: string;
  /** The name of the job whose token is used. */
  readonly job?: string | RegExp;
  /** Whatever else it is known by. */
  readonly where?: (seen: Seen) => boolean;
}

export type FaultEffect =
  /** Refused: nothing happens. */
  | { readonly kind: 'answer'; readonly answer: Answer }
  /** It happens, and the client is told something else: a 502 after the write. */
  | { readonly kind: 'answer-after'; readonly answer: Answer }
  /** The connection is lost before anything happens. */
  | { readonly kind: 'drop' }
  /** It happens, the answer is lost. */
  | { readonly kind: 'drop-after' }
  /** It happens, and the connection is lost in the middle of the answer. */
  | { readonly kind: 'half' }
  /** No answer for as long as the client waits: nothing happens, or it happened. */
  | { readonly kind: 'hang' }
  | { readonly kind: 'hang-after' }
  | { readonly kind: 'delay'; readonly ms: number }
  /** Answered from how things were: a read replica that lags. Take `structuredClone(github.state)` beforehand. */
  | { readonly kind: 'stale'; readonly state: State }
  /** Something of the test's: kill a process, push a commit between two requests. */
  | {
      readonly kind: 'run';
      readonly phase: 'before' | 'after';
      readonly run: (seen: Seen) => void | Promise<void>;
    };

interface Fault {
  readonly match?: FaultMatch;
  /** So many matching requests pass first. */
  readonly skip?: number;
  /** Default 1. */
  readonly times?: number;
  readonly effect: FaultEffect;
}

export interface Faults {
  /** What it returns takes the fault back. */
  add(fault: Fault): () => void;
  clear(): void;
  /** Faults that were set and met no request: usually a mistake in the test. */
  unused(): Fault[];
  /** Takes, and counts down, the effects for this request. */
  take(seen: Seen): FaultEffect[];
}

interface Armed {
  readonly fault: Fault;
  skip: number;
  left: number;
  isMet: boolean;
}

export function createFaults(): Faults {
  let armed: Armed[] = [];
  return {
    add(fault) {
      const one = { fault, skip: fault.skip ?? 0, left: fault.times ?? 1, isMet: false };
      armed.push(one);
      return () => void (armed = armed.filter((each) => each !== one));
    },
    clear: () => void (armed = []),
    unused: () => armed.filter((one) => !one.isMet).map((one) => one.fault),
    take(seen) {
      const effects: FaultEffect[] = [];
      for (const one of armed) {
        if (one.left === 0 || !matches(one.fault.match ?? {}, seen)) continue;
        if (one.skip > 0) one.skip -= 1;
        else {
          one.left -= 1;
          one.isMet = true;
          effects.push(one.fault.effect);
        }
      }
      return effects;
    },
  };
}

function matches(match: FaultMatch, seen: Seen): boolean {
  return (
    (match.method === undefined || match.method === seen.method) &&
    (match.kind === undefined || match.kind === seen.kind) &&
    (match.operation === undefined || match.operation === seen.operation) &&
    (match.path === undefined || match.path.test(seen.path)) &&
    (match.login === undefined || match.login === seen.login) &&
    (match.job === undefined || isJob(match.job, seen.job ?? '')) &&
    (match.where === undefined || match.where(seen))
  );
}

function isJob(wanted: string | RegExp, name: string): boolean {
  return typeof wanted === 'string' ? wanted === name : wanted.test(name);
}
