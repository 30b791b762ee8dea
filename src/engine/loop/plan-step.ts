/** Turns a decision to run into a step as plain data: agent, lane and budget. A laptop and CI share this. */
import type { Project } from '../../app/project.ts';
import { wholeView } from '../../app/tasks/change-task.ts';
import type { TaskView } from '../../core/board/board.ts';
import { type AgentConfig, type Config, modelOf, type Settings } from '../../core/config/config.ts';
import type { StepName } from '../../core/ledger/record/record.ts';
import type { Decision, Facts } from '../../core/policy/decide.ts';
import { agentsOut, isLooping, tiredAgent, wasCutShort } from '../../core/policy/steps-so-far.ts';
import type { TaskSettings } from '../../core/task/task.ts';
import type { Repository } from '../../git/repository.ts';
import {
  changesFiles,
  needsLane,
  type RunChoice,
  type StepJob,
  type StoredSession,
  timeoutMinutes,
} from '../engine.ts';
import { reviewsSoFar, subjectOf } from '../perform/gather-context.ts';
import { baseOf, type LaneOptions, laneOf } from './lane-of.ts';

export interface PlanContext {
  readonly project: Project;
  readonly repository: Repository;
  readonly choice: RunChoice;
  /** Agents that cannot run here, each with the reason. */
  readonly unusable: ReadonlyMap<string, string>;
  /** Refs that the remote refused to let this pick move. */
  readonly stays?: LaneOptions['stays'];
  /** How many steps of this run are in progress. */
  readonly running: number;
  readonly now: () => string;
  readonly random: () => string;
  /** Finds a session to resume. `wasCut` tells whether the last try was cut short. */
  readonly session: (
    owner: { readonly id: string; readonly agent: string; readonly step: string },
    wasCut: boolean,
  ) => Promise<StoredSession | null>;
}

export interface PlannedStep {
  readonly job: StepJob;
  /** The budget that its claim reserves; null when there is no limit. */
  readonly reserved: number | null;
}

/** Returns a string when none of its agents can run the step: the reason. */
export async function planStep(
  context: PlanContext,
  view: TaskView,
  decision: Decision,
  facts: Facts,
): Promise<PlannedStep | string> {
  const chosen = await agentFor(context, view, decision, facts);
  if (typeof chosen === 'string') return chosen;
  const money = moneyFor(context, view, facts);
  const job = await jobFor(context, view, decision, chosen, money.mayCost);
  const wish = decision.rule === 'command' ? facts.command(view) : null;
  return { job: wish ? { ...job, wish } : job, reserved: money.reserved };
}

/** Returns a string when no agent can run the step: the reason. */
async function agentFor(
  context: PlanContext,
  view: TaskView,
  decision: Decision,
  facts: Facts,
): Promise<AgentChoice | string> {
  const { project, choice, unusable } = context;
  if (decision.action.kind !== 'run') return 'it is not its turn';
  const now = context.now();
  const isAsked = decision.rule === 'command';
  const out = Object.fromEntries([...(isAsked ? [] : agentsOut(view))].map((name) => [name, '9999']));
  const never = Object.fromEntries([...unusable.keys()].map((name) => [name, '9999']));
  const chosen = chooseAgent(decision.action.step, {
    view: await authored(context, view),
    settings: project.settings(view.task),
    config: project.config,
    choice,
    limits: { ...facts.limits, ...never, ...out },
    tired: tiredAgent(view),
    now,
  });
  if (chosen) return chosen;
  const why = [...unusable].map(([name, error]) => `${name} cannot run: ${error}`);
  return why.length > 0 ? why.join('; ') : 'every agent that may run it is limited';
}

/** The agent that will probably review what a step leaves; null when no review is wanted. */
export function reviewerAfter(
  { project, choice }: Pick<PlanContext, 'project' | 'choice'>,
  view: TaskView,
  job: StepJob,
  facts: Facts,
): string | null {
  const { record } = view;
  if (!record || !changesFiles(job.step) || !isLooping(view, facts)) return null;
  const left = { step: job.step, outcome: 'ok', agent: job.agent, started_at: '', ended_at: '' } as const;
  const authored = { ...view, record: { ...record, steps: [...(record.steps ?? []), left] } };
  const { config, settings } = project;
  const { limits, board } = facts;
  const given = { view: authored, settings: settings(view.task), config, choice, limits, now: board.now };
  return chooseAgent('review', given)?.agent ?? null;
}

/** Takes the steps of the reviewed task, because its author decides who reviews it. */
async function authored({ project }: PlanContext, view: TaskView): Promise<TaskView> {
  const subject = subjectOf(project, view);
  return subject === view ? view : { ...(await wholeView(project, subject.id)), task: view.task };
}

interface Money {
  /** The amount that the claim reserves; null when there is no limit. */
  readonly reserved: number | null;
  /** The cost at which the step is stopped. */
  readonly mayCost: number | null;
}

/** What is left of the task's own budget, or its share of what is left for the run and the day. */
export function moneyFor(
  { running, project }: Pick<PlanContext, 'running' | 'project'>,
  view: TaskView,
  facts: Facts,
): Money {
  const { budget } = facts.settings(view.task);
  const own = budget === null ? null : Math.max(0, budget - (view.record?.cost_usd ?? 0));
  if (facts.dollarsLeft === null) return { reserved: own, mayCost: own };
  const claims = project.board.claims.filter(facts.alive);
  const reserved = claims.reduce((sum, claim) => sum + (claim.reserved_usd ?? 0), 0);
  const left = Math.max(0, facts.dollarsLeft - reserved);
  const share = own ?? left / Math.max(1, facts.parallelWorkers - running);
  const mayCost = Math.min(share, left);
  return { reserved: mayCost, mayCost };
}

