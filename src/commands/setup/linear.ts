import { setTimeout as sleep } from 'node:timers/promises';
import type { Command, Invocation, Outcome, Ports } from '../../app/command.ts';
import { loadProject, type Project } from '../../app/project.ts';
import { repositoryName } from '../../app/share/repository-name.ts';
import { keepLinearIds, syncProject } from '../../app/share/sync-tracker.ts';
import { GzaError } from '../../core/errors.ts';
import { actionJson, trackerSyncText } from '../../core/text/github/tracker-sync.ts';
import { shorten } from '../../core/text/terminal/task-line.ts';
import { labelledIssues } from '../../trackers/linear/labelled-issues.ts';
import { linearTracker, type OpenedLinear, openLinear } from '../../trackers/linear/linear-tracker.ts';
import type { TrackerSync } from '../../trackers/sync.ts';
import { fileLabelled } from '../file/file-labelled.ts';

/** It is a person that waits. */
const pace = { timeoutMs: 20_000, waitMsMax: 120_000, totalMsMax: 600_000 };

export const command: Command = {
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
        sleep: (milliseconds) => sleep(milliseconds, undefined, { signal: ports.signal }),
        now: Date.now,
        log: ports.progress,
      },
    });
    return action === 'sync'
      ? syncLinear(project, linear, invocation, ports)
      : importLinear(project, linear, invocation, ports);
  },
};

async function syncLinear(
  project: Project,
  { client, settings }: OpenedLinear,
  { options }: Invocation,
  ports: Ports,
): Promise<Outcome> {
  const dryRun = options['dry-run'] === true;
  const sync = await syncProject(project, linearTracker(client, settings), {
    dryRun,
    all: options['all'] === true,
    sleep: (milliseconds) => sleep(milliseconds, undefined, { signal: ports.signal }),
    isOver: () => ports.signal.aborted,
  });
  if (!dryRun) await keepLinearIds(project, sync.issues, ports);
  return syncOutcome(sync, dryRun);
}

export function syncOutcome(sync: TrackerSync, dryRun: boolean): Outcome {
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
  { options }: Invocation,
  ports: Ports,
): Promise<Outcome> {
  const given = options['label'];
  const label =
    typeof given === 'string' ? given : (project.config.integrations.linear.import_label ?? 'gza');
  const issues = await labelledIssues(linear, label);
  const dryRun = options['dry-run'] === true;
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
