import type { Command, Outcome } from '../../app/command.ts';
import { warnUnread } from '../../app/project.ts';
import type { Claim } from '../../core/ledger/record/record.ts';
import { count } from '../../core/text/terminal/lines.ts';
import { workCosts } from '../../core/text/terminal/work-summary.ts';
import {
  type DryRun,
  dryRunHere,
  type HereChoice,
  type HereResult,
  runHere,
} from '../../engine/loop/run-here.ts';
import { openToWork, openWork, workPorts } from '../../engine/loop/work-run.ts';
import { agentOptions, runChoice } from '../agent-options.ts';

const delaySeconds = 2;

export const command: Command = {
  spec: {
    name: 'run',
    summary: 'run the ready tasks of this branch one after the other, here; never pushes',
    forPeople: true,
    arguments: [],
    details:
      'The agent works in your files, as you: with your environment, HOME and git identity. It commits, and marks its task done. A task that fails three times is skipped.',
    options: [
      { name: 'once', type: 'flag', help: 'run only one task' },
      { name: 'max-tasks', type: 'number', value: '<n>', help: 'stop after n tasks' },
      {
        name: 'delay',
        type: 'number',
        value: '<seconds>',
        help: `wait between tasks (default ${delaySeconds})`,
      },
      { name: 'dry-run', type: 'flag', help: 'show what would run, in order' },
      { name: 'all-branches', type: 'flag', help: 'also tasks that were filed on other branches' },
      {
        name: 'isolate',
        type: 'flag',
        help: 'with an environment, HOME and git identity of its own, as in gza work',
      },
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
    const choice: HereChoice = {
      ...runChoice(invocation),
      delaySeconds: (options['delay'] as number | undefined) ?? delaySeconds,
      allBranches: options['all-branches'] === true,
      isolate: options['isolate'] === true,
    };
    if (options['dry-run']) return dryOutcome(await dryRunHere(opened, choice, ports));
    const workspace = await openWork(opened);
    const running = workPorts(ports, options['json'] === true);
    try {
      return runOutcome(await runHere(opened, workspace, choice, running), running.wasInterrupted());
    } finally {
      running.close();
      opened.ledger.close();
    }
  },
};

function dryOutcome({ tasks, elsewhere, busy, isCut }: DryRun): Outcome {
  const lines = tasks.map(({ id, task }) => `would run ${id}: ${task.title}`);
  if (isCut) lines.push('… and more after these');
  if (tasks.length === 0 && !busy) lines.push('Nothing is ready.');
  const json = tasks.map(({ id }) => ({ id }));
  return { json, text: [...lines, ...around({ elsewhere, busy })].join('\n') };
}

function runOutcome(result: HereResult, wasInterrupted: boolean): Outcome {
  const { done, skipped, waiting, open, busy } = result;
  const waits = Object.keys(waiting).length;
  const ended = [
    `${count(done.length, 'task')} done`,
    ...(skipped.length > 0 ? [`${skipped.length} skipped`] : []),
    ...(waits > 0 ? [`${waits} for a person`] : []),
    `${open} open`,
  ].join(', ');
  const lines = [
    ...workCosts(result.steps),
    open === 0 ? 'All tasks complete!' : ended,
    ...around(result),
    'Run: git tasks pr',
  ];
  const isInVain = skipped.length > 0 && done.length === 0;
  const exit = wasInterrupted ? 130 : isInVain ? 1 : waits > 0 || busy ? 3 : 0;
  return { exit, json: result, text: lines.join('\n') };
}

/** Lines about ready work that this run leaves out. */
function around({ elsewhere, busy }: { readonly elsewhere: number; readonly busy: Claim | null }): string[] {
  const lines: string[] = [];
  if (busy) {
    const who = `Another run works in this folder, on #${busy.task} since ${busy.at}`;
    lines.push(`${who}: it takes what is ready in turn. gza release ${busy.task} stops it.`);
  }
  if (elsewhere > 0) lines.push(`${elsewhere} more ready on other branches: git tasks run --all-branches`);
  return lines;
}
