/** What doctor says of the workflow file. */
import type { Judged, WorkflowFault } from '../../doctor/judge-repository.ts';

export interface Said {
  readonly says: string;
  readonly todo: string | null;
}

export type JudgedAs<K extends Judged['kind']> = Extract<Judged, { readonly kind: K }>;

/** For each kind what is said of it. */
export type Words = { readonly [K in Judged['kind']]: (one: JudgedAs<K>) => Said };

export const fine = (says: string): Said => ({ says, todo: null });

const faults: Readonly<Record<WorkflowFault, Said>> = {
  missing: {
    says: 'No workflow on the default branch uses gza: schedule, comments and dispatches start only what is there.',
    todo: 'gza init --github, then push to the default branch.',
  },
  unreadable: {
    says: 'The workflow file cannot be read, or has no jobs.',
    todo: 'The Actions tab shows what GitHub makes of it.',
  },
  disabled: {
    says: 'The workflow is switched off.',
    todo: 'gh workflow enable gza.yml, or the button in the Actions tab.',
  },
  'disabled-inactivity': {
    says: 'GitHub switched the workflow off: 60 days without a commit in a public repository.',
    todo: 'gh workflow enable gza.yml, or the button in the Actions tab.',
  },
  'disabled-fork': {
    says: 'The workflow is off, as in every new fork.',
    todo: 'Enable it in the Actions tab.',
  },
};

export const workflowWords = {
  workflow: (one) => {
    if (one.why === null) return fine(`${one.path} is on the default branch and active.`);
    return { ...faults[one.why], says: `${one.path ? `${one.path}: ` : ''}${faults[one.why].says}` };
  },
  permissions: (one) => {
    if (one.level === 'ok') return fine('The job that calls gza hands on the permissions that it needs.');
    return {
      says: one.unnamed
        ? 'The job that calls gza names no permissions: what it gets depends on the settings.'
        : `The job that calls gza lacks ${one.missing.join(', ')}; a called workflow that asks for more does not start, without a word.`,
      todo: `\`gza init --github --update\`, or below permissions: of that job: ${one.missing.join(', ')}.`,
    };
  },
  triggers: (one) => {
    if (one.level === 'ok')
      return fine('The workflow starts on pushes, comments, closed pull requests and dispatches.');
    return {
      says: `The workflow does not start on ${one.missing.join(', ')}.`,
      todo: one.missing.includes('repository_dispatch')
        ? 'Add repository_dispatch: { types: [gza] } below on: — a step that ended starts the next by it, without a job of its own. `gza init --github --update` writes all that is missing.'
        : '`gza init --github --update` adds them below on:. Or do without: the schedule picks up what was missed.',
    };
  },
  'push-branches': (one) => ({
    says: `on: push names ${one.branches.join(', ')} and not the default branch ${one.wanted}: pushed tasks start nothing.`,
    todo: `Name ${one.wanted} there.`,
  }),
  schedule: (one) => scheduleWords(one),
  runners: (one) =>
    one.level === 'ok'
      ? fine('No runners of your own are named.')
      : {
          says: 'Runners of your own are named: an agent that runs on a machine that is kept may leave something for the job that lands its work.',
          todo: 'Use ephemeral runners (--ephemeral), and for land another machine than for agents. Their tokens end after 24 hours.',
        },
  'runs-waiting': (one) => ({
    says: `${one.count} workflow ${one.count === 1 ? 'run waits' : 'runs wait'} for a person's approval, as those on pull requests of bots do.`,
    todo: 'Approve them in the pull request, or give gza the token of a GitHub App: its pushes start runs as a person’s do.',
  }),
} satisfies Partial<Words>;

function scheduleWords({ why, days }: JudgedAs<'schedule'>): Said {
  switch (why) {
    case null:
      return fine('The workflow has a schedule.');
    case 'none':
      return {
        says: 'The workflow has no schedule: what an event missed waits for the next event.',
        todo: 'Add below on: schedule: [{cron: "17 */6 * * *"}] (not at the full hour, when it is late or dropped).',
      };
    case 'fork':
      return {
        says: 'Schedules do not run in a fork until it is enabled.',
        todo: 'Enable it in the Actions tab.',
      };
    case 'inactive':
      return {
        says: `Nothing was pushed for ${days} days: after 60 GitHub ends the schedule of a public repository.`,
        todo: 'Any commit starts the count anew.',
      };
  }
}
