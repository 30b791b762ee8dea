import { hostname } from 'node:os';
import type { Claim } from '../core/record.ts';

/** A claim of this machine is dead as soon as its process is; others when their lease has run out. */
export function isAlive(claim: Claim, now: string): boolean {
  const [kind, host, pid] = claim.run?.split(':') ?? [];
  const isLocal = kind === 'local' && host === hostname() && pid !== undefined;
  return claim.until > now && (!isLocal || isRunning(Number(pid)));
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
