/** From a request to the operation of GitHub's description that it is, and to our route for it. */
import { type Operation, operations } from './openapi/check.ts';
import { rateOverview } from './rate.ts';
import { ok, type Routes } from './route.ts';
import { actionRoutes } from './routes/actions.ts';
import { gitRefRoutes } from './routes/git-refs.ts';
import { issueLinkRoutes } from './routes/issue-links.ts';
import { issueRoutes } from './routes/issues.ts';
import { mergeRoutes } from './routes/merge.ts';
import { pullRoutes } from './routes/pulls.ts';
import { reactionRoutes } from './routes/reactions.ts';
import { repositoryRoutes } from './routes/repository.ts';
import { reviewRoutes } from './routes/reviews.ts';
import { secretRoutes } from './routes/secrets.ts';
import { statusRoutes } from './routes/statuses.ts';

export const routes: Routes = {
  ...repositoryRoutes,
  ...gitRefRoutes,
  ...pullRoutes,
  ...mergeRoutes,
  ...reviewRoutes,
  ...issueRoutes,
  ...issueLinkRoutes,
  ...reactionRoutes,
  ...statusRoutes,
  ...actionRoutes,
  ...secretRoutes,
  'repos/get-hash-algorithm': { needs: [], handle: () => ok({ hash_algorithm: 'sha1' }) },
  'rate-limit/get': { needs: [], handle: ({ state, token }) => ok(rateOverview(state, token)) },
};

interface Matched {
  readonly operation: Operation;
  readonly pattern: RegExp;
}

/** Not in GitHub's description: actions/checkout asks for it. */
const hashAlgorithm: Operation = {
  id: 'repos/get-hash-algorithm',
  method: 'GET',
  path: '/repos/{owner}/{repo}/hash-algorithm',
  parameters: [],
  body: null,
  responses: { '200': { type: 'object', required: ['hash_algorithm'] } },
};

/** Parts that may hold slashes; the more of a path is literal, the sooner it is tried. */
const long = new Set(['ref', 'path', 'basehead', 'branch']);
const table: readonly Matched[] = [...operations, hashAlgorithm]
  .map((operation) => ({
    operation,
    pattern: new RegExp(
      `^${operation.path.replace(/\{(\w+)\}/g, (_, name: string) => `(?<${name}>${long.has(name) ? '.+' : '[^/]+'})`)}$`,
    ),
  }))
  .toSorted((a, b) => literals(b.operation) - literals(a.operation));

function literals(operation: Operation): number {
  return operation.path.split('/').filter((part) => !part.startsWith('{')).length;
}

export function match(
  method: string,
  url: URL,
): { operation: Operation; params: Record<string, string> } | undefined {
  for (const { operation, pattern } of table) {
    if (operation.method !== method) continue;
    const groups = pattern.exec(url.pathname)?.groups;
    if (groups === undefined && !pattern.test(url.pathname)) continue;
    const params = Object.fromEntries(
      Object.entries(groups ?? {}).map(([name, value]) => [name, decode(value)]),
    );
    return { operation, params };
  }
  return undefined;
}

export function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
