/**
 * Ends a lane: its tasks and artifacts move into the base ledger, its history stays reachable as the fold's
 * second parent, and its ref is removed. The id of the lane stays known, so that its ref is ignored if it
 * reappears.
 */
import { GzaError } from '../core/errors.ts';
import type { Event } from '../core/ledger/event.ts';
import type { LaneLink } from '../core/ledger/record/record.ts';
import { parseTime } from '../core/time.ts';
import { listRefs } from '../git/refs.ts';
import { liveClaims } from './claim.ts';
import type { GitLedger } from './git-ledger.ts';
import type { LedgerView, Plan } from './ledger.ts';
import { backups, moveRefs, type RefMove } from './store/refs.ts';

export interface FoldRequest {
  readonly branch: string;
  readonly how: 'merged' | 'closed' | 'ended';
  readonly at: string;
  readonly by?: string;
}

/** Prefix of marks in the base ledger, for folded lanes without a task that would record the fold. */
export const foldedMark = 'folded:';

/** Null if there is nothing to fold. */
export async function foldPlan(view: LedgerView, { branch, how, at, by }: FoldRequest): Promise<Plan | null> {
  const tip = view.tip(branch);
  if (tip === null) return null;
  if (branch === view.base) {
    throw new GzaError('input', `the ledger of ${branch} is the base ledger: lanes are folded into it`);
  }
  if ((await view.meta(branch)) === null) {
    throw new GzaError('world', `the ledger of ${branch} cannot be read, so it was not folded`, {
      hint: 'Run `gza fsck --repair`.',
    });
  }
  const { meta, tasks, artifacts } = await view.state(branch);
  const records = [...tasks.values()];
  const known = records.find((record) => record.lane?.id === meta.lane)?.lane;
  const lane: LaneLink = known ?? { id: meta.lane, branch };
  const who = by ? { by } : {};
  const fold: Event = { kind: 'fold', at, lane, how, tasks: records, ...who };
  const carried = [...artifacts].map(([path, blob]): Event => ({ kind: 'artifact', at, path, blob }));
  const remembered: Event[] =
    records.length > 0 ? [] : [{ kind: 'mark', at, name: `${foldedMark}${meta.lane}`, value: at }];
  return {
    changes: [{ branch: view.base, events: [fold, ...remembered, ...carried], secondParent: tip }],
    remove: [branch],
  };
}

export interface Cleaned {
  readonly folded: readonly string[];
  readonly backups: number;
}

const backupDays = 30;

/** Folds the ledgers of branches that are gone, and removes old backups. */
export async function cleanLedgers(ledger: GitLedger, at: string): Promise<Cleaned> {
  const folded = await foldAll(ledger, await abandonedBranches(ledger, at), at);
  const old = await oldBackups(ledger, at);
  if (old.length > 0) await moveRefs(ledger.store.repository, old);
  return { folded, backups: old.length };
}

/**
 * Folds ledgers that only this clone has and whose branch was deleted here. A shared ledger may belong to a
 * branch that somebody else has not pushed yet, so it is folded only on request.
 */
export async function foldDeleted(
  ledger: GitLedger,
  at: string,
  isShared: (branch: string) => boolean,
): Promise<string[]> {
  const gone = await abandonedBranches(ledger, at);
  return foldAll(
    ledger,
    gone.filter((branch) => !isShared(branch)),
    at,
  );
}

/** Returns the branches whose ledger was folded. */
async function foldAll(ledger: GitLedger, branches: readonly string[], at: string): Promise<string[]> {
  const folded: string[] = [];
  for (const branch of branches) {
    const written = await ledger.write((view) => foldPlan(view, { branch, how: 'ended', at }));
    if (written.kind === 'written') folded.push(branch);
  }
  return folded;
}

/** Whether there was such a ledger without a branch, and it was folded. */
export async function foldAbandoned(ledger: GitLedger, branch: string, at: string): Promise<boolean> {
  if (!(await abandonedBranches(ledger, at)).includes(branch)) return false;
  return (await foldAll(ledger, [branch], at)).length > 0;
}

/**
 * Ledgers of branches that exist neither here nor on a remote, that nobody holds and that are not checked
 * out.
 */
async function abandonedBranches(ledger: GitLedger, at: string): Promise<string[]> {
  const { store } = ledger;
  const view = await ledger.view();
  const rows = await listRefs(store.repository, ['refs/heads', 'refs/remotes']);
  const alive = new Set<string>();
  for (const { ref } of rows) {
    const [, kind, ...rest] = ref.split('/');
    alive.add(kind === 'heads' ? rest.join('/') : rest.slice(1).join('/'));
  }
  const head = store.repository.head.branch;
  if (head !== null) alive.add(head);
  const base = await view.meta(view.base);
  for (const claim of base ? liveClaims({ meta: base }, at) : []) alive.add(claim.lane);
  const gone = view.branches.filter((branch) => branch !== view.base && !alive.has(branch));
  const readable = await Promise.all(gone.map((branch) => view.meta(branch)));
  return gone.filter((_, n) => readable[n] !== null);
}

async function oldBackups({ store }: GitLedger, at: string): Promise<RefMove[]> {
  const rows = await store.git.text([
    'for-each-ref',
    '--format=%(objectname) %(refname) %(committerdate:unix)',
    backups.slice(0, -1),
  ]);
  const limit = parseTime(at) / 1000 - backupDays * 86_400;
  return rows
    .split('\n')
    .map((row) => row.split(' '))
    .filter(([, ref, date]) => ref && Number(date) < limit)
    .map(([oid, ref]) => ({ ref: ref as string, to: null, from: oid as string }));
}
