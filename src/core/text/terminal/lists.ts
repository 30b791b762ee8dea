/** `list`, `ready`, `next`, `status`, `groups`, `milestones`: pure texts over the board. */
import { type Board, isLeaf, type TaskView } from '../../board/board.ts';
import { displayWidth, oneLine } from '../../markdown/neutralise.ts';
import type { Decision } from '../../policy/decide.ts';
import { groupBy } from '../../shape.ts';
import { countByStatus, type MilestoneSummary, type TaskCounts } from '../../task/task.ts';
import { blockedText, count, type LineOptions, onBranch, plain, shorten, taskLines } from './lines.ts';

/** Blocked tasks that `ready` names one by one. */
const blockedNamedMax = 10;

/** First line the next task, no header; then who waits for whom, and what else is waited for. */
export function readyText(
  ready: readonly TaskView[],
  blocked: readonly TaskView[],
  waiting: readonly Decision[] = [],
  elsewhere: LineOptions['elsewhere'] = () => null,
): string {
  const lines = ready.map(
    (view) => `${view.id}: ${shorten(view.task.title, 80)}${assignedText(view)}${onBranch(elsewhere(view))}`,
  );
  for (const view of blocked.slice(0, blockedNamedMax)) {
    const isPlain = view.blockers.length > 0 && view.blockers.every(({ kind }) => kind === 'dependency');
    lines.push(`(${view.id} ${isPlain ? blockedText(view).replaceAll('#', '') : blockedText(view)})`);
  }
  const more = blocked.length - blockedNamedMax;
  if (more > 0) lines.push(`(and ${more} more blocked)`);
  lines.push(...waitLines(waiting));
  return lines.length > 0 ? lines.join('\n') : 'Nothing is ready and nothing is blocked.';
}

function waitLines(waiting: readonly Decision[]): string[] {
  const lines = waiting
    .slice(0, blockedNamedMax)
    .map(({ task, because }) => `(${task} waits: ${shorten(because, 200)})`);
  const more = waiting.length - lines.length;
  return more > 0 ? [...lines, `(and ${more} more that wait)`] : lines;
}

function assignedText(view: TaskView): string {
  return view.task.assigned_agent ? ` (assigned to ${view.task.assigned_agent})` : '';
}

/** `1. [plan] Design ImageTransform system`, then how many are blocked. */
export function nextText(
  shown: readonly TaskView[],
  blockedCount: number,
  waiting: readonly Decision[],
  all: boolean,
): string {
  const why = new Map(waiting.map(({ task, because }) => [task, because]));
  const lines = shown.map((view) => {
    const held = view.status === 'blocked' ? blockedText(view) : shorten(why.get(view.id) ?? '', 200);
    return `${view.id}. [${view.task.type}] ${shorten(view.task.title, 80)}${assignedText(view)}${held ? ` (${held})` : ''}`;
  });
  const end = all ? [] : waitLines(waiting);
  if (!all && blockedCount > 0) end.unshift(`(${count(blockedCount, 'task')} blocked by dependencies)`);
  if (end.length > 0) lines.push('', ...end);
  return lines.length > 0 ? lines.join('\n').replace(/^\n/, '') : 'No pending tasks.';
}

export function statusText(title: string | null, views: readonly TaskView[], options: LineOptions): string {
  if (views.length === 0)
    return title === null
      ? 'No tasks yet. File one: gza add "What should be done"'
      : `${title}\n  (no tasks)`;
  const lines = taskLines(views, { ...options, showType: title === null });
  const body = lines.map((line) => `  ${line}`);
  return [...(title === null ? [] : [options.style.bold(title)]), ...body].join('\n');
}

const overviewMax = 10;

/** Whether a list of all would be longer than what people look at. */
export function isLong(views: readonly TaskView[]): boolean {
  return views.filter(isLeaf).length > 2 * overviewMax;
}

