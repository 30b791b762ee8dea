/** The answer of an agent that was held to a schema, as a value; undefined when it is no JSON after all. */
export function structuredText(text: string): unknown {
  const fenced = /^\s*```(?:json)?\n([\s\S]*?)\n```\s*$/.exec(text)?.[1];
  try {
    return JSON.parse(fenced ?? text);
  } catch {
    return undefined;
  }
}
