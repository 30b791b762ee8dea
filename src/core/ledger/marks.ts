import { addSeconds } from '../time.ts';
import type { Event } from './event.ts';
import type { LedgerMeta } from './ledger-state.ts';

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
