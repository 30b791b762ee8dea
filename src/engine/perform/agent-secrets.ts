/** Which of the secrets that the workflow hands on reach an agent. */
import type { Config } from '../../core/config/config.ts';
import { isGzaError } from '../../core/errors.ts';
import { agentSecrets } from '../../core/text/doctor/caller-workflow.ts';
import { adapterFor, allowedFor } from './perform-step.ts';

export interface AgentSecrets {
  /** That it is given. */
  readonly given: readonly string[];
  /** That would let it in, and that it is given only where the configuration names them. */
  readonly others: readonly string[];
}

export function agentSecretsFor(agent: string, config: Config): AgentSecrets {
  const { keyNames, secretNames } = namesOf(agent, config);
  const names = new Set([...keyNames, ...allowedFor(agent, config)]);
  return {
    given: agentSecrets.filter((name) => names.has(name)),
    others: agentSecrets.filter((name) => secretNames.includes(name) && !names.has(name)),
  };
}

/** An agent that nobody knows has none; its own job says so. */
function namesOf(agent: string, config: Config): Record<'keyNames' | 'secretNames', readonly string[]> {
  try {
    return adapterFor(agent, config, undefined);
  } catch (error) {
    if (!isGzaError(error)) throw error;
    return { keyNames: [], secretNames: [] };
  }
}
