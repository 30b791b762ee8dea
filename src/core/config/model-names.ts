/** The programs that gza knows by name. */
export const knownAgents = ['claude', 'codex', 'opencode', 'gemini', 'copilot'] as const;

/** Whose a model is, by its name, as far as names tell: enough to see that an agent is asked for another's. */
const families: readonly (readonly [agent: string, names: RegExp])[] = [
  ['claude', /^(?:claude|opus|sonnet|haiku)\b/i],
  ['codex', /^(?:gpt|o\d|codex)\b/i],
  ['gemini', /^gemini\b/i],
];

/** The model that this agent is to be asked for: one that is named without its agent is for the first one listed. */
export function modelOf(
  model: string | Readonly<Record<string, string>> | undefined,
  agent: string,
  first: string | undefined,
): string | undefined {
  if (typeof model !== 'object') return agent === first ? model : undefined;
  return Object.hasOwn(model, agent) ? model[agent] : undefined;
}

/** Why this agent most likely does not know this model; null where that cannot be told. */
export function modelFault(
  agent: string,
  model: string,
  agents: Readonly<Record<string, { readonly command?: readonly string[] }>>,
): string | null {
  if (Object.hasOwn(agents, agent) && agents[agent]!.command !== undefined) return null;
  if (!knownAgents.some((name) => name === agent)) return `no agent has the name ${agent}`;
  if (agent === 'opencode' && !model.includes('/')) {
    return `opencode names a model with its provider, such as anthropic/${model}`;
  }
  const isPicky = families.some(([name]) => name === agent);
  const owner = families.find(([, names]) => names.test(model))?.[0];
  return isPicky && owner !== undefined && owner !== agent ? `${model} is a model of ${owner}` : null;
}
