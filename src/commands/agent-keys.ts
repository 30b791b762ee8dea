/** The secrets, as the workflow of `gza init --github` names them, any one of which lets an agent in. */
import { agentNamed, agentNames } from '../agents/agent-named.ts';
import { builtInSettings, type Config } from '../core/config.ts';
import type { AgentKeys } from '../core/repository-seen.ts';
import { callerSecrets } from '../core/text/caller-workflow.ts';

/** Of each agent that the configuration names. One that no such secret concerns is left out. */
export function agentKeys(config: Config): AgentKeys[] {
  const { defaults, task_types: types, agents, env } = config;
  const usual = defaults.agents ?? builtInSettings.agents ?? [];
  const named = new Set([...usual, ...Object.values(types).flatMap((one) => one.agents ?? [])]);
  return [...named].flatMap((agent) => {
    const own = agents[agent];
    const isKnown = own?.command === undefined && agentNames.includes(agent);
    const { keyNames, secretNames } = isKnown ? agentNamed(agent) : { keyNames: [], secretNames: [] };
    const all = new Set([...keyNames, ...secretNames, ...(own?.env ?? []), ...env]);
    const names = callerSecrets.filter((name) => all.has(name) && !notOfAgents.has(name));
    return names.length === 0 ? [] : [{ agent, names }];
  });
}

const notOfAgents = new Set<string>(['LINEAR_API_KEY', 'GZA_APP_PRIVATE_KEY']);
