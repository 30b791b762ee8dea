/** How fast, and how long at most: one request at a time, a second between writes, waits that have an end. */
import { GzaError } from '../../core/errors.ts';
import { addSeconds, parseTime, printDuration, toSecond } from '../../core/time.ts';

export interface Limits {
  /** All waits of one client together. Default 15 minutes. */
  readonly waitMsMax: number;
  /** How often a request is sent when GitHub fails. Default 3. */
  readonly triesMax: number;
  /** Default 1000. */
  readonly betweenWritesMs: number;
}

export interface Wait {
  readonly milliseconds: number;
  readonly why: string;
}

export interface Pace {
  readonly limits: Limits;
  now(): string;
  inTurn<T>(work: () => Promise<T>): Promise<T>;
  beforeWrite(): Promise<void>;
  wait(wait: Wait, operation: string): Promise<void>;
}

export interface PaceOptions {
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly now: () => string;
  readonly log?: ((line: string) => void) | undefined;
  readonly limits?: Partial<Limits>;
}

export function openPace({ sleep, now, log, limits: given }: PaceOptions): Pace {
  const limits: Limits = { waitMsMax: 900_000, triesMax: 3, betweenWritesMs: 1000, ...given };
  let last: Promise<unknown> = Promise.resolve();
  let lastWrite: number | null = null;
  let waited = 0;
  return {
    limits,
    now,
    inTurn(work) {
      const result = last.then(work, work);
      last = result.catch(() => undefined);
      return result;
    },
    async beforeWrite() {
      const since = lastWrite === null ? limits.betweenWritesMs : parseTime(now()) - lastWrite;
      // A clock that was set back is no reason to wait longer than a second.
      if (since < limits.betweenWritesMs)
        await sleep(Math.min(limits.betweenWritesMs, limits.betweenWritesMs - since));
      lastWrite = parseTime(now());
    },
    async wait({ milliseconds, why }, operation) {
      const seconds = Math.ceil(milliseconds / 1000);
      if (waited + milliseconds > limits.waitMsMax) throw tooLong(why, operation, addSeconds(now(), seconds));
      waited += milliseconds;
      log?.(`${why}: waiting ${printDuration(seconds)} to ${operation}.`);
      await sleep(milliseconds);
    },
  };
}

function tooLong(why: string, operation: string, resumeAt: string): GzaError {
  return new GzaError('world', `${why}; gza may go on to ${operation} at ${toSecond(resumeAt)}.`, {
    hint: 'Nothing was lost: what is done is recorded, and the next run goes on from there.',
    data: { operation, resumeAt },
  });
}
