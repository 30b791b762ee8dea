/** The summary of a job in GitHub Actions: what it did, what it cost, and how the board stands. */
import type { TaskView } from '../board.ts';
import { costText, sumKnown, timeText } from './amounts.ts';
import { type BoardFacts, boardExcerpt } from './board-issue.ts';
import { tableLine } from './cycle-table.ts';
import { graphSection } from './graph-section.ts';
import { cellText, idText, inlineText } from './inline-text.ts';
import { count } from './lists.ts';

/** GitHub drops a longer summary whole. It counts bytes; a character of ours takes at most three of them. */
export const summaryCharsMax = 1_048_576 / 4;
const rowsMax = 500;

export interface SummaryRow {
  readonly task: string;
  readonly step: string;
  /** Ended how, in a few words. */
  readonly outcome: string;
  readonly agent?: string;
  readonly cost_usd?: number;
  readonly seconds?: number;
}

export interface SummaryFacts extends BoardFacts {
  /** What the job is: `pick`, `agent` … */
  readonly job: string;
  /** One sentence: what it did, or why it did nothing. */
  readonly said: string;
  readonly rows: readonly SummaryRow[];
  readonly notices?: readonly string[];
}

export function printStepSummary(facts: SummaryFacts): string {
  for (const tasksMax of [200, 50, 10]) {
    const text = summary(facts, tasksMax);
    if (text.length <= summaryCharsMax) return text;
  }
  return summary({ ...facts, rows: [], notices: [] }, 1)
    .slice(0, summaryCharsMax)
    .toWellFormed();
}

function summary(facts: SummaryFacts, tasksMax: number): string {
  const open: TaskView[] = [...facts.board.views.values()].filter(({ record }) => !record?.closed_at);
  return `${[
    `## gza ${inlineText(facts.job, 40)}`,
    inlineText(facts.said, 1_000),
    (facts.notices ?? [])
      .slice(0, 20)
      .map((notice) => `> [!WARNING]\n> ${inlineText(notice, 1_000)}`)
      .join('\n\n'),
    costTable(facts.rows),
    boardExcerpt(facts, tasksMax),
    graphSection(open, facts.board, Math.min(60, tasksMax)),
  ]
    .filter((part) => part !== '')
    .join('\n\n')}\n`;
}

function costTable(rows: readonly SummaryRow[]): string {
  if (rows.length === 0) return '';
  const cost = costText(sumKnown(rows.map(({ cost_usd }) => cost_usd)));
  const time = timeText(sumKnown(rows.map(({ seconds }) => seconds)));
  const left = rows.length - rowsMax;
  return [
    tableLine(['Task', 'Step', 'Outcome', 'Agent', 'Cost', 'Time']),
    tableLine([':--', ':--', ':--', ':--', '--:', '--:']),
    ...rows.slice(0, rowsMax).map(rowLine),
    ...(left > 0 ? [tableLine([`… and ${count(left, 'more row')}`, '', '', '', '', ''])] : []),
    ...(rows.length > 1 ? [tableLine(['**Total**', '', '', '', `**${cost}**`, `**${time}**`])] : []),
  ].join('\n');
}

function rowLine({ task, step, outcome, agent, cost_usd, seconds }: SummaryRow): string {
  const cells = [cellText(step), cellText(outcome, 200), cellText(agent ?? '–')];
  return tableLine([idText(task), ...cells, costText(cost_usd), timeText(seconds)]);
}
