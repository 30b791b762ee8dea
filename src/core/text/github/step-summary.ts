/**
 * The summary of a job in GitHub Actions: what the job did and what it cost. The board shows the overall
 * state.
 */
import { costText, count, sumKnown, timeText } from '../terminal/lines.ts';
import { type BoardFacts, boardExcerpt } from './board-issue.ts';
import { cellText, idText, inlineText } from './inline-text.ts';
import { printTable } from './pull-story.ts';

/** GitHub drops a longer summary entirely. Its limit is in bytes, and a character may take several. */
export const summaryCharsMax = 1_048_576 / 4;
const rowsMax = 500;

export interface SummaryRow {
  readonly task: string;
  readonly step: string;
  /** How the step ended, in a few words. */
  readonly outcome: string;
  readonly agent?: string;
  readonly reserved_usd?: number;
  readonly cost_usd?: number;
  readonly unpriced_tokens?: number;
  readonly seconds?: number;
}

export interface SummaryFacts {
  /** The job's name: `pick`, `agent` … */
  readonly job: string;
  /** One sentence: what it did, or why it did nothing. */
  readonly said: string;
  readonly rows: readonly SummaryRow[];
  readonly notices?: readonly string[];
  /** Set when there is no issue with the board. */
  readonly board?: BoardFacts | undefined;
}

export function printStepSummary({ job, said, rows, notices = [], board }: SummaryFacts): string {
  const parts = (tasksMax: number) => [
    `## gza ${inlineText(job, 40)}`,
    inlineText(said, 1_000),
    notices
      .slice(0, 20)
      .map((notice) => `> [!WARNING]\n> ${inlineText(notice, 1_000)}`)
      .join('\n\n'),
    rowTable(rows),
    board === undefined ? '' : boardExcerpt(board, tasksMax),
  ];
  const texts = [200, 50, 10].map((tasksMax) => `${parts(tasksMax).filter(Boolean).join('\n\n')}\n`);
  const fitting = texts.find((text) => text.length <= summaryCharsMax);
  return fitting ?? (texts.at(-1) ?? '').slice(0, summaryCharsMax).toWellFormed();
}

function rowTable(rows: readonly SummaryRow[]): string {
  if (rows.length === 0) return '';
  const unpriced = sumKnown(rows.map(({ unpriced_tokens }) => unpriced_tokens));
  const cost = costText(sumKnown(rows.map(({ cost_usd }) => cost_usd)), unpriced);
  const time = timeText(sumKnown(rows.map(({ seconds }) => seconds)));
  const left = rows.length - rowsMax;
  const table = printTable(
    ['Task', 'Step', 'Outcome', 'Agent', 'Reserved', 'Cost', 'Time'],
    rows.slice(0, rowsMax).map(rowCells),
    rows.length > 1 ? [['**Total**', '', '', '', '', `**${cost}**`, `**${time}**`]] : [],
  );
  return left > 0 ? `${table}\n\n… and ${count(left, 'more row')}` : table;
}

function rowCells(row: SummaryRow): string[] {
  const { task, step, outcome, agent, reserved_usd, cost_usd, unpriced_tokens, seconds } = row;
  const cells = [cellText(step), cellText(outcome, 200), cellText(agent ?? '–')];
  return [
    idText(task),
    ...cells,
    costText(reserved_usd),
    costText(cost_usd, unpriced_tokens),
    timeText(seconds),
  ];
}
