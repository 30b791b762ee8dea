/** Whether an answer says "later", and when. GitHub says it in five ways. */
import { parseTime } from '../../core/time.ts';
import type { Answer } from './http.ts';
import type { Wait } from './pace.ts';

/** Without a time given GitHub asks for a minute, and for more each time. */
const minuteMs = 60_000;

export function budgetWait(answer: Answer, tries: number, now: string): Wait | null {
  if (!isLimited(answer)) return null;
  const after = Number(answer.headers.get('retry-after'));
  if (after > 0) return { milliseconds: Math.max(1000, after * 1000), why: 'GitHub asks to slow down' };
  const reset = Number(answer.headers.get('x-ratelimit-reset'));
  if (answer.headers.get('x-ratelimit-remaining') === '0' && reset > 0)
    return { milliseconds: Math.max(1000, reset * 1000 - theirTime(answer, now)), why: used(answer) };
  return { milliseconds: minuteMs * 2 ** (tries - 1), why: 'GitHub asks to slow down' };
}

function isLimited({ status, headers, body }: Answer): boolean {
  const { message, errors } = (body ?? {}) as { message?: unknown; errors?: readonly SaidError[] };
  const list = Array.isArray(errors) ? errors : [];
  const words = [message, ...list.map((one) => one?.message)].join('\n');
  if (status === 429) return true;
  if (status === 403)
    return (
      headers.has('retry-after') || /secondary rate limit|rate limit exceeded|abuse detection/i.test(words)
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
  const theirs = Date.parse(headers.get('date') ?? '');
  return Number.isNaN(theirs) ? parseTime(now) : theirs;
}

function used({ headers }: Answer): string {
  const limit = headers.get('x-ratelimit-limit');
  return `GitHub's limit of ${limit ?? 'the'} requests an hour for this token is used up`;
}
