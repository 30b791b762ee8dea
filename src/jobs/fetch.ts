/** Brings the ledgers into a checkout, so that the steps that follow need no token. */
import { open } from '../commands/project.ts';
import { receiveLedgers } from '../ledger/sync.ts';
import { type Ci, remote } from './ci.ts';
import { prepareRepository } from './prepare-repository.ts';

export async function fetchJob(ci: Ci): Promise<void> {
  const { ledger, repository } = await open(ci.ports);
  await prepareRepository(ci, repository);
  const { received } = await receiveLedgers(ledger, { remote, shallow: true });
  ci.say(`${received.length} ledgers fetched.`);
}
