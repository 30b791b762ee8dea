/**
 * Plays one possible future: it runs the real policy in rounds, with simulated agents that only take time and
 * money. Steps are recorded by the ledger's own rules, so that all decisions are those of a real run.
 */
import { type Board, type BoardItem, isLeaf, type TaskView } from '../board/board.ts';
import { apply } from '../ledger/apply.ts';
import type { Event } from '../ledger/event.ts';
import { emptyState, type LedgerMeta } from '../ledger/ledger-state.ts';
import type { Claim, LaneLink, StepName, StepRecord, TaskRecord } from '../ledger/record/record.ts';
import { type Decision, decide, type Facts } from '../policy/decide.ts';
import { isOver, isWork } from '../policy/steps-so-far.ts';
import { declaredFiles } from '../task/task.ts';
import { addSeconds, parseTime } from '../time.ts';
import type { Drawn, Estimates, Random } from './estimates.ts';
import type { Machine } from './machine.ts';

/** What the engine would see, for a simulated board. */
export interface World {
  readonly items: readonly BoardItem[];
  readonly meta: LedgerMeta;
  readonly now: string;
  readonly board: (items: readonly BoardItem[], meta: LedgerMeta, now: string) => Board;
  /** `spent`: dollars that this run has spent so far. */
  readonly facts: (board: Board, meta: LedgerMeta, spent: number) => Facts;
  readonly agent: (
    view: TaskView,
    step: StepName,
    facts: Facts,
  ) => { readonly agent: string; readonly model?: string };
  /** The lane of a step; null when it needs no branch. */
  readonly lane: (view: TaskView, step: StepName, board: Board) => LaneLink | null;
  /** Dollars that its claim reserves; null without a budget. */
  readonly reserve: (view: TaskView, facts: Facts, running: number) => number | null;
  /** The review task that is filed when the task is done, if any. */
  readonly reviewOf: (view: TaskView, board: Board, at: string) => TaskRecord | null;
  readonly sizeOf: (view: TaskView) => string;
  readonly estimates: Pick<Estimates, 'draw'>;
  readonly machine: Machine;
  readonly wanted: (view: TaskView) => boolean;
  /** The number of tasks that one run may work on. */
  readonly tasksMax: number;
}

/** Times are seconds from now. */
export interface PlayedStep {
  readonly task: string;
  readonly step: StepName;
  readonly start: number;
  readonly end: number;
  /** The agent's own share of this time. */
  readonly seconds: number;
  readonly dollars: number;
}

export interface Left {
  readonly task: string;
  readonly rule: string;
  readonly because: string;
  readonly change: string;
}

export interface Played {
  readonly steps: readonly PlayedStep[];
  /** Task → branches on which its own is stacked. */
  readonly on: ReadonlyMap<string, readonly string[]>;
  readonly seconds: number;
  readonly dollars: number;
  readonly jobs: number;
  readonly minutes: number;
  /** Tasks that did not end, or ended badly. */
  readonly left: readonly Left[];
}

interface Running {
  readonly view: TaskView;
  readonly claim: Claim;
  readonly cycle: number;
  readonly drawn: Drawn;
  readonly end: number;
}

interface Table {
  readonly world: World;
  readonly random: Random;
  readonly items: Map<string, BoardItem>;
  meta: LedgerMeta;
  now: number;
  running: Running[];
  /** Times at which a pick was requested. */
  wakes: number[];
  /** Time at which the last pick ended. */
  pickFree: number;
  jobs: number;
  minutes: number;
  readonly steps: PlayedStep[];
  readonly on: Map<string, readonly string[]>;
  readonly acted: Set<string>;
}

interface Settled {
  readonly facts: Facts;
  readonly decisions: readonly Decision[];
}

/** Far more rounds than any backlog needs. Stops a play that would never end. */
const roundsMax = 100_000;

