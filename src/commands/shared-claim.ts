/** A claim that holds where it must: here, and on the remote when its ledgers are shared. */
import { type ClaimRequest, type Claimed, claimTask } from '../ledger/claim.ts';
import { claimOnRemote, sharesLedgers } from '../ledger/sync.ts';
import type { Invocation } from './command.ts';
import type { Project } from './project.ts';

export async function claimEverywhere(
  { ledger }: Pick<Project, 'ledger'>,
  request: ClaimRequest,
  options: Invocation['options'],
): Promise<Claimed> {
  const remote = (options['remote'] as string | undefined) ?? 'origin';
  if (options['offline'] === true || !(await sharesLedgers(ledger, remote)))
    return claimTask(ledger, request);
  return claimOnRemote(ledger, { ...request, remote });
}
