import type { Command } from '../../app/command.ts';
import { loadProject } from '../../app/project.ts';
import { warnUnread } from '../../app/warnings.ts';
import { count } from '../../core/text/terminal/lists.ts';
import { workCosts } from '../../core/text/terminal/work-summary.ts';
import { readyHere, runHere } from '../../engine/loop/run-here.ts';
import { openArtifacts } from '../../engine/loop/state-dir.ts';
import { openToWork, workPorts } from '../../engine/work-ports.ts';
import { agentOptions, runChoice } from '../agent-options.ts';

const delaySeconds = 2;

export const command: Command = {
  spec: {
    name: 'run',
    summary: 'run all ready tasks one after the other, here, on the current branch; never pushes',
    forPeople: true,
    arguments: [],
    details:
      'The agent works in your files, commits, and marks its task done. A task that fails three times is skipped.',
    options: [
      { name: 'once', type: 'flag', help: 'run only one task' },
      { name: 'max-tasks', type: 'number', value: '<n>', help: 'stop after n tasks' },
      {
        name: 'delay',
        type: 'number',
        value: '<seconds>',
        help: `wait between tasks (default ${delaySeconds})`,
      },
      { name: 'dry-run', type: 'flag', help: 'show what would run' },
      ...agentOptions,
    ],
    examples: [
      { command: 'git tasks run', shows: 'all ready tasks, with Claude Code' },
      {
        command: 'git tasks run --runner "aider --yes" --once',
        shows: 'one task, with a command of your own',
      },
    ],
  },
  run: async (invocation, ports) => {
    const opened = await openToWork(ports);
    warnUnread(opened, ports);
    const { options } = invocation;
    if (options['dry-run']) {
      const project = await loadProject(ports, opened);
      const ready = await readyHere(project);
      const lines = ready.map(({ id, task }) => `would run ${id}: ${task.title}`);
      return { json: ready.map(({ id }) => ({ id })), text: lines.join('\n') || 'Nothing is ready.' };
    }
    await openArtifacts(opened);
    const running = workPorts(ports, options['json'] === true);
    try {
      const choice = {
        ...runChoice(invocation),
        delaySeconds: (options['delay'] as number | undefined) ?? delaySeconds,
      };
      const result = await runHere(opened, choice, running);
      const end =
        result.open === 0
          ? 'All tasks complete!\nRun: git tasks pr'
          : `${count(result.done.length, 'task')} done, ${result.open} open\nRun: git tasks pr`;
      const text = [...workCosts(result.steps), end].join('\n');
      return { exit: running.wasInterrupted() ? 130 : 0, json: result, text };
    } finally {
      running.close();
      opened.ledger.close();
    }
  },
};
