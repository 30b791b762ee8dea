/**
 * Collects the data of the report page, and inserts it into the page. Tasks refer to each other by their
 * index.
 */
import type { Board, TaskView } from '../board/board.ts';
import { type Counts, countTasks, type Summary } from '../board/summary.ts';
import type { StepRecord } from '../ledger/record/record.ts';
import { oneLine } from '../markdown/neutralise.ts';
import { secondsOf } from '../policy/cost.ts';
import type { Readiness } from '../policy/readiness.ts';
import { verdictWords } from '../policy/steps-so-far.ts';
import { parseTime } from '../time.ts';
import { type ReportGraph, reportGraphs } from './report-graphs.ts';
import { type StatRow, statsOf } from './stats.ts';

/** The columns of the board. */
export type ReportState = 'person' | 'working' | 'ready' | 'blocked' | 'failed' | 'done' | 'skipped';

export interface ReportTask {
  readonly id: string;
  readonly title: string;
  readonly state: ReportState;
  readonly type: string;
  readonly group?: string;
  readonly milestone?: string;
  /** Indexes of what it waits for. */
  readonly after?: readonly number[];
  /** Index of the parent task. */
  readonly parent?: number;
  /** Why it is blocked. */
  readonly blocked?: string;
  readonly holder?: string;
  readonly cents?: number;
  readonly seconds?: number;
  readonly cycle?: number;
  readonly verdict?: string;
  /** URL of its pull request. */
  readonly url?: string;
  /** The beginning of its text. */
  readonly text?: string;
  /** The day on which it was closed. */
  readonly closed?: string;
}

/** A tuple and not an object, which saves space: there are thousands of steps. */
export type ReportStep = readonly [
  /** Index of its task. */
  task: number,
  step: string,
  outcome: string,
  /** In seconds since 1970. */
  start: number,
  seconds: number,
  agent: string,
  cycle: number,
  verdict: string,
  cents: number,
];

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
  readonly groups: readonly string[];
  readonly milestones: readonly string[];
  readonly tasks: readonly ReportTask[];
  readonly waiting: readonly {
    readonly task: number;
    readonly reason: string;
    readonly detail: string;
    readonly commands: readonly string[];
  }[];
  readonly timeline: readonly ReportStep[];
  /** Number of all steps; the page shows only the newest. */
  readonly stepCount: number;
  readonly byGroup: readonly ReportSpending[];
  readonly byAgent: readonly ReportSpending[];
  readonly graphs: readonly ReportGraph[];
}

export interface ReportInput {
  readonly title: string;
  readonly board: Board;
  /** With complete records, oldest first. */
  readonly views: readonly TaskView[];
  readonly waiting: Summary['waiting'];
  readonly readiness: Readiness;
}

/** Most steps on the page. Older ones count only in the sums. */
const timelineMax = 3_000;
/** Characters of all excerpts together. */
const excerptsMax = 60_000;
const excerptMax = 600;

export function reportData({ title, board, views, waiting, readiness }: ReportInput): ReportData {
  const index = new Map(views.map(({ id }, at) => [id, at]));
  const persons = new Set(waiting.map(({ id }) => id));
  const excerpt = Math.min(excerptMax, Math.floor(excerptsMax / Math.max(1, views.length)));
  const all = views.flatMap((view, at) => (view.record?.steps ?? []).map((step) => ({ step, at })));
  all.sort((a, b) => (a.step.started_at < b.step.started_at ? 1 : -1));
  const tasks = views.map((view) => reportTask(view, { index, persons, board, excerpt, readiness }));
  const groups = namesOf(tasks.map(({ group }) => group));
  const stats = statsOf(views, () => '');
  const milestones = namesOf([...board.milestones.map(nameOf), ...tasks.map(({ milestone }) => milestone)]);
  return {
    title: oneLine(title, 120),
    at: board.now,
    counts: countTasks(views),
    groups,
    milestones,
    tasks,
    waiting: waiting.flatMap(({ id, reason, detail, commands }) => {
      const task = index.get(id);
      return task === undefined
        ? []
        : [{ task, reason: oneLine(reason, 60), detail: oneLine(detail, 400), commands }];
    }),
    timeline: all.slice(0, timelineMax).map(({ step, at }) => reportStep(step, at)),
    stepCount: all.length,
    byGroup: stats.groups.map(spending),
    byAgent: stats.agents.map(spending),
    graphs: reportGraphs(tasks),
  };
}

