/** The board on a terminal: progress, what runs, what waits for a person, what is next; cut to the screen. */
import { type Board, isLeaf, type TaskView } from '../../board/board.ts';
import type { Summary } from '../../board/summary.ts';
import { oneLine } from '../../markdown/neutralise.ts';
import type { Readiness } from '../../policy/readiness.ts';
import { blockedText, mark, plain, type Style, shorten, stateText } from './lines.ts';
import { statusCounts } from './lists.ts';

export interface WatchOptions {
  readonly style: Style;
  readonly columns: number | null;
  /** Lines of the screen; null in a pipe. */
  readonly rows: number | null;
  readonly cyclesMax: (view: TaskView) => number;
  readonly readiness: Readiness;
  /** Where what is shown comes from. */
  readonly source: string;
}

const barWidth = 30;
const sectionMax = 50;

export function watchText(board: Board, summary: Summary, options: WatchOptions): string {
  const { style, columns, rows, readiness } = options;
  const views = [...board.views.values()].sort((a, b) => a.position - b.position);
  const leaves = views.filter(isLeaf);
  const persons = new Map(summary.waiting.map((one) => [one.id, one]));
  const width = Math.min(columns ?? 120, 160);
  const line = (view: TaskView, text: string) =>
    `  ${mark(view, style)} ${oneLine(`${view.id}  ${shorten(view.task.title, 60)}  ${text}`, width - 4)}`;
  const unstyled = { cyclesMax: options.cyclesMax, waits: readiness.waits, style: plain };
  const sections: [string, string[]][] = [
    [
      'In progress',
      leaves
        .filter(({ status }) => status === 'in_progress')
        .map((view) => line(view, stateText(view, unstyled))),
    ],
    [
      'Waiting for a person',
      views.flatMap((view) => {
        const why = persons.get(view.id);
        return why ? [line(view, `${why.detail} (${why.commands[0] ?? ''})`)] : [];
      }),
    ],
    ['Ready', leaves.filter(readiness.isReady).map((view) => line(view, ''))],
    [
      'Blocked',
      leaves
        .filter((view) => view.status === 'blocked' && !persons.has(view.id))
        .map((view) => line(view, blockedText(view))),
    ],
    [
      'Waiting',
      leaves.flatMap((view) => {
        const why = persons.has(view.id) ? null : readiness.waits(view);
        return why === null ? [] : [line(view, why.because)];
      }),
    ],
  ];
  const head = [headLine(summary, options, width), oneLine(countLine(summary), width)];
  return [...head, ...fit(sections, rows === null ? null : rows - head.length - 1, style)].join('\n');
}

function headLine({ tasks }: Summary, { style, source }: WatchOptions, width: number): string {
  const told = ` of ${tasks.total} tasks`;
  const where = shorten(source, 20);
  // A line that the terminal would break takes two of its rows.
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

/** Every section gets its share of the screen; what does not fit is counted. */
function fit(sections: readonly [string, string[]][], room: number | null, style: Style): string[] {
  const shown = sections.filter(([, lines]) => lines.length > 0);
  const share = room === null ? sectionMax : Math.max(1, Math.floor(room / Math.max(1, shown.length)) - 3);
  const all = shown.flatMap(([title, lines]) => {
    const cut = lines.slice(0, Math.min(sectionMax, share));
    const more = lines.length - cut.length;
    return [
      '',
      style.bold(`${title} (${lines.length})`),
      ...cut,
      ...(more > 0 ? [style.dim(`    and ${more} more`)] : []),
    ];
  });
  return room === null ? all : all.slice(0, Math.max(0, room));
}

/** What to write where `before` is on the screen: nothing when nothing changed. A pipe gets one board after the other. */
export function drawing(text: string, before: string, isTerminal: boolean): string {
  if (text === before) return '';
  if (isTerminal) return `\u001b[H\u001b[2J${text}\n`;
  return `${before === '' ? '' : '\n'}${text}\n`;
}
