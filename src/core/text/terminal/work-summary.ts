import { isDone, type TaskView } from '../../board/board.ts';
import type { StepName, StepOutcome } from '../../ledger/record/record.ts';
import { addSpent, type CostRow, costRows, nothingSpent, type Spent } from '../../policy/cost.ts';
import { groupBy } from '../../shape.ts';
import { printDuration } from '../../time.ts';
import { columns } from './columns.ts';
import { costText, count, detailLines, mark, type Style, shorten, timeText } from './lines.ts';

interface WorkFacts {
  readonly tasks: readonly string[];
  readonly steps: readonly WorkedStep[];
  readonly refused: ReadonlyMap<string, string>;
  readonly waits: ReadonlyMap<string, string>;
  /** When the first waiting task may continue, if known. */
  readonly nextAt: string | null;
  readonly stopped: 'done' | 'interrupted' | 'limit';
  readonly project: { readonly board: { readonly views: ReadonlyMap<string, TaskView> } };
}

interface WorkedStep extends Pick<CostRow, 'step' | 'agent' | 'seconds' | 'reserved_usd' | 'cost_usd'> {
  readonly id: string;
  readonly outcome: string;
  readonly unpriced_tokens: number;
}

/** What the steps of a run reserved and spent. */
export function workCosts(steps: readonly WorkedStep[]): string[] {
  const rows = steps.map(({ id, outcome, ...row }) => ({
    ...row,
    task: id,
    steps: 1,
    failed: outcome === 'failed' ? 1 : 0,
  }));
  return costLines(costRows(rows));
}

export interface Waiting {
  readonly id: string;
  readonly title: string;
  readonly reason: string;
  readonly detail: string;
  readonly commands: readonly string[];
}

/** The summary at the end of a run: what was done, what waits for whom, cost, time. */
export function workSummary(facts: WorkFacts, waiting: readonly Waiting[], style: Style): string {
  const { tasks, steps, refused, waits, stopped, project } = facts;
  const open = [...project.board.views.values()].filter(
    ({ record, children }) => !record?.closed_at && children.length === 0,
  );
  if (tasks.length === 0 && refused.size === 0) {
    if (open.length === 0) return nothingOpen(project.board.views);
    const many = `${count(open.length, 'task')} ${open.length === 1 ? 'waits' : 'wait'}`;
    const told = [`Nothing is ready: ${many}. gza next --all shows for what.`, ...waitLines(waits)];
    return [...told, ...nextLine(facts)].join('\n');
  }
  const lines = [''];
  const seconds = steps.reduce((sum, step) => sum + step.seconds, 0);
  const cost = steps.reduce((sum, step) => sum + step.cost_usd, 0);
  const views = tasks.flatMap((id) => project.board.views.get(id) ?? []);
  const done = views.filter(isDone);
  lines.push(
    style.bold(
      `${count(tasks.length, 'task')} worked on, ${done.length} completed, ${count(steps.length, 'step')}, ${printDuration(seconds)}${cost > 0 ? `, $${cost.toFixed(2)}` : ''}`,
    ),
  );
  for (const view of views.filter(({ status }) => status === 'completed')) {
    const branch = view.record?.lane?.branch;
    if (branch) lines.push(`  ${mark(view, style)} ${view.id} on ${branch}: ${shorten(view.task.title)}`);
  }
  for (const { id, title, reason, detail, commands } of waiting) {
    lines.push(
      `  ${style.yellow('!')} ${id} waits for a person: ${shorten(title)}`,
      // The reason for a failure was already printed when it happened.
      ...(reason === 'failed' ? [] : detailLines(reason, detail)).map((line) => `      ${line}`),
    );
    if (commands[0]) lines.push(`      ${commands.slice(0, 3).join(' | ')}`);
  }
  for (const [why, ids] of byReason(refused))
    lines.push(`  – ${ids} ${ids.includes(',') ? 'were' : 'was'} not started: ${shorten(why, 300)}`);
  lines.push(...workCosts(steps));
  // After an interruption, the limits of this run no longer keep any task waiting.
  if (stopped !== 'interrupted') lines.push(...waitLines(waits), ...nextLine(facts));
  if (stopped === 'interrupted') lines.push('Stopped as asked; gza work goes on from here.');
  if (stopped === 'limit') lines.push('The limit of tasks for this run is reached.');
  return lines.join('\n');
}

/** Groups tasks by reason, because one reason can keep many from starting. */
function byReason(refused: ReadonlyMap<string, string>): [string, string][] {
  const groups = groupBy([...refused], ([, why]) => why);
  return [...groups].map(([why, all]) => {
    const more = all.length - namedShown;
    const named = all.slice(0, namedShown).map(([id]) => id);
    return [why, `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`];
  });
}

