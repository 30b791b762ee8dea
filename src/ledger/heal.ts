/**
 * What people do to refs/tasks with plain git must do no harm. Each ledger ref has a mirror
 * (refs/gza/local/<branch>) that gza moves in the same transaction. A difference means that somebody else
 * moved the ledger: a fetch with `+`, a prune, a push of an old state, a deletion. Events that were recorded
 * here and are missing there are put back on top; a folded ledger that reappears is left out.
 */
import { toSecond } from '../core/time.ts';
import { asTold, type CheckedTip, checkTip, tipOf, wasMended } from './check-tip.ts';
import { foldedMark } from './fold.ts';
import type { LedgerProblem } from './ledger.ts';
import {
  backups,
  holds,
  isBranchName,
  type KnownTip,
  ledgerMoves,
  localMirror,
  moveRefs,
  type RefMove,
  type Refs,
  readTips,
  refInTheWay,
  rememberTips,
} from './store/refs.ts';
import { ledgerAt, readHistory, type Store } from './store/store.ts';
import { joinOnto } from './sync/replay.ts';
import type { Rows } from './view.ts';

export interface Healed {
  readonly tips: ReadonlyMap<string, string>;
  readonly problems: readonly LedgerProblem[];
  /** Refs of folded ledgers that reappeared; a writer removes them. */
  readonly ghosts: readonly RefMove[];
  /** True if refs were moved and must be read again. */
  readonly moved: boolean;
}

export function isHealthy({ tips, mirrors, broken }: Refs): boolean {
  if (broken.length > 0 || tips.size !== mirrors.size) return false;
  for (const [branch, tip] of tips) if (mirrors.get(branch) !== tip) return false;
  return true;
}

interface Healing {
  readonly store: Store;
  readonly rows: Rows;
  readonly tips: Map<string, string>;
  readonly problems: LedgerProblem[];
  readonly ghosts: RefMove[];
  readonly moves: RefMove[][];
  folded: Set<string> | undefined;
  readonly base: string;
}

export async function heal(store: Store, rows: Rows, refs: Refs): Promise<Healed> {
  const healing: Healing = {
    store,
    rows,
    tips: new Map(refs.tips),
    problems: [],
    ghosts: [],
    moves: [],
    folded: undefined,
    base: refs.base,
  };
  const all = new Set([...refs.tips.keys(), ...refs.mirrors.keys()]);
  const different = [...all].filter((branch) => refs.tips.get(branch) !== refs.mirrors.get(branch));
  // The base comes first, because it knows which lanes were folded.
  different.sort((a, b) => Number(b === refs.base) - Number(a === refs.base));
  for (const branch of different) {
    await healOne(healing, branch, refs.tips.get(branch), refs.mirrors.get(branch));
  }
  let moved = false;
  for (const moves of healing.moves) {
    // Another process may be healing the same refs, or the disk may be read-only: the view is right either
    // way.
    moved = (await moveRefs(store.repository, moves).catch(() => 'lost' as const)) === 'moved' || moved;
  }
  const { tips, problems, ghosts } = healing;
  return { tips, problems, ghosts, moved };
}

async function healOne(
  healing: Healing,
  branch: string,
  tip: string | undefined,
  mirror: string | undefined,
): Promise<void> {
  const { namespace } = healing.store;
  if (!isBranchName(branch)) {
    healing.tips.delete(branch);
    const detail = `${JSON.stringify(`${namespace}/${branch}`)} is no name for a ledger`;
    healing.problems.push({ branch, detail });
    return;
  }
  if (tip !== undefined && (await isFolded(healing, branch, tip))) {
    const ghosts = ledgerMoves(namespace, branch, null, { tip, mirror });
    healing.ghosts.push(...ghosts.filter(({ from }) => from !== null));
    healing.tips.delete(branch);
    return;
  }
  if (mirror === undefined) {
    // A ledger that cannot be read gets no mirror: with one, gza would restore it when somebody removes it.
    if (tip !== undefined) await meet(healing, branch, tip);
    return;
  }
  if (tip === undefined) return restore(healing, branch, mirror);
  const result = await joined(healing, branch, tip, mirror);
  if (result === null) return;
  healing.tips.set(branch, result);
  // The move names `tip` even if the ref stays there, to verify that nobody moved it meanwhile.
  healing.moves.push(ledgerMoves(namespace, branch, result, { tip, mirror }));
}

