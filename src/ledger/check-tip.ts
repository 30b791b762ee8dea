/**
 * Anyone who can push may write a ledger's tree. So what somebody else wrote is replayed from the last tree
 * that is known here: a task that no event removed is not gone, and one that no event changed is not changed.
 */
import { isGzaError } from '../core/errors.ts';
import { parseShard, printMeta } from '../core/ledger/ledger-state.ts';
import { printRecord, type TaskRecord } from '../core/ledger/record/record.ts';
import { oneLine } from '../core/markdown/neutralise.ts';
import { Draft, idsOf } from './draft.ts';
import {
  damageOf,
  type HistoryCommit,
  ledgerAt,
  readArtifacts,
  readHistory,
  readShard,
  type Store,
  type StoredLedger,
} from './store/store.ts';
import { attempt, isText, newId } from './sync/replay.ts';

export type CheckedTip =
  /** Its tree matches its events, or nothing known here says otherwise. */
  | { readonly kind: 'as-told' }
  /** `tip` is a commit on top of it, whose tree matches its events. */
  | { readonly kind: 'mended'; readonly tip: string; readonly why: string }
  | { readonly kind: 'refused'; readonly why: string; readonly isNewer?: boolean };

export const asTold: CheckedTip = { kind: 'as-told' };

export function tipOf(checked: CheckedTip, tip: string): string {
  return checked.kind === 'mended' ? checked.tip : tip;
}

export function wasMended(why: string): string {
  return `somebody wrote it by hand (${why}); what its events say was put back on top`;
}

type Parts = Omit<StoredLedger, 'commit'>;

interface Replayed {
  readonly parts: Parts;
  readonly touched: ReadonlySet<string> | 'all';
}

const checks = new WeakMap<Store, Map<string, Promise<CheckedTip>>>();

/** `known`: a good commit of the same ledger, or null if the ledger is seen for the first time. */
export function checkTip(store: Store, known: string | null, tip: string): Promise<CheckedTip> {
  const before = checks.get(store) ?? new Map<string, Promise<CheckedTip>>();
  checks.set(store, before);
  const key = `${known} ${tip}`;
  const checked = before.get(key) ?? check(store, known, tip);
  before.set(key, checked);
  // It may have failed because an object had not arrived yet.
  checked.catch(() => before.delete(key));
  return checked;
}

async function check(store: Store, known: string | null, tip: string): Promise<CheckedTip> {
  const kept = await ledgerAt(store, tip);
  if ('why' in kept && kept.isNewer) return { ...kept, kind: 'refused' };
  try {
    return await judge(store, known, tip, kept);
  } catch (error) {
    if (!isGzaError(error)) throw error;
    if (error.data['tooLong']) return { kind: 'refused', why: error.message };
    // An incomplete history proves nothing.
    return 'why' in kept ? { kind: 'refused', why: kept.why } : { kind: 'as-told' };
  }
}

async function judge(
  store: Store,
  known: string | null,
  tip: string,
  kept: StoredLedger | { readonly why: string },
): Promise<CheckedTip> {
  const commits = await readHistory(store.git, { tip, since: known ?? undefined });
  if (commits.length === 0) return asTold;
  const goesOn = known !== null && commits[0]?.parents[0] === known;
  const since = known === null || goesOn ? known : await commonAncestor(store, known, tip);
  const from = since === null ? null : await ledgerAt(store, since);
  const told = from && 'why' in from ? null : await tell(store, from, commits, since);
  if (told === null) return 'why' in kept ? { kind: 'refused', why: kept.why } : { kind: 'as-told' };
  const wrong = 'why' in kept ? [kept.why] : await differences(store, told, kept, commits, from === null);
  if (wrong.length === 0) return { kind: 'as-told' };
  const why = oneLine(
    wrong.slice(0, 3).join('; ') + (wrong.length > 3 ? `; and ${wrong.length - 3} more` : ''),
    400,
  );
  if (commits.some((one) => one.isNewer))
    return { kind: 'refused', why: `${why} (a newer gza wrote there, too)` };
  if (since !== null && !('why' in kept) && (await isRepaired(store, tip, kept))) return { kind: 'as-told' };
  const draft = new Draft(store, { ...told.parts, commit: tip }, told.parts.meta);
  return { kind: 'mended', tip: await draft.write({ nonce: newId(), events: [] }), why };
}

