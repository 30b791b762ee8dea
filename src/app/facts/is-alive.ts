/** Whether the holder of a claim is still there, and how a holder of this machine says who it is. */
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import type { Claim } from '../../core/ledger/record/record.ts';

/** Names this process: host, number, and when it began, since numbers are used again. */
export function localRun(pid = process.pid): string {
  return `local:${hostname()}:${pid}:${startOf(pid)}`;
}

/**
 * A claim of this machine is alive as long as its process is: a laptop that slept did not renew it. Others are dead
 * when their lease has run out.
 */
export function isAlive(claim: Claim, now: string): boolean {
  const [kind, host, pid, since = ''] = claim.run?.split(':') ?? [];
  const isLocal = kind === 'local' && host === hostname() && pid !== undefined;
  return isLocal ? isRunning(Number(pid), since) : claim.until > now;
}

function isRunning(pid: number, since: string): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  const start = startOf(pid);
  return since === '' || start === '' || since === start;
}

/** Linux says when a process started; elsewhere the number has to do. */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
}
