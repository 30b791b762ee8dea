/**
 * Works out what this clone should hold: the remote's ledgers, with the events that only this clone knows on
 * top. Changes only ledgers, their mirrors and their backups, in one transaction.
 */
import type { DroppedEvent, Joined } from '../../core/ledger/joined.ts';
import { listRefs } from '../../git/refs.ts';
import { isShallow } from '../../git/repository.ts';
import { asTold, checkTip, tipOf, wasMended } from '../check-tip.ts';
import type { GitLedger, Look } from '../git-ledger.ts';
import { foldedLanes } from '../heal.ts';
import {
  backups,
  holds,
  isBranchName,
  ledgerMoves,
  localMirror,
  moveRefs,
  type RefMove,
  readTips,
  rememberTips,
} from '../store/refs.ts';
import { type HistoryCommit, ledgerAt, readHistory, type StoredLedger } from '../store/store.ts';
import { joinOnto, type Replay, replay } from './replay.ts';

export interface Reconciled extends Joined {
  /** branch → the commit that local and remote should both hold; null: none. */
  readonly wanted: ReadonlyMap<string, string | null>;
  readonly remote: ReadonlyMap<string, string>;
  readonly received: readonly string[];
  readonly merged: readonly string[];
  readonly removed: readonly string[];
  readonly base: string;
}

interface Sides {
  readonly local: string | null;
  readonly remote: string | null;
  /** What the remote held when it was last seen. */
  readonly seen: string | null;
}

class Work {
  readonly wanted = new Map<string, string | null>();
  readonly received: string[] = [];
  readonly merged: string[] = [];
  readonly removed: string[] = [];
  readonly dropped: DroppedEvent[] = [];
  readonly renamed = new Map<string, string>();
  readonly problems: { branch: string; detail: string }[] = [];
  readonly backups: RefMove[] = [];
  folded = new Set<string>();
  readonly ledger: GitLedger;
  readonly base: string;
  readonly shallow: boolean;
  /** This clone has nothing of the base yet. */
  isNew = false;

  constructor(ledger: GitLedger, base: string) {
    this.ledger = ledger;
    this.base = base;
    this.shallow = isShallow(ledger.store.repository);
  }
}

/** `lost` if a local writer was faster: read the refs and try again. */
export async function reconcile(
  ledger: GitLedger,
  remote: ReadonlyMap<string, string>,
  seen: ReadonlyMap<string, string>,
): Promise<Reconciled | 'lost'> {
  const look = await ledger.look();
  const { base, branches } = look.view;
  const work = new Work(ledger, base);
  const sides = (branch: string): Sides => ({
    // A ledger that was lost here is joined like any other, so that `gza sync` brings it back, too.
    local: look.view.tip(branch) ?? lostTip(look, branch),
    remote: remote.get(branch) ?? null,
    seen: seen.get(branch) ?? null,
  });
  work.isNew = sides(base).local === null;
  await joinOne(work, base, sides(base));
  work.folded = await foldedLanes(ledger.store, ledger.rows, work.wanted.get(base) ?? undefined);
  for (const branch of [...new Set([...branches, ...look.lost.keys(), ...remote.keys()])].filter(
    (one) => one !== base,
  )) {
    if (isBranchName(branch)) await joinLane(work, branch, sides(branch));
    else work.problems.push({ branch, detail: 'the remote holds it under a name that is none' });
  }
  const moves = [...localMoves(work, look), ...(await newBackups(work))];
  const moved = moves.length === 0 ? 'moved' : await moveRefs(ledger.store.repository, moves);
  if (moved !== 'moved') return 'lost';
  const { wanted, received, merged, removed, dropped, renamed, problems } = work;
  return { wanted, remote, received, merged, removed, dropped, renamed, problems, base };
}

function lostTip({ lost }: Look, branch: string): string | null {
  const tip = lost.get(branch);
  return tip === undefined || tip.why !== undefined ? null : tip.oid;
}

