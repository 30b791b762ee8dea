import type { Command } from '../../app/command.ts';
import { loadProject } from '../../app/project.ts';
import { stampOf, wholeView } from '../../app/tasks/change-task.ts';
import { findTask } from '../../app/tasks/find-task.ts';
import { isInFile } from '../../app/tasks/fixed.ts';
import { planSplit, splitInFile, splitInLedger } from '../../app/tasks/split-task.ts';
import { describeSplit } from '../../core/text/terminal/score.ts';

export const command: Command = {
  spec: {
    name: 'split',
    summary: 'a task that is too large into a chain of smaller ones',
    forPeople: true,
    arguments: [{ name: 'task', required: true, completes: 'id' }],
    details:
      'Shows the split; --write makes it. A task from a file is split in its file, comments kept; a filed one in its ledger. Tasks that waited for it then wait for the last segment.',
    options: [{ name: 'write', type: 'flag', help: 'make the split that is shown' }],
    examples: [
      { command: 'gza split task-a3f8', shows: 'the segments, their scores and what they wait for' },
      { command: 'gza split task-a3f8 --write', shows: 'the same, done' },
    ],
  },
  run: async ({ args, options }, ports) => {
    const project = await loadProject(ports);
    const view = await wholeView(project, findTask(project.board, args[0] as string).id);
    const split = planSplit(project, view);
    const text = describeSplit(view.id, split);
    if (split.kind === 'cannot') return { json: { id: view.id, ...split, written: false }, text };
    const waiting = split.repointed.map(({ id }) => `#${id}`);
    const lines = waiting.length > 0 ? [`  ${waiting.join(', ')} then waits for the last`] : [];
    if (options['write'] !== true) {
      const json = { id: view.id, ...split, written: false, files: [] };
      return {
        json,
        text: [text, ...lines, `Nothing is written yet: gza split ${view.id} --write`].join('\n'),
      };
    }
    const stamp = stampOf(ports);
    const inFile = await isInFile(project, view);
    const files = inFile ? await splitInFile(project, view, split, stamp) : [];
    if (!inFile) await splitInLedger(project, view, split, stamp);
    const where = files.length > 0 ? `written to ${files.join(', ')}` : 'split in its ledger';
    return {
      json: { id: view.id, ...split, written: true, files },
      text: [text, ...lines, where].join('\n'),
    };
  },
};
