/**
 * Statistics about past work, by agent, model, type and size of task. Cost, time and failures are those of a
 * row's own steps. The verdicts on a task count for whoever did the work that its first review saw.
 */
import { isDone, type TaskView } from '../board/board.ts';
import type { StepRecord } from '../ledger/record/record.ts';
import { oneLine } from '../markdown/neutralise.ts';
import { addSpent, nothingSpent, type Spent, spentOn, spentOnTask } from '../policy/cost.ts';
import { leftWork } from '../policy/steps-so-far.ts';
import { compareText } from '../shape.ts';

export interface StatRow extends Spent {
  readonly name: string;
  readonly tasks: number;
  /** How many of these tasks are done. */
  readonly done: number;
  /** Tasks with a verdict, and how many of them their first review approved. */
  readonly reviewed: number;
  readonly approved_at_once: number;
  /** Number of verdicts, which is the number of cycles. */
  readonly cycles: number;
}

export interface Stats {
  readonly total: StatRow;
  readonly agents: readonly StatRow[];
  readonly models: readonly StatRow[];
  readonly types: readonly StatRow[];
  readonly sizes: readonly StatRow[];
  readonly groups: readonly StatRow[];
  /** The agent with the best rate of approvals in the first review; null while there are too few reviews. */
  readonly best: string | null;
}

/** Reviewed tasks that an agent needs before it can be the best. */
export const reviewedMin = 3;
const rowsMax = 100;

/** `views`: with complete records. `sizeOf`: the size of a task in one word. */
export function statsOf(views: readonly TaskView[], sizeOf: (view: TaskView) => string): Stats {
  const judged = judgements(views);
  const [agents, models] = [openSums(), openSums()];
  for (const view of views) {
    for (const step of view.record?.steps ?? []) {
      agents.add(agentOf(step), { ...nothing, ...spentOn(step) });
      models.add(modelOf(step), { ...nothing, ...spentOn(step) });
    }
    const one = judged.get(view.id);
    const workers = new Set((view.record?.steps ?? []).map(agentOf));
    for (const name of workers) agents.add(name, taskRow(view));
    for (const name of new Set((view.record?.steps ?? []).map(modelOf))) models.add(name, taskRow(view));
    if (!one?.author) continue;
    agents.add(agentOf(one.author), one.row);
    models.add(modelOf(one.author), one.row);
  }
  const by = (nameOf: (view: TaskView) => string) => {
    const sums = openSums();
    for (const view of views) {
      const judgement = judged.get(view.id)?.row ?? nothing;
      sums.add(nameOf(view), { ...addRows(taskRow(view), judgement), ...spentOnTask(view) });
    }
    return sums.rows();
  };
  const rows = agents.rows();
  return {
    total: by(() => 'all')[0] ?? { ...nothing, name: 'all' },
    agents: rows,
    models: models.rows(),
    types: by(({ task }) => task.type),
    sizes: by(sizeOf),
    groups: by(({ task }) => oneLine(task.group ?? '', 60) || '(no group)'),
    best: bestOf(rows),
  };
}

type Sums = Omit<StatRow, 'name'>;

const nothing: Sums = { ...nothingSpent, tasks: 0, done: 0, reviewed: 0, approved_at_once: 0, cycles: 0 };

function addRows(a: Sums, b: Sums): Sums {
  return {
    ...addSpent(a, b),
    tasks: a.tasks + b.tasks,
    done: a.done + b.done,
    reviewed: a.reviewed + b.reviewed,
    approved_at_once: a.approved_at_once + b.approved_at_once,
    cycles: a.cycles + b.cycles,
  };
}

function taskRow(view: TaskView): Sums {
  return { ...nothing, tasks: 1, done: isDone(view) ? 1 : 0 };
}

function openSums() {
  const sums = new Map<string, Sums>();
  return {
    add: (name: string, row: Sums) => void sums.set(name, addRows(sums.get(name) ?? nothing, row)),
    /** The most expensive first. */
    rows: (): StatRow[] =>
      [...sums]
        .map(([name, row]) => ({ name, ...row }))
        .sort(
          (a, b) =>
            b.cost_usd - a.cost_usd ||
            b.seconds - a.seconds ||
            b.tasks - a.tasks ||
            compareText(a.name, b.name),
        )
        .slice(0, rowsMax),
  };
}

function agentOf({ agent }: StepRecord): string {
  return oneLine(agent ?? '', 60) || '(unknown)';
}

/** Without a configured model, the agent chooses one itself. */
function modelOf(step: StepRecord): string {
  return step.model === undefined ? `(${agentOf(step)}'s own)` : oneLine(step.model, 60);
}

interface Judgement {
  /** The step whose work the first review saw. */
  readonly author: StepRecord | undefined;
  readonly row: Sums;
}

function judgements(views: readonly TaskView[]): Map<string, Judgement> {
  const verdicts = new Map<string, StepRecord[]>();
  for (const { id, task, record } of views) {
    // A review task judges the task that it depends on.
    const subject = task.type === 'review' ? (task.depends_on?.[0] ?? id) : id;
    const own = (record?.steps ?? []).filter(({ step, verdict }) => step === 'review' && verdict);
    if (own.length > 0) verdicts.set(subject, [...(verdicts.get(subject) ?? []), ...own]);
  }
  const judged = new Map<string, Judgement>();
  for (const { id, record } of views) {
    const all = (verdicts.get(id) ?? []).toSorted((a, b) => compareText(a.ended_at, b.ended_at));
    const [first] = all;
    if (!first) continue;
    const author = record?.steps?.findLast((step) => leftWork(step) && step.ended_at <= first.started_at);
    const approved_at_once = first.verdict === 'APPROVED' ? 1 : 0;
    judged.set(id, { author, row: { ...nothing, reviewed: 1, approved_at_once, cycles: all.length } });
  }
  return judged;
}

/** The smoothed rate lowers the rank of agents with few reviews. Among equal agents, the cheaper one wins. */
function bestOf(agents: readonly StatRow[]): string | null {
  const rate = ({ reviewed, approved_at_once }: StatRow) => (approved_at_once + 1) / (reviewed + 2);
  const price = ({ tasks, cost_usd }: StatRow) => cost_usd / Math.max(1, tasks);
  const known = agents.filter(({ reviewed }) => reviewed >= reviewedMin);
  return known.toSorted((a, b) => rate(b) - rate(a) || price(a) - price(b))[0]?.name ?? null;
}
