import type { Command } from '../../app/command.ts';
import { scorer } from '../../app/facts/scorer.ts';
import { loadProject } from '../../app/project.ts';
import { shownSettings, wholeView } from '../../app/tasks/change-task.ts';
import { findTask } from '../../app/tasks/find-task.ts';
import { settleLinks } from '../../app/tasks/settle-links.ts';
import { taskJson } from '../../core/task/task-json.ts';
import { showText } from '../../core/text/terminal/show.ts';
import { spoolInstead } from '../spool-instead.ts';

export const command: Command = {
  spec: {
    name: 'show',
    summary: 'one task, whole',
    arguments: [{ name: 'id', required: true, completes: 'id' }],
    options: [],
    examples: [{ command: 'gza show task-a3f8', shows: 'status, times, commit, text, notes' }],
  },
  run: async (invocation, ports) => {
    const spooled = await spoolInstead('show', invocation, ports);
    if (spooled) return spooled;
    const { args } = invocation;
    const opened = await loadProject(ports);
    const { id } = findTask(opened.board, args[0] as string);
    const project = await settleLinks(opened, [id], ports);
    const view = await wholeView(project, id);
    const { score, warnings } = scorer(project, [view.task])(view.task);
    const json = {
      ...taskJson(view, shownSettings(project, view.task)),
      score: { total: score.total, level: score.level },
      size_warnings: warnings,
    };
    const isNew = !view.record?.started_at && !view.record?.closed_at && view.children.length === 0;
    const lines = isNew ? warnings.map(({ message }) => `warning: ${message}`) : [];
    return { json, text: [showText(view), ...lines].join('\n') };
  },
};
