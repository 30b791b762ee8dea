import type { Command } from '../../app/command.ts';
import { cyclesMax, loadProject } from '../../app/project.ts';
import { settleLinks, waitingForCommit } from '../../app/tasks/settle-links.ts';
import { warnUnread } from '../../app/warn-unread.ts';
import { isReady, statuses } from '../../core/board/board.ts';
import { taskRow } from '../../core/task/task-json.ts';
import { statusText } from '../../core/text/terminal/lists.ts';
import { filterOptions, selectViews } from '../select.ts';

const states = [...statuses, 'done', 'ready'] as const;

export const command: Command = {
  spec: {
    name: 'list',
    summary: 'open tasks, oldest first',
    arguments: [],
    options: [
      { name: 'all', type: 'flag', help: 'also closed ones' },
      {
        name: 'status',
        type: 'text',
        value: '<status>',
        help: 'only those; pending has the blocked ones too',
        choices: states,
      },
      { name: 'ids', type: 'flag', help: 'ids only, one a line' },
      ...filterOptions,
    ],
    examples: [
      { command: 'gza list --group auth', shows: 'open tasks of one group' },
      { command: 'gza list --all --json', shows: 'everything, for scripts' },
    ],
  },
  run: async (invocation, ports) => {
    const opened = await loadProject(ports);
    warnUnread(opened, ports);
    const project = await settleLinks(opened, waitingForCommit(opened), ports);
    const { all, status, ids } = invocation.options;
    const views = selectViews(project.board, invocation).filter((view) => {
      if (status === 'ready') return isReady(view);
      if (status === 'pending' && view.status === 'blocked') return true;
      if (status !== undefined) return view.status === (status === 'done' ? 'completed' : status);
      return all === true || (view.status !== 'completed' && view.status !== 'skipped');
    });
    const text = ids
      ? views.map((view) => view.id).join('\n')
      : statusText(null, views, { style: ports.style, cyclesMax: cyclesMax(project) });
    const none = project.board.views.size > 0 && views.length === 0 && !ids;
    return { json: views.map(taskRow), text: none ? 'No tasks match.' : text };
  },
};