/** A ledger that gza did not write in this clone. */
async function meet(healing: Healing, branch: string, tip: string): Promise<void> {
  const { store } = healing;
  const known = readTips(store.repository.commonDir).get(branch)?.oid;
  const checked = known === tip ? asTold : await checkTip(store, known ?? null, tip);
  if (checked.kind === 'refused' || 'why' in (await ledgerAt(store, tipOf(checked, tip)))) return;
  const to = tipOf(checked, tip);
  if (checked.kind === 'mended') healing.problems.push({ branch, detail: wasMended(checked.why) });
  healing.tips.set(branch, to);
  healing.moves.push(ledgerMoves(store.namespace, branch, to, { tip, mirror: null }));
}

/** Restores a ledger whose ref vanished, unless it was folded elsewhere. A damaged one is kept, too. */
async function restore(healing: Healing, branch: string, mirror: string): Promise<void> {
  const mirrorRef = `${localMirror}${branch}`;
  if ('why' in (await ledgerAt(healing.store, mirror))) {
    healing.tips.set(branch, mirror);
    return;
  }
  if (await isFolded(healing, branch, mirror)) {
    healing.moves.push([{ ref: mirrorRef, to: null, from: mirror }]);
    return;
  }
  const inTheWay = [...healing.tips.keys()].find(
    (other) => other.startsWith(`${branch}/`) || branch.startsWith(`${other}/`),
  );
  if (inTheWay !== undefined) {
    const detail = `it was removed, and the ledger of ${inTheWay} stands in the way of its return; what it held is at ${mirrorRef}`;
    healing.problems.push({ branch, detail });
    return;
  }
  healing.tips.set(branch, mirror);
  healing.moves.push([{ ref: `${healing.store.namespace}/${branch}`, to: mirror, from: null }]);
}

/** The commit that contains both sides; null if it cannot be made. */
async function joined(healing: Healing, branch: string, tip: string, mirror: string): Promise<string | null> {
  const { store } = healing;
  const goesOn = await holds(store.git, tip, mirror);
  if (!goesOn && (await holds(store.git, mirror, tip))) return mirror;
  const checked = await checkTip(store, mirror, tip);
  if (checked.kind === 'mended') healing.problems.push({ branch, detail: wasMended(checked.why) });
  if (checked.kind === 'refused' && goesOn) return refuse(healing, branch, tip, mirror, checked);
  if (goesOn) return tipOf(checked, tip);
  const onto = await ledgerAt(store, tipOf(checked, tip));
  const lost = await ledgerAt(store, mirror);
  const kept: RefMove = { ref: `${backups}${branch}/${mirror.slice(0, 12)}`, to: mirror, from: null };
  if ('why' in lost) {
    healing.moves.push([kept]);
    healing.problems.push({ branch, detail: `what it held before cannot be read (${lost.why}): ${mirror}` });
    return tip;
  }
  if ('why' in onto) {
    healing.problems.push({ branch, detail: `it was replaced by something that is no ledger (${onto.why})` });
    return mirror;
  }
  const commits = await readHistory(store.git, { tip: lost.commit, since: onto.commit });
  const result = await joinOnto(store, onto, lost, { commits, renames: new Map() });
  healing.moves.push([kept]);
  for (const { event, refusal } of result.dropped) {
    healing.problems.push({ branch, detail: `${event.kind} could not be kept: ${refusal.detail}` });
  }
  return result.tip ?? onto.commit;
}

/**
 * Keeps what was there before, and backs up what somebody put on top. A newer gza's ledger is left as it is.
 */
function refuse(
  healing: Healing,
  branch: string,
  tip: string,
  mirror: string,
  { why, isNewer }: Extract<CheckedTip, { kind: 'refused' }>,
): string | null {
  if (isNewer) return null;
  const kept: RefMove = { ref: `${backups}${branch}/${tip.slice(0, 12)}`, to: tip, from: null };
  healing.moves.push([kept]);
  healing.problems.push({ branch, detail: `what somebody put on top of it is left out: ${why}` });
  return mirror;
}

async function isFolded(healing: Healing, branch: string, commit: string): Promise<boolean> {
  if (branch === healing.base) return false;
  const ledger = await ledgerAt(healing.store, commit);
  if ('why' in ledger) return false;
  healing.folded ??= await foldedLanes(healing.store, healing.rows, healing.tips.get(healing.base));
  return healing.folded.has(ledger.meta.lane);
}

