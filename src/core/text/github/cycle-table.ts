/** The table of cycles: the verdict of each review, who worked, what it cost. */
import type { TaskView } from '../../board/board.ts';
import type { StepRecord } from '../../ledger/record/record.ts';
import { leftWork } from '../../policy/steps-so-far.ts';
import { parseTime } from '../../time.ts';
import { costText, sumKnown, timeText } from '../amounts.ts';
import { count } from '../terminal/lines.ts';
import { cellText, idText } from './inline-text.ts';

export interface CycleRow {
  /** 0 for the work before the first review. */
  readonly cycle: number;
  /** A verdict, or the state where there is no verdict. */
  readonly verdict: string;
  readonly blockers: number;
  readonly followUps: number;
  readonly agents: readonly string[];
  readonly cost: number | undefined;
  readonly unpriced: number | undefined;
  readonly seconds: number;
}

/** A review begins a row; the improve after it belongs to that row. */
function cycleRows(steps: readonly StepRecord[]): CycleRow[] {
  const groups: StepRecord[][] = [];
  for (const step of steps) {
    const first = groups.at(-1)?.[0];
    // A review that is repeated because it gave no verdict belongs to the same cycle.
    const isAgain = step.step === 'review' && first?.step === 'review' && !groups.at(-1)?.some(isVerdict);
    if (groups.length === 0 || (step.step === 'review' && !isAgain)) groups.push([step]);
    else groups.at(-1)?.push(step);
  }
  let cycle = 0;
  return groups.map((group) => {
    const isReviewed = group[0]?.step === 'review';
    if (isReviewed) cycle = Math.max(cycle + 1, group[0]?.cycle ?? 0);
    return rowOf(isReviewed ? cycle : 0, group);
  });
}

function isVerdict({ step, verdict }: StepRecord): boolean {
  return step === 'review' && verdict !== undefined;
}

function rowOf(cycle: number, steps: readonly StepRecord[]): CycleRow {
  const review = steps.findLast(({ step }) => step === 'review');
  const findings = review?.findings ?? [];
  const blockers = findings.filter((mark) => mark.startsWith('!')).length;
  return {
    cycle,
    verdict: verdictOf(steps, review),
    blockers,
    followUps: findings.length - blockers,
    agents: [...new Set(steps.flatMap(({ agent }) => (agent ? [agent] : [])))],
    cost: sumKnown(steps.map(({ cost_usd }) => cost_usd)),
    unpriced: sumKnown(steps.map(({ unpriced_tokens }) => unpriced_tokens)),
    seconds: steps.reduce((sum, step) => sum + secondsOf(step), 0),
  };
}

function verdictOf(steps: readonly StepRecord[], review: StepRecord | undefined): string {
  const work = steps.slice(1).findLast(leftWork);
  if (review?.verdict === 'APPROVED' && work && (work.diff === undefined || work.diff !== review.diff))
    return `${review.verdict}, then changed`;
  if (review) return review.verdict ?? (review.outcome === 'ok' ? 'no verdict' : `review ${review.outcome}`);
  const last = steps.at(-1);
  const tries = steps.length > 1 ? ` (${count(steps.length, 'step')})` : '';
  return last?.outcome === 'ok' ? `done${tries}` : `${last?.outcome ?? 'nothing'}${tries}`;
}

function secondsOf({ started_at, ended_at }: StepRecord): number {
  const seconds = (parseTime(ended_at) - parseTime(started_at)) / 1000;
  return Number.isFinite(seconds) && seconds > 0 ? seconds : 0;
}

/** Markdown; empty when nothing was done. The last rows are kept. */
export function cycleTable(views: readonly TaskView[], rowsMax = 40): string {
  const rows = views.flatMap((view) => cycleRows(view.record?.steps ?? []).map((row) => ({ view, row })));
  if (rows.length === 0) return '';
  const hasTasks = views.length > 1;
  const shown = rows.slice(-rowsMax);
  const heads = [...(hasTasks ? ['Task'] : []), 'Cycle', 'Verdict', 'Findings', 'Agent', 'Cost', 'Time'];
  const cells = shown.map(({ view, row }) => [
    ...(hasTasks ? [idText(view.id)] : []),
    ...cellsOf(row).map((one) => cellText(one)),
  ]);
  const total = totalOf(
    views,
    rows.map(({ row }) => row),
  );
  const left = rows.length - shown.length;
  const sum = rows.length > 1 ? [['**Total**', ...heads.slice(3).map(() => ''), ...total]] : [];
  const table = printTable(heads, cells, sum);
  return left > 0 ? `${table}\n\n${count(left, 'earlier row')} left out.` : table;
}

const toTheRight = ['Reserved', 'Cost', 'Time'];

/** Prints a table without its empty columns. `last`: rows of sums. */
export function printTable(
  heads: readonly string[],
  rows: readonly (readonly string[])[],
  last: readonly (readonly string[])[] = [],
): string {
  const isSaid = (at: number) => rows.some((row) => row[at] !== '–' && row[at] !== '');
  const kept = heads.map((_, at) => at === 0 || isSaid(at));
  const only = (row: readonly string[]) => row.filter((_, at) => kept[at]);
  const line = (row: readonly string[]) => `| ${only(row).join(' | ')} |`;
  const marks = heads.map((head) => (toTheRight.includes(head) ? '--:' : ':--'));
  return [heads, marks, ...rows, ...last].map(line).join('\n');
}

/** The records come first, because their sums include steps that they no longer list. */
function totalOf(views: readonly TaskView[], rows: readonly CycleRow[]): string[] {
  const cost = sumKnown(views.map(({ record }) => record?.cost_usd)) ?? sumKnown(rows.map((row) => row.cost));
  const unpriced = sumKnown(views.map(({ record }) => record?.unpriced_tokens));
  const seconds =
    sumKnown(views.map(({ record }) => record?.seconds)) ?? sumKnown(rows.map((row) => row.seconds));
  return [costText(cost, unpriced), timeText(seconds)].map((text) => `**${text}**`);
}

function cellsOf({
  cycle,
  verdict,
  blockers,
  followUps,
  agents,
  cost,
  unpriced,
  seconds,
}: CycleRow): string[] {
  const findings = [
    ...(blockers > 0 ? [count(blockers, 'blocker')] : []),
    ...(followUps > 0 ? [count(followUps, 'follow-up')] : []),
  ];
  const none = cycle === 0 ? '–' : 'none';
  return [
    cycle === 0 ? 'work' : String(cycle),
    verdict,
    findings.join(', ') || none,
    agents.join(', ') || '–',
    costText(cost, unpriced),
    timeText(seconds),
  ];
}
