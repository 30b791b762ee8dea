/**
 * What this job wrote, to the remote: ledgers and the branch of a step in one atomic push, each only over the value
 * that was fetched. Who was slower fetches, puts its events on top, and pushes again.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { GzaError } from '../core/errors.ts';
import type { GitLedger } from '../ledger/git-ledger.ts';
import { moveRefs, type RefMove } from '../ledger/move-refs.ts';
import { listRefs } from '../ledger/read-refs.ts';
import { pushRefs, trackedTips, trackingPrefix } from '../ledger/remote-refs.ts';
import { receiveLedgers } from '../ledger/sync.ts';
import { remote } from './ci.ts';

export type Shared =
  | { readonly kind: 'shared' | 'nothing' }
  /** The host does not take the branch; nothing was moved there. */
  | { readonly kind: 'refused'; readonly why: string }
  /** Someone else moved the branch meanwhile; nothing was moved there. */
  | { readonly kind: 'moved' };

const triesMax = 12;
/** Several lanes may land at once: without chance they would meet again. GitHub asks for six pushes a minute at most. */
const waitMsMax = 10_000;

export async function share(ledger: GitLedger, branch: RefMove | null): Promise<Shared> {
  const { store } = ledger;
  for (let tries = 1; tries <= triesMax; tries += 1) {
    const ledgers = await ledgerMoves(ledger);
    if (ledgers.length === 0 && branch === null) return { kind: 'nothing' };
    const moves = branch ? [...ledgers, branch] : ledgers;
    const pushed = await pushRefs(store, { remote }, moves);
    switch (pushed.kind) {
      case 'pushed':
        await noteTracked(ledger, ledgers);
        return { kind: 'shared' };
      case 'refused': {
        const why = `${pushed.why}${pushed.said ? `\n${pushed.said}` : ''}`;
        if (branch && (pushed.ref === branch.ref || pushed.ref === '')) return { kind: 'refused', why };
        throw new GzaError('world', `${remote} does not take ${pushed.ref}: ${why}`, {
          hint: 'gza keeps its state under refs/tasks; some rulesets forbid refs of one’s own. See state_ref.',
        });
      }
      case 'unclear':
      case 'lost':
        await wait(Math.random() * Math.min(waitMsMax, 250 * 2 ** tries));
        await receiveLedgers(ledger, { remote, shallow: true });
        if (branch) {
          const at = await branchThere(ledger, branch.ref);
          if (at === branch.to) branch = null;
          else if (at !== branch.from) return { kind: 'moved' };
        }
    }
  }
  throw new GzaError('world', `${remote} was changed by others at every one of ${triesMax} tries`, {
    hint: 'The next pick finds that this job died, and the task goes on.',
  });
}

async function ledgerMoves(ledger: GitLedger): Promise<RefMove[]> {
  const { store } = ledger;
  const [{ refs }, there] = await Promise.all([ledger.look(), trackedTips(store, remote)]);
  const moves: RefMove[] = [];
  for (const name of new Set([...refs.tips.keys(), ...there.keys()])) {
    const [to, from] = [refs.tips.get(name) ?? null, there.get(name) ?? null];
    if (to !== from) moves.push({ ref: `${store.namespace}/${name}`, to, from });
  }
  return moves;
}

async function noteTracked({ store }: GitLedger, moves: readonly RefMove[]): Promise<void> {
  const prefix = trackingPrefix(remote);
  const notes = moves.map((move) => ({ ...move, ref: prefix + move.ref.slice(store.namespace.length + 1) }));
  await moveRefs(store.repository, notes);
}

async function branchThere({ store }: GitLedger, ref: string): Promise<string | null> {
  const answer = await store.git.text(['ls-remote', '--', remote, ref], { timeoutMs: 60_000 });
  return (
    answer
      .split('\n')
      .find((line) => line.endsWith(`\t${ref}`))
      ?.split('\t')[0] ?? null
  );
}

/** All refs as they are, to go back to when the remote did not take what was made of them. */
export async function rememberRefs({ store }: GitLedger): Promise<() => Promise<void>> {
  const folders = [store.namespace, 'refs/gza', 'refs/heads'];
  const rows = await listRefs(store.git, folders);
  const before = new Map(rows.filter(({ target }) => target === '').map(({ ref, oid }) => [ref, oid]));
  return async () => {
    const now = await listRefs(store.git, folders);
    const after = new Map(now.filter(({ target }) => target === '').map(({ ref, oid }) => [ref, oid]));
    const moves = [...new Set([...before.keys(), ...after.keys()])].flatMap((ref): RefMove[] => {
      const [to, from] = [before.get(ref) ?? null, after.get(ref) ?? null];
      return to === from ? [] : [{ ref, to, from }];
    });
    if (moves.length > 0) await moveRefs(store.repository, moves);
  };
}
