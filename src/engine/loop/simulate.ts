/** Gives `gza simulate` the engine's own choices of agent, lane and budget, for any future board. */
import { laneBranch, localFacts } from '../../app/facts/facts.ts';
import { type Project, scorer } from '../../app/project.ts';
import { wholeViews } from '../../app/whole-tasks.ts';
import { type Board, oldestFirst, type TaskView } from '../../core/board/board.ts';
import type { LaneLink, StepName } from '../../core/ledger/record/record.ts';
import type { Facts } from '../../core/policy/decide.ts';
import { isOver } from '../../core/policy/steps-so-far.ts';
import { estimatesFrom, pastSteps } from '../../core/simulate/estimates.ts';
import { type Forecast, forecast } from '../../core/simulate/forecast.ts';
import { github, type Machine } from '../../core/simulate/machine.ts';
import type { World } from '../../core/simulate/play.ts';
import { forecastLine } from '../../core/text/terminal/forecast.ts';
import { needsLane, type RunChoice, reviewTaskOf } from '../engine.ts';
import { startOf } from './lane-of.ts';
import { agentOrder, chooseAgent, moneyFor } from './plan-step.ts';

/** For a larger board, the forecast would delay the job by minutes. */
const boardTasksMax = 150;

/** One line for the board; empty when nothing can go on, or when there are too many tasks. */
export async function boardForecast(project: Project): Promise<string> {
  const open = [...project.board.views.values()].filter((view) => !isOver(view));
  if (open.length === 0 || open.length > boardTasksMax) return '';
  const asked = { machine: github(), wanted: () => true, playsMax: 9, isSteady: true };
  return forecastLine(await simulate(project, asked));
}

export interface Simulated {
  readonly machine: Machine;
  readonly wanted: (view: TaskView) => boolean;
  readonly choice?: Partial<RunChoice>;
  readonly playsMax?: number;
  /** Treats running steps as just begun, so that the forecast stays the same while the state does. */
  readonly isSteady?: boolean;
}

export async function simulate(project: Project, asked: Simulated): Promise<Forecast> {
  const { machine, wanted, choice: given = {} } = asked;
  const choice = { delaySeconds: 0, once: false, ...given };
  const { config, view: ledgers } = project;
  const { auto_split } = config.task_size_limits;
  const views = await wholeViews(project, oldestFirst(project.board));
  const real = await localFacts(project);
  const read = (await ledgers.meta(ledgers.base)) ?? { v: 1, branch: ledgers.base, lane: 'simulated' };
  const claims = read.claims?.map((claim) => (asked.isSteady ? { ...claim, at: project.board.now } : claim));
  const meta: World['meta'] = { ...read, ...(claims ? { claims } : {}) };
  const score = scorer(
    project,
    views.map(({ task }) => task),
  );
  const sizes = new Map(views.map((view) => [view.id, score(view.task).score.level]));
  const sizeOf = (view: TaskView) => sizes.get(view.id) ?? 'LOW';
  const at = (board: Board) => ({ ...project, board });
  return forecast(
    {
      items: views,
      meta,
      now: project.board.now,
      // With `auto_split`, no task is held back as too large, because it is split when it starts.
      board: (items, { claims = [] }, now) =>
        project.boardOf({ items, claims, now, ...(auto_split ? { complex: new Map() } : {}) }),
      facts: (board, now, spent) => factsAt(project, real, board, { meta: now, spent, machine }),
      agent: (view, step, facts) => {
        const settings = project.settings(view.task);
        const chosen = { view, settings, config, choice, limits: facts.limits, now: facts.board.now };
        return chooseAgent(step, chosen) ?? { agent: agentOrder(chosen)[0] ?? '' };
      },
      lane: (view, step, board) => laneAt(at(board), view, step),
      reserve: (view, facts, running) =>
        moneyFor({ running, project: at(facts.board) }, view, facts).reserved,
      reviewOf: (view, board, now) => reviewTaskOf(at(board), view, `review-of-${view.id}`, now),
      sizeOf,
      estimates: estimatesFrom(pastSteps(views, sizeOf)),
      machine,
      wanted,
      tasksMax: machine.isBilled ? Infinity : (choice.maxTasks ?? config.max_tasks ?? Infinity),
    },
    asked.playsMax,
  );
}

function stepsOf({ record }: TaskView): number {
  return record?.steps?.length ?? 0;
}

interface Spending {
  readonly meta: World['meta'];
  readonly spent: number;
  readonly machine: Machine;
}

function factsAt(project: Project, real: Facts, board: Board, { meta, spent, machine }: Spending): Facts {
  const { day, run } = project.config.budget;
  const left = [
    ...(day === undefined ? [] : [day - (meta.spent?.[board.now.slice(0, 10)] ?? 0)]),
    ...(run === undefined || machine.isBilled ? [] : [run - spent]),
  ];
  return {
    ...real,
    board,
    // A task with no simulated steps keeps its real facts.
    lane: (view) => {
      const found = project.board.views.get(view.id);
      return found && stepsOf(found) === stepsOf(view)
        ? real.lane(found)
        : { branch: laneBranch({ ...project, board }, view) };
    },
    alive: (claim) => claim.run === 'simulated' || real.alive(claim),
    limits: Object.fromEntries(Object.entries(real.limits).filter(([, until]) => until > board.now)),
    dollarsLeft: left.length > 0 ? Math.min(...left) : null,
  };
}

function laneAt(project: Project, view: TaskView, step: StepName): LaneLink | null {
  if (!needsLane(step, project.settings(view.task))) return null;
  const branch = laneBranch(project, view);
  const known = view.record?.lane;
  if (known && !known.folded_at) return known;
  const others = [...project.board.views.values()];
  const joined = others.find(({ record }) => record?.lane?.branch === branch && !record.lane.folded_at);
  const start = startOf(project, view, branch, joined !== undefined);
  if (joined?.record?.lane) return joined.record.lane;
  const lane = { id: `simulated-${view.id}`, branch };
  if (start.kind === 'stack') return { ...lane, stacked_on: start.on };
  if (start.kind !== 'join') return lane;
  return { ...lane, stacked_on: `${project.config.branch_prefix}on/${view.id}`, joins: [...start.on] };
}
