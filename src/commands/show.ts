import { taskJson } from '../core/task-json.ts';
import { showText } from '../core/text/show.ts';
import { shownSettings, wholeView } from './change-task.ts';
import type { Command } from './command.ts';
import { findTask } from './find-task.ts';
import { openProject } from './project.ts';
import { settleLinks } from './settle-links.ts';

export const command: Command = {
  spec: {
    name: 'show',
    summary: 'one task, whole',
    arguments: [{ name: 'id', required: true, completes: 'id' }],
    options: [],
    examples: [{ command: 'gza show task-a3f8', shows: 'status, times, commit, text, notes' }],
  },
  run: async ({ args }, ports) => {
    const opened = await openProject(ports);
    const { id } = findTask(opened.board, args[0] as string);
    const project = await settleLinks(opened, [id], ports);
    const view = await wholeView(project, id);
    return { json: taskJson(view, shownSettings(project, view.task)), text: showText(view) };
  },
};