function nameOf(name: string): string {
  return oneLine(name, 60);
}

function namesOf(names: readonly (string | undefined)[]): string[] {
  return [...new Set(names.filter((name) => name !== undefined))];
}

interface Making {
  readonly index: ReadonlyMap<string, number>;
  readonly persons: ReadonlySet<string>;
  readonly board: Board;
  readonly excerpt: number;
  readonly readiness: Readiness;
}

function reportTask(view: TaskView, making: Making): ReportTask {
  const { index, persons, board, excerpt, readiness } = making;
  const { task, record, claim, blockers } = view;
  const after = board.graph.dependencies(view.id).flatMap(({ id }) => index.get(id) ?? []);
  const content = excerpt < 40 || task.content.trim() === task.title ? '' : oneLine(task.content, excerpt);
  const url = record?.pull_request?.url;
  const text = (value: string | undefined | null, max: number) => (value ? oneLine(value, max) : undefined);
  const held = blockers.map((one) => one.text).join('; ') || readiness.waits(view)?.because;
  return slim({
    id: oneLine(view.id, 64),
    title: oneLine(task.title, 90),
    state: stateOf(view, making),
    type: task.type,
    group: task.group === undefined ? undefined : nameOf(task.group),
    milestone: task.milestone === undefined ? undefined : nameOf(task.milestone),
    after: after.length > 0 ? after : undefined,
    parent: task.parent === undefined ? undefined : index.get(task.parent),
    blocked: persons.has(view.id) ? undefined : text(held, 160),
    holder: text(claim?.holder ?? task.assigned_agent, 40),
    cents: cents(record?.cost_usd) || undefined,
    seconds: record?.seconds || undefined,
    cycle: record?.review_cycle || undefined,
    verdict: verdictWords(record) || undefined,
    url: url?.startsWith('https://') ? url.slice(0, 300) : undefined,
    text: content || undefined,
    closed: record?.closed_at?.slice(0, 10),
  });
}

function stateOf(view: TaskView, { persons, readiness }: Making): ReportState {
  if (persons.has(view.id)) return view.status === 'failed' ? 'failed' : 'person';
  switch (view.status) {
    case 'in_progress':
      return 'working';
    case 'completed':
      return view.unapproved ? 'person' : 'done';
    case 'pending':
      return readiness.isReady(view) ? 'ready' : 'blocked';
    case 'blocked':
    case 'failed':
    case 'skipped':
      return view.status;
  }
}

function reportStep(step: StepRecord, at: number): ReportStep {
  const start = Math.round(parseTime(step.started_at) / 1000) || 0;
  const { outcome, cycle = 0, verdict = '' } = step;
  const agent = nameOf(step.agent ?? '');
  return [at, step.step, outcome, start, secondsOf(step), agent, cycle, verdict, cents(step.cost_usd)];
}

function cents(dollars: number | undefined): number {
  return Math.round((dollars ?? 0) * 100);
}

function spending({ name, tasks, done, steps, failed, seconds, cost_usd }: StatRow): ReportSpending {
  return { name, tasks, done, steps, failed, cents: cents(cost_usd), seconds };
}

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- says what the caller knows
function slim<T>(fields: { [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}

/** `page`: the HTML that the build makes from src/report. */
export function reportHtml(page: string, data: ReportData): string {
  return page.replace('id="data">null<', () => `id="data">${jsonForScript(data)}<`);
}

/**
 * JSON for a script element. Escapes `<`, which could end it, and line separators, which old engines reject.
 */
export function jsonForScript(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll('<', '\\u003c')
    .replaceAll('>', '\\u003e')
    .replaceAll('&', '\\u0026')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029');
}
