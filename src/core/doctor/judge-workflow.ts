/** Checks the workflow file that calls gza. */
import { parseTime } from '../time.ts';
import { fine, type Judged, wrong } from './judged.ts';
import type { RepositorySeen } from './repository-seen.ts';

/** The jobs of gza's workflow get at most the permissions of the job that calls it. */
const permissionsNeeded = ['actions', 'contents', 'issues', 'pull-requests', 'statuses'] as const;
const triggersWanted = [
  'repository_dispatch',
  'workflow_dispatch',
  'push',
  'issue_comment',
  'pull_request_review',
  'pull_request_target',
  'issues: labeled',
];
const schedulesEndAfterDays = 60;

export function judgeWorkflow(seen: RepositorySeen): Judged[] {
  const judged = [judgeFile(seen)];
  const { workflow, defaultBranch: wanted, runsWaiting: count } = seen;
  if (!workflow?.traits.isReadable) return judged;
  const { triggers, pushBranches: branches, isSelfHosted } = workflow.traits;
  judged.push(judgePermissions(seen), judgeTriggers(triggers));
  if (branches.length > 0 && !branches.some((one) => covers(one, wanted)))
    judged.push(
      wrong(
        'push-branches',
        'problem',
        `on: push names ${branches.join(', ')} and not the default branch ${wanted}: pushed tasks start nothing.`,
        `Name ${wanted} there.`,
        { branches, wanted },
      ),
    );
  judged.push(judgeSchedule(seen, triggers.includes('schedule')));
  judged.push(
    isSelfHosted
      ? wrong(
          'runners',
          'warning',
          'Runners of your own are named: an agent that runs on a machine that is kept may leave something for the job that lands its work.',
          'Use ephemeral runners (--ephemeral), and for land another machine than for agents. Their tokens end after 24 hours.',
        )
      : fine('runners', 'No runners of your own are named.'),
  );
  if (count)
    judged.push(
      wrong(
        'runs-waiting',
        'warning',
        `${count} workflow ${count === 1 ? 'run waits' : 'runs wait'} for a person's approval, as those on pull requests of bots do.`,
        'Approve them in the pull request, or give gza the token of a GitHub App: its pushes start runs as a person’s do.',
        { count },
      ),
    );
  return judged;
}

function judgeFile({ workflow }: RepositorySeen): Judged {
  const path = workflow?.path ?? null;
  const fault = (why: string, says: string, todo: string) =>
    wrong('workflow', 'problem', `${path ? `${path}: ` : ''}${says}`, todo, { path, why });
  if (!workflow)
    return fault(
      'missing',
      'No workflow on the default branch uses gza: schedule, comments and dispatches start only what is there.',
      'gza init --github, then push to the default branch.',
    );
  if (!workflow.traits.isReadable)
    return fault(
      'unreadable',
      'The workflow file cannot be read, or has no jobs.',
      'The Actions tab shows what GitHub makes of it.',
    );
  const enable = 'gh workflow enable gza.yml, or the button in the Actions tab.';
  if (workflow.state === 'disabled_inactivity')
    return fault(
      'disabled-inactivity',
      'GitHub switched the workflow off: 60 days without a commit in a public repository.',
      enable,
    );
  if (workflow.state === 'disabled_fork')
    return fault(
      'disabled-fork',
      'The workflow is off, as in every new fork.',
      'Enable it in the Actions tab.',
    );
  if (workflow.state?.startsWith('disabled'))
    return fault('disabled', 'The workflow is switched off.', enable);
  return fine('workflow', `${path} is on the default branch and active.`, { path, why: null });
}

function judgePermissions({ workflow, jobDefaults }: RepositorySeen): Judged {
  const given = workflow?.traits.permissions ?? null;
  const unnamed = given === null;
  const may = (name: string) =>
    given === 'write-all' || (!unnamed && given !== 'read-all' && given[name] === 'write');
  const missing = permissionsNeeded.filter((name) => !may(name)).map((name) => `${name}: write`);
  const seen = { missing, unnamed };
  if (missing.length === 0)
    return fine('permissions', 'The job that calls gza hands on the permissions that it needs.', seen);
  return wrong(
    'permissions',
    // If the file names no permissions, the repository's settings decide: write access or read-only.
    unnamed && jobDefaults?.permissions === 'write' ? 'warning' : 'problem',
    unnamed
      ? 'The job that calls gza names no permissions: what it gets depends on the settings.'
      : `The job that calls gza lacks ${missing.join(', ')}; a called workflow that asks for more does not start, without a word.`,
    `\`gza init --github --update\`, or below permissions: of that job: ${missing.join(', ')}.`,
    seen,
  );
}

/** At least one dispatch event is required: at its end, each step starts the next one with a dispatch. */
function judgeTriggers(triggers: readonly string[]): Judged {
  const missing = triggersWanted.filter((one) => !triggers.includes(one));
  if (missing.length === 0)
    return fine('triggers', 'The workflow starts on pushes, comments, closed pull requests and dispatches.', {
      missing,
    });
  const isDeaf = missing.includes('repository_dispatch') && missing.includes('workflow_dispatch');
  return wrong(
    'triggers',
    isDeaf ? 'problem' : 'warning',
    `The workflow does not start on ${missing.join(', ')}.`,
    missing.includes('repository_dispatch')
      ? 'Add repository_dispatch: { types: [gza] } below on: — a step that ended starts the next by it, without a job of its own. `gza init --github --update` writes all that is missing.'
      : '`gza init --github --update` adds them below on:. Or do without: the schedule picks up what was missed.',
    { missing },
  );
}

/** Compares up to the first `*`, which is enough for patterns like `main`, `**` and `release/*`. */
function covers(pattern: string, branch: string): boolean {
  const star = pattern.indexOf('*');
  return star < 0 ? pattern === branch : branch.startsWith(pattern.slice(0, star));
}

function judgeSchedule({ isFork, isPrivate, pushedAt, now }: RepositorySeen, hasSchedule: boolean): Judged {
  const days = pushedAt === null ? 0 : Math.floor((parseTime(now) - parseTime(pushedAt)) / 86_400_000);
  const fault = (why: string, says: string, todo: string) =>
    wrong('schedule', 'warning', says, todo, { why, days });
  if (!hasSchedule)
    return fault(
      'none',
      'The workflow has no schedule: what an event missed waits for the next event.',
      'Add below on: schedule: [{cron: "17 */6 * * *"}] (not at the full hour, when it is late or dropped).',
    );
  if (isFork)
    return fault(
      'fork',
      'Schedules do not run in a fork until it is enabled.',
      'Enable it in the Actions tab.',
    );
  if (!isPrivate && days > schedulesEndAfterDays - 15)
    return fault(
      'inactive',
      `Nothing was pushed for ${days} days: after ${schedulesEndAfterDays} GitHub ends the schedule of a public repository.`,
      'Any commit starts the count again.',
    );
  return fine('schedule', 'The workflow has a schedule.', { why: null, days });
}
