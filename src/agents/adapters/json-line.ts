/** For JSON from others: any value may be missing or of another type, and that is not an error. */

export type Json = Readonly<Record<string, unknown>>;

/** The object on a line; undefined for anything else. */
export function jsonLine(line: string): Json | undefined {
  const text = line.trim();
  if (!text.startsWith('{')) return undefined;
  try {
    return asObject(JSON.parse(text));
  } catch {
    return undefined;
  }
}

export function asObject(value: unknown): Json | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
}

export function at(value: unknown, ...path: readonly string[]): unknown {
  let here = value;
  for (const key of path) here = asObject(here)?.[key];
  return here;
}

export function stringAt(value: unknown, ...path: readonly string[]): string | undefined {
  const found = at(value, ...path);
  return typeof found === 'string' ? found : undefined;
}

export function numberAt(value: unknown, ...path: readonly string[]): number | undefined {
  const found = at(value, ...path);
  return typeof found === 'number' && Number.isFinite(found) ? found : undefined;
}

/** Reads a count: anything missing, negative or not a number is 0. */
export function countAt(value: unknown, ...path: readonly string[]): number {
  return Math.max(0, numberAt(value, ...path) ?? 0);
}

export function listAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? found : [];
}
