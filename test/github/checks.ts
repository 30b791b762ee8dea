/**
 * Check runs and what a branch asks of them. A job of a workflow is a check run of the commit that it runs on, under the
 * job's name and id (docs, about status checks: "GitHub Actions generates checks"; REST, list jobs: `check_run_url`).
 * Of several with one name the newest counts.
 */
import { refuse } from './answers.ts';
import type { Job, Run, State } from './state.ts';

interface CheckOfJob {
  readonly run: Run;
  readonly job: Job;
}

export function checksOn({ runs }: State, sha: string): CheckOfJob[] {
  const newest = new Map<string, CheckOfJob>();
  for (const run of runs.filter(({ headSha, event }) => headSha === sha && event !== 'pull_request_target'))
    for (const job of run.jobs) newest.set(job.name, { run, job });
  return [...newest.values()];
}

/** What rulesets and classic protection ask of a branch, together. */
function requiredOn(
  { settings: { requiredChecks = [], classicChecks = [] }, defaultBranch }: State,
  branch: string,
): string[] {
  return branch === defaultBranch ? [...new Set([...requiredChecks, ...classicChecks])] : [];
}

const passing = new Set(['success', 'neutral', 'skipped']);

/** Docs, troubleshooting required status checks: success, skipped and neutral let a merge pass; nothing reported is `expected`. */
export function refuseUnlessGreen(state: State, branch: string, sha: string): void {
  const wrong = requiredOn(state, branch).flatMap((context) => {
    const job = checksOn(state, sha).find((one) => one.job.name === context)?.job;
    const status = state.statuses.findLast((one) => one.sha === sha && one.context === context)?.state;
    if (passing.has(job?.conclusion ?? status ?? '')) return [];
    const isBad = (job?.conclusion ?? status ?? 'pending') !== 'pending';
    return [`Required status check "${context}" is ${isBad ? 'failing' : 'expected'}.`];
  });
  if (wrong.length > 1)
    throw refuse(
      405,
      `${wrong.length} of ${requiredOn(state, branch).length} required status checks have not succeeded: ${wrong.join(' ')}`,
    );
  if (wrong[0]) throw refuse(405, wrong[0]);
}
