/** The state that a ledger's tree holds, and `ledger.json`, which holds its metadata. */

import { GzaError } from '../errors.ts';
import { compareText, flag, list, longText, map, number, object, oneOf, type Read, time } from '../shape.ts';
import { ledgerIdPattern } from '../task/task.ts';
import { addSeconds } from '../time.ts';
import type { Event } from './event.ts';
import {
  branchName,
  type Claim,
  claimShape,
  printRecord,
  recordShape,
  type TaskRecord,
  taskId,
} from './record/record.ts';

const metaShape = object(
  {
    /** Version of the format. */
    v: oneOf([1]),
    branch: branchName,
    /** The lane id; the base ledger has one too. */
    lane: taskId,
  },
  {
    /** True for the base branch's ledger, which holds what concerns several lanes. */
    base: flag,
    claims: list(claimShape, 10_000),
    /** Usage limits: agent → time when the limit ends. */
    not_before: map(time, 1_000),
    /** Dollars spent per day (UTC, YYYY-MM-DD), last 35 days. */
    spent: map(number, 100),
    /** Tokens for the same days. */
    tokens_in: map(number, 100),
    tokens_out: map(number, 100),
    marks: map(longText, 10_000),
  },
);
export interface LedgerMeta extends Read<typeof metaShape> {}

export interface LedgerState {
  readonly meta: LedgerMeta;
  readonly tasks: ReadonlyMap<string, TaskRecord>;
  /** path → blob id */
  readonly artifacts: ReadonlyMap<string, string>;
}

/** What an event changes; everything else stays. */
export interface LedgerChanges {
  readonly meta?: LedgerMeta;
  readonly tasks?: readonly TaskRecord[];
  readonly removed?: readonly string[];
  readonly artifacts?: ReadonlyMap<string, string>;
}

export interface Refusal {
  readonly kind: 'refused';
  /** A stable word that callers may branch on. */
  readonly why:
    | 'exists'
    | 'unknown'
    | 'closed'
    | 'not-closed'
    | 'claimed'
    | 'not-held'
    | 'assigned'
    | 'invalid'
    | 'folded';
  readonly detail: string;
  /** The claim that stands in the way, when `claimed`. */
  readonly claim?: Claim;
}

export type Applied = { readonly kind: 'applied'; readonly changes: LedgerChanges } | Refusal;

export function emptyState(meta: LedgerMeta): LedgerState {
  return { meta, tasks: new Map(), artifacts: new Map() };
}

export function refuse(why: Refusal['why'], detail: string): Refusal {
  return { kind: 'refused', why, detail };
}

export function applied(changes: LedgerChanges): Applied {
  return { kind: 'applied', changes };
}

/** A copy with fields set. undefined removes a field, so that equal states print equally. */
export function setFields<T extends object>(record: T, fields: { [K in keyof T]?: T[K] | undefined }): T {
  const next = { ...record };
  for (const name of Object.keys(fields) as (keyof T)[]) {
    const value = fields[name];
    if (value === undefined) delete next[name];
    else next[name] = value;
  }
  return next;
}

type ParsedMeta =
  | { readonly kind: 'meta'; readonly meta: LedgerMeta; readonly problems: readonly string[] }
  | { readonly kind: 'bad'; readonly why: string; readonly isNewer?: boolean };

export function parseMeta(text: string): ParsedMeta {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { kind: 'bad', why: 'ledger.json is not JSON' };
  }
  const version = (value as { v?: unknown } | null)?.v;
  if (typeof version === 'number' && version > 1) {
    const why = `it was written by a newer gza (format ${version}); update gza to read it`;
    return { kind: 'bad', why, isNewer: true };
  }
  const problems: string[] = [];
  const meta = metaShape(value, (problem) => problems.push(problem));
  if (meta === undefined) return { kind: 'bad', why: `ledger.json: ${problems.at(-1) ?? 'not a ledger'}` };
  return { kind: 'meta', meta, problems };
}

export function printMeta(meta: LedgerMeta): string {
  const canonical = metaShape(meta, () => {});
  if (canonical === undefined) {
    throw new GzaError(
      'input',
      `the ledger of ${meta.branch} cannot be stored: a value in ledger.json is not valid`,
    );
  }
  return `${JSON.stringify(canonical)}\n`;
}

