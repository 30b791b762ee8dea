/** GitHub's budgets. A job's tokens share one of 1,000 an hour for each repository, REST and GraphQL apart. */
import { type Answer, rateLimited, secondaryLimit } from './answers.ts';
import type { State, Token } from './state.ts';

export type Resource = 'core' | 'graphql';

export function bucketOf(state: State, token: Token, resource: Resource) {
  const key = `${token.kind === 'user' ? token.login : token.kind} ${resource}`;
  const known = state.rate[key];
  if (known && known.resetAt > state.now) return known;
  const fresh = {
    used: 0,
    limit: known?.limit ?? (token.kind === 'actions' ? 1000 : 5000),
    resetAt: state.now + 3_600_000,
  };
  state.rate[key] = fresh;
  return fresh;
}

export function checkRate(state: State, token: Token, resource: Resource): void {
  const bucket = bucketOf(state, token, resource);
  if (bucket.used >= bucket.limit) throw rateLimited(Math.ceil(bucket.resetAt / 1000));
}

export function rateHeaders(state: State, token: Token, resource: Resource): Record<string, string> {
  const bucket = bucketOf(state, token, resource);
  return {
    'x-ratelimit-limit': String(bucket.limit),
    'x-ratelimit-remaining': String(Math.max(0, bucket.limit - bucket.used)),
    'x-ratelimit-used': String(bucket.used),
    'x-ratelimit-reset': String(Math.ceil(bucket.resetAt / 1000)),
    'x-ratelimit-resource': resource,
  };
}

export function rateOverview(state: State, token: Token) {
  const one = (resource: Resource) => {
    const { used, limit, resetAt } = bucketOf(state, token, resource);
    return { limit, used, remaining: Math.max(0, limit - used), reset: Math.ceil(resetAt / 1000) };
  };
  return {
    resources: { core: one('core'), search: one('core'), graphql: one('graphql') },
    rate: one('core'),
  };
}

/** Content may be created 80 times a minute and 500 an hour. `times` are those of creations so far. */
export function contentLimit(times: readonly number[], now: number): Answer | null {
  const within = (ms: number) => times.filter((at) => at > now - ms).length;
  return within(60_000) >= 80 || within(3_600_000) >= 500 ? secondaryLimit() : null;
}
