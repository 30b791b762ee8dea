/** `tree`, `where`, `context`: tasks under their parents, with the current position. */
import { type Board, linearIssue, type TaskView } from '../../board/board.ts';
import { currentPosition } from '../../board/items.ts';
import { displayWidth, oneLine } from '../../markdown/neutralise.ts';
import type { Decision } from '../../policy/decide.ts';
import { complaints, isOver, remarksOf, verdictWords } from '../../policy/steps-so-far.ts';
import type { Task } from '../../task/task.ts';
import { allRows } from '../../task/task-fields.ts';
import { branchOf } from '../../task/task-json.ts';
import { printDuration, toSecond } from '../../time.ts';
import { blockedText, costOfRecord, plainText, shorten } from './lines.ts';

const pointer = '<-- current position';

/** Maximum width of a line to which the pointer to the current task is added. */
const columnsMax = 120;

/** Deeper levels get no further indentation, so that a long chain of parents stays readable. */
const depthShownMax = 12;

/** The first incomplete leaf in pre-order, among these tasks. */
export function positionIn(board: Board, ids: ReadonlySet<string>): string | null {
  const isOpen = (id: string) => ids.has(id) && !isOver(board.views.get(id));
  return currentPosition(board.tree, isOpen) ?? null;
}

export function treeText(board: Board, ids: ReadonlySet<string>): string {
  const current = positionIn(board, ids);
  const placed = inTreeOrder(board, ids).map((one) => ({
    ...one,
    text: treeLine(one, areAssigned(board, one.view)),
  }));
  const lines = placed.map(({ view, text }) => {
    if (view.id !== current) return text;
    const parent = board.tree.parent(view.id);
    const beside = placed.filter((one) => board.tree.parent(one.view.id) === parent);
    const width = Math.min(columnsMax, Math.max(...beside.map((one) => displayWidth(one.text))));
    return `${text}${' '.repeat(Math.max(0, width - displayWidth(text)))}  ${pointer}`;
  });
  return lines.length > 0 ? lines.join('\n') : 'No tasks.';
}

function treeLine({ view, depth }: Placed, isEachSaid: boolean): string {
  const plan = depth === 0 && view.task.plan_file ? ` (plan: ${shorten(view.task.plan_file)})` : '';
  return `${'    '.repeat(depth)}[${box(view)}] ${shorten(view.task.title, 80)}${plan}${who(view, isEachSaid)}`;
}

/** Whether any sibling has a holder. If so, each sibling shows its state. */
function areAssigned({ tree, views }: Board, { id }: TaskView): boolean {
  const parent = tree.parent(id);
  return parent !== undefined && tree.children(parent).some((one) => holderOf(views.get(one)) !== undefined);
}

function holderOf(view: TaskView | undefined): string | undefined {
  return view?.claim?.holder ?? view?.task.assigned_agent;
}

interface Placed {
  readonly view: TaskView;
  readonly depth: number;
}

/** The selected tasks in pre-order. A task whose parent is not selected is at the top level. */
export function inTreeOrder(board: Board, ids: ReadonlySet<string>): Placed[] {
  const depths = new Map<string, number>();
  const placed: Placed[] = [];
  for (const id of board.tree.preOrder) {
    const view = board.views.get(id);
    if (!view || !ids.has(id)) continue;
    const parent = board.tree.parent(id);
    const depth = parent !== undefined && depths.has(parent) ? (depths.get(parent) as number) + 1 : 0;
    depths.set(id, depth);
    placed.push({ view, depth: Math.min(depth, depthShownMax) });
  }
  return placed;
}

/** `Implement authentication › Execute plan › Task 2 › Spec review` */
export function positionPath(board: Board, id: string): string {
  const path: string[] = [];
  for (let at: string | undefined = id; at !== undefined; at = board.tree.parent(at)) {
    path.push(shorten(board.views.get(at)?.task.title ?? at));
  }
  return path.reverse().join(' › ');
}

function box(view: TaskView): string {
  return view.unapproved ? '!' : isOver(view) ? 'x' : ' ';
}

function who(view: TaskView, isEachSaid: boolean): string {
  const holder = holderOf(view);
  // No state where the outline already shows it: by a ticked box, or by the children of a parent.
  const isSaid =
    !holder &&
    ((view.status === 'completed' && !view.unapproved) || (view.children.length > 0 && !view.claim));
  const state = stateWord(view) || (isEachSaid && view.status === 'pending' && !holder ? 'pending' : '');
  const word = isSaid && view.status !== 'failed' ? '' : state;
  const parts = [holder ? `@${holder}` : '', word].filter((part) => part !== '');
  return parts.length > 0 ? ` (${parts.join(', ')})` : '';
}