const namedShown = 10;
const waitsShown = 10;

/** Tasks that wait only for a limit: of money, time, agents or files. */
function waitLines(waits: ReadonlyMap<string, string>): string[] {
  const lines = [...waits].slice(0, waitsShown).map(([id, why]) => `  – ${id} waits: ${shorten(why, 200)}`);
  const more = waits.size - lines.length;
  return more > 0 ? [...lines, `  – and ${more} more`] : lines;
}

/** When more can start, and how to continue then. */
function nextLine({ nextAt }: WorkFacts): string[] {
  return nextAt === null ? [] : [`More can start from ${nextAt} on: gza work --all goes on then.`];
}

function nothingOpen(views: ReadonlyMap<string, TaskView>): string {
  if (views.size === 0) return 'No tasks yet. File one: gza add "What should be done"';
  const failed = [...views.values()].filter(({ status }) => status === 'failed').length;
  return failed === 0
    ? 'All tasks complete!'
    : `Nothing is ready: ${count(failed, 'task')} failed. gza escalations says why.`;
}

export interface Turn {
  readonly step: StepName;
  /** Review cycle of the step; 0 before the first. */
  readonly cycle: number;
  /** Number of cycles allowed, or null when there is no review loop. */
  readonly cyclesMax: number | null;
}

/** `[2/3] `: an improve already counts as the next round. */
function roundOf({ step, cycle, cyclesMax }: Turn): string {
  if (cyclesMax === null) return '';
  const round = step === 'improve' ? cycle + 1 : Math.max(1, cycle);
  return `[${round}/${Math.max(round, cyclesMax)}] `;
}

const begins: Record<StepName, string> = {
  plan: 'Planning...',
  explore: 'Exploring...',
  implement: 'Implementing...',
  review: 'Running review...',
  improve: 'Improving...',
};

const ends: Record<StepName, string> = {
  plan: 'Plan written',
  explore: 'Exploration written',
  implement: 'Implementation complete',
  review: 'Review',
  improve: 'Improvement complete',
};

export function beginText(turn: Turn): string {
  return `${roundOf(turn)}${begins[turn.step]}`;
}

export function endText(turn: Turn): string {
  return `${roundOf(turn)}${ends[turn.step]}`;
}

export function reviewText(turn: Turn, verdict: string, gist: string): string {
  return `${roundOf(turn)}Review: ${verdict}${gist ? ` - ${gist}` : ''}`;
}

export function completedText(view: TaskView, style: Style): string {
  const { final_verdict: verdict, review_cycle: cycles = 0 } = view.record ?? {};
  const how = verdict ? ` (${verdict} after ${cycles} ${cycles === 1 ? 'cycle' : 'cycles'})` : '';
  return `${mark(view, style)} Task #${view.id} completed${how}`;
}

const heads = [
  { name: 'task' },
  { name: 'step' },
  { name: 'agent' },
  { name: 'runs', isNumber: true },
  { name: 'reserved', isNumber: true },
  { name: 'spent', isNumber: true },
  { name: 'time', isNumber: true },
];

const rowsMax = 20;

/** Empty if no step reserved or reported any cost. */
export function costLines(rows: readonly CostRow[]): string[] {
  const told = rows.filter((row) => row.cost_usd + row.unpriced_tokens + row.reserved_usd > 0);
  if (told.length === 0) return [];
  const total = rows.reduce<Spent>(addSpent, nothingSpent);
  const cells = (row: Spent, ...names: string[]) => [
    ...names,
    String(row.steps),
    costText(row.reserved_usd || undefined),
    costText(row.cost_usd || undefined, row.unpriced_tokens),
    timeText(row.seconds),
  ];
  const shown = rows
    .slice(0, rowsMax)
    .map((row) => cells(row, shorten(row.task, 40), row.step, shorten(row.agent, 30)));
  const left = rows.length - shown.length;
  const sums = rows.length > 1 ? [cells(total, 'all', '', '')] : [];
  const lines = columns(heads, [...shown, ...sums]).map((line) => `  ${line}`);
  return left > 0 ? [...lines, `  … and ${left} more; --json has them`] : lines;
}

/** How a step ended that did not do its work: `implement was cut short`. */
export const outcomeWords: Readonly<Record<Exclude<StepOutcome, 'ok'>, string>> = {
  failed: 'failed',
  slice: 'was cut short',
  limit: 'reached a limit',
  blocked: 'cannot go on',
  'no-verdict': 'gave no verdict',
  cancelled: 'was stopped',
  lost: 'died',
};
