/**
 * How the team's own CI ended on the heads of pull requests. A job's token may read runs and branch rules but
 * no check runs, so a job of a workflow stands for the check of the same name. One request reads the failed
 * runs of all heads and one the passed ones; more are made only where a run failed. `isKnown`: whether all
 * runs of a head had passed when it was last checked.
 */
import type { GithubClient } from './client/client.ts';
import type { RedCheck, TeamChecks } from './forge.ts';

const runsMax = 100;
const redRunsMax = 20;

export async function teamChecks(
  client: GithubClient,
  heads: readonly string[],
  base: string,
  isKnown: (head: string) => boolean,
): Promise<Map<string, TeamChecks>> {
  const wanted = new Set(heads);
  const ended = async (status: 'failure' | 'success') => {
    const { items } = await client.list(
      {
        operation: 'read workflow runs',
        pages: ({ actions }, here) => [
          actions.listWorkflowRunsForRepo,
          { ...here, status, exclude_pull_requests: true },
        ],
      },
      { itemsMax: runsMax },
    );
    return items.filter(({ head_sha }) => wanted.has(head_sha));
  };
  const bad = await ended('failure');
  const good = bad.length > 0 || !heads.every(isKnown) ? await ended('success') : [];
  // A workflow may have run more than once on the same commit: the last run counts.
  const last = new Map(
    [...good, ...bad].toSorted((a, b) => a.id - b.id).map((run) => [`${run.head_sha} ${run.path}`, run]),
  );
  const failed = bad.filter((run) => last.get(`${run.head_sha} ${run.path}`) === run).slice(0, redRunsMax);
  const required = failed.length > 0 ? await requiredChecks(client, base) : new Set<string>();
  const found = new Map<string, TeamChecks>();
  for (const { head_sha, name, path } of good) {
    const { red = [], green = [] } = found.get(head_sha) ?? {};
    if (!failed.some((one) => one.head_sha === head_sha && one.path === path))
      found.set(head_sha, { red, green: [...new Set([...green, name || path])].sort() });
  }
  if (required.size === 0) return found;
  for (const run of failed) {
    const { red = [], green = [] } = found.get(run.head_sha) ?? {};
    const jobs = (await jobsOf(client, run.id)).filter(({ name }) => required.has(name));
    const named = (how: string) => jobs.filter(({ conclusion }) => conclusion === how);
    const more = named('failure').map(({ id: job, name }): RedCheck => {
      return { name, job, run: run.id, attempt: run.run_attempt ?? 1 };
    });
    const passed = named('success').map(({ name }) => name);
    found.set(run.head_sha, { red: [...red, ...more], green: [...green, ...passed] });
  }
  return found;
}

async function jobsOf(client: GithubClient, run: number) {
  const data = await client.find({
    operation: 'read workflow runs',
    send: ({ actions }, here) =>
      actions.listJobsForWorkflowRun({ ...here, run_id: run, filter: 'latest', per_page: 100 }),
  });
  return data?.jobs ?? [];
}

/** Checks that rulesets or classic protection require. Rules that the token may not read are ignored. */
async function requiredChecks(client: GithubClient, branch: string): Promise<Set<string>> {
  const rules = await client.ask({
    operation: 'read the rules of a branch',
    send: ({ repos }, here) => repos.getBranchRules({ ...here, branch, per_page: 100 }),
  });
  const classic = await client.ask({
    operation: 'read files',
    send: ({ repos }, here) => repos.getBranch({ ...here, branch }),
  });
  const ofRules = (rules.status === 200 ? rules.data : []).flatMap((rule) =>
    rule.type === 'required_status_checks' ? (rule.parameters?.required_status_checks ?? []) : [],
  );
  const old = classic.status === 200 ? classic.data.protection?.required_status_checks?.contexts : [];
  return new Set([...ofRules.map(({ context }) => context), ...(old ?? [])]);
}

/** The end of a job's log; null when it was deleted or never stored. */
export function jobLog(client: GithubClient, job: number, bytesMax: number): Promise<string | null> {
  return client.tail(
    {
      operation: 'read workflow runs',
      send: ({ actions }, here) => actions.downloadJobLogsForWorkflowRun({ ...here, job_id: job }),
    },
    bytesMax,
  );
}