/**
 * True after `gza fsck --repair` in another clone: the tree follows from the whole history, if not from what
 * was known here.
 */
async function isRepaired(store: Store, tip: string, kept: StoredLedger): Promise<boolean> {
  const commits = await readHistory(store.git, { tip });
  const told = await tell(store, null, commits, null);
  return (
    told !== null && (await differences(store, { ...told, touched: new Set() }, kept, [], false)).length === 0
  );
}

/** Null if the commits do not begin where they should, as in a shallow clone. */
async function tell(
  store: Store,
  from: StoredLedger | null,
  commits: readonly HistoryCommit[],
  since: string | null,
): Promise<Replayed | null> {
  const [first] = commits;
  const opens = first?.entry?.opens;
  if (from === null ? !opens : first?.parents[0] !== since) return null;
  const draft = new Draft(store, from, from?.meta ?? { v: 1, branch: '', lane: '', ...opens });
  const events = commits.flatMap(({ entry }) => entry?.events ?? []);
  const ids = events.map(idsOf);
  const touched = ids.includes('all') ? 'all' : new Set(ids.flatMap((some) => some as readonly string[]));
  await draft.load(touched === 'all' ? 'all' : [...touched]);
  for (const event of events) {
    if (event.kind !== 'artifact' || (await isText(store, event.blob))) await attempt(draft, event);
  }
  return { parts: await draft.parts(), touched };
}

/** In a ledger seen for the first time only missing tasks count: the others may be older than its history. */
async function differences(
  store: Store,
  { parts, touched }: Replayed,
  kept: StoredLedger,
  commits: readonly HistoryCommit[],
  isFirst: boolean,
): Promise<string[]> {
  const onlyMissing = isFirst || commits.some((one) => one.isNewer);
  const found = await differentTasks(store, parts, kept, (id) => touched === 'all' || touched.has(id));
  if (onlyMissing) return found.missing;
  const wrong = [...found.missing, ...found.others];
  if (printMeta(parts.meta) !== printMeta(kept.meta))
    wrong.push('its ledger.json is not what the events say');
  for (const path of await differentArtifacts(store, parts, kept))
    wrong.push(`${path} is not what the events say`);
  return wrong;
}

async function differentTasks(
  store: Store,
  told: Parts,
  kept: StoredLedger,
  isTouched: (id: string) => boolean,
) {
  const [missing, others]: string[][] = [[], []];
  for (const shard of new Set([...told.shards.keys(), ...kept.shards.keys()])) {
    const [a, b] = [told.shards.get(shard), kept.shards.get(shard)];
    if (a === b) continue;
    const [should, is] = await Promise.all([recordsOf(store, told, shard), recordsOf(store, kept, shard)]);
    for (const [id, record] of should) {
      const other = is.get(id);
      if (!other) missing?.push(`${id} is missing from its tree`);
      // Another version may have written what an event changed a little differently.
      else if (!isTouched(id) && printRecord(record) !== printRecord(other))
        others?.push(`${id} was changed by no event`);
    }
    for (const id of is.keys())
      if (!should.has(id) && !isTouched(id)) others?.push(`${id} was put there by no event`);
  }
  return { missing: missing ?? [], others: others ?? [] };
}

/** An unreadable shard counts as empty, so all its tasks are missing. */
async function recordsOf(
  store: Store,
  parts: Parts,
  shard: string,
): Promise<ReadonlyMap<string, TaskRecord>> {
  const text = await readShard(store, parts, shard).catch((error) => {
    damageOf(error);
    return '';
  });
  return parseShard(text).records;
}

async function differentArtifacts(store: Store, told: Parts, kept: StoredLedger): Promise<string[]> {
  const names = new Set([...told.folders.keys(), ...kept.folders.keys()]);
  if ([...names].every((name) => told.folders.get(name) === kept.folders.get(name))) return [];
  const [should, is] = await Promise.all([
    readArtifacts(store, { ...told, commit: '' }),
    readArtifacts(store, kept),
  ]);
  return [...new Set([...should.keys(), ...is.keys()])].filter((path) => should.get(path) !== is.get(path));
}

async function commonAncestor({ git }: Store, a: string, b: string): Promise<string | null> {
  const { code, stdout } = await git.run(['merge-base', a, b]);
  return code === 0 ? stdout.toString('utf8').trim() : null;
}