export function play(world: World, random: Random): Played {
  const table: Table = {
    world,
    random,
    items: new Map(world.items.map((item) => [item.task.id, item])),
    meta: world.meta,
    now: 0,
    running: [],
    wakes: [0],
    pickFree: 0,
    jobs: 0,
    minutes: 0,
    steps: [],
    on: new Map(),
    acted: new Set(),
  };
  goOnWithClaims(table);
  let settled: Settled | null = null;
  for (let count = 0; count < roundsMax; count += 1) {
    const pick = table.wakes[0] === undefined ? Infinity : pickAt(table, table.wakes[0]);
    const [next] = table.running.toSorted((a, b) => a.end - b.end);
    if (next && next.end <= pick) {
      table.now = next.end;
      finish(table, next);
    } else if (pick !== Infinity) {
      table.wakes.shift();
      table.now = pick;
      settled = round(table, pick);
    } else if (!settled || !waitOn(table, settled)) break;
  }
  return { ...summed(table), left: settled ? leftOf(table, settle(table)) : [] };
}

function pickAt({ world: { machine }, pickFree }: Table, wake: number): number {
  return Math.max(wake + machine.dispatch, pickFree) + machine.pick;
}

function summed({ steps, on, jobs, minutes }: Table) {
  const sum = (of: (step: PlayedStep) => number) => steps.reduce((all, step) => all + of(step), 0);
  const seconds = Math.max(0, ...steps.map(({ end }) => end));
  return { steps, on, jobs, minutes, seconds, dollars: sum(({ dollars }) => dollars) };
}

function timeOf({ world }: Table, seconds: number): string {
  return addSeconds(world.now, seconds);
}

/** Also simulates the end of steps that are already running. */
function goOnWithClaims(table: Table): void {
  const { world } = table;
  const board = world.board([...table.items.values()], table.meta, world.now);
  const facts = world.facts(board, table.meta, 0);
  for (const claim of world.meta.claims ?? []) {
    const view = board.views.get(claim.task);
    if (!view || claim.step === undefined || !facts.alive(claim)) continue;
    const cycle = (view.record?.review_cycle ?? 0) + (claim.step === 'review' ? 1 : 0);
    const since = (parseTime(world.now) - parseTime(claim.at)) / 1000;
    start(table, view, { ...claim, step: claim.step }, cycle, -Math.max(0, since));
  }
}

function round(table: Table, at: number): Settled {
  table.pickFree = at;
  bill(table, table.world.machine.pick);
  const settled = settle(table);
  const begun = new Set([
    ...table.steps.map(({ task }) => task),
    ...table.running.map(({ view }) => view.id),
  ]);
  for (const { task, action } of settled.decisions) {
    const view = settled.facts.board.views.get(task);
    if (!view || action.kind !== 'run' || !table.world.wanted(view)) continue;
    if (!begun.has(task) && begun.size >= table.world.tasksMax) continue;
    begun.add(task);
    begin(table, view, action.step, action.cycle, settled.facts);
  }
  return settled;
}

function bill(table: Table, seconds: number): void {
  if (!table.world.machine.isBilled) return;
  table.jobs += 1;
  table.minutes += Math.ceil(seconds / 60);
}

function begin(table: Table, view: TaskView, step: StepName, cycle: number, facts: Facts): void {
  const { world, running } = table;
  const at = timeOf(table, table.now);
  const lane = world.lane(view, step, facts.board);
  const reserved = world.reserve(view, facts, running.length);
  const { agent, model } = world.agent(view, step, facts);
  const record: TaskRecord = view.record ?? { ...view.task, created_at: at };
  table.items.set(view.id, { ...view, record, branch: lane?.branch ?? view.branch });
  if (lane) {
    write(table, { kind: 'enter-lane', at, id: view.id, lane });
    if (!table.on.has(view.id))
      table.on.set(view.id, lane.joins ?? (lane.stacked_on ? [lane.stacked_on] : []));
  }
  const claim = {
    id: `simulated ${table.steps.length + running.length} ${view.id}`,
    task: view.id,
    lane: lane?.branch ?? `task:${view.id}`,
    holder: agent,
    agent,
    at,
    until: '9999',
    run: 'simulated',
    step,
    files: declaredFiles(view.task),
    ...(reserved === null ? {} : { reserved_usd: reserved }),
  };
  write(table, { kind: 'claim', at, claim });
  start(table, view, claim, cycle, 0, model);
}

