/** `gza sync`: makes this clone and a remote hold the same ledgers, and loses nothing of either. */
import { GzaError } from '../../core/errors.ts';
import type { Joined } from '../../core/ledger/joined.ts';
import { type Claimed, type ClaimRequest, claimPlan } from '../claim.ts';
import type { GitLedger } from '../git-ledger.ts';
import type { Plan } from '../ledger.ts';
import { holds, ledgerMoves, moveRefs } from '../store/refs.ts';
import { ledgerAt } from '../store/store.ts';
import { type Reconciled, reconcile } from './reconcile.ts';
import {
  fetchLedgers,
  type Pushed,
  type PushMove,
  pushLedgers,
  type RemoteOptions,
  trackedTips,
  trackingPrefix,
} from './remote-refs.ts';

export interface JoinOptions extends RemoteOptions {
  /**
   * Called after each join that could not keep everything, as soon as it is done: a push that fails later
   * must not hide what was dropped.
   */
  readonly tell: (joined: Joined) => void;
  /** This very job has fetched the ledgers, along with the branches. */
  readonly isFetched?: boolean;
}

export interface SyncOptions extends JoinOptions {
  readonly push: boolean;
  /** How long lost races are retried. Default 30 s. */
  readonly retryMs?: number | undefined;
}

export interface Synced extends Joined {
  readonly received: readonly string[];
  readonly sent: readonly string[];
  readonly merged: readonly string[];
  readonly removed: readonly string[];
}

export async function syncLedgers(ledger: GitLedger, options: SyncOptions): Promise<Synced> {
  const found: Reconciled[] = [];
  const sent = new Set<string>();
  await retried(options, async () => {
    const joined = await receiveLedgers(ledger, options);
    found.push(joined);
    const moves = options.push ? pushMoves(joined) : [];
    const isDone = await pushInOrder(ledger, options, moves);
    if (isDone) for (const move of moves) sent.add(move.branch);
    return isDone;
  });
  const ofAll = (name: 'received' | 'merged' | 'removed') => [...new Set(found.flatMap((one) => one[name]))];
  return {
    received: ofAll('received'),
    sent: [...sent],
    merged: ofAll('merged'),
    removed: ofAll('removed'),
    dropped: found.flatMap(({ dropped }) => dropped),
    renamed: new Map(found.flatMap(({ renamed }) => [...renamed])),
    problems: found.at(-1)?.problems ?? [],
  };
}

/** Fetches the remote's ledgers and replays what only this clone knows on top; pushes nothing. */
export async function receiveLedgers(ledger: GitLedger, options: JoinOptions): Promise<Reconciled> {
  const { store } = ledger;
  const seen =
    options.isFetched === true ? new Map<string, string>() : await trackedTips(store, options.remote);
  if (options.isFetched !== true) await fetchLedgers(store, options);
  let remote = await trackedTips(store, options.remote);
  const isBare = options.shallow === true && (await anyBare(ledger, remote));
  if (options.shallow && (isBare || (await anyDiverged(ledger, seen, remote)))) {
    // Joining needs the history since the last sync, to distinguish the others' events from ours.
    await fetchLedgers(store, options, isBare ? whole : deepened);
    remote = await trackedTips(store, options.remote);
  }
  const started = performance.now();
  for (let tries = 0; performance.now() - started < retryMs; tries++) {
    const found = await reconcile(ledger, remote, seen);
    if (found !== 'lost') {
      const { dropped, renamed, problems } = found;
      if (dropped.length + renamed.size + problems.length > 0) options.tell(found);
      return found;
    }
    await pause(tries);
  }
  throw new GzaError(
    'world',
    'the ledgers of this clone change too fast to be brought together with the remote',
  );
}

const deepened = 1_000;
/** The depth that git takes for the whole history. */
const whole = 2_147_483_647;

/** Whether a ledger has no task or cannot be read: then only its history shows whether that is right. */
async function anyBare({ store }: GitLedger, remote: ReadonlyMap<string, string>): Promise<boolean> {
  for (const tip of remote.values()) {
    const ledger = await ledgerAt(store, tip);
    if ('why' in ledger ? !ledger.isNewer : ledger.shards.size === 0) return true;
  }
  return false;
}

async function anyDiverged(
  ledger: GitLedger,
  seen: ReadonlyMap<string, string>,
  remote: ReadonlyMap<string, string>,
): Promise<boolean> {
  const view = await ledger.view();
  return [...remote].some(([branch, tip]) => {
    const [local, old] = [view.tip(branch), seen.get(branch)];
    return local !== null && local !== tip && local !== old && tip !== old;
  });
}

function pushMoves({ wanted, remote }: Reconciled): PushMove[] {
  const moves: PushMove[] = [];
  for (const [branch, to] of wanted) {
    const from = remote.get(branch) ?? null;
    if (to !== from) moves.push({ branch, to, from });
  }
  return moves;
}

