/** The texts of `list`, `ready`, `next`, `status`, `groups` and `milestones`. */
import { type Board, isLeaf, type TaskView } from '../../board/board.ts';
import type { Cost, Counts, Summary } from '../../board/summary.ts';
import { displayWidth, oneLine } from '../../markdown/neutralise.ts';
import type { CostRow } from '../../policy/cost.ts';
import type { Decision } from '../../policy/decide.ts';
import { groupBy } from '../../shape.ts';
import { countByStatus, type MilestoneSummary, type TaskCounts } from '../../task/task.ts';
import { printDuration } from '../../time.ts';
import { neutraliseMarkdown } from '../github/inline-text.ts';
import {
  costText as amountText,
  blockedText,
  count,
  type LineOptions,
  onBranch,
  plain,
  type Style,
  shorten,
  taskLines,
  tokenText,
} from './lines.ts';
import { costLines } from './work-summary.ts';

/** Blocked tasks that `ready` names one by one. */
const blockedNamedMax = 10;

/**
 * The first line is the next task, without a header. Then come blocked tasks, then those waiting for other
 * reasons.
 */
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

/** Whether a list of all tasks would be too long to read. */
export function isLong(views: readonly TaskView[]): boolean {
  return views.filter(isLeaf).length > 2 * overviewMax;
}

/** For a long backlog: what needs attention, what runs, what is next, and what was done last. */
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

interface GroupCount extends TaskCounts {
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

/** `2 completed, 1 unapproved`; leaves out zero counts. */
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

const idsShownMax = 10;
const waitingShownMax = 20;
const rowsShownMax = 100;

/** `rows`: the cost of steps, if requested. */
export function summaryText(summary: Summary, style: Style, rows: readonly CostRow[] = []): string {
  const { tasks, milestones, groups, waiting } = summary;
  const lines = [`${style.bold(`${tasks.progress} of ${tasks.total} tasks`)}: ${summaryCounts(tasks)}`];
  const line = (name: string, ids: readonly string[]) => {
    if (ids.length > 0) lines.push(`${name}: ${idsText(ids)}`);
  };
  line('current', summary.current_task_ids);
  line('in flight', summary.in_flight_task_ids);
  line('failed', summary.failed_task_ids);
  if (summary.cost_usd > 0 || summary.unpriced_tokens > 0 || summary.seconds > 0)
    lines.push(`spent: ${[money(summary), time(summary)].filter(Boolean).join(', ')}`);
  if (summary.reserved_usd > 0)
    lines.push(`reserved: $${summary.reserved_usd.toFixed(2)} by what is at work`);
  const [today] = summary.days;
  if (today) lines.push(`last spent: ${today.day}${costText(today)}`);
  const costs = costLines(rows);
  if (costs.length > 0) lines.push('', style.bold('Costs'), ...costs);
  if (milestones.length > 0) {
    lines.push('', style.bold('Milestones'));
    for (const one of milestones) {
      const name = shorten(one.name ? `${one.id} ${one.name}` : one.id);
      lines.push(`  ${one.progress.padStart(4)}  ${name}: ${one.status}, ${one.completed} of ${one.total}`);
    }
  }
  if (groups.length > 0) {
    lines.push('', style.bold('Groups'));
    for (const one of groups)
      lines.push(
        `  ${one.progress.padStart(4)}  ${shorten(one.group)}: ${summaryCounts(one)}${costText(one)}`,
      );
  }
  if (waiting.length > 0) {
    lines.push('', style.bold('Waiting for a person'));
    for (const one of waiting.slice(0, waitingShownMax)) {
      lines.push(`  ${style.yellow('!')} ${one.id}: ${shorten(one.title)} (${shorten(one.reason, 40)})`);
      lines.push(`      ${shorten(one.detail, 160)}`, `      ${style.dim(one.commands.join(' | '))}`);
    }
    if (waiting.length > waitingShownMax)
      lines.push(`  and ${waiting.length - waitingShownMax} more: gza escalations`);
  }
  return lines.join('\n');
}

/** `gza summary` as Markdown, for a workflow's summary page. */
export function summaryMarkdown(summary: Summary): string {
  const { tasks, milestones, groups, waiting } = summary;
  const lines = [`### ${tasks.progress} of ${tasks.total} tasks`, '', summaryCounts(tasks), ''];
  const line = (name: string, ids: readonly string[]) => {
    if (ids.length > 0) lines.push(`- ${name}: ${cell(idsText(ids))}`);
  };
  line('Current', summary.current_task_ids);
  line('In flight', summary.in_flight_task_ids);
  line('Failed', summary.failed_task_ids);
  if (summary.cost_usd > 0 || summary.unpriced_tokens > 0)
    lines.push(`- Spent: ${[money(summary), time(summary)].filter(Boolean).join(', ')}`);
  if (summary.reserved_usd > 0)
    lines.push(`- Reserved: $${summary.reserved_usd.toFixed(2)} by what is at work`);
  const rows = [
    ...milestones.map((one) => row(`Milestone ${one.name ? `${one.id} ${one.name}` : one.id}`, one)),
    ...groups.map((one) => row(one.group, one)),
  ];
  if (rows.length > 0) {
    lines.push('', '| | Progress | Completed | Pending | In progress | Failed |');
    lines.push('| --- | ---: | ---: | ---: | ---: | ---: |', ...rows.slice(0, rowsShownMax));
    if (rows.length > rowsShownMax) lines.push(`| … and ${rows.length - rowsShownMax} more | | | | | |`);
  }
  if (waiting.length > 0) {
    lines.push('', '#### Waiting for a person', '');
    for (const { id, title, detail, commands } of waiting.slice(0, waitingShownMax)) {
      lines.push(`- **${cell(id)}** ${cell(title)}: ${cell(shorten(detail, 160))}`);
      lines.push(`  ${commands.map((one) => `\`${one.replaceAll('`', '')}\``).join(' ')}`);
    }
    if (waiting.length > waitingShownMax) lines.push(`- and ${waiting.length - waitingShownMax} more`);
  }
  return `${lines.join('\n')}\n`;
}

function row(name: string, counts: Omit<Counts, 'skipped'>): string {
  const { progress, completed, pending, in_progress, failed } = counts;
  return `| ${[cell(name), progress, completed, pending, in_progress, failed].join(' | ')} |`;
}

/** Untrusted text in a cell: one line, escaped for Markdown and GitHub. */
function cell(text: string): string {
  return neutraliseMarkdown(shorten(text, 120));
}

function summaryCounts(counts: Counts): string {
  return statusCounts(counts) || 'no tasks';
}

function idsText(ids: readonly string[]): string {
  const more = ids.length > idsShownMax ? ` and ${ids.length - idsShownMax} more` : '';
  return `${ids.slice(0, idsShownMax).join(', ')}${more}`;
}

/** `, $1.20, 40k tokens` */
function costText({ cost_usd, input_tokens, output_tokens }: Cost): string {
  const tokens = input_tokens + output_tokens;
  const parts = [cost_usd > 0 ? `$${cost_usd.toFixed(2)}` : '', tokens > 0 ? tokenText(tokens) : ''];
  return parts
    .filter(Boolean)
    .map((part) => `, ${part}`)
    .join('');
}

function money({ cost_usd, unpriced_tokens }: Summary): string {
  return cost_usd > 0 || unpriced_tokens > 0 ? amountText(cost_usd || undefined, unpriced_tokens) : '';
}

function time({ seconds }: Summary): string {
  return seconds > 0 ? printDuration(seconds) : '';
}
