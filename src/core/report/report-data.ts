/** What the report page knows, as small as it can be: names once, then their numbers. Pure data, no HTML. */
import type { Board, TaskView } from '../board/board.ts';
import { isReady } from '../board/board.ts';
import { type Counts, countTasks, type Summary } from '../board/summary.ts';
import { type StepRecord, stepNames, stepOutcomes } from '../ledger/record/record.ts';
import { oneLine } from '../markdown/one-line.ts';
import { verdictWords } from '../policy/standing-verdict.ts';
import { parseTime } from '../time.ts';
import { type ReportGraph, reportGraphs } from './report-graphs.ts';

/** Columns of the board, in order. */
export const reportStates = ['person', 'working', 'ready', 'blocked', 'failed', 'done', 'skipped'] as const;
export type ReportState = (typeof reportStates)[number];

export interface ReportTask {
  readonly i: string;
  /** Title. */
  readonly t: string;
  /** Index of its state. */
  readonly s: number;
  readonly y: string;
  readonly g?: number;
  readonly m?: number;
  /** Indexes of what it waits for. */
  readonly d?: readonly number[];
  readonly p?: number;
  /** Why it is blocked. */
  readonly b?: string;
  /** Who holds it. */
  readonly h?: string;
  readonly c?: number;
  readonly n?: number;
  readonly r?: number;
  readonly v?: string;
  /** Address of its pull request. */
  readonly u?: string;
  readonly x?: string;
  readonly k?: string;
}

/** [task, step, outcome, start in seconds, seconds, agent, cycle, verdict, cents] */
export type ReportStep = readonly [number, number, number, number, number, number, number, string, number];

export interface ReportSpending {
  readonly name: string;
  readonly tasks: number;
  readonly done: number;
  readonly steps: number;
  readonly failed: number;
  readonly cents: number;
  readonly seconds: number;
}

export interface ReportData {
  readonly title: string;
  readonly at: string;
  readonly counts: Counts;
  readonly states: readonly string[];
  readonly steps: readonly string[];
  readonly outcomes: readonly string[];
  readonly groups: readonly string[];
  readonly milestones: readonly string[];
  readonly agents: readonly string[];
  readonly tasks: readonly ReportTask[];
  readonly waiting: readonly {
    readonly i: number;
    readonly reason: string;
    readonly detail: string;
    readonly commands: readonly string[];
  }[];
  readonly timeline: readonly ReportStep[];
  /** Steps in all; the page shows the newest. */
  readonly stepCount: number;
  readonly byGroup: readonly ReportSpending[];
  readonly byAgent: readonly ReportSpending[];
  readonly graphs: readonly ReportGraph[];
}

export interface ReportInput {
  readonly title: string;
  readonly board: Board;
  /** Read whole, oldest first. */
  readonly views: readonly TaskView[];
  readonly waiting: Summary['waiting'];
}

/** Steps on the page; older ones count in the sums. */
const timelineMax = 3_000;
/** Characters of all excerpts together. */
const excerptsMax = 60_000;
const excerptMax = 600;

export function reportData({ title, board, views, waiting }: ReportInput): ReportData {
  const index = new Map(views.map(({ id }, at) => [id, at]));
  const groups = new Names(views.map(({ task }) => task.group));
  const milestones = new Names([...board.milestones, ...views.map(({ task }) => task.milestone)]);
  const persons = new Set(waiting.map(({ id }) => id));
  const excerpt = Math.min(excerptMax, Math.floor(excerptsMax / Math.max(1, views.length)));
  const all = views.flatMap((view, at) => (view.record?.steps ?? []).map((step) => ({ step, at })));
  all.sort((a, b) => (a.step.started_at < b.step.started_at ? 1 : -1));
  const agents = new Names(all.map(({ step }) => step.agent));
  const tasks = views.map((view) => reportTask(view, { index, groups, milestones, persons, board, excerpt }));
  return {
    title: oneLine(title, 120),
    at: board.now,
    counts: countTasks(views),
    states: reportStates,
    steps: stepNames,
    outcomes: stepOutcomes,
    groups: groups.list,
    milestones: milestones.list,
    agents: agents.list,
    tasks,
    waiting: waiting.flatMap(({ id, reason, detail, commands }) => {
      const i = index.get(id);
      return i === undefined
        ? []
        : [{ i, reason: oneLine(reason, 60), detail: oneLine(detail, 400), commands }];
    }),
    timeline: all.slice(0, timelineMax).map(({ step, at }) => reportStep(step, at, agents)),
    stepCount: all.length,
    byGroup: groupSpending(views),
    byAgent: agentSpending(all),
    graphs: reportGraphs(tasks, groups.list, milestones.list),
  };
}

interface Making {
  readonly index: ReadonlyMap<string, number>;
  readonly groups: Names;
  readonly milestones: Names;
  readonly persons: ReadonlySet<string>;
  readonly board: Board;
  readonly excerpt: number;
}