/** A ref that blocks another (`a` and `a/b`) must be removed before the push that creates the other. */
async function pushInOrder(
  ledger: GitLedger,
  options: RemoteOptions,
  moves: readonly PushMove[],
): Promise<boolean> {
  const clear = moves.filter(
    (move) =>
      move.to === null && moves.some((other) => other.from === null && inTheWay(move.branch, other.branch)),
  );
  // Ledgers that are removed were folded into the base, which is therefore pushed first or with them.
  const base = moves.filter((move) => clear.length > 0 && move.to !== null && move.from !== null);
  const first = [...clear, ...base];
  const rest = moves.filter((move) => !first.includes(move));
  for (const part of [first, rest]) {
    // After an unclear answer the next fetch shows what happened.
    if (part.length > 0 && (await pushAndNote(ledger, options, part)) !== 'pushed') return false;
  }
  return true;
}

function inTheWay(a: string, b: string): boolean {
  return a.startsWith(`${b}/`) || b.startsWith(`${a}/`);
}

/** After an accepted push, what the remote holds is recorded without a fetch. */
async function pushAndNote(
  ledger: GitLedger,
  options: RemoteOptions,
  moves: readonly PushMove[],
): Promise<Pushed> {
  const { store } = ledger;
  const pushed = await pushLedgers(store, options, moves);
  if (pushed !== 'pushed') return pushed;
  const prefix = trackingPrefix(options.remote);
  const notes = moves.map(({ branch, to, from }) => ({ ref: `${prefix}${branch}`, to, from }));
  // Another process may have fetched the same meanwhile; the next fetch records it again.
  await moveRefs(store.repository, notes).catch(() => 'lost');
  return pushed;
}

const retryMs = 30_000;

async function retried(options: SyncOptions, once: () => Promise<boolean>): Promise<void> {
  const limit = options.retryMs ?? retryMs;
  const started = performance.now();
  for (let tries = 1; ; tries++) {
    if (await once()) return;
    if (performance.now() - started > limit) {
      throw new GzaError('world', `${options.remote} was changed by others at every one of ${tries} tries`, {
        hint: 'Nothing that was recorded here is lost; try again.',
      });
    }
    await pause(tries);
  }
}

function pause(tries: number): Promise<void> {
  const ms = Math.random() * Math.min(2_000, 20 * 2 ** Math.min(tries, 7));
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/**
 * A claim that counts for all clones: it is made on top of what the remote holds, and given back unless the
 * remote accepts it. Exactly one of many wins, because the remote moves the base ledger from one value only
 * once.
 */
export async function claimOnRemote(
  ledger: GitLedger,
  request: ClaimRequest,
  options: JoinOptions & { readonly retryMs?: number },
): Promise<Claimed> {
  let outcome: Claimed | null = null;
  await retried({ ...options, push: true }, async () => {
    outcome = await claimOnce(ledger, request, options);
    return outcome !== null;
  });
  return outcome as unknown as Claimed;
}

async function claimOnce(
  ledger: GitLedger,
  request: ClaimRequest,
  options: JoinOptions,
): Promise<Claimed | null> {
  const found = await receiveLedgers(ledger, options);
  const before = new Map<string, string | null>();
  const written = await ledger.write(async (view): Promise<Plan> => {
    const plan = await claimPlan(view, request);
    before.clear();
    for (const { branch } of plan.changes) before.set(branch, view.tip(branch));
    return plan;
  });
  if (written.kind === 'refused') {
    return written.claim ? { kind: 'lost', holder: written.claim, detail: written.detail } : written;
  }
  const tips = written.kind === 'written' ? written.tips : new Map<string, string>();
  const moves = [...tips].map(([branch, to]) => ({ branch, to, from: found.remote.get(branch) ?? null }));
  try {
    const pushed = await pushAndNote(ledger, options, moves);
    if (pushed === 'pushed' || (pushed === 'unclear' && (await arrived(ledger, options, tips)))) {
      return { kind: 'claimed', claim: request.claim, tips };
    }
  } catch (error) {
    await giveBack(ledger, before, tips);
    throw error;
  }
  await giveBack(ledger, before, tips);
  return null;
}

/**
 * For an unclear answer: the claim's commit carries a nonce, so if the remote holds it, the claim is ours.
 */
async function arrived(
  ledger: GitLedger,
  options: RemoteOptions,
  tips: ReadonlyMap<string, string>,
): Promise<boolean> {
  await fetchLedgers(ledger.store, options);
  for (const [branch, tip] of tips) {
    return holds(ledger.store.git, `${trackingPrefix(options.remote)}${branch}`, tip);
  }
  return false;
}

/**
 * Undoes the claim. If somebody wrote on top meanwhile this fails, and the next join drops the claim instead.
 */
async function giveBack(
  ledger: GitLedger,
  before: ReadonlyMap<string, string | null>,
  tips: ReadonlyMap<string, string>,
): Promise<void> {
  const { store } = ledger;
  const moves = [...tips].flatMap(([branch, from]) =>
    ledgerMoves(store.namespace, branch, before.get(branch) ?? null, { tip: from, mirror: from }),
  );
  await moveRefs(store.repository, moves).catch(() => 'lost');
}