/** Of a long backlog: what needs attention, what runs, what is next, and the last that were done. */
export function overviewText(
  sections: readonly (readonly [string, readonly string[]])[],
  views: readonly TaskView[],
  options: LineOptions & { readonly width: number },
): string {
  const { style, width } = options;
  const order = ['Waiting for a person', 'In progress', 'Ready', 'Waiting', 'Blocked'];
  const shown = order.flatMap((name) =>
    sections.filter(([title, lines]) => title === name && lines.length > 0),
  );
  const done = views
    .filter((view) => isLeaf(view) && view.status === 'completed' && !view.unapproved)
    .toSorted((a, b) => ((a.closedAt ?? '') < (b.closedAt ?? '') ? 1 : -1));
  const last = taskLines(done.slice(0, overviewMax), { ...options, style: plain, titleMax: width - 50 });
  const all = [
    ...shown,
    ...(done.length > 0 ? [['Done', last.map((line) => `  ${oneLine(line, width - 2)}`)] as const] : []),
  ];
  const parts = all.map(([title, lines]) => {
    const many = title === 'Done' ? done.length : lines.length;
    const more = many - Math.min(lines.length, overviewMax);
    return [
      style.bold(`${title} (${many})`),
      ...lines.slice(0, overviewMax),
      ...(more > 0 ? [style.dim(`    and ${more} more`)] : []),
    ].join('\n');
  });
  const counts = statusCounts(countByStatus(views.filter(isLeaf)));
  return [`${counts} (gza status --all lists them)`, ...parts].join('\n\n');
}

export interface GroupCount extends TaskCounts {
  readonly group: string | null;
}

/** Groups in order of their first task, the ungrouped last. */
export function countGroups(board: Board): GroupCount[] {
  const inPlace = [...board.views.values()].sort((a, b) => a.position - b.position);
  const groups = groupBy(inPlace, (view) => view.task.group ?? null);
  const named = [...groups].filter(([group]) => group !== null);
  const rest = groups.get(null);
  return [...named, ...(rest ? [[null, rest] as const] : [])].map(([group, views]) =>
    countGroup(group, views),
  );
}

function countGroup(group: string | null, views: readonly TaskView[]): GroupCount {
  return { group, ...countByStatus(views) };
}

export function groupsText(groups: readonly GroupCount[]): string {
  if (groups.length === 0) return 'No tasks yet.';
  const name = ({ group }: GroupCount) => (group === null ? '(ungrouped)' : shorten(group));
  const width = Math.max(...groups.map((group) => displayWidth(name(group)))) + 2;
  return groups
    .map((group) => {
      const gap = ' '.repeat(width - displayWidth(name(group)));
      const counts = group.group === null ? '' : ` (${countsText(group)})`;
      return `${name(group)}${gap}${count(group.total, 'task')}${counts}`;
    })
    .join('\n');
}

function countsText(group: Omit<GroupCount, 'group'>): string {
  return statusCounts(group, ['pending', 'in_progress', 'completed', 'unapproved', 'failed', 'skipped']);
}

const shownFirst = ['completed', 'unapproved', 'in_progress', 'pending', 'failed', 'skipped'] as const;

/** `2 completed, 1 unapproved`: what there is none of is left out. */
export function statusCounts(counts: TaskCounts, names: readonly (keyof TaskCounts)[] = shownFirst): string {
  return names
    .filter((name) => counts[name] > 0)
    .map((name) => `${counts[name]} ${name}`)
    .join(', ');
}

export function milestonesText(milestones: readonly MilestoneSummary[]): string {
  if (milestones.length === 0) return 'No milestones. Name one on a task: milestone: M1';
  const heads = milestones.map((one) => `${one.id}${one.name ? ` ${shorten(one.name)}` : ''}`);
  const width = Math.max(...heads.map(displayWidth)) + 2;
  return milestones
    .map((one, at) => {
      const head = heads[at] as string;
      const done = `${one.completed}/${one.total} completed`;
      return `${head}${' '.repeat(width - displayWidth(head))}${one.status.padEnd(12)}${done}`;
    })
    .join('\n');
}
