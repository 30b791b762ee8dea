/** Whose a model is, by its name, as far as names tell: enough to see that an agent is asked for another's. */
const families: readonly (readonly [agent: string, names: RegExp])[] = [
  ['claude', /^(?:claude|opus|sonnet|haiku)\b/i],
  ['codex', /^(?:gpt|o\d|codex)\b/i],
  ['gemini', /^gemini\b/i],
];

/** Why this agent most likely does not know this model; null where that cannot be told. */
export function modelFault(agent: string, model: string): string | null {
  if (agent === 'opencode' && !model.includes('/')) {
    return `opencode names a model with its provider, such as anthropic/${model}`;
  }
  const isPicky = families.some(([name]) => name === agent);
  const owner = families.find(([, names]) => names.test(model))?.[0];
  return isPicky && owner !== undefined && owner !== agent ? `${model} is a model of ${owner}` : null;
}
