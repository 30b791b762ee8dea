/** The summary of a job in GitHub Actions: what it did, what it cost, and how the board stands. */
import type { TaskView } from '../../board/board.ts';
import type { Summary } from '../../board/summary.ts';
import { costOfRecord, costOfRecords, costText, sumKnown, timeText } from '../amounts.ts';
import { count } from '../terminal/lines.ts';
import { summaryMarkdown } from '../terminal/lists.ts';
import { type BoardFacts, boardExcerpt } from './board-issue.ts';
import { tableLine } from './cycle-table.ts';
import { graphSection } from './graph-section.ts';
import { cellText, idText, inlineText } from './inline-text.ts';

/** GitHub drops a longer summary whole. It counts bytes; a character of ours takes at most three of them. */
export const summaryCharsMax = 1_048_576 / 4;
const rowsMax = 500;

export interface SummaryRow {
  readonly task: string;
  readonly step: string;
  /** Ended how, in a few words. */
  readonly outcome: string;
  readonly agent?: string;
  readonly reserved_usd?: number;
  readonly cost_usd?: number;
  readonly unpriced_tokens?: number;
  readonly seconds?: number;
}

export interface SummaryFacts extends BoardFacts {
  /** What the job is: `pick`, `agent` … */
  readonly job: string;
  /** One sentence: what it did, or why it did nothing. */
  readonly said: string;
  readonly rows: readonly SummaryRow[];
  readonly notices?: readonly string[];
  /** Progress of everything, as `gza summary` has it. */
  readonly summary?: Summary;
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
    // Who is waited for stands on the board below.
    facts.summary ? summaryMarkdown({ ...facts.summary, waiting: [] }).trimEnd() : '',
    facts.summary ? spentTable([...facts.board.views.values()], Math.min(50, tasksMax)) : '',
    boardExcerpt(facts, tasksMax),
    graphSection(open, facts.board, Math.min(60, tasksMax)),
  ]
    .filter((part) => part !== '')
    .join('\n\n')}\n`;
}

function costTable(rows: readonly SummaryRow[]): string {
  if (rows.length === 0) return '';
  const unpriced = sumKnown(rows.map(({ unpriced_tokens }) => unpriced_tokens));
  const cost = costText(sumKnown(rows.map(({ cost_usd }) => cost_usd)), unpriced);
  const time = timeText(sumKnown(rows.map(({ seconds }) => seconds)));
  const left = rows.length - rowsMax;
  return [
    tableLine(['Task', 'Step', 'Outcome', 'Agent', 'Reserved', 'Cost', 'Time']),
    tableLine([':--', ':--', ':--', ':--', '--:', '--:', '--:']),
    ...rows.slice(0, rowsMax).map(rowLine),
    ...(left > 0 ? [tableLine([`… and ${count(left, 'more row')}`, '', '', '', '', '', ''])] : []),
    ...(rows.length > 1 ? [tableLine(['**Total**', '', '', '', '', `**${cost}**`, `**${time}**`])] : []),
  ].join('\n');
}

/** What each task came to so far, the most costly first. */
function spentTable(views: readonly TaskView[], tasksMax: number): string {
  const spent = views
    .filter(({ record }) => (record?.cost_usd ?? 0) > 0 || (record?.seconds ?? 0) > 0)
    .sort((a, b) => costOf(b) - costOf(a) || (b.record?.seconds ?? 0) - (a.record?.seconds ?? 0));
  if (spent.length === 0) return '';
  const sum = (of: (view: TaskView) => number | undefined) => sumKnown(spent.map(of));
  const left = spent.length - tasksMax;
  return [
    '### Cost and time',
    '',
    tableLine(['Task', 'Status', 'Cost', 'Time']),
    tableLine([':--', ':--', '--:', '--:']),
    ...spent.slice(0, tasksMax).map(({ id, task, status, record }) => {
      const name = `${idText(id)} ${cellText(task.title, 60)}`;
      return tableLine([name, status.replace('_', ' '), costOfRecord(record), timeText(record?.seconds)]);
    }),
    ...(left > 0 ? [tableLine([`… and ${count(left, 'more task')}`, '', '', ''])] : []),
    tableLine([
      '**Total**',
      '',
      `**${costOfRecords(spent.map(({ record }) => record))}**`,
      `**${timeText(sum(({ record }) => record?.seconds))}**`,
    ]),
  ].join('\n');
}

function costOf({ record }: TaskView): number {
  return record?.cost_usd ?? 0;
}

function rowLine(row: SummaryRow): string {
  const { task, step, outcome, agent, reserved_usd, cost_usd, unpriced_tokens, seconds } = row;
  const cells = [cellText(step), cellText(outcome, 200), cellText(agent ?? '–')];
  const costs = [costText(reserved_usd), costText(cost_usd, unpriced_tokens)];
  return tableLine([idText(task), ...cells, ...costs, timeText(seconds)]);
}