function reportTask(view: TaskView, making: Making): ReportTask {
  const { task, record, claim, blockers } = view;
  const { index, groups, milestones, board, excerpt } = making;
  const depends = board.graph.dependencies(view.id).flatMap(({ id }) => index.get(id) ?? []);
  const parent = task.parent === undefined ? undefined : index.get(task.parent);
  const content = excerpt < 40 || task.content.trim() === task.title ? '' : oneLine(task.content, excerpt);
  const url = record?.pull_request?.url;
  const text = (value: string | undefined | null, max: number) => (value ? oneLine(value, max) : undefined);
  return slim({
    i: oneLine(view.id, 64),
    t: oneLine(task.title, 90),
    s: reportStates.indexOf(stateOf(view, making.persons)),
    y: task.type,
    g: groups.at(task.group),
    m: milestones.at(task.milestone),
    d: depends.length > 0 ? depends : undefined,
    p: parent,
    b:
      view.status === 'blocked' && !making.persons.has(view.id)
        ? text(blockers.map((one) => one.text).join('; '), 160)
        : undefined,
    h: text(claim?.holder ?? task.assigned_agent, 40),
    c: cents(record?.cost_usd) || undefined,
    n: record?.seconds || undefined,
    r: record?.review_cycle || undefined,
    v: verdictWords(record) || undefined,
    u: url?.startsWith('https://') ? url.slice(0, 300) : undefined,
    x: content || undefined,
    k: record?.closed_at?.slice(0, 10),
  });
}

function stateOf(view: TaskView, persons: ReadonlySet<string>): ReportState {
  if (persons.has(view.id)) return view.status === 'failed' ? 'failed' : 'person';
  switch (view.status) {
    case 'in_progress':
      return 'working';
    case 'completed':
      return 'done';
    case 'pending':
      return isReady(view) ? 'ready' : 'blocked';
    case 'blocked':
    case 'failed':
    case 'skipped':
      return view.status;
  }
}

function reportStep(step: StepRecord, at: number, agents: Names): ReportStep {
  const start = Math.round(parseTime(step.started_at) / 1000) || 0;
  return [
    at,
    stepNames.indexOf(step.step),
    stepOutcomes.indexOf(step.outcome),
    start,
    secondsOf(step),
    agents.at(step.agent) ?? -1,
    step.cycle ?? 0,
    step.verdict ?? '',
    cents(step.cost_usd),
  ];
}

function secondsOf({ started_at, ended_at }: StepRecord): number {
  return Math.max(0, Math.round((parseTime(ended_at) - parseTime(started_at)) / 1000) || 0);
}

function cents(dollars: number | undefined): number {
  return Math.round((dollars ?? 0) * 100);
}

function groupSpending(views: readonly TaskView[]): ReportSpending[] {
  const sums = new Map<string, { -readonly [K in keyof ReportSpending]: ReportSpending[K] }>();
  for (const { task, record, status } of views) {
    const sum = sumOf(sums, oneLine(task.group ?? '', 60) || '(no group)');
    sum.tasks += 1;
    sum.done += status === 'completed' || status === 'skipped' ? 1 : 0;
    sum.cents += cents(record?.cost_usd);
    sum.seconds += record?.seconds ?? 0;
    sum.steps += record?.steps?.length ?? 0;
    sum.failed += record?.steps?.filter(({ outcome }) => outcome === 'failed').length ?? 0;
  }
  return [...sums.values()].sort((a, b) => b.cents - a.cents || b.seconds - a.seconds || b.tasks - a.tasks);
}

function agentSpending(all: readonly { readonly step: StepRecord; readonly at: number }[]): ReportSpending[] {
  const sums = new Map<string, { -readonly [K in keyof ReportSpending]: ReportSpending[K] }>();
  const tasks = new Map<string, Set<number>>();
  for (const { step, at } of all) {
    const name = oneLine(step.agent ?? '', 60) || '(unknown)';
    const sum = sumOf(sums, name);
    sum.steps += 1;
    sum.done += step.outcome === 'ok' ? 1 : 0;
    sum.failed += step.outcome === 'failed' ? 1 : 0;
    sum.cents += cents(step.cost_usd);
    sum.seconds += secondsOf(step);
    const own = tasks.get(name) ?? new Set();
    tasks.set(name, own.add(at));
    sum.tasks = own.size;
  }
  return [...sums.values()].sort((a, b) => b.cents - a.cents || b.seconds - a.seconds);
}

function sumOf<T>(sums: Map<string, T>, name: string): T {
  const known = sums.get(name);
  if (known) return known;
  const fresh = { name, tasks: 0, done: 0, steps: 0, failed: 0, cents: 0, seconds: 0 } as T;
  sums.set(name, fresh);
  return fresh;
}

/** Names in the order given, each once; tasks hold their places. */
class Names {
  readonly list: string[];
  readonly #places: ReadonlyMap<string, number>;

  constructor(names: readonly (string | undefined)[]) {
    const known = [...new Set(names.filter((name) => name !== undefined))];
    this.list = known.map((name) => oneLine(name, 60));
    this.#places = new Map(known.map((name, at) => [name, at]));
  }

  at(name: string | undefined): number | undefined {
    return name === undefined ? undefined : this.#places.get(name);
  }
}

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- says what the caller knows
function slim<T>(fields: { [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}
