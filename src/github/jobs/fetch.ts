/** Brings the ledgers into a checkout, so that the steps that follow need no token. */
import { openProject } from '../../app/project.ts';
import type { Ci } from './ci.ts';
import { prepareRepository } from './prepare-repository.ts';
import { receive } from './receive.ts';

export async function fetchJob(ci: Ci): Promise<void> {
  const { ledger, repository } = await openProject(ci.ports);
  await prepareRepository(ci, repository);
  const { received } = await receive(ci, ledger);
  ci.say(`${received.length} ledgers fetched.`);
}
