/** What others check on a commit: workflow runs, check runs of Apps, statuses. gza's own are left out. */
import type { GithubClient } from './client.ts';

export interface CheckFacts {
  readonly name: string;
  readonly state: 'pending' | 'success' | 'failure' | 'waiting';
}

const checksMax = 100;

interface Check {
  readonly name: string;
  readonly status: string | null;
  readonly conclusion: string | null;
}

/** Three requests: a run that waits for a person's approval has no check run and no status yet. */
export async function readChecks(client: GithubClient, commit: string): Promise<CheckFacts[]> {
  const sha = encodeURIComponent(commit);
  const limits = { itemsMax: checksMax };
  const runs = await client.list<Check & { readonly path?: string }>(
    { operation: 'read workflow runs', path: 'actions/runs', query: { head_sha: commit } },
    { ...limits, key: 'workflow_runs' },
  );
  const checks = await client.list<Check>(
    { operation: 'read check runs', path: `commits/${sha}/check-runs` },
    { ...limits, key: 'check_runs' },
  );
  const combined = await client.list<{ readonly context: string; readonly state: string }>(
    { operation: 'read commit statuses', path: `commits/${sha}/status` },
    { ...limits, key: 'statuses' },
  );
  const statuses = combined.items.filter((one) => !one.context.startsWith('gza/'));
  return [
    ...runs.items
      .filter((one) => !/(^|\/)gza[^/]*\.ya?ml(@|$)/.test(one.path ?? ''))
      .filter((one) => one.conclusion === 'action_required' || one.status !== 'completed')
      .map((one) => ({ name: one.name, state: stateOf(one) })),
    ...checks.items.map((one) => ({ name: one.name, state: stateOf(one) })),
    ...statuses.map((one) => ({ name: one.context, state: stateOfStatus(one.state) })),
  ];
}

function stateOf({ status, conclusion }: Check): CheckFacts['state'] {
  if (conclusion === 'action_required' || status === 'waiting' || status === 'action_required')
    return 'waiting';
  if (status !== 'completed') return 'pending';
  return conclusion === 'success' || conclusion === 'neutral' || conclusion === 'skipped'
    ? 'success'
    : 'failure';
}

function stateOfStatus(state: string): CheckFacts['state'] {
  return state === 'success' || state === 'pending' ? state : 'failure';
}