function start(
  table: Table,
  view: TaskView,
  claim: Claim & { readonly step: StepName },
  cycle: number,
  since: number,
  model?: string,
): void {
  const { world, random, now } = table;
  const { step, agent = claim.holder } = claim;
  const asked = { step, cycle, agent, size: world.sizeOf(view), ...(model === undefined ? {} : { model }) };
  const drawn = world.estimates.draw(asked, random);
  const jobs = world.machine.jobs(step, drawn.seconds);
  for (const seconds of jobs) bill(table, seconds);
  const end = Math.max(now, now + since + jobs.reduce((sum, one) => sum + one, 0));
  table.running.push({ view, claim, cycle, drawn, end });
}

function finish(table: Table, ended: Running): void {
  const { world, now } = table;
  const { view, claim, cycle, drawn, end } = ended;
  const { step = 'implement', agent = claim.holder } = claim;
  const at = timeOf(table, now);
  table.running = table.running.filter((one) => one !== ended);
  const dollars = Math.min(drawn.dollars, claim.reserved_usd ?? Infinity);
  const record: StepRecord = {
    step,
    outcome: drawn.outcome,
    started_at: claim.at,
    ended_at: at,
    agent,
    // Each work step leaves a new diff, and a review leaves it unchanged.
    diff: `${view.id} ${isWork(step) ? table.steps.length : diffOf(table, view.id)}`,
    ...(cycle > 0 ? { cycle } : {}),
    ...(drawn.verdict ? { verdict: drawn.verdict } : {}),
    ...(drawn.outcome === 'failed' ? { error: 'a try that fails' } : {}),
    ...(dollars > 0 ? { cost_usd: dollars } : {}),
  };
  write(table, { kind: 'step', at, id: view.id, step: record });
  write(table, { kind: 'release', at, claim: claim.id, why: 'it ended', spent_usd: dollars });
  const begun = (parseTime(claim.at) - parseTime(world.now)) / 1000;
  table.steps.push({ task: view.id, step, start: begun, end, seconds: drawn.seconds, dollars });
  const next = world.machine.goesOn ? settle(table) : null;
  const own = next?.decisions.find(({ task }) => task === view.id)?.action;
  const seen = next?.facts.board.views.get(view.id);
  if (next && seen && own?.kind === 'run' && own.step === 'review' && isWork(step))
    begin(table, seen, own.step, own.cycle, next.facts);
  else if (next ? isAnythingOpen(next) : !table.wakes.includes(now)) table.wakes.push(now);
}

function isAnythingOpen({ facts }: Settled): boolean {
  return [...facts.board.views.values()].some((view) => !isOver(view));
}

function diffOf({ items }: Table, id: string): string {
  const last = items.get(id)?.record?.steps?.findLast(({ step }) => isWork(step));
  return last?.diff?.slice(id.length + 1) ?? '';
}

/** Applies an event by the ledger's own rules. False if they refuse it. */
function write(table: Table, event: Event): boolean {
  const id = 'id' in event ? event.id : event.kind === 'claim' ? event.claim.task : null;
  const item = id === null ? undefined : table.items.get(id);
  const tasks = new Map(item?.record ? [[item.task.id, item.record]] : []);
  const applied = apply({ ...emptyState(table.meta), tasks }, event);
  if (applied.kind === 'refused') return false;
  table.meta = applied.changes.meta ?? table.meta;
  for (const record of applied.changes.tasks ?? []) {
    const known = table.items.get(record.id);
    if (known) table.items.set(record.id, { ...known, record });
  }
  return true;
}