function stateWord(view: TaskView): string {
  switch (view.status) {
    case 'completed':
      return `completed ${view.unapproved ? (view.record?.final_verdict ?? '') : ''}`.trim();
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

interface ContextOptions {
  /** In UTF-8; the parts around the current position are kept. Null prints all. */
  readonly bytesMax: number | null;
}

/** The Markdown that an agent gets as context. */
export function contextText(board: Board, ids: ReadonlySet<string>, { bytesMax }: ContextOptions): string {
  const current = positionIn(board, ids);
  const placed = inTreeOrder(board, ids);
  const lines = placed.map(({ view, depth }) => contextLine(board, view, depth, view.id === current));
  const title = '## Current Tasks';
  const whole = [title, ...lines].join('\n');
  if (bytesMax === null || byteLength(whole) <= bytesMax) return whole;
  const at = Math.max(
    0,
    placed.findIndex(({ view }) => view.id === current),
  );
  return around(title, lines, at, bytesMax);
}

function contextLine(board: Board, view: TaskView, depth: number, isCurrent: boolean): string {
  const holder = holderOf(view);
  const state = view.status === 'in_progress' ? inProgress(board, view) : stateWord(view) || 'pending';
  const inside = holder ? `@${holder}, ${state}` : state;
  const text = `${'  '.repeat(depth)}- [${box(view)}] ${view.id}: ${shorten(view.task.title)} (${inside})`;
  return isCurrent ? `${text}  <-- current` : text;
}

/** For a parent in progress, names the child that is in progress. */
function inProgress(board: Board, view: TaskView): string {
  const child = view.children.find((id) => !isOver(board.views.get(id)));
  if (!child) return stateWord(view);
  const title = shorten(board.views.get(child)?.task.title ?? child, 30);
  return `in ${/^\p{Lu}\p{Ll}/u.test(title) ? title.charAt(0).toLowerCase() + title.slice(1) : title}`;
}

/** Prints the line at `at` and as many lines around it as fit, and counts those left out. */
function around(title: string, lines: readonly string[], at: number, bytesMax: number): string {
  const noteLength = 40;
  const sizeOf = (line: string) => byteLength(line) + 1;
  let [from, to] = [at, at + 1];
  let left = bytesMax - sizeOf(title) - sizeOf(lines[at] ?? '') - 2 * noteLength;
  for (;;) {
    const after = lines[to];
    const before = from > 0 ? lines[from - 1] : undefined;
    if (after !== undefined && sizeOf(after) <= left) {
      left -= sizeOf(after);
      to += 1;
    } else if (before !== undefined && sizeOf(before) <= left) {
      left -= sizeOf(before);
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

function byteLength(text: string): number {
  let bytes = 0;
  for (const character of text) {
    const code = character.codePointAt(0) as number;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
}

/**
 * `show`: all of one task. `waits`: what it waits for when no other task blocks it. `next`: commands a person
 * can use.
 */
export function showText(view: TaskView, waits: Decision | null, next: readonly string[] = []): string {
  const goOn = line('next', next.slice(0, 3).join(' | '));
  const found = findingLines(view);
  return [
    ...head(view, waits),
    ...definition(view),
    ...progress(view),
    ...(goOn === '' ? [] : [goOn]),
    ...found,
    ...texts(view),
  ].join('\n');
}

const findingsMax = 10;

/** What the last review found, as long as it is not approved. */
export function findingLines({ id, record }: TaskView): string[] {
  const review = record?.steps?.findLast(({ step, verdict }) => step === 'review' && verdict !== undefined);
  const claims = review?.claims ?? [];
  if (!review || claims.length === 0 || record?.final_verdict === 'APPROVED') return [];
  const lines = claims.slice(0, findingsMax).map((claim, at) => {
    const weight = review.findings?.[at]?.startsWith('!') ? 'blocker' : 'follow-up';
    return `- ${weight} ${oneLine(claim.replace(/^- /, ''), 300)}`;
  });
  const more = claims.length - lines.length;
  return [
    `findings of review ${Math.max(1, review.cycle ?? 0)} (gza log ${id} has its steps):`,
    ...lines,
    ...(more > 0 ? [`- and ${more} more`] : []),
  ];
}

/** `gza/login at abc1234, pull request #3 https://…`: where its work is. */
export function whereItIs(view: TaskView): string {
  const { record } = view;
  const branch = record?.lane === undefined ? null : branchOf(view);
  const head = record?.closed_commit ?? record?.steps?.findLast((step) => step.head !== undefined)?.head;
  const pull = record?.pull_request;
  return [
    branch === null ? '' : `${branch}${head ? ` at ${head.slice(0, 7)}` : ''}`,
    pull ? `pull request #${pull.number}${pull.url ? ` ${pull.url}` : ''}` : '',
  ]
    .filter((part) => part !== '')
    .join(', ');
}

function head(view: TaskView, waits: Decision | null): string[] {
  const { record, task } = view;
  const status = view.status === 'completed' ? 'done' : view.status;
  const held = view.status === 'blocked' ? blockedText(view) : waits?.because;
  return [
    `${view.id}: ${shorten(task.title, 200)}`,
    line('status', held === undefined ? status : `${status} (${held})`),
    line('created', clock(record?.created_at) ?? (view.file ? `in ${view.file}` : undefined)),
    line('closed', clock(view.closedAt)),
    line('commit', record?.closed_commit?.slice(0, 7)),
  ].filter(isSet);
}

function definition(view: TaskView): string[] {
  const { task } = view;
  return [
    line('type', task.type === 'task' ? undefined : task.type),
    ...allRows.map(([name, { show }]) => (show ? line(show, printed(task[name as keyof Task])) : '')),
    line('children', view.children.join(', ')),
    line('in Linear', linearIssue(view) ?? undefined),
    line('file', view.record && view.file ? view.file : undefined),
    view.changed ? 'note: its file says something else now; gza retry takes the new text' : '',
  ].filter(isSet);
}

function printed(value: Task[keyof Task]): string | undefined {
  if (typeof value !== 'object') return value === undefined ? undefined : String(value);
  const parts = Array.isArray(value) ? value : Object.entries(value).map((pair) => pair.join(' '));
  return parts.join(', ');
}

function progress(view: TaskView): string[] {
  const { record, claim } = view;
  if (!record) return [];
  const pull = record.pull_request;
  const remarks = remarksOf(record);
  const { closed_reason, error } = complaints(record);
  return [
    line('created by', record.created_by),
    line('branch', branchOf(view) ?? undefined),
    line('held by', claim ? `${claim.holder} until ${toSecond(claim.until)}` : undefined),
    line('waits for', record.stop ? `a person: ${record.stop.detail}` : undefined),
    line('checks changed', remarks.checks.join('; ')),
    line('to look at', remarks.named.join('; ')),
    line('closed as', record.closed_as === 'done' ? undefined : record.closed_as),
    line('reason', closed_reason),
    line('verdict', verdictWords(record) || undefined),
    line('review cycle', record.review_cycle ? String(record.review_cycle) : undefined),
    line('attempts', record.attempts ? String(record.attempts) : undefined),
    line('error', error),
    line(
      'pull request',
      pull ? `#${pull.number} (${pull.state})${pull.url ? ` ${pull.url}` : ''}` : undefined,
    ),
    line('cost', record.cost_usd || record.unpriced_tokens ? costOfRecord(record) : undefined),
    line('time', record.seconds ? printDuration(record.seconds) : undefined),
  ].filter(isSet);
}

function texts(view: TaskView): string[] {
  const { task, record } = view;
  const lines: string[] = [];
  if (task.user_story) lines.push('', plainText(task.user_story));
  if (task.content.trim() !== task.title) lines.push('', plainText(task.content));
  if (task.acceptance_criteria?.length) {
    lines.push('', 'acceptance criteria:', ...task.acceptance_criteria.map(item));
  }
  if (record?.implementation_notes) lines.push('', plainText(record.implementation_notes));
  if (record?.notes?.length) lines.push('', 'notes:', ...record.notes.map(item));
  return lines;
}

function line(name: string, value: string | undefined): string {
  return value ? `${name}: ${oneLine(value, 1000)}` : '';
}

function item(text: string): string {
  return `- ${plainText(text).replaceAll('\n', '\n  ')}`;
}

function clock(iso: string | undefined): string | undefined {
  return iso && toSecond(iso);
}

function isSet(text: string): boolean {
  return text !== '';
}
