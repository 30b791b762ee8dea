import type { Command, Outcome, Ports } from '../../app/command.ts';
import { cyclesMax, loadProject, type Project } from '../../app/project.ts';
import { warnUnread } from '../../app/warn-unread.ts';
import type { TaskView } from '../../core/board/board.ts';
import { oldestFirst } from '../../core/board/board-order.ts';
import { deriveMilestones } from '../../core/task/milestones.ts';
import { taskRow } from '../../core/task/task-json.ts';
import { statusText } from '../../core/text/terminal/lists.ts';
import { knownName } from '../select.ts';

export const command: Command = {
  spec: {
    name: 'status',
    summary: 'the state of all tasks, of a group, or of a milestone',
    arguments: [{ name: 'group', completes: 'group' }],
    options: [{ name: 'milestone', type: 'text', value: '<id>', help: 'of this milestone' }],
    examples: [
      { command: 'gza status tarantino-v2', shows: 'the tasks of that group' },
      { command: 'gza status --milestone M1', shows: 'the tasks of that milestone' },
    ],
  },
  run: async ({ args, options }, ports) => {
    const project = await loadProject(ports);
    warnUnread(project, ports);
    const views = oldestFirst(project.board);
    const milestone = options['milestone'] as string | undefined;
    if (milestone !== undefined) return ofMilestone(project, views, milestone, ports);
    const group = args[0];
    if (group === undefined) return outcome(project, null, views, ports);
    const groups = [...new Set(views.flatMap((view) => view.task.group ?? []))];
    const name = group === '' || group === '(ungrouped)' ? undefined : knownName('group', group, groups);
    const members = views.filter((view) => view.task.group === name);
    return outcome(project, `Group: ${name ?? '(ungrouped)'}`, members, ports);
  },
};

function ofMilestone(project: Project, views: readonly TaskView[], id: string, ports: Ports): Outcome {
  const members = views.map(({ id: task, task: { milestone }, status }) => ({ id: task, milestone, status }));
  const all = deriveMilestones(members, project.read.milestones);
  const known = knownName(
    'milestone',
    id,
    all.map((one) => one.id),
  );
  const one = all.find((found) => found.id === known);
  const title = `Milestone: ${known}${one?.name ? ` ${one.name}` : ''} (${one?.status})`;
  return outcome(
    project,
    title,
    views.filter((view) => view.task.milestone === known),
    ports,
  );
}

function outcome(project: Project, title: string | null, views: readonly TaskView[], ports: Ports): Outcome {
  return {
    json: views.map(taskRow),
    text: statusText(title, views, { style: ports.style, cyclesMax: cyclesMax(project) }),
  };
}
