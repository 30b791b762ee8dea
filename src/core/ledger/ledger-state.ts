/** What a ledger's tree says: the state now; and `ledger.json`, which holds what it says about itself. */
import { GzaError } from '../errors.ts';
import type { Read } from '../shape.ts';
import { flag, list, longText, map, number, object, oneOf, time } from '../shape.ts';
import { branchName, type Claim, claimShape, type TaskRecord, taskId } from './record/record.ts';

const metaShape = object(
  {
    /** Version of the format. */
    v: oneOf([1]),
    branch: branchName,
    /** The lane id; the base ledger has one too. */
    lane: taskId,
  },
  {
    /** True for the base branch's ledger, which holds what spans lanes. */
    base: flag,
    claims: list(claimShape, 10_000),
    /** Usage limits: agent → until when. */
    not_before: map(time, 1_000),
    /** Dollars spent per day (UTC, YYYY-MM-DD), last 35 days. */
    spent: map(number, 100),
    /** Tokens of those days. */
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

/** What an event changes; the rest stays. */
export interface LedgerChanges {
  readonly meta?: LedgerMeta;
  readonly tasks?: readonly TaskRecord[];
  readonly removed?: readonly string[];
  readonly artifacts?: ReadonlyMap<string, string>;
}

export interface Refusal {
  readonly kind: 'refused';
  /** Stable word for callers that branch. */
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
  /** Who holds it, when `claimed`. */
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

/** A copy with fields set; undefined takes a field away, so that equal states print equally. */
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

/** Where a ledger's tree may hold texts: one file in one of three folders, under a name that is safe everywhere. */
export function isArtifactPath(path: string): boolean {
  return (
    /^(plans|explorations|reviews)\/[A-Za-z0-9_][A-Za-z0-9._-]{0,200}$/.test(path) && !path.endsWith('.lock')
  );
}
