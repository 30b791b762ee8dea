/**
 * The board on a terminal: progress, what runs, what waits for a person, what is next. It is cut to the
 * screen.
 */
import { type Board, isLeaf, type TaskView } from '../../board/board.ts';
import type { Summary } from '../../board/summary.ts';
import { displayWidth, oneLine } from '../../markdown/neutralise.ts';
import type { Readiness } from '../../policy/readiness.ts';
import { parseTime, printDuration } from '../../time.ts';
import { blockedText, costOfRecord, mark, plain, type Style, shorten, stateText } from './lines.ts';
import { statusCounts } from './lists.ts';

export interface WatchOptions {
  readonly style: Style;
  readonly columns: number | null;
  /** Lines of the screen; null in a pipe. */
  readonly rows: number | null;
  readonly cyclesMax: (view: TaskView) => number;
  readonly readiness: Readiness;
  /** Where the shown data comes from. */
  readonly source: string;
  /** The last line that the agent at work on a task printed. */
  readonly lastLine?: ((view: TaskView) => string | undefined) | undefined;
}

const barWidth = 30;
const sectionMax = 50;

export function watchText(board: Board, summary: Summary, options: WatchOptions): string {
  const { style, columns, rows } = options;
  const width = Math.min(columns ?? 120, 160);
  const head = [headLine(summary, options, width), oneLine(countLine(summary), width)];
  const sections = boardSectionLines(board, summary.waiting, { ...options, width });
  return [...head, ...fit(sections, rows === null ? null : rows - head.length - 1, style)].join('\n');
}

interface SectionOptions extends Pick<WatchOptions, 'style' | 'cyclesMax' | 'readiness' | 'lastLine'> {
  /** Columns of a line. */
  readonly width: number;
}

/** The sections of the board with one line per task. `watch` and `status` both print them. */
export function boardSectionLines(
  board: Board,
  waiting: Summary['waiting'],
  { style, width, readiness, cyclesMax, lastLine }: SectionOptions,
): [string, string[]][] {
  const views = [...board.views.values()].sort((a, b) => a.position - b.position);
  const leaves = views.filter(isLeaf);
  const persons = new Map(waiting.map((one) => [one.id, one]));
  // A title leaves room for the text after it, which may take up to half of the line.
  const line = (view: TaskView, text: string, sign = mark(view, style)) => {
    const room = width - 8 - view.id.length - Math.min(displayWidth(text), Math.floor(width / 2));
    const title = shorten(view.task.title, Math.max(12, Math.min(60, room)));
    return `  ${sign} ${oneLine(`${view.id}  ${title}  ${text}`.trimEnd(), width - 4)}`;
  };
  const unstyled = { cyclesMax, waits: readiness.waits, style: plain };
  const waits = (view: TaskView) => (persons.has(view.id) ? null : readiness.waits(view));
  const listed = (isMeant: (view: TaskView) => boolean, said: (view: TaskView) => string) =>
    leaves.filter(isMeant).map((view) => line(view, said(view)));
  return [
    [
      'In progress',
      leaves
        .filter(({ status }) => status === 'in_progress')
        .map((view) => {
          const last = lastLine?.(view) ?? '';
          const lane = line(view, laneText(view, board.now) || stateText(view, unstyled));
          return last === '' ? lane : `${lane}\n${style.dim(`      ${oneLine(last, width - 6)}`)}`;
        }),
    ],
    [
      'Waiting for a person',
      views.flatMap((view) => {
        const why = persons.get(view.id);
        // A completed task that still waits for a person must not look finished.
        const sign = view.status === 'completed' ? style.yellow('!') : mark(view, style);
        return why ? [line(view, `${why.detail} (${why.commands[0] ?? ''})`, sign)] : [];
      }),
    ],
    [
      'Ready',
      listed(
        (view) => readiness.isReady(view) && !persons.has(view.id),
        () => '',
      ),
    ],
    ['Blocked', listed((view) => view.status === 'blocked' && !persons.has(view.id), blockedText)],
    [
      'Waiting',
      listed(
        (view) => waits(view) !== null,
        (view) => waits(view)?.because ?? '',
      ),
    ],
  ];
}

/** `review 2, 12 min, $0.40`: the step of its claim, its time so far, and the cost of the task so far. */
function laneText({ claim, record }: TaskView, now: string): string {
  if (!claim) return '';
  const cycle = record?.review_cycle ? ` ${record.review_cycle}` : '';
  const seconds = (parseTime(now) - parseTime(claim.at)) / 1000;
  const cost = costOfRecord(record);
  return [
    `${claim.step ?? 'held'}${claim.step === undefined ? '' : cycle} by ${claim.agent ?? claim.holder}`,
    ...(seconds > 0 ? [printDuration(seconds)] : []),
    ...(cost === '–' ? [] : [cost]),
  ].join(', ');
}

function headLine({ tasks }: Summary, { style, source }: WatchOptions, width: number): string {
  const told = ` of ${tasks.total} tasks`;
  const where = shorten(source, 20);
  // A line longer than the terminal's width would take two rows.
  const room = width - `100%${told} ${where} `.length;
  const barLength = Math.max(0, Math.min(barWidth, room));
  const share = Number.parseInt(tasks.progress, 10) / 100;
  const full = Math.round(share * barLength);
  const bar = `${style.green('█'.repeat(full))}${style.dim('░'.repeat(barLength - full))}`;
  return `${bar} ${style.bold(tasks.progress)}${told} ${style.dim(where)}`;
}

function countLine({ tasks, cost_usd }: Summary): string {
  return [statusCounts(tasks), ...(cost_usd > 0 ? [`$${cost_usd.toFixed(2)}`] : [])].join(', ');
}

/** Gives every section an equal part of the screen, and counts the lines that do not fit. */
function fit(sections: readonly [string, string[]][], room: number | null, style: Style): string[] {
  const shown = sections.filter(([, lines]) => lines.length > 0);
  const share = room === null ? sectionMax : Math.max(1, Math.floor(room / Math.max(1, shown.length)) - 3);
  const all = shown.flatMap(([title, lines]) => {
    const cut = lines.slice(0, Math.min(sectionMax, share));
    const more = lines.length - cut.length;
    return [
      '',
      style.bold(`${title} (${lines.length})`),
      ...cut.flatMap((line) => line.split('\n')),
      ...(more > 0 ? [style.dim(`    and ${more} more`)] : []),
    ];
  });
  return room === null ? all : all.slice(0, Math.max(0, room));
}

/**
 * The output that replaces `before` on the screen; empty if nothing changed. A pipe gets each board in full.
 */
export function drawing(text: string, before: string, isTerminal: boolean): string {
  if (text === before) return '';
  if (isTerminal) return `\u001b[H\u001b[2J${text}\n`;
  return `${before === '' ? '' : '\n'}${text}\n`;
}
