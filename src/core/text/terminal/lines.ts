/** Lines for a terminal. Every list prints a task the same way. */
import type { TaskView } from '../../board/board.ts';
import type { Clash } from '../../ledger/ledger-state.ts';
import type { TaskRecord } from '../../ledger/record/record.ts';
import { displayWidth, oneLine } from '../../markdown/neutralise.ts';
import type { Decision } from '../../policy/decide.ts';
import type { Readiness } from '../../policy/readiness.ts';
import { changedSince, verdictWords } from '../../policy/steps-so-far.ts';
import { printDuration } from '../../time.ts';

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

const filesShown = 5;
const clashesShown = 20;

/** `gza/a and gza/b conflict in seed.txt`. */
export function clashLines(clashes: readonly Clash[]): string[] {
  const lines = clashes
    .slice(0, clashesShown)
    .map(({ branches, files }) => `${branches.map(named).join(' and ')} conflict in ${filesText(files)}`);
  const more = clashes.length - lines.length;
  return more > 0 ? [...lines, `and ${more} more pairs`] : lines;
}

/** `gza/b in seed.txt`: what one branch conflicts with. */
export function clashesOf(branch: string | undefined, clashes: readonly Clash[]): string[] {
  const own = clashes.filter(({ branches }) => branch !== undefined && branches.includes(branch));
  return own.slice(0, clashesShown).map(({ branches, files }) => {
    const other = branches.find((one) => one !== branch) ?? '';
    return `${named(other)} in ${filesText(files)}`;
  });
}

/** Cleaned, because anyone who can push chooses the names. */
function named(branch: string): string {
  return oneLine(branch, 200);
}

function filesText(files: readonly string[]): string {
  const more = files.length - filesShown;
  const shown = files.slice(0, filesShown).map((file) => oneLine(file, 200));
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** `–` for an unknown cost. `unpriced`: tokens of unknown price, which `usd` does not include. */
export function costText(usd: number | undefined, unpriced = 0): string {
  if (unpriced > 0)
    return usd ? `$${usd.toFixed(2)} + ${tokenText(unpriced)}` : `unknown: ${tokenText(unpriced)}`;
  return usd === undefined ? '–' : `$${usd.toFixed(2)}`;
}

export function costOfRecord(record: Pick<TaskRecord, 'cost_usd' | 'unpriced_tokens'> | null): string {
  return costText(record?.cost_usd, record?.unpriced_tokens);
}

/** The cost of several tasks; `–` if none of them has a known cost. */
export function costOfRecords(records: readonly (TaskRecord | null)[]): string {
  const unpriced = sumKnown(records.map((record) => record?.unpriced_tokens));
  return costText(sumKnown(records.map((record) => record?.cost_usd)), unpriced);
}

/** `40k tokens` */
export function tokenText(tokens: number): string {
  return `${tokens < 1000 ? tokens : `${Math.round(tokens / 1000)}k`} tokens`;
}

export function timeText(seconds: number | undefined): string {
  return seconds === undefined || seconds === 0 ? '–' : printDuration(seconds);
}

/** The sum of what is known; undefined when nothing is. */
export function sumKnown(numbers: readonly (number | undefined)[]): number | undefined {
  const known = numbers.filter((one) => one !== undefined);
  return known.length === 0 ? undefined : known.reduce((sum, one) => sum + one, 0);
}

/** Picks the longest form of a text that fits, trying the whole text first. */
export interface Staged {
  readonly text: string;
  /** 0 for the whole text. */
  readonly stage: number;
}

/** Null when not even the last form fits. */
export function fitStages<Limits>(
  stages: readonly Limits[],
  print: (limits: Limits, stage: number) => string,
  charsMax: number,
): Staged | null {
  for (const [stage, limits] of stages.entries()) {
    const text = print(limits, stage);
    if (text.length <= charsMax) return { text, stage };
  }
  return null;
}