export const leastUsd = 0.01;

async function jobFor(
  { project, repository, random, choice, stays, session: sessionOf }: PlanContext,
  view: TaskView,
  decision: Decision,
  chosen: AgentChoice,
  mayCost: number | null,
): Promise<StepJob> {
  const { action } = decision;
  if (action.kind !== 'run') throw new Error(`${view.id} has no step to run`);
  const { step, guidance } = action;
  const settings = project.settings(view.task);
  const base = await baseOf(project, repository);
  const lane = needsLane(step, settings)
    ? await laneOf(project, repository, view, base, random, {
        isOnlyRead: choice.checksOnly === true,
        ...(stays === undefined ? {} : { stays }),
      })
    : null;
  const maxTurns = settings.max_turns ?? project.config.agents[chosen.agent]?.max_turns;
  const owner = { id: view.id, agent: chosen.agent, step };
  const session = await sessionOf(owner, wasCutShort(view));
  return {
    id: view.id,
    step,
    cycle: cycleOf(project, view, action),
    ...chosen,
    ...(guidance === undefined ? {} : { guidance }),
    ...(maxTurns === undefined ? {} : { maxTurns }),
    ...(mayCost === null ? {} : { budgetUsd: Math.max(leastUsd, mayCost) }),
    timeoutMinutes: timeoutMinutes(step, settings),
    lane,
    base,
    claim: random(),
    ...(session ? { session } : {}),
  };
}

/** Continues the numbering of the task's reviews for a review or improve that a person asked for. */
function cycleOf(
  project: Project,
  view: TaskView,
  { step, cycle }: { step: StepJob['step']; cycle: number },
): number {
  const subject = subjectOf(project, view);
  if (subject === view) return cycle;
  if (view.record?.of_review !== undefined) return view.record.of_review;
  return Math.max(1, reviewsSoFar(project, subject) + (step === 'review' ? 1 : 0));
}

export interface AgentChoice {
  readonly agent: string;
  readonly model?: string;
}

export interface ChoiceFacts {
  readonly view: TaskView;
  readonly settings: Settings;
  readonly config: Config;
  readonly choice: RunChoice;
  /** The agent to use last, because of how its last try ended. */
  readonly tired?: string | undefined;
  /** Maps an agent to the end of its usage limit. */
  readonly limits: Readonly<Record<string, string>>;
  readonly now: string;
}

/** The agents that may do this task, in order of preference. */
export function agentOrder({
  settings,
  choice,
}: Pick<ChoiceFacts, 'settings' | 'choice'>): readonly string[] {
  if (choice.runner !== undefined) return ['runner'];
  return choice.agents && choice.agents.length > 0 ? choice.agents : settings.agents;
}

/** Null when all agents are limited. */
export function chooseAgent(step: StepName, facts: ChoiceFacts): AgentChoice | null {
  const all = agentOrder(facts).filter((name) => (facts.limits[name] ?? '') <= facts.now);
  const others = all.filter((name) => name !== facts.tired);
  const free = others.length > 0 ? others : all;
  const author = authorOf(facts.view);
  const agent =
    step === 'review' ? reviewer(free, author, facts) : (sameAuthor(step, free, author) ?? free[0]);
  if (agent === undefined) return null;
  const model = modelFor(step, agent, facts);
  return model === undefined ? { agent } : { agent, model };
}

function authorOf(view: TaskView): string | undefined {
  return view.record?.steps?.findLast(({ step, outcome }) => step !== 'review' && outcome === 'ok')?.agent;
}

/** The author of the work should also improve it, if not limited. */
function sameAuthor(step: StepName, free: readonly string[], author: string | undefined): string | undefined {
  return step === 'improve' && author !== undefined && free.includes(author) ? author : undefined;
}

/** Keeps the author's agent if `review_model` or a command-line agent is set; else another one reviews. */
function reviewer(
  free: readonly string[],
  author: string | undefined,
  facts: ChoiceFacts,
): string | undefined {
  const keeps =
    facts.settings.review_model !== undefined ||
    facts.choice.agents !== undefined ||
    facts.choice.runner !== undefined;
  if (keeps) return free.find((name) => name === author) ?? free[0];
  const configured = Object.keys(facts.config.agents).filter(
    (name) => (facts.limits[name] ?? '') <= facts.now,
  );
  const others = [...free, ...configured].filter((name) => name !== author);
  return others.find((name) => name !== facts.tired) ?? others[0] ?? free[0];
}

function modelFor(step: StepName, agent: string, facts: ChoiceFacts): string | undefined {
  const { settings, config, choice } = facts;
  const named = (model: TaskSettings['model'], first = settings.agents[0]) => modelOf(model, agent, first);
  const own: AgentConfig | undefined = config.agents[agent];
  const reviews: TaskSettings = config.task_types.review ?? {};
  const forReview = () =>
    named(settings.review_model) ?? own?.review_model ?? named(reviews.model, reviews.agents?.[0]);
  return (
    named(choice.model, agentOrder(facts)[0]) ??
    (step === 'review' ? forReview() : undefined) ??
    named(settings.model) ??
    own?.model
  );
}
