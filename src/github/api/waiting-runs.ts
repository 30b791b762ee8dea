/**
 * Runs that wait for a person: what a job's token pushes to a pull request, and deployments with reviewers. One
 * request for each kind, whatever the number of pull requests; those of heads long gone are among them for ever.
 */

import type { GithubClient } from './client/client.ts';
import type { WaitingRun } from './forge.ts';

const runsMax = 100;

export async function waitingRuns(client: GithubClient): Promise<WaitingRun[]> {
  const found: WaitingRun[] = [];
  for (const status of ['action_required', 'waiting'] as const) {
    const { items } = await client.list(
      {
        operation: 'read workflow runs',
        pages: ({ actions }, here) => [actions.listWorkflowRunsForRepo, { ...here, status }],
      },
      { itemsMax: runsMax },
    );
    found.push(...items.map(({ path, head_sha }) => ({ workflow: fileName(path), commit: head_sha })));
  }
  return found;
}

/** `.github/workflows/ci.yml`, with `@` and a ref where it is another repository's. */
function fileName(path: string): string {
  return path.split('@')[0]?.split('/').at(-1) ?? path;
}