/** Whether a ledger's tree may hold a text at this path: a safe file name in one of three folders. */
export function isArtifactPath(path: string): boolean {
  return (
    /^(plans|explorations|reviews)\/[A-Za-z0-9_][A-Za-z0-9._-]{0,200}$/.test(path) && !path.endsWith('.lock')
  );
}

/** The text of a shard or of a lane's tasks.jsonl: one record per line, sorted by id. */

interface ParsedShard {
  readonly records: ReadonlyMap<string, TaskRecord>;
  readonly problems: readonly string[];
}

/** All records, or only those with these ids. */
export function parseShard(text: string, only?: ReadonlySet<string>): ParsedShard {
  const records = new Map<string, TaskRecord>();
  const problems: string[] = [];
  let number = 0;
  for (const line of text.split('\n')) {
    number++;
    if (line === '' || (only && !only.has(idOfLine(line) ?? ''))) continue;
    const parsed = parseRecord(line);
    if (parsed.kind === 'bad') {
      problems.push(`line ${number}${named(line)}: ${parsed.why}`);
      continue;
    }
    const { record } = parsed;
    for (const problem of parsed.problems) problems.push(`line ${number} (${record.id}): ${problem}`);
    if (records.has(record.id))
      problems.push(`line ${number}: ${record.id} is there twice; the first counts`);
    else records.set(record.id, record);
  }
  return { records, problems };
}

function named(line: string): string {
  const id = idOfLine(line) ?? '';
  return ledgerIdPattern.test(id) ? ` (${id})` : '';
}

/**
 * Replaces, adds or (null) removes records in the text. Lines that are not touched stay as they are, byte for
 * byte, because another version may know more about them. Lines that cannot be read are kept at the end.
 */
export function editShard(text: string, changes: ReadonlyMap<string, TaskRecord | null>): string {
  const lines = new Map<string, string>();
  const unreadable: string[] = [];
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const id = idOfLine(line);
    if (id === null) unreadable.push(line);
    else if (!lines.has(id)) lines.set(id, line);
  }
  for (const [id, record] of changes) {
    if (record) lines.set(id, printRecord(record));
    else lines.delete(id);
  }
  const sorted = [...lines.keys()].sort(compareText).map((id) => lines.get(id) as string);
  const all = [...sorted, ...unreadable];
  return all.length > 0 ? `${all.join('\n')}\n` : '';
}

const recordLineMax = 4 << 20;

type ParsedRecord =
  | { readonly kind: 'record'; readonly record: TaskRecord; readonly problems: readonly string[] }
  | { readonly kind: 'bad'; readonly why: string };

export function parseRecord(line: string): ParsedRecord {
  if (line.length > recordLineMax) return { kind: 'bad', why: `the line is longer than ${recordLineMax}` };
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { kind: 'bad', why: 'the line is not JSON' };
  }
  const problems: string[] = [];
  const record = recordShape(value, (problem) => problems.push(problem));
  if (record === undefined) return { kind: 'bad', why: problems.at(-1) ?? 'the line is not a task' };
  return { kind: 'record', record, problems };
}

/**
 * Reads the id from the start of a line as `printRecord` writes it; parses the whole line only if that fails.
 */
function idOfLine(line: string): string | null {
  const match = /^\{"id":"([^"\\]{1,300})"/.exec(line);
  if (match) return match[1] as string;
  const parsed = parseRecord(line);
  return parsed.kind === 'record' ? parsed.record.id : null;
}

/**
 * Which shard of the base ledger holds a task. Fixed for ever: the shard is in the path, and a writer must
 * know it from the id alone. FNV-1a over the id's UTF-16 units, folded to six bits.
 */
export const shardCount = 64;

export const shardNames: readonly string[] = Array.from({ length: shardCount }, (_, n) =>
  n.toString(16).padStart(2, '0'),
);

export function shardOf(id: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < id.length; i++) {
    hash = Math.imul(hash ^ id.charCodeAt(i), 0x01000193) >>> 0;
  }
  return shardNames[(hash ^ (hash >>> 16)) & (shardCount - 1)] as string;
}

