/** `tree`, `where`, `context`: tasks under their parents, with the current position. */
import type { Board, TaskView } from '../board.ts';
import { currentPosition } from '../tree.ts';
import { shorten } from './task-line.ts';

const pointer = '<-- current position';

function isOver(view: TaskView | undefined): boolean {
  return view === undefined || view.status === 'completed' || view.status === 'skipped';
}

/** The first incomplete leaf in pre-order, among these tasks. */
export function positionIn(board: Board, ids: ReadonlySet<string>): string | null {
  const isOpen = (id: string) => ids.has(id) && !isOver(board.views.get(id));
  return currentPosition(board.tree, isOpen) ?? null;
}

export function treeText(board: Board, ids: ReadonlySet<string>): string {
  const current = positionIn(board, ids);
  const lines = inTreeOrder(board, ids).map(({ view, depth }) => {
    const plan = depth === 0 && view.task.plan_file ? ` (plan: ${view.task.plan_file})` : '';
    const text = `${'    '.repeat(depth)}[${isOver(view) ? 'x' : ' '}] ${shorten(view.task.title, 80)}${plan}${who(view)}`;
    return view.id === current ? `${text}    ${pointer}` : text;
  });
  return lines.length > 0 ? lines.join('\n') : 'No tasks.';
}

export interface Placed {
  readonly view: TaskView;
  readonly depth: number;
}

/** Tasks of a selection in pre-order; one whose parent is outside stands at the top. */
export function inTreeOrder(board: Board, ids: ReadonlySet<string>): Placed[] {
  const depths = new Map<string, number>();
  const placed: Placed[] = [];
  for (const id of board.tree.preOrder) {
    const view = board.views.get(id);
    if (!view || !ids.has(id)) continue;
    const parent = board.tree.parent(id);
    const depth = parent !== undefined && depths.has(parent) ? (depths.get(parent) as number) + 1 : 0;
    depths.set(id, depth);
    placed.push({ view, depth });
  }
  return placed;
}

/** `Implement authentication › Execute plan › Task 2 › Spec review` */
export function positionPath(board: Board, id: string): string {
  const path: string[] = [];
  for (let at: string | undefined = id; at !== undefined; at = board.tree.parent(at)) {
    path.unshift(shorten(board.views.get(at)?.task.title ?? at));
  }
  return path.join(' › ');
}

function who(view: TaskView): string {
  const holder = view.claim?.holder ?? view.task.assigned_agent;
  const parts = [holder ? `@${holder}` : '', stateWord(view)].filter((part) => part !== '');
  return parts.length > 0 ? ` (${parts.join(', ')})` : '';
}

function stateWord(view: TaskView): string {
  switch (view.status) {
    case 'completed':
      return 'completed';
    case 'skipped':
      return 'skipped';
    case 'failed':
      return 'failed';
    case 'in_progress':
      return view.claim?.step ? `in ${view.claim.step}` : 'active';
    case 'blocked':
      return view.children.length > 0 ? '' : 'blocked';
    case 'pending':
      return '';
  }
}

export interface ContextOptions {
  /** Characters; the parts around the current position are kept. Null prints all. */
  readonly charactersMax: number | null;
}

/** The Markdown that is put before an agent. */
export function contextText(
  board: Board,
  ids: ReadonlySet<string>,
  { charactersMax }: ContextOptions,
): string {
  const current = positionIn(board, ids);
  const placed = inTreeOrder(board, ids);
  const lines = placed.map(({ view, depth }) => contextLine(board, view, depth, view.id === current));
  const title = '## Current Tasks';
  const whole = [title, ...lines].join('\n');
  if (charactersMax === null || whole.length <= charactersMax) return whole;
  const at = Math.max(
    0,
    placed.findIndex(({ view }) => view.id === current),
  );
  return around(title, lines, at, charactersMax);
}

function contextLine(board: Board, view: TaskView, depth: number, isCurrent: boolean): string {
  const holder = view.claim?.holder ?? view.task.assigned_agent;
  const state = view.status === 'in_progress' ? inProgress(board, view) : stateWord(view) || 'pending';
  const inside = holder ? `@${holder}, ${state}` : state;
  const text = `${'  '.repeat(depth)}- [${isOver(view) ? 'x' : ' '}] ${view.id}: ${shorten(view.task.title)} (${inside})`;
  return isCurrent ? `${text}  <-- current` : text;
}

/** A parent in progress says which of its children is. */
function inProgress(board: Board, view: TaskView): string {
  const child = view.children.find((id) => !isOver(board.views.get(id)));
  return child ? `in ${shorten(board.views.get(child)?.task.title ?? child, 30)}` : stateWord(view);
}

/** As many lines on both sides of one as fit, and how many were left out. */
function around(title: string, lines: readonly string[], at: number, charactersMax: number): string {
  const noteLength = 40;
  let [from, to] = [at, at + 1];
  let length = title.length + (lines[at]?.length ?? 0) + 2 * noteLength;
  for (;;) {
    const after = lines[to];
    const before = from > 0 ? lines[from - 1] : undefined;
    if (after !== undefined && length + after.length < charactersMax) {
      length += after.length + 1;
      to += 1;
    } else if (before !== undefined && length + before.length < charactersMax) {
      length += before.length + 1;
      from -= 1;
    } else break;
  }
  const hidden = (number: number, where: string) => (number > 0 ? [`(${number} more ${where})`] : []);
  return [
    title,
    ...hidden(from, 'above'),
    ...lines.slice(from, to),
    ...hidden(lines.length - to, 'below'),
  ].join('\n');
}
