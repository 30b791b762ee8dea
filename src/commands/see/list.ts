import type { Command, Outcome, Ports } from '../../app/command.ts';
import { escalationsOf, readinessIn } from '../../app/facts/facts.ts';
import {
  cyclesMax,
  elsewhereFrom,
  loadProject,
  type Project,
  scorer,
  warnUnread,
} from '../../app/project.ts';
import { findTask, shownSettings, wholeView } from '../../app/tasks/change-task.ts';
import { settleLinks, waitingForCommit } from '../../app/tasks/settle-links.ts';
import { writtenText } from '../../app/tasks/written-text.ts';
import { oldestFirst, statuses, type TaskView } from '../../core/board/board.ts';
import { milestoneMember } from '../../core/board/summary.ts';
import { readForeseen } from '../../core/ledger/ledger-state.ts';
import { groupBy } from '../../core/shape.ts';
import { deriveMilestones } from '../../core/task/task.ts';
import { taskJson, taskRow } from '../../core/task/task-json.ts';
import { clashesOf, plainText, shorten } from '../../core/text/terminal/lines.ts';
import { isLong, overviewText, statusText } from '../../core/text/terminal/lists.ts';
import { showText } from '../../core/text/terminal/outline.ts';
import { boardSectionLines } from '../../core/text/terminal/watch.ts';
import { filterOptions, knownName, selectViews } from '../select.ts';
import { spoolInstead } from '../spool-instead.ts';

const states = [...statuses, 'done', 'ready'] as const;

export const list: Command = {
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
    const { isReady, waits } = await readinessIn(project);
    const { all, status, ids } = invocation.options;
    const views = selectViews(project.board, invocation).filter((view) => {
      if (status === 'ready') return isReady(view);
      if (status === 'pending' && view.status === 'blocked') return true;
      if (status !== undefined) return view.status === (status === 'done' ? 'completed' : status);
      return all === true || (view.status !== 'completed' && view.status !== 'skipped');
    });
    const text = ids
      ? views.map((view) => view.id).join('\n')
      : statusText(null, views, {
          style: ports.style,
          cyclesMax: cyclesMax(project),
          waits,
          elsewhere: elsewhereFrom(project),
        });
    const none = project.board.views.size > 0 && views.length === 0 && !ids;
    return { json: views.map(taskRow), text: none ? 'No tasks match.' : text };
  },
};

export const status: Command = {
  spec: {
    name: 'status',
    summary: 'the state of all tasks, of a group, or of a milestone',
    arguments: [{ name: 'group or milestone', completes: 'group' }],
    options: [
      { name: 'milestone', type: 'text', value: '<id>', help: 'of this milestone' },
      { name: 'all', type: 'flag', help: 'every task, also of a long backlog' },
    ],
    details:
      'A backlog of more than twenty tasks is shown as what needs attention, what runs, what is next and the last ten that were done.',
    examples: [
      { command: 'gza status tarantino-v2', shows: 'the tasks of that group' },
      { command: 'gza status M1', shows: 'the tasks of that milestone' },
    ],
  },
  run: async ({ args, options }, ports) => {
    const project = await loadProject(ports);
    warnUnread(project, ports);
    const views = oldestFirst(project.board);
    const milestone = options['milestone'] as string | undefined;
    if (milestone !== undefined) return ofMilestone(project, views, milestone, ports);
    const group = args[0];
    if (group === undefined && isLong(views) && options['all'] !== true)
      return overview(project, views, ports);
    if (group === undefined) return outcome(project, null, views, ports);
    const groups = [...new Set(views.flatMap((view) => view.task.group ?? []))];
    const isMilestone = views.some((view) => view.task.milestone === group);
    if (isMilestone && !groups.includes(group)) return ofMilestone(project, views, group, ports);
    const name = group === '' || group === '(ungrouped)' ? undefined : knownName('group', group, groups);
    const members = views.filter((view) => view.task.group === name);
    return outcome(project, `Group: ${name ?? '(ungrouped)'}`, members, ports);
  },
};

async function overview(project: Project, views: readonly TaskView[], ports: Ports): Promise<Outcome> {
  const readiness = await readinessIn(project);
  // Some terminals do not report their width.
  const width = Math.min(Math.max(40, ports.columns || 80), 160);
  const own = { style: ports.style, cyclesMax: cyclesMax(project), readiness, width };
  const sections = boardSectionLines(project.board, escalationsOf(project), own);
  const text = overviewText(sections, views, { ...own, waits: readiness.waits });
  return { json: views.map(taskRow), text };
}

function ofMilestone(
  project: Project,
  views: readonly TaskView[],
  id: string,
  ports: Ports,
): Promise<Outcome> {
  const all = deriveMilestones(views.map(milestoneMember), project.read.milestones);
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

async function outcome(
  project: Project,
  title: string | null,
  views: readonly TaskView[],
  ports: Ports,
): Promise<Outcome> {
  const { waits } = await readinessIn(project);
  const options = { style: ports.style, cyclesMax: cyclesMax(project), waits };
  const groups = title === null ? groupBy(views, (view) => view.task.group ?? '') : new Map();
  const named = [...groups.keys()].filter((group) => group !== '');
  const sections = named.length > 0 && groups.has('') ? [...named, ''] : named;
  const text =
    sections.length === 0
      ? statusText(title, views, options)
      : sections
          .map((group) =>
            statusText(group ? `Group: ${shorten(group)}` : '(ungrouped)', groups.get(group), options),
          )
          .join('\n\n');
  return { json: views.map(taskRow), text };
}

async function clashesIn({ view }: Project) {
  return readForeseen((await view.meta(view.base))?.marks ?? {}).clashes;
}

export const show: Command = {
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
    const written = await writtenText(project, view);
    const plan = written ? ['', plainText(written.text)] : [];
    const ahead = clashesOf(view.record?.lane?.branch, await clashesIn(project));
    lines.push(...ahead.map((one) => `conflicts ahead: with ${one}`));
    const next = escalationsOf(project).find((one) => one.id === id)?.commands;
    const shown = showText(view, (await readinessIn(project)).waits(view), next);
    const text = [shown, ...lines, ...plan].join('\n');
    return { json: { ...json, ...(written ? { written: written.text } : {}) }, text };
  },
};