/** Set while nothing new may start, with who asked for that. */
export const pausedMark = 'paused';

/** Tasks that a person wants before all others; the last request comes first. */
export const firstMark = 'first';

export function readFirst(value = ''): string[] {
  return value.split(' ').filter(Boolean);
}

/** A person wants this lane rebased onto its base. Kept in the base ledger until the lane is free. */
export function rebaseMark(branch: string): string {
  return `rebase:${branch}`;
}

/**
 * Whether the project's checks pass on the base itself. Kept as marks of the base ledger, one for each place
 * that ran them, because what fails on a laptop may pass on GitHub.
 */
export interface Baseline {
  readonly commit: string;
  /** Why the checks fail there; null if they pass. */
  readonly failed: string | null;
}

export const onGithub = 'github';

const prefix = 'baseline:';
const keptMax = 20;
/** A failure is checked again after this time: the machine may have been the cause. */
const failedSeconds = 86_400;
const reasonMax = 1_000;

type Marks = NonNullable<LedgerMeta['marks']>;

export function baselineEvents(
  marks: Marks,
  { commit, failed }: Baseline,
  place: string,
  at: string,
): Event[] {
  const name = nameOf(place, commit);
  const others = known(marks, place).filter((one) => one.name !== name);
  const old = others.toSorted((a, b) => (a.at < b.at ? 1 : -1)).slice(keptMax - 1);
  const value = JSON.stringify({ at, failed: failed === null ? null : failed.slice(0, reasonMax) });
  return [
    ...old.map((one): Event => ({ kind: 'mark', at, name: one.name, value: null })),
    { kind: 'mark', at, name, value },
  ];
}

export function forgetBaseline(commit: string, place: string, at: string): Event {
  return { kind: 'mark', at, name: nameOf(place, commit), value: null };
}

/** Commit → why the checks fail there. */
export function failedBaselines(marks: Marks, place: string, now: string): Map<string, string> {
  const failed = new Map<string, string>();
  for (const one of known(marks, place))
    if (one.failed !== null && addSeconds(one.at, failedSeconds) > now) failed.set(one.commit, one.failed);
  return failed;
}

export function hasPassed(marks: Marks, place: string, commit: string): boolean {
  return known(marks, place).some((one) => one.commit === commit && one.failed === null);
}

function nameOf(place: string, commit: string): string {
  return `${prefix}${place}:${commit}`;
}

function known(marks: Marks, place: string) {
  const start = nameOf(place, '');
  return Object.entries(marks).flatMap(([name, value]) => {
    if (!name.startsWith(start)) return [];
    const { at, failed } = read(value);
    return at === undefined ? [] : [{ name, commit: name.slice(start.length), at, failed }];
  });
}

/** Checks the value, because anyone who can push can write marks. */
function read(value: string): { readonly at?: string; readonly failed: string | null } {
  try {
    const { at, failed } = JSON.parse(value) as Record<string, unknown>;
    const isTime = typeof at === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(at);
    return isTime ? { at, failed: typeof failed === 'string' ? failed : null } : { failed: null };
  } catch {
    return { failed: null };
  }
}

/** Branches that conflict with each other, and the heads for which that was found. */
export const clashMark = 'clashes';

export interface Clash {
  readonly branches: readonly [string, string];
  readonly files: readonly string[];
}

export interface Foreseen {
  readonly heads: Readonly<Record<string, string>>;
  readonly clashes: readonly Clash[];
}

/** Ignores values of another form, because anyone who can push can write marks. */
export function readForeseen(marks: Marks): Foreseen {
  const isText = (one: unknown): one is string => typeof one === 'string' && one.length <= 4_000;
  try {
    const { heads, clashes } = JSON.parse(marks[clashMark] ?? '{}') as Partial<Foreseen>;
    const isClash = ({ branches, files }: Clash) =>
      branches.length === 2 && branches.every(isText) && files.every(isText);
    if (!Object.values(heads ?? {}).every(isText)) return { heads: {}, clashes: [] };
    return { heads: heads ?? {}, clashes: (clashes ?? []).filter(isClash) };
  } catch {
    return { heads: {}, clashes: [] };
  }
}