function localMoves(work: Work, look: Look): RefMove[] {
  const { store } = work.ledger;
  const moves: RefMove[] = [];
  for (const [branch, to] of work.wanted) {
    const from = { tip: look.refs.tips.get(branch), mirror: look.refs.mirrors.get(branch) };
    const pairs = ledgerMoves(store.namespace, branch, to, from);
    moves.push(...pairs.filter((pair) => pair.to !== pair.from));
  }
  return moves;
}

/** Without backups that an earlier try already made. */
async function newBackups({ ledger, backups: wanted }: Work): Promise<RefMove[]> {
  if (wanted.length === 0) return [];
  const there = new Set(
    (await listRefs(ledger.store.repository, [backups.slice(0, -1)])).map((row) => row.ref),
  );
  const fresh = new Map(wanted.map((move) => [move.ref, move]));
  return [...fresh.values()].filter((move) => !there.has(move.ref));
}

/** A lane that either side has folded is not joined: what only its local ledger knows goes into the base. */
async function joinLane(work: Work, branch: string, sides: Sides): Promise<void> {
  const local = await laneOf(work, branch, sides.local);
  const remote = await laneOf(work, branch, sides.remote);
  const remoteFolded = remote !== null && work.folded.has(remote.meta.lane);
  if (local !== null && work.folded.has(local.meta.lane)) {
    await bringHome(work, local, sides);
    return joinOne(work, branch, { ...sides, local: null, remote: remoteFolded ? null : sides.remote });
  }
  await joinOne(work, branch, remoteFolded ? { ...sides, remote: null } : sides);
}

async function laneOf(work: Work, branch: string, commit: string | null): Promise<StoredLedger | null> {
  if (commit === null) return null;
  const ledger = await ledgerAt(work.ledger.store, commit);
  if (!('why' in ledger)) return ledger;
  work.problems.push({ branch, detail: ledger.why });
  return null;
}

async function joinOne(work: Work, branch: string, sides: Sides): Promise<void> {
  const { local, remote } = sides;
  const { store } = work.ledger;
  if (local === remote) {
    work.wanted.set(branch, local);
    return;
  }
  if (local === null || remote === null) return oneSide(work, branch, sides);
  if (await holds(store.git, local, remote)) {
    work.wanted.set(branch, local);
    return;
  }
  if (await holds(store.git, remote, local)) return receive(work, branch, remote, local);
  // A remote with a rewritten history removes nothing: what is here is replayed on top.
  if (local === sides.seen && (work.shallow || (await isAnotherLane(work, local, remote)))) {
    return receive(work, branch, remote, null);
  }
  await join2(work, branch, { ...sides, local, remote });
}

async function oneSide(work: Work, branch: string, { local, remote }: Sides): Promise<void> {
  if (remote !== null) return receive(work, branch, remote, null);
  if (local !== null && (await laneOf(work, branch, local)) === null) return;
  // New here, or removed there without a fold: nothing is lost by showing it again.
  work.wanted.set(branch, local === null ? null : await withRenames(work, branch, local));
  if (local === null) work.removed.push(branch);
}

/** Replays a ledger that only this clone has, with the ids that some of its tasks got meanwhile. */
async function withRenames(work: Work, branch: string, local: string): Promise<string> {
  if (work.renamed.size === 0) return local;
  const { store } = work.ledger;
  const commits = await readHistory(store.git, { tip: local });
  const opens = commits[0]?.entry?.opens;
  const text = JSON.stringify(commits.map((one) => one.entry));
  if (!opens || ![...work.renamed.keys()].some((id) => text.includes(JSON.stringify(id)))) return local;
  const replayed = await replay(store, {
    onto: null,
    opens: { v: 1, ...opens },
    commits,
    known: new Set(),
    renames: work.renamed,
  });
  collect(work, branch, replayed);
  return replayed.tip ?? local;
}

async function isAnotherLane({ ledger: { store } }: Work, local: string, remote: string): Promise<boolean> {
  const [ours, theirs] = [await ledgerAt(store, local), await ledgerAt(store, remote)];
  return !('why' in ours) && !('why' in theirs) && !theirs.meta.base && ours.meta.lane !== theirs.meta.lane;
}

