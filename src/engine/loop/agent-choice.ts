/** Which agent does a step: the task's own order, the limits that agents met, and fresh eyes for reviews. */
import type { TaskView } from '../../core/board/board.ts';
import type { AgentConfig, Config } from '../../core/config/config.ts';
import type { StepName } from '../../core/ledger/record/record.ts';
import type { Settings } from '../../core/task/settings.ts';
import type { RunChoice } from '../engine.ts';

export interface AgentChoice {
  readonly agent: string;
  readonly model?: string;
}

export interface ChoiceFacts {
  readonly view: TaskView;
  readonly settings: Settings;
  readonly config: Config;
  readonly choice: RunChoice;
  /** agent → until when it is limited. */
  readonly limits: Readonly<Record<string, string>>;
  readonly now: string;
}

/** The agents that may do this task, in order. */
export function agentOrder({
  settings,
  choice,
}: Pick<ChoiceFacts, 'settings' | 'choice'>): readonly string[] {
  if (choice.runner !== undefined) return ['runner'];
  return choice.agents && choice.agents.length > 0 ? choice.agents : settings.agents;
}

/** Null when all of them are limited. */
export function chooseAgent(step: StepName, facts: ChoiceFacts): AgentChoice | null {
  const free = agentOrder(facts).filter((name) => (facts.limits[name] ?? '') <= facts.now);
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

/** Who wrote it improves it, when free. */
function sameAuthor(step: StepName, free: readonly string[], author: string | undefined): string | undefined {
  return step === 'improve' && author !== undefined && free.includes(author) ? author : undefined;
}

/** A set review_model keeps the author's agent; else another one looks at it, when there is one. */
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
  return others[0] ?? free[0];
}

function modelFor(
  step: StepName,
  agent: string,
  { settings, config, choice }: ChoiceFacts,
): string | undefined {
  if (choice.model !== undefined) return choice.model;
  const own: AgentConfig | undefined = config.agents[agent];
  if (step === 'review') return settings.review_model ?? own?.review_model ?? settings.model ?? own?.model;
  return settings.model ?? own?.model;
}
