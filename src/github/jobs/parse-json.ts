/** Null for what is no JSON: it may come from anyone, and no schema takes null. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