/** Carries out all decisions that need no agent, until none is left. */
function settle(table: Table): Settled {
  const { world } = table;
  for (;;) {
    const board = world.board([...table.items.values()], table.meta, timeOf(table, table.now));
    const spent = table.steps.reduce((sum, { dollars }) => sum + dollars, 0);
    const facts = world.facts(board, table.meta, spent);
    const decisions = decide(facts, world.wanted);
    const written = decisions.filter((decision) => act(table, board, decision));
    if (written.length === 0) return { facts, decisions };
  }
}

/** Whether anything was written. Never writes the same thing twice between two steps. */
function act(table: Table, board: Board, { task, rule, action }: Decision): boolean {
  const view = board.views.get(task);
  if (!view || action.kind === 'run' || action.kind === 'wait' || action.kind === 'nothing') return false;
  const key = `${task} ${rule} ${view.record?.steps?.length ?? 0}`;
  if (table.acted.has(key)) return false;
  table.acted.add(key);
  const at = board.now;
  if (action.kind === 'record-dead' || action.kind === 'cancel') {
    table.running = table.running.filter(({ claim }) => claim.id !== action.claim.id);
    return write(table, { kind: 'release', at, claim: action.claim.id, why: rule });
  }
  const record: TaskRecord = view.record ?? { ...view.task, created_at: at };
  table.items.set(task, { ...view, record });
  switch (action.kind) {
    case 'fold': {
      const { lane } = record;
      return lane !== undefined && write(table, { kind: 'fold', at, lane, how: action.how, tasks: [record] });
    }
    case 'fail':
      return write(table, { kind: 'close', at, id: task, as: 'failed', reason: action.reason });
    case 'ask-person':
      return write(table, { kind: 'stop', at, id: task, stop: action.stop });
    case 'go-on':
      return write(table, { kind: 'reopen', at, id: task, goes_on: true });
    case 'finish': {
      const { verdict, stop } = action;
      const head = record.lane ? { commit: 'simulated' } : {};
      write(table, { kind: 'close', at, id: task, as: 'done', ...head, ...(verdict ? { verdict } : {}) });
      if (stop) write(table, { kind: 'stop', at, id: task, stop });
      const review = table.world.reviewOf(view, board, at);
      if (review)
        table.items.set(review.id, {
          task: review,
          record: review,
          branch: null,
          position: table.items.size,
        });
      return true;
    }
  }
}

const daysMax = 365;

/**
 * When nothing runs, jumps to the next time that a task waits for, or to the next day's budget on billed
 * machines.
 */
function waitOn(table: Table, { decisions, facts }: Settled): boolean {
  const now = facts.board.now;
  const times = decisions.flatMap(({ action }) => (action.kind === 'wait' ? (action.until ?? []) : []));
  const isOverDay = decisions.some(({ rule, wanted }) => rule === 'budget' && wanted !== undefined);
  const tomorrow = `${addSeconds(now, 86_400).slice(0, 10)}T00:00:00.000Z`;
  if (isOverDay && table.world.machine.isBilled) times.push(tomorrow);
  const next = times.filter((time) => time > now && time < '9').toSorted()[0];
  if (next === undefined || table.now > daysMax * 86_400) return false;
  table.now = (parseTime(next) - parseTime(table.world.now)) / 1000 + 1;
  table.wakes.push(table.now);
  return true;
}

function leftOf({ world: given }: Table, { decisions, facts }: Settled): Left[] {
  return decisions.flatMap(({ task, rule, because, change }) => {
    const view = facts.board.views.get(task);
    if (!view || !given.wanted(view) || !isLeaf(view)) return [];
    if (isOver(view) && !view.unapproved) return [];
    const { stop } = view.record ?? {};
    return [{ task, rule: stop?.reason ?? rule, because: stop?.detail ?? because, change }];
  });
}
