/** What could not be read of the ledgers, told once by each process however often it looks. */
import type { GitLedger } from '../ledger/git-ledger.ts';
import type { LedgerView } from '../ledger/ledger.ts';
import type { Ports } from './command.ts';

const told = new WeakMap<GitLedger, Set<string>>();

export function warnLedgers(
  ledger: GitLedger,
  { problems }: Pick<LedgerView, 'problems'>,
  ports: Pick<Ports, 'progress'>,
): void {
  const before = told.get(ledger) ?? new Set();
  told.set(ledger, before);
  const fresh = problems
    .map(({ branch, detail }) => `${branch}: ${detail}`)
    .filter((one) => !before.has(one));
  for (const one of fresh) {
    before.add(one);
    ports.progress(`warning: the ledger of ${one}`);
  }
  if (fresh.length > 0)
    ports.progress('warning: what could not be read is left out; gza fsck says what to do');
}
