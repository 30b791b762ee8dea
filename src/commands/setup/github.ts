import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from '../../app/command.ts';
import { loadProject } from '../../app/project.ts';
import { findGithub, openGithub } from '../../app/share/github-access.ts';
import { syncProject } from '../../app/share/sync-tracker.ts';
import { GzaError } from '../../core/errors.ts';
import { shorten } from '../../core/text/terminal/task-line.ts';
import { githubTracker } from '../../trackers/github/github-tracker.ts';
import { syncOutcome } from './linear.ts';

const waitMsMax = 600_000;
const verb = 'github sync';

export const command: Command = {
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
  run: async ({ args, options }, ports) => {
    const project = await loadProject(ports);
    if (args[0] !== 'sync')
      throw new GzaError('usage', `gza github does not know "${shorten(args[0] ?? '', 50)}"`, {
        hint: 'It is gza github sync.',
      });
    const { enabled, label } = project.config.integrations.github;
    if (!enabled)
      throw new GzaError('input', 'issues on GitHub are not switched on for this repository', {
        hint: 'In gza.yaml:\n  integrations:\n    github: { enabled: true }',
      });
    const found = await findGithub({ repo: options['repo'], verb }, ports);
    const client = openGithub(found, verb, ports, waitMsMax);
    const dryRun = options['dry-run'] === true;
    const isOver = () => ports.signal.aborted;
    const sync = await syncProject(project, githubTracker({ client, label, isOver }), {
      dryRun,
      all: options['all'] === true,
      sleep: (milliseconds) => sleep(milliseconds, undefined, { signal: ports.signal }),
      isOver,
    });
    return syncOutcome(sync, dryRun);
  },
};
