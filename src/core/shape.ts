/**
 * Readers of values that others wrote (ledger lines, events in commit messages). They are written by hand
 * because they run on every line of every read: loading a schema library costs more than checking a thousand
 * lines. A reader returns the value in its canonical form (known fields, fixed order), or undefined if it is
 * not valid. Printing uses the same reader, so what was printed can be read.
 */
export type Report = (problem: string) => void;
export type Reader<T = unknown> = (value: unknown, report: Report) => T | undefined;
export type Fields = Readonly<Record<string, Reader>>;

/** The type that a reader returns: types of stored values come from their readers. */
export type Read<R> = R extends Reader<infer T> ? T : never;
export type ReadNeeded<R extends Fields> = { -readonly [K in keyof R]: Read<R[K]> };
export type ReadOptional<O extends Fields> = { -readonly [K in keyof O]?: Read<O[K]> };

const textMax = 262_144;

export function text(max: number): Reader<string> {
  return (value) => (typeof value === 'string' && value.length <= max ? value : undefined);
}

export function checked(max: number, isRight: (value: string) => boolean): Reader<string> {
  return (value) => (typeof value === 'string' && value.length <= max && isRight(value) ? value : undefined);
}

export const word = text(300);
export const line = text(4_000);
export const longText = text(textMax);

/** An ISO time, checked only by its form, because ledger times are compared as text. */
export const time: Reader<string> = (value) =>
  typeof value === 'string' && value.length <= 40 && /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/.test(value)
    ? value
    : undefined;

export const hash: Reader<string> = (value) =>
  typeof value === 'string' && /^[0-9a-f]{4,64}$/.test(value) ? value : undefined;

export const number: Reader<number> = (value) =>
  typeof value === 'number' && Number.isFinite(value) ? value + 0 : undefined;

export const count: Reader<number> = (value) =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value + 0 : undefined;

export const flag: Reader<boolean> = (value) => (typeof value === 'boolean' ? value : undefined);

export function oneOf<const T extends string | number>(words: readonly T[]): Reader<T> {
  const known = new Set<unknown>(words);
  return (value) => (known.has(value) ? (value as T) : undefined);
}

export function orNull<T>(reader: Reader<T>): Reader<T | null> {
  return (value, report) => (value === null ? null : reader(value, report));
}

export function either<A, B>(one: Reader<A>, other: Reader<B>): Reader<A | B> {
  return (value, report) => one(value, report) ?? other(value, report);
}

export function list<T>(item: Reader<T>, max: number): Reader<T[]> {
  return (value, report) => {
    if (!Array.isArray(value) || value.length > max) return undefined;
    const items: T[] = [];
    for (const each of value) {
      const read = item(each, report);
      if (read === undefined) return undefined;
      items.push(read);
    }
    return items;
  };
}

/** An object with any names, sorted. */
export function map<T>(item: Reader<T>, max: number): Reader<Record<string, T>> {
  return (value, report) => {
    if (!isObject(value)) return undefined;
    const names = Object.keys(value).sort();
    if (names.length > max) return undefined;
    const out: Record<string, T> = {};
    for (const name of names) {
      const read = item(value[name], report);
      if (read === undefined || name === '__proto__' || name.length > 500) return undefined;
      out[name] = read;
    }
    return out;
  };
}

export function object<R extends Fields>(required: R): Reader<ReadNeeded<R>>;
export function object<R extends Fields, O extends Fields>(
  required: R,
  optional: O,
): Reader<ReadNeeded<R> & ReadOptional<O>>;
export function object(required: Fields, optional: Fields = {}): Reader {
  const fields = Object.entries({ ...required, ...optional });
  const needed = Object.keys(required);
  return (value, report) => {
    if (!isObject(value)) return undefined;
    const out: Record<string, unknown> = {};
    let seen = 0;
    for (const [name, reader] of fields) {
      if (!Object.hasOwn(value, name)) continue;
      seen++;
      const given = value[name];
      if (given === undefined) continue;
      const read = reader(given, report);
      if (read === undefined) {
        report(`${name} is not valid${excerpt(given)}`);
        return undefined;
      }
      out[name] = read;
    }
    for (const name of needed) {
      if (out[name] !== undefined) continue;
      report(`${name} is missing`);
      return undefined;
    }
    if (Object.keys(value).length > seen)
      report(`unknown fields were dropped: ${unknownNames(value, fields)}`);
    return out;
  };
}

/** Any JSON, bounded in size, for values that are checked elsewhere. */
export const json: Reader = (value) => {
  const text = JSON.stringify(value);
  return text !== undefined && text.length <= textMax ? (JSON.parse(text) as unknown) : undefined;
};

/** What was found, if it is short, made safe to print. */
function excerpt(value: unknown): string {
  if (typeof value !== 'string' || value.length > 300) return '';
  const start = JSON.stringify(value.slice(0, 60)).replace(/[^ -~]/g, '?');
  return `: ${start}${value.length > 60 ? '…' : ''}`;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function unknownNames(value: object, fields: readonly (readonly [string, Reader])[]): string {
  const known = new Set(fields.map(([name]) => name));
  return Object.keys(value)
    .filter((name) => !known.has(name))
    .slice(0, 5)
    .map((name) => JSON.stringify(name.slice(0, 40)))
    .join(', ');
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `Map.groupBy`, which the oldest supported runtime lacks. Groups and members keep their order. */
export function groupBy<T, K>(items: Iterable<T>, keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    if (!groups.get(key)?.push(item)) groups.set(key, [item]);
  }
  return groups;
}

/** Orders ids as a person does: `M2` before `M10`. A total order that no locale changes. */
export function naturalCompare(a: string, b: string): number {
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    if (isDigit(a, i) && isDigit(b, j)) {
      const endA = digitsEnd(a, i);
      const endB = digitsEnd(b, j);
      const byNumber = compareDigits(a.slice(i, endA), b.slice(j, endB));
      if (byNumber !== 0) return byNumber;
      i = endA;
      j = endB;
    } else {
      const byChar = a.charCodeAt(i) - b.charCodeAt(j);
      if (byChar !== 0) return byChar;
      i++;
      j++;
    }
  }
  const byLength = a.length - i - (b.length - j);
  return byLength !== 0 ? byLength : compareText(a, b);
}

/** By code units, as `sort()` does. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Runs of digits can have any length, so they are not converted to numbers. */
function compareDigits(a: string, b: string): number {
  const x = a.replace(/^0+/, '');
  const y = b.replace(/^0+/, '');
  return x.length !== y.length ? x.length - y.length : compareText(x, y);
}

function digitsEnd(text: string, from: number): number {
  let end = from;
  while (end < text.length && isDigit(text, end)) end++;
  return end;
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 48 && code <= 57;
}

/** Null if it is not JSON, because it may come from anyone; no schema accepts null. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
