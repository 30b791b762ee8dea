/** Whether an answer says "later", and when. GitHub says it in five ways. */
import { parseTime } from '../../../core/time.ts';
import type { Wait } from './waits.ts';

/** As Octokit gives it. `data` is what is declared when the status is below 300. */
export interface Answer<T = unknown> {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number | undefined>>;
  readonly data: T;
}

/** Without a time given GitHub asks for a minute, and for more each time. */
const minuteMs = 60_000;

export function budgetWait(answer: Answer, tries: number, now: string): Wait | null {
  if (!isLimited(answer)) return null;
  const after = Number(answer.headers['retry-after'] ?? 0);
  if (after > 0) return { milliseconds: Math.max(1000, after * 1000), why: 'GitHub asks to slow down' };
  const reset = Number(answer.headers['x-ratelimit-reset'] ?? 0);
  if (answer.headers['x-ratelimit-remaining'] === '0' && reset > 0)
    return { milliseconds: Math.max(1000, reset * 1000 - theirTime(answer, now)), why: used(answer) };
  return { milliseconds: minuteMs * 2 ** (tries - 1), why: 'GitHub asks to slow down' };
}

function isLimited({ status, headers, data }: Answer): boolean {
  const { message, errors } = (data ?? {}) as { message?: unknown; errors?: readonly SaidError[] };
  const list = Array.isArray(errors) ? errors : [];
  const words = [message, ...list.map((one) => one?.message)].join('\n');
  if (status === 429) return true;
  if (status === 403)
    return (
      headers['retry-after'] !== undefined ||
      /secondary rate limit|rate limit exceeded|abuse detection/i.test(words)
    );
  if (status === 422) return /submitted too quickly/i.test(words);
  // GraphQL tells of a spent budget in a success.
  return (
    status === 200 && list.some((one) => one?.type === 'RATE_LIMITED' || /secondary rate limit/i.test(words))
  );
}

interface SaidError {
  readonly type?: unknown;
  readonly message?: unknown;
}

/** The reset is by GitHub's clock, which ours need not agree with. */
function theirTime({ headers }: Answer, now: string): number {
  const theirs = Date.parse(String(headers['date'] ?? ''));
  return Number.isNaN(theirs) ? parseTime(now) : theirs;
}

function used({ headers }: Answer): string {
  const limit = headers['x-ratelimit-limit'];
  return `GitHub's limit of ${limit ?? 'the'} requests an hour for this token is used up`;
}
