/** A claim that holds where it must: here, and on the remote when its ledgers are shared. */
import { isGzaError } from '../../core/errors.ts';
import { type Claimed, type ClaimRequest, claimTask } from '../../ledger/claim.ts';
import { fetchLedgers } from '../../ledger/sync/remote-refs.ts';
import { claimOnRemote, remoteHasLedgers } from '../../ledger/sync/sync.ts';
import type { Invocation, Ports } from '../command.ts';
import { type Project, warnJoined } from '../project.ts';

export async function claimEverywhere(
  project: Pick<Project, 'ledger'>,
  request: ClaimRequest,
  options: Invocation['options'],
  ports: Pick<Ports, 'progress'>,
): Promise<Claimed> {
  const remote = (options['remote'] as string | undefined) ?? 'origin';
  const shared = options['offline'] !== true && (await sharesLedgers(project, remote, ports));
  if (!shared) return claimTask(project.ledger, request);
  return claimOnRemote(project.ledger, request, { remote, tell: warnJoined(project.ledger, ports) });
}

/** A clone that never looked asks the remote once: others may have shared their ledgers there. */
async function sharesLedgers(
  { ledger }: Pick<Project, 'ledger'>,
  remote: string,
  ports: Pick<Ports, 'progress'>,
): Promise<boolean> {
  if (await remoteHasLedgers(ledger, remote)) return true;
  if (!(await ledger.store.settings()).remotes.includes(remote)) return false;
  try {
    await fetchLedgers(ledger.store, { remote });
  } catch (error) {
    if (!isGzaError(error)) throw error;
    ports.progress(
      `warning: ${remote} could not be asked for its ledgers, so this claim holds only here (${error.message.split('\n')[0]})`,
    );
    return false;
  }
  return remoteHasLedgers(ledger, remote);
}
