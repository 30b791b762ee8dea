/** Lines for a terminal. Every list prints a task the same way. */
import type { TaskView } from '../../board/board.ts';
import { displayWidth, oneLine } from '../../markdown/neutralise.ts';
import type { Decision } from '../../policy/decide.ts';
import type { Readiness } from '../../policy/readiness.ts';
import { changedSince, verdictWords } from '../../policy/steps-so-far.ts';

/**
 * Styles as functions, which keeps printing pure. They add escape codes on a terminal, and nothing in a pipe.
 */
export interface Style {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly red: (text: string) => string;
  readonly green: (text: string) => string;
  readonly yellow: (text: string) => string;
  readonly blue: (text: string) => string;
  readonly cyan: (text: string) => string;
}

const same = (text: string): string => text;

export const plain: Style = {
  bold: same,
  dim: same,
  red: same,
  green: same,
  yellow: same,
  blue: same,
  cyan: same,
};

const code =
  (open: number, close: number) =>
  (text: string): string =>
    `\u001b[${open}m${text}\u001b[${close}m`;

export const coloured: Style = {
  bold: code(1, 22),
  dim: code(2, 22),
  red: code(31, 39),
  green: code(32, 39),
  yellow: code(33, 39),
  blue: code(34, 39),
  cyan: code(36, 39),
};

const idWidthMax = 24;
const titleWidthMax = 60;

export interface LineOptions {
  readonly style: Style;
  /** Review cycles allowed, for `cycle 2/3`. */
  readonly cyclesMax: (view: TaskView) => number;
  /** What a task waits for when no other task blocks it. */
  readonly waits: Readiness['waits'];
  /** The branch that a task belongs to; null if it is the current one. */
  readonly elsewhere?: (view: TaskView) => string | null;
  /** Overrides the usual width of a title. */
  readonly titleMax?: number;
  /** Print the type before the title. */
  readonly showType?: boolean;
}

export function mark(view: TaskView, style: Style): string {
  if (view.unapproved || (view.record?.stop && !view.record.merged_at)) return style.yellow('!');
  switch (view.status) {
    case 'completed':
      return style.green('✓');
    case 'skipped':
      return style.dim('–');
    case 'failed':
      return style.red('✗');
    case 'in_progress':
      return style.blue('→');
    case 'blocked':
    case 'pending':
      return '○';
  }
}

/**
 * Follows a title in a checklist: ` ! MAX_CYCLES_REACHED`, because its box only shows that the task is open.
 */
export function unapprovedText({ unapproved, record }: TaskView): string {
  return unapproved ? ` ! ${record?.final_verdict ?? ''}`.trimEnd() : '';
}

/** `  ✓ task-a3f8. implement Add feature X   completed  APPROVED (3 cycles)`, columns aligned. */
export function taskLines(views: readonly TaskView[], options: LineOptions): string[] {
  const heads = views.map(
    (view) =>
      `${view.id}. ${options.showType ? `${view.task.type} ` : ''}${shorten(view.task.title, options.titleMax)}`,
  );
  const width = Math.min(Math.max(0, ...heads.map(displayWidth)), idWidthMax + titleWidthMax);
  return views.map((view, at) => {
    const head = heads[at] as string;
    const gap = ' '.repeat(Math.max(0, width - displayWidth(head)));
    const branch = onBranch(options.elsewhere?.(view) ?? null);
    return `${mark(view, options.style)} ${head}${gap}  ${stateText(view, options)}${branch}`.trimEnd();
  });
}

export function onBranch(branch: string | null): string {
  return branch === null ? '' : ` (on ${shorten(branch)})`;
}

/** `pending (blocked by #x)`, `completed  APPROVED (3 cycles)`, `in_progress (cycle 2/3)`. */
export function stateText(view: TaskView, { style, cyclesMax, waits }: LineOptions): string {
  switch (view.status) {
    case 'completed':
      return `completed  ${verdictText(view) || dayText(view.closedAt)}`.trimEnd();
    case 'failed':
      return style.red('failed') + reason(view.record?.error ?? view.record?.closed_reason);
    case 'skipped':
      return `skipped${view.record?.closed_as === 'dropped' ? ` (dropped${inner(view.record.closed_reason)})` : reason(view.record?.closed_reason)}`;
    case 'in_progress':
      return `${style.blue('in_progress')}${cycleText(view, cyclesMax)}`;
    case 'pending':
      return `pending${view.task.assigned_agent ? style.dim(` @${view.task.assigned_agent}`) : ''}${waitsText(waits(view), style)}`;
    case 'blocked':
      return `pending ${style.yellow(`(${blockedText(view)})`)}`;
  }
}

function waitsText(decision: Decision | null, style: Style): string {
  return decision === null ? '' : ` ${style.yellow(`(${shorten(decision.because, 120)})`)}`;
}

const blockersShownMax = 3;

export function blockedText(view: TaskView): string {
  const texts = view.blockers.map((blocker) => blocker.text);
  if (texts.length === 0) return 'blocked by its children';
  const more = texts.length > blockersShownMax ? ` and ${texts.length - blockersShownMax} more` : '';
  return `blocked by ${texts.slice(0, blockersShownMax).join(', ')}${more}`;
}

function verdictText(view: TaskView): string {
  const { record } = view;
  const verdict = verdictWords(record);
  if (!record || verdict === '' || verdict === changedSince) return verdict;
  const cycles = record.review_cycle ?? 0;
  const reviewed = view.task.type === 'review' || cycles === 0;
  return verdict + (reviewed ? '' : ` (${cycles} ${cycles === 1 ? 'cycle' : 'cycles'})`);
}

function cycleText(view: TaskView, cyclesMax: (view: TaskView) => number): string {
  const cycle = view.record?.review_cycle ?? 0;
  return cycle > 0 ? ` (cycle ${cycle}/${Math.max(cycle, cyclesMax(view))})` : '';
}

/** Month and day: `12/13`. */
function dayText(iso: string | undefined): string {
  return iso ? `${iso.slice(5, 7)}/${iso.slice(8, 10)}` : '';
}

function reason(text: string | undefined): string {
  const line = text?.split('\n')[0]?.trim();
  return line ? ` (${shorten(line)})` : '';
}

function inner(text: string | undefined): string {
  return text ? `: ${shorten(text)}` : '';
}

/** Shows an agent's question in full, and any other reason in one line. */
export function detailLines(reason: string, detail: string): string[] {
  return reason === 'agent-blocked'
    ? plainText(detail).split('\n')
    : [shorten(detail.split('\n')[0] ?? '', 400)];
}

/** Several lines of text, without characters that could move the cursor or hide text. */
export function plainText(text: string): string {
  return text
    .replaceAll(/\r\n?|[\u2028\u2029]/g, '\n')
    .replaceAll(/[^\P{C}\n\t]/gu, '')
    .trimEnd();
}

export function shorten(text: string, columnsMax = titleWidthMax): string {
  return oneLine(text, columnsMax);
}

export function count(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? '' : 's'}`;
}
