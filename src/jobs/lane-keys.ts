/** Which secrets the machine of a lane is given: those of its agent. Only their names travel. */
import type { Config } from '../core/config.ts';
import { isGzaError } from '../core/errors.ts';
import type { StepJob } from '../engine/engine.ts';
import { adapterFor, allowedFor } from '../steps/perform-step.ts';

/** The keys of agents that the called workflow declares. */
const declared = [
  'ANTHROPIC_API_KEY',
  'CLAUDE_CODE_OAUTH_TOKEN',
  'OPENAI_API_KEY',
  'GEMINI_API_KEY',
  'COPILOT_GITHUB_TOKEN',
];

export function laneKeys(
  config: Config,
  { agent, isRecheck }: Pick<StepJob, 'agent' | 'isRecheck'>,
): string[] {
  const names = isRecheck === true ? [] : [...ownKeys(agent, config), ...allowedFor(agent, config)];
  return declared.filter((name) => names.includes(name));
}

/** An agent that nobody knows has none; its own job says so. */
function ownKeys(agent: string, config: Config): readonly string[] {
  try {
    return adapterFor(agent, config, undefined).keyNames;
  } catch (error) {
    if (!isGzaError(error)) throw error;
    return [];
  }
}
