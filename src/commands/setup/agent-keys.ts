/** The secrets, as the workflow of `gza init --github` names them, any one of which lets an agent in. */
import { builtInSettings, type Config } from '../../core/config/config.ts';
import type { AgentKeys } from '../../core/doctor/repository-seen.ts';
import { agentSecretsFor } from '../../engine/perform/ask-agent.ts';

/** Of each agent that the configuration names. One that no such secret concerns is left out. */
export function agentKeys(config: Config): AgentKeys[] {
  const { defaults, task_types: types } = config;
  const usual = defaults.agents ?? builtInSettings.agents ?? [];
  const named = new Set([...usual, ...Object.values(types).flatMap((one) => one.agents ?? [])]);
  return [...named].flatMap((agent) => {
    const { given, others } = agentSecretsFor(agent, config);
    const names = given.length > 0 ? given : others;
    return names.length === 0 ? [] : [{ agent, names, isGiven: given.length > 0 }];
  });
}
