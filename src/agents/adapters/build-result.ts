import type { ResultKind } from '../../core/policy/endings.ts';
import type { Usage } from '../../core/policy/price.ts';
import { usageSince } from '../../core/policy/price.ts';
import type { AgentRequest, AgentResult, Ending, KilledBy } from '../agents.ts';

/** What an adapter read from its agent's output, before the rules that hold for all of them. */
export interface Outcome extends Omit<AgentResult, 'kind'> {
  /** What the agent says of itself; undefined when there was no terminal event. */
  readonly kind: ResultKind | undefined;
}

/**
 * The rules that hold for every agent, in this order: an end that the runner made beats all the agent says;
 * without a terminal event it crashed; a bad exit is never good; and good without an answer is not good.
 */
export function buildResult({ structured, error, ...outcome }: Outcome, ending: Ending): AgentResult {
  const kind = resultKind({ structured, ...outcome }, ending);
  return {
    ...outcome,
    ...(structured === undefined ? {} : { structured }),
    kind,
    error: kind === 'ok' ? undefined : (ending.used ?? error ?? defaultError(kind, ending)),
  };
}

function resultKind({ kind, text, structured, denials }: Outcome, ending: Ending): ResultKind {
  if (ending.killedBy === 'idle') return 'timeout';
  if (ending.killedBy === 'resources') return 'crash';
  if (ending.killedBy) return ending.killedBy;
  if (kind === undefined || kind === 'crash') return killer(ending) === null ? 'crash' : 'killed';
  if (kind !== 'ok' && kind !== 'empty') return kind;
  if (ending.code !== 0) return kind === 'empty' && !text.trim() ? 'empty' : 'crash';
  if (text.trim() || structured !== undefined) return 'ok';
  return denials.length > 0 ? 'denied' : 'empty';
}

/** The signal that ended it: nobody here sent it. A wrapper tells it as an exit code above 128. */
function killer({ signal, code }: Ending): string | null {
  return signal ?? signalsOfCodes.get(code) ?? null;
}

const signalsOfCodes: ReadonlyMap<number | null, string> = new Map([
  [134, 'SIGABRT'],
  [137, 'SIGKILL'],
  [139, 'SIGSEGV'],
  [143, 'SIGTERM'],
]);

const killedErrors: Record<KilledBy, string> = {
  timeout: 'it took longer than it may and was ended',
  idle: 'it neither printed nor worked for too long and was ended',
  max_turns: 'it reached its turn limit and was ended',
  budget: 'it reached its budget and was ended',
  output_limit: 'it printed more than it may and was ended',
  resources: 'it used more of the machine than it may and was ended',
  cancelled: 'it was cancelled',
};

function defaultError(kind: ResultKind, ending: Ending): string {
  if (ending.killedBy) return killedErrors[ending.killedBy];
  if (kind === 'empty') return 'it ended well but gave no answer';
  if (kind === 'denied') return 'it was denied the tools it asked for and gave no answer';
  const signal = kind === 'killed' ? killer(ending) : null;
  if (signal === null) return lastWords(ending);
  const memory = signal === 'SIGKILL' ? ', which most often means too little memory' : '';
  return `its program was killed by ${signal} from outside${memory}`;
}

/** The last line that says something, for agents that die before they can say it in a structure. */
function lastWords({ stderr, code }: Ending): string {
  const lines = stderr
    .split('\n')
    .filter((line) => line.trim() && !/^(Warning:|YOLO mode|Ripgrep is not|\[STARTUP\]|\s+at )/.test(line));
  return lines.at(-1)?.trim().slice(0, 500) ?? `it exited with ${code} without saying why`;
}

/** Usage of this run, from what was seen on the way and from totals that may be the session's. */
export function runUsage(seen: Usage | null, totals: Usage | undefined, request: AgentRequest): Usage | null {
  if (totals === undefined) return seen;
  if (request.resume === undefined) return totals;
  if (request.sessionTotals !== undefined) return usageSince(totals, request.sessionTotals.usage);
  return seen ?? totals;
}

/**
 * For steps that are asked for changes. Denied tools and an unchanged tree mean that the task is not done,
 * whatever the agent says; a changed tree makes up for a missing answer.
 */
export function judgedByChanges(result: AgentResult, hasChanges: boolean): AgentResult {
  if (hasChanges && result.kind === 'empty') return { ...result, kind: 'ok', error: undefined };
  if (hasChanges || result.kind !== 'ok' || result.denials.length === 0) return result;
  const error = `it changed nothing and was denied: ${[...new Set(result.denials)].join(', ')}`;
  return { ...result, kind: 'denied', error };
}