/** Ids of lanes that the base ledger records as folded. */
export async function foldedLanes(store: Store, rows: Rows, base: string | undefined): Promise<Set<string>> {
  const folded = new Set<string>();
  const ledger = base === undefined ? null : await ledgerAt(store, base);
  if (!ledger || 'why' in ledger) return folded;
  rows.load();
  for (const { lane } of (await rows.of(ledger)).records) if (lane?.folded_at) folded.add(lane.id);
  for (const mark of Object.keys(ledger.meta.marks ?? {})) {
    if (mark.startsWith(foldedMark)) folded.add(mark.slice(foldedMark.length));
  }
  return folded;
}

export interface LostLedger extends KnownTip {
  /** Why its commit cannot be read either. */
  readonly why?: string;
}

const none: ReadonlyMap<string, LostLedger> = new Map();

/**
 * Ledgers that this repository has held and that have no ref left: lost, unless they were folded elsewhere.
 */
export async function lostLedgers(
  store: Store,
  rows: Rows,
  { tips, mirrors, broken, base }: Refs,
): Promise<ReadonlyMap<string, LostLedger>> {
  const isKept = (branch: string) => tips.has(branch) || mirrors.has(branch);
  const isBroken = (branch: string) => broken.some((ref) => ref.endsWith(`/${branch}`));
  const { commonDir } = store.repository;
  const missing = [...readTips(commonDir)].filter(
    ([branch]) => !isKept(branch) && !isBroken(branch) && isBranchName(branch),
  );
  if (missing.length === 0) return none;
  const folded = await foldedLanes(store, rows, tips.get(base));
  const lost = new Map<string, LostLedger>();
  for (const [branch, tip] of missing) {
    const ledger = await ledgerAt(store, tip.oid);
    if ('why' in ledger) lost.set(branch, { ...tip, why: ledger.why });
    else if (!folded.has(ledger.meta.lane)) lost.set(branch, tip);
    else rememberTips(commonDir, [{ ref: `${localMirror}${branch}`, to: null, from: null }]);
  }
  return lost;
}

export function howLost({ namespace }: Store, branch: string, { oid, at, why }: LostLedger): string {
  const ref = `${namespace}/${branch}`;
  const was = `${ref} is missing; it was last seen at ${toSecond(at)}, as ${oid.slice(0, 12)}`;
  const back = why === undefined ? 'gza fsck --repair' : `git fetch <remote> ${ref}:${ref}`;
  const gone = why === undefined ? '' : `, and ${why}`;
  return `${was}${gone}. \`${back}\` brings it back, \`gza fsck --forget ${branch}\` gives it up for good`;
}

/** Puts the refs back whose commit still exists; returns the branches. */
export async function bringBack(
  store: Store,
  lost: ReadonlyMap<string, LostLedger>,
  there: ReadonlySet<string>,
): Promise<string[]> {
  const back: string[] = [];
  for (const [branch, { oid, why }] of lost) {
    if (why !== undefined || refInTheWay(branch, [...there, ...back]) !== null) continue;
    const moves = ledgerMoves(store.namespace, branch, oid, { tip: null, mirror: null });
    if ((await moveRefs(store.repository, moves)) === 'moved') back.push(branch);
  }
  return back;
}

/**
 * Gives a ledger up: removes what is left of its refs, and no longer reports it as lost. What can be read is
 * kept among the backups. False if there is no trace of it.
 */
export async function forgetLedger(store: Store, refs: Refs, branch: string): Promise<boolean> {
  const names = [`${store.namespace}/${branch}`, `${localMirror}${branch}`];
  const values = [refs.tips.get(branch), refs.mirrors.get(branch)];
  const moves = names.flatMap((ref, n): RefMove[] => {
    const from = values[n];
    return from === undefined && !refs.broken.includes(ref) ? [] : [{ ref, to: null, from: from ?? null }];
  });
  const [tip] = values;
  if (tip !== undefined && !('why' in (await ledgerAt(store, tip))))
    moves.push({ ref: `${backups}${branch}/${tip.slice(0, 12)}`, to: tip, from: null });
  const isKnown = readTips(store.repository.commonDir).has(branch);
  if (moves.length === 0 && !isKnown) return false;
  if (moves.length > 0 && (await moveRefs(store.repository, moves)) !== 'moved') return false;
  rememberTips(store.repository.commonDir, [{ ref: `${localMirror}${branch}`, to: null, from: null }]);
  return true;
}
