/** `gza linear` and `gza github`: show tasks in a tracker, and import issues from one. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Command, Invocation, Outcome, Ports } from '../../app/command.ts';
import { loadProject, type Project } from '../../app/project.ts';
import { findGithub, openGithub } from '../../app/share/github-access.ts';
import { keepLinearIds, repositoryName, syncProject } from '../../app/share/sync-tracker.ts';
import { GzaError } from '../../core/errors.ts';
import { actionJson, trackerSyncText } from '../../core/text/github/tracker-sync.ts';
import { shorten } from '../../core/text/terminal/lines.ts';
import { githubTracker } from '../../trackers/github/github-tracker.ts';
import { labelledIssues } from '../../trackers/linear/labelled-issues.ts';
import { linearTracker, type OpenedLinear, openLinear } from '../../trackers/linear/linear-tracker.ts';
import type { TrackerSync } from '../../trackers/sync.ts';
import type { Tracker } from '../../trackers/tracker.ts';
import { fileLabelled } from '../file/file-labelled.ts';

/** Short, because a person is waiting. */
const pace = { timeoutMs: 20_000, waitMsMax: 120_000, totalMsMax: 600_000 };

export const linear: Command = {
  spec: {
    name: 'linear',
    summary: 'show tasks as issues in Linear, and take issues from there',
    forPeople: true,
    arguments: [{ name: 'action', required: true }],
    details:
      'sync makes Linear show what is here; import files a task for every open issue of the team that carries the label. The key is in LINEAR_API_KEY; team, project and states are in gza.yaml under integrations.linear.',
    options: [
      { name: 'dry-run', type: 'flag', help: 'print what would be done, and do nothing' },
      { name: 'all', type: 'flag', help: 'sync also what was closed more than two weeks ago' },
      {
        name: 'label',
        type: 'text',
        value: '<label>',
        help: 'import issues with this label (default: gza)',
      },
    ],
    examples: [
      { command: 'gza linear sync --dry-run', shows: 'login: create "Add the login form" (pending)' },
      { command: 'gza linear import --label agent', shows: 'a task for every issue that has the label' },
    ],
  },
  run: async (invocation, ports) => {
    const project = await loadProject(ports);
    const [action] = invocation.args;
    if (action !== 'sync' && action !== 'import')
      throw new GzaError('usage', `gza linear does not know "${shorten(action ?? '', 50)}"`, {
        hint: 'It is gza linear sync or gza linear import.',
      });
    const repository = await repositoryName(project.repository);
    const linear = openLinear({
      config: project.config.integrations.linear,
      env: ports.env,
      repository,
      pace: {
        ...pace,
        sleep: sleepOf(ports),
        now: Date.now,
        log: ports.progress,
      },
    });
    if (action === 'import') return importLinear(project, linear, invocation, ports);
    const sync = await syncWith(project, linearTracker(linear.client, linear.settings), invocation, ports);
    if (!isDry(invocation)) await keepLinearIds(project, sync.issues, ports);
    return syncOutcome(sync, isDry(invocation));
  },
};

function isDry({ options }: Invocation): boolean {
  return options['dry-run'] === true;
}

function sleepOf({ signal }: Ports): (milliseconds: number) => Promise<void> {
  return (milliseconds) => sleep(milliseconds, undefined, { signal });
}

function syncWith(
  project: Project,
  tracker: Tracker,
  invocation: Invocation,
  ports: Ports,
): Promise<TrackerSync> {
  return syncProject(project, tracker, {
    dryRun: isDry(invocation),
    all: invocation.options['all'] === true,
    sleep: sleepOf(ports),
    isOver: () => ports.signal.aborted,
  });
}

function syncOutcome(sync: TrackerSync, dryRun: boolean): Outcome {
  const { tracker, done, owed, refused, issues, problem } = sync;
  const isUnfinished = problem !== null || refused.length > 0 || (!dryRun && owed.length > 0);
  return {
    exit: isUnfinished ? 1 : 0,
    json: {
      tracker,
      done: done.map(actionJson),
      owed: owed.map(actionJson),
      refused: refused.map(({ action, why }) => ({ ...actionJson(action), why })),
      issues: issues.map(({ task, name, url }) => ({ task, name, url })),
      problem,
    },
    text: trackerSyncText({ ...sync, dryRun }),
  };
}

async function importLinear(
  project: Project,
  linear: OpenedLinear,
  invocation: Invocation,
  ports: Ports,
): Promise<Outcome> {
  const given = invocation.options['label'];
  const label =
    typeof given === 'string' ? given : (project.config.integrations.linear.import_label ?? 'gza');
  const issues = await labelledIssues(linear, label);
  const dryRun = isDry(invocation);
  const { repository } = linear.settings;
  const { filed, known } = await fileLabelled(project, issues, { repository, dryRun }, ports);
  const lines = filed.map((task) => `${task.id}: ${shorten(task.title, 200)} (${task.linear_issue_id})`);
  return {
    json: {
      filed: filed.map(({ id, title, linear_issue_id }) => ({ id, title, linear_issue_id })),
      known,
    },
    text: [...lines, `${dryRun ? 'would file' : 'filed'} ${filed.length}, ${known} known already`].join('\n'),
  };
}

const waitMsMax = 600_000;
const verb = 'github sync';

export const github: Command = {
  spec: {
    name: 'github',
    summary: 'show tasks as issues and milestones of the repository on GitHub',
    forPeople: true,
    arguments: [{ name: 'action', required: true }],
    details:
      'sync makes the issues show what is here: one for each task, sub-issues for its parts, milestones, and dependencies. The token is in GITHUB_TOKEN or GH_TOKEN. Off unless integrations.github is enabled in gza.yaml.',
    options: [
      { name: 'dry-run', type: 'flag', help: 'print what would be done, and do nothing' },
      { name: 'all', type: 'flag', help: 'also what was closed more than two weeks ago' },
      { name: 'repo', type: 'text', value: '<owner/name>', help: 'instead of that of the remote `origin`' },
    ],
    examples: [{ command: 'GH_TOKEN="$(gh auth token)" gza github sync', shows: 'GitHub: 3 issues created' }],
  },
  run: async (invocation, ports) => {
    const project = await loadProject(ports);
    const [action = ''] = invocation.args;
    if (action !== 'sync')
      throw new GzaError('usage', `gza github does not know "${shorten(action, 50)}"`, {
        hint: 'It is gza github sync.',
      });
    const { enabled, label } = project.config.integrations.github;
    if (!enabled)
      throw new GzaError('input', 'issues on GitHub are not switched on for this repository', {
        hint: 'In gza.yaml:\n  integrations:\n    github: { enabled: true }',
      });
    const found = await findGithub({ repo: invocation.options['repo'], verb }, ports);
    const client = openGithub(found, verb, ports, waitMsMax);
    const tracker = githubTracker({ client, label, isOver: () => ports.signal.aborted });
    return syncOutcome(await syncWith(project, tracker, invocation, ports), isDry(invocation));
  },
};
