import type { Command } from '../../app/command.ts';
import { loadProject } from '../../app/project.ts';
import { findTask, wholeView } from '../../app/tasks/change-task.ts';
import { explainSettings } from '../../core/config/config.ts';

export const command: Command = {
  spec: {
    name: 'config',
    summary: 'the configuration in force; with --explain, where each setting of a task came from',
    arguments: [],
    options: [
      { name: 'explain', type: 'text', value: '<id>', help: 'the settings of one task and their sources' },
    ],
    examples: [{ command: 'gza config --explain task-a3f8', shows: 'max_review_cycles 3  built-in' }],
  },
  run: async ({ options }, ports) => {
    const project = await loadProject(ports);
    const word = options['explain'] as string | undefined;
    if (word === undefined) return { json: project.config, text: JSON.stringify(project.config, null, 2) };
    const { id, record } = findTask(project.board, word);
    const file = record ? null : await project.backlog.definition(id);
    const view = await wholeView(project, id);
    const source = file ?? { task: view.task, defaults: {}, file: record?.file ?? 'the ledger', line: 1 };
    const rows = explainSettings(source, project.config);
    const from = (text: string) => (file ? text : text.replace(/^task file .*$/, `task ${id}`));
    const width = Math.max(...rows.map(({ field }) => field.length)) + 2;
    const lines = rows.map(
      ({ field, value, from: where }) =>
        `${field.padEnd(width)}${value === undefined ? '-' : JSON.stringify(value)}  ${from(where)}`,
    );
    const json = Object.fromEntries(
      rows.map(({ field, value, from: where }) => [field, { value: value ?? null, from: from(where) }]),
    );
    return { json, text: lines.join('\n') };
  },
};
