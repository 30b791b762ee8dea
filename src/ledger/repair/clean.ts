/** Ledgers of branches that are gone come home, and backups that nobody needed go. */
import { parseTime } from '../../core/time.ts';
import { liveClaims } from '../claim.ts';
import { foldPlan } from '../fold.ts';
import type { GitLedger } from '../git-ledger.ts';
import { moveRefs, type RefMove } from '../store/move-refs.ts';
import { backups, listRefs } from '../store/read-refs.ts';

export interface CleanOptions {
  readonly at: string;
  readonly by?: string;
  readonly dryRun?: boolean;
}

export interface Cleaned {
  /** Branches whose ledger was (or would be) folded. */
  readonly folded: readonly string[];
  readonly backups: number;
}

const backupDays = 30;

export async function cleanLedgers(ledger: GitLedger, { at, by, dryRun }: CleanOptions): Promise<Cleaned> {
  const folded: string[] = [];
  for (const branch of await abandonedBranches(ledger, at)) {
    if (!dryRun) {
      await ledger.write((view) => foldPlan(view, { branch, how: 'ended', at, ...(by ? { by } : {}) }));
    }
    folded.push(branch);
  }
  const old = await oldBackups(ledger, at);
  if (!dryRun && old.length > 0) await moveRefs(ledger.store.repository, old);
  return { folded, backups: old.length };
}

/** Whether there was such a ledger without a branch, which came home. */
export async function foldAbandoned(ledger: GitLedger, branch: string, at: string): Promise<boolean> {
  if (!(await abandonedBranches(ledger, at)).includes(branch)) return false;
  const written = await ledger.write((view) => foldPlan(view, { branch, how: 'ended', at }));
  return written.kind === 'written';
}

/** Ledgers whose branch exists neither here nor on a remote, that nobody holds and that are not checked out. */
async function abandonedBranches(ledger: GitLedger, at: string): Promise<string[]> {
  const { store } = ledger;
  const view = await ledger.view();
  const rows = await listRefs(store.git, ['refs/heads', 'refs/remotes']);
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
