/** A decision to run → one step as plain data: which agent, where, within which limits. */
import type { TaskView } from '../core/board.ts';
import type { Decision, Facts } from '../core/decide.ts';
import type { Project } from '../commands/project.ts';
import type { Repository } from '../workspace/repository.ts';
import { chooseAgent } from './agent-choice.ts';
import type { RunChoice, StepJob } from './engine.ts';
import { baseOf, laneOf } from './lane-of.ts';
import { needsLane, timeoutMinutes } from './settings-of-view.ts';

export interface JobFacts {
  readonly project: Project;
  readonly repository: Repository;
  /** With all texts. */
  readonly view: TaskView;
  readonly decision: Decision;
  readonly facts: Facts;
  readonly choice: RunChoice;
  readonly now: string;
  readonly random: () => string;
}

/** Null when every agent that may run it is limited, or there is nothing to run. */
export async function jobFor(wanted: JobFacts): Promise<StepJob | null> {
  const { project, repository, view, decision, facts, choice, now, random } = wanted;
  if (decision.action.kind !== 'run') return null;
  const { step, cycle, guidance } = decision.action;
  const settings = project.settings(view.task);
  const { config } = project;
  const chosen = chooseAgent(step, { view, settings, config, choice, limits: facts.limits, now });
  if (!chosen) return null;
  const base = await baseOf(project, repository);
  const lane = needsLane(step) ? await laneOf(project, repository, view, base, random) : null;
  const maxTurns = settings.max_turns ?? config.agents[chosen.agent]?.max_turns;
  const budget = facts.settings(view.task).budget;
  return {
    id: view.id,
    step,
    cycle,
    ...chosen,
    ...(guidance === undefined ? {} : { guidance }),
    ...(maxTurns === undefined ? {} : { maxTurns }),
    ...(budget === null ? {} : { budgetUsd: Math.max(0.01, budget - (view.record?.cost_usd ?? 0)) }),
    timeoutMinutes: timeoutMinutes(step, settings),
    lane,
    base,
    claim: random(),
  };
}
