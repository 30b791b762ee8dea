/**
 * Combines many plays into a forecast: order, times and dollars with their range, the critical path, and what
 * stops.
 */
import { isLeaf } from '../board/board.ts';
import { isOver } from '../policy/steps-so-far.ts';
import { addSeconds } from '../time.ts';
import { type Basis, type Estimates, randomOf } from './estimates.ts';
import { type Left, type Played, play, type World } from './play.ts';

/** `likely` is the median of all plays. A tenth of the plays is below `low`, and a tenth above `high`. */
export interface Range {
  readonly likely: number;
  readonly low: number;
  readonly high: number;
}

export interface ForecastTask {
  readonly id: string;
  readonly title: string;
  /** Seconds from now, in the play that is shown. */
  readonly start: number;
  readonly end: number;
  readonly steps: number;
  readonly dollars: Range;
  readonly stands_on: readonly string[];
}

export interface ForecastStop extends Left {
  /** The share of plays in which it happens. */
  readonly percent: number;
}

export interface Forecast {
  readonly plays: number;
  /** Number of open tasks that were requested. */
  readonly tasks: number;
  readonly seconds: Range;
  /** Time of the agents alone. */
  readonly agent_seconds: Range;
  readonly ends_at: { readonly likely: string; readonly low: string; readonly high: string };
  readonly dollars: Range;
  readonly steps: Range;
  /** Null when no jobs are billed. */
  readonly job_minutes: Range | null;
  readonly jobs: Range | null;
  /** Sorted by when they begin. */
  readonly order: readonly ForecastTask[];
  readonly critical_path: { readonly tasks: readonly string[]; readonly seconds: number };
  /** Tasks that a budget or a limit stops. */
  readonly limits: readonly ForecastStop[];
  readonly waits_for_person: readonly ForecastStop[];
  /** Tasks that wait for a stopped task. */
  readonly behind: readonly string[];
  readonly basis: readonly Basis[];
}

const playsMin = 3;
/** Bounds the number of plays, because the time of each grows with the square of the number of tasks. */
const workMax = 100_000;

export function forecast(world: World & { readonly estimates: Estimates }, playsMax = 100): Forecast {
  const board = world.board(world.items, world.meta, world.now);
  const open = [...board.views.values()].filter(
    (view) => world.wanted(view) && isLeaf(view) && !isOver(view),
  );
  const plays = Math.max(playsMin, Math.min(playsMax, Math.floor(workMax / (open.length + 1) ** 2)));
  const played = Array.from({ length: plays }, (_, seed) => play(world, randomOf(seed + 1)));
  const range = (of: (one: Played) => number) => rangeOf(played.map(of));
  const seconds = range((one) => one.seconds);
  const shown = nearest(played, seconds.likely);
  const stops = stopsOf(played);
  const { isBilled } = world.machine;
  const at = (length: number) => addSeconds(world.now, length);
  return {
    plays,
    tasks: open.length,
    seconds,
    agent_seconds: range(({ steps }) => sum(steps.map((step) => step.seconds))),
    ends_at: { likely: at(seconds.likely), low: at(seconds.low), high: at(seconds.high) },
    dollars: range((one) => one.dollars),
    steps: range(({ steps }) => steps.length),
    job_minutes: isBilled ? range(({ minutes }) => minutes) : null,
    jobs: isBilled ? range(({ jobs }) => jobs) : null,
    order: orderOf(shown, played, (id) => board.views.get(id)?.task.title ?? ''),
    critical_path: criticalPath(shown, board.graph),
    limits: stops.filter(({ rule }) => limitRules.has(rule)),
    waits_for_person: stops.filter(({ rule }) => !limitRules.has(rule) && !behindRules.test(rule)),
    behind: stops.filter(({ rule }) => behindRules.test(rule)).map(({ task }) => task),
    basis: world.estimates.basis(),
  };
}

const limitRules: ReadonlySet<string> = new Set([
  'budget',
  'over-budget',
  'workers-busy',
  'agent-limit',
  'not-before',
  'all-paused',
  'max-cycles',
  // The task is ready, but the run may not begin any more tasks.
  'first-step',
]);
const behindRules = /^(?:dependency-(?:unmet|failed|unapproved)|has-children|lane-busy|overlap)$/;

function rangeOf(numbers: readonly number[]): Range {
  const sorted = numbers.toSorted((a, b) => a - b);
  const part = (of: number) => sorted[Math.round((sorted.length - 1) * of)] ?? 0;
  return { likely: rounded(part(0.5)), low: rounded(part(0.1)), high: rounded(part(0.9)) };
}

function rounded(number: number): number {
  return Math.round(number * 100) / 100;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0);
}

function nearest(played: readonly Played[], seconds: number): Played {
  const far = (one: Played) => Math.abs(one.seconds - seconds);
  return played.reduce((best, one) => (far(one) < far(best) ? one : best));
}

function orderOf(
  shown: Played,
  played: readonly Played[],
  titleOf: (id: string) => string,
): readonly ForecastTask[] {
  const ids = [...new Set(shown.steps.map(({ task }) => task))];
  const rows = ids.map((id) => {
    const steps = shown.steps.filter(({ task }) => task === id);
    const costs = played.map((one) => sum(one.steps.filter(({ task }) => task === id).map((s) => s.dollars)));
    return {
      id,
      title: titleOf(id),
      start: rounded(Math.min(...steps.map(({ start }) => start))),
      end: rounded(Math.max(...steps.map(({ end }) => end))),
      steps: steps.length,
      dollars: rangeOf(costs),
      stands_on: shown.on.get(id) ?? [],
    };
  });
  return rows.toSorted((a, b) => a.start - b.start || a.end - b.end);
}

interface Waits {
  readonly order: readonly string[];
  readonly dependencies: (id: string) => readonly { readonly id: string }[];
}

type Path = Forecast['critical_path'];

const none: Path = { tasks: [], seconds: 0 };

function longer(a: Path, b: Path): Path {
  return b.seconds > a.seconds || (b.seconds === a.seconds && b.tasks.length > a.tasks.length) ? b : a;
}

/** The longest chain of dependent tasks. More workers cannot make it faster. */
function criticalPath({ steps }: Played, graph: Waits): Path {
  const longest = new Map<string, Path>();
  const own = new Map<string, number>();
  for (const { task, start, end } of steps) own.set(task, (own.get(task) ?? 0) + end - start);
  let last = none;
  for (const id of graph.order) {
    const chains = graph.dependencies(id).flatMap((one) => longest.get(one.id) ?? []);
    const before = chains.reduce(longer, none);
    const mine = own.get(id);
    const tasks = mine === undefined ? before.tasks : [...before.tasks, id];
    const chain = { seconds: rounded(before.seconds + (mine ?? 0)), tasks };
    longest.set(id, chain);
    last = longer(last, chain);
  }
  return last;
}

/** The most frequent reason why each task is left at the end. */
function stopsOf(played: readonly Played[]): ForecastStop[] {
  const found = new Map<string, { readonly left: Left; readonly times: number }>();
  for (const { left } of played)
    for (const one of left) {
      const key = `${one.task} ${one.rule}`;
      found.set(key, { left: found.get(key)?.left ?? one, times: (found.get(key)?.times ?? 0) + 1 });
    }
  return [...found.values()]
    .map(({ left, times }) => ({ ...left, percent: Math.round((100 * times) / played.length) }))
    .toSorted((a, b) => b.percent - a.percent);
}
