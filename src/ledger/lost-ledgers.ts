/** Ledgers that this repository has held, and of which no ref is left: lost, unless they were folded elsewhere. */
import { toSecond } from '../core/time.ts';
import { foldedLanes } from './repair/heal.ts';
import { moveRefs, type RefMove } from './store/move-refs.ts';
import { backups, isBranchName, localMirror, type Refs, refInTheWay } from './store/read-refs.ts';
import { ledgerAt, type Rows } from './store/rows.ts';
import type { Store } from './store/store.ts';
import { type KnownTip, readTips, rememberTips } from './tips.ts';

export interface LostLedger extends KnownTip {
  /** Why its commit cannot be read either. */
  readonly why?: string;
}

const none: ReadonlyMap<string, LostLedger> = new Map();

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

/** Puts the refs back where the commit is still there; answers the branches. */
export async function bringBack(
  store: Store,
  lost: ReadonlyMap<string, LostLedger>,
  there: ReadonlySet<string>,
): Promise<string[]> {
  const back: string[] = [];
  for (const [branch, { oid, why }] of lost) {
    if (why !== undefined || refInTheWay(branch, [...there, ...back]) !== null) continue;
    const moves = [`${store.namespace}/${branch}`, `${localMirror}${branch}`].map((ref) => ({
      ref,
      to: oid,
      from: null,
    }));
    if ((await moveRefs(store.repository, moves)) === 'moved') back.push(branch);
  }
  return back;
}

/**
 * Gives a ledger up: whatever is left of its refs goes, and nothing misses it. What can be read is kept among the
 * backups. False when there is no trace of it.
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