/** `known`: what the remote's ledger builds on. A shallow clone has nothing to check it against. */
async function checkedTip(work: Work, branch: string, remote: string, known: string | null): Promise<string> {
  const checked = work.shallow ? asTold : await checkTip(work.ledger.store, known, remote);
  if (checked.kind === 'mended') work.problems.push({ branch, detail: wasMended(checked.why) });
  return tipOf(checked, remote);
}

async function receive(work: Work, branch: string, theirs: string, known: string | null): Promise<void> {
  const remote = await checkedTip(work, branch, theirs, known);
  const ledger = await ledgerAt(work.ledger.store, remote);
  if ('why' in ledger) {
    work.problems.push({ branch, detail: `what the remote holds was left out: ${ledger.why}` });
    // If nothing else is known of the base, its tasks cannot be seen, but they exist: the tip is remembered.
    const { commonDir } = work.ledger.store.repository;
    if (branch === work.base && work.isNew && !readTips(commonDir).has(branch))
      rememberTips(commonDir, [{ ref: `${localMirror}${branch}`, to: remote, from: null }]);
    return;
  }
  work.wanted.set(branch, remote);
  work.received.push(branch);
}

async function join2(
  work: Work,
  branch: string,
  sides: Sides & { readonly local: string; readonly remote: string },
): Promise<void> {
  const { store } = work.ledger;
  const onto = await laneOf(work, branch, await checkedTip(work, branch, sides.remote, sides.local));
  const ours = await laneOf(work, branch, sides.local);
  if (!onto && ours) {
    const ref = `${store.namespace}/${branch}`;
    const detail = `nothing was sent over what the remote holds; \`git push <remote> +${ref}\` puts what is here in its place`;
    work.problems.push({ branch, detail });
  }
  if (!onto || !ours) return;
  const local = await unsynced(work, sides.local, sides.remote, sides.seen);
  const replayed = await joinOnto(store, onto, ours, { commits: local, renames: work.renamed });
  collect(work, branch, replayed);
  work.wanted.set(branch, replayed.tip ?? onto.commit);
  work.merged.push(branch);
  keepBackup(work, branch, sides.local);
}

/** In a shallow clone a remote's tip does not reach back to the last sync, so what was seen then counts. */
async function unsynced(work: Work, local: string, remote: string | null, seen: string | null) {
  const { git } = work.ledger.store;
  const commits = await readHistory(git, { tip: local, since: remote ?? undefined });
  if (seen === null || !(work.shallow || remote === null)) return commits;
  const old = await readHistory(git, { tip: seen });
  const reached = new Set(old.map((one) => one.commit));
  return commits.filter((one) => !reached.has(one.commit));
}

async function bringHome(work: Work, lane: StoredLedger, sides: Sides): Promise<void> {
  const { store, rows } = work.ledger;
  if (sides.local === null || sides.local === sides.seen || sides.local === sides.remote) return;
  const base = work.wanted.get(work.base);
  if (!base || (await holds(store.git, base, sides.local))) return;
  const onto = await ledgerAt(store, base);
  if ('why' in onto) return;
  const commits = await unsynced(work, sides.local, sides.remote ?? base, sides.seen);
  const replayed = await replay(store, {
    onto,
    opens: onto.meta,
    commits: commits.map(withoutOpening),
    known: new Set(),
    renames: work.renamed,
  });
  collect(work, lane.meta.branch, replayed);
  const { tip } = replayed;
  work.wanted.set(work.base, tip ?? base);
  keepBackup(work, lane.meta.branch, sides.local);
  if (tip !== null) await rows.of((await ledgerAt(store, tip)) as StoredLedger);
}

/** The fold has already recorded how the lane began. */
function withoutOpening(one: HistoryCommit): HistoryCommit {
  if (!one.entry) return one;
  return {
    ...one,
    entry: { ...one.entry, events: one.entry.events.filter(({ kind }) => kind !== 'open-lane') },
  };
}

function collect(work: Work, branch: string, { dropped, unread }: Replay): void {
  work.dropped.push(...dropped);
  work.problems.push(...unread.map((detail) => ({ branch, detail })));
}

function keepBackup(work: Work, branch: string, commit: string): void {
  work.backups.push({ ref: `${backups}${branch}/${commit.slice(0, 16)}`, to: commit, from: null });
}
