/** For joins on a laptop: what they could not keep, on standard error. */
import { joinedLines } from '../core/text/terminal/joined.ts';
import type { GitLedger } from '../ledger/git-ledger.ts';
import type { JoinOptions } from '../ledger/sync/sync.ts';
import type { Ports } from './command.ts';
import { warnLedgers } from './warn-ledgers.ts';

export function warnJoined(ledger: GitLedger, ports: Pick<Ports, 'progress'>): JoinOptions['tell'] {
  return (joined) => {
    for (const { said, next } of joinedLines(joined, ledger.store.namespace)) {
      ports.progress(`warning: ${said}\n  ${next}`);
    }
    warnLedgers(ledger, joined, ports);
  };
}
