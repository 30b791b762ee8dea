/** One thing that goes wrong at one place of a run. */
import type { Seen } from '../github/faults.ts';
import type { Github } from '../github/github.ts';

/** Where a mishap is: the n-th request of the run, and whose; or the n-th step of a job. */
export interface Mishap {
  readonly kind: string;
  readonly index: number;
  readonly seen: Seen;
}

export function jobOf({ job = '' }: Pick<Seen, 'job'>): string {
  return (
    /\/ (intake|pick|start|agent|verify|land review|land|review|next)\b[^/]*(?:\/ (?:agent|verify|land))?$/.exec(
      job,
    )?.[1] ?? ''
  );
}

export const isApi = ({ kind }: Seen) => kind !== 'git';

/** Of the API. */
export const isRead = ({ kind, method, operation }: Seen) =>
  kind === 'graphql' ? operation === 'graphql/repository' : kind !== 'git' && method === 'GET';

export const isWrite = (seen: Seen) => (isApi(seen) ? !isRead(seen) : seen.operation === 'git/push');

export async function cancel(github: Github, runId: number | undefined): Promise<void> {
  await github.as('olive').request('POST', `/actions/runs/${runId}/cancel`);
}
