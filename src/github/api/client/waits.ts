/** The waits of one client: all of them together have an end. */
import { GzaError } from '../../../core/errors.ts';
import { addSeconds, printDuration, toSecond } from '../../../core/time.ts';

export interface WaitOptions {
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** ISO 8601, UTC. */
  readonly now: () => string;
  /** A line for people, as when it waits. */
  readonly log?: ((line: string) => void) | undefined;
}

export interface Wait {
  readonly milliseconds: number;
  readonly why: string;
}

export type Waits = (wait: Wait, operation: string) => Promise<void>;

export function openWaits({ sleep, now, log }: WaitOptions, waitMsMax: number): Waits {
  let waited = 0;
  return async ({ milliseconds, why }, operation) => {
    const seconds = Math.ceil(milliseconds / 1000);
    if (waited + milliseconds > waitMsMax) throw tooLong(why, operation, addSeconds(now(), seconds));
    waited += milliseconds;
    log?.(`${why}: waiting ${printDuration(seconds)} to ${operation}.`);
    await sleep(milliseconds);
  };
}

function tooLong(why: string, operation: string, resumeAt: string): GzaError {
  return new GzaError('world', `${why}; gza may go on to ${operation} at ${toSecond(resumeAt)}.`, {
    hint: 'Nothing was lost: what is done is recorded, and the next run goes on from there.',
    data: { operation, resumeAt },
  });
}
