/** Whether the holders of claims live: a run of CI is asked for at the forge, a laptop by its lease. */
import type { Claim } from '../../core/ledger/record/record.ts';
import type { Holder } from '../../engine/loop/round.ts';
import { claimTask } from '../../ledger/claim.ts';
import type { ForgeRead } from '../api/forge.ts';
import type { Ci } from '../jobs/ci.ts';

/** Much longer than any job: a run of CI is dead when the forge says so, not when time passes. */
const ciLeaseSeconds = 36 * 3600;

export function ciRun(run: { readonly id: number; readonly attempt: number }): string {
  return `github:${run.id}:${run.attempt}`;
}

export function parseCiRun(run: string | undefined): { id: number; attempt: number } | null {
  const match = /^github:(\d{1,15}):(\d{1,6})$/.exec(run ?? '');
  return match ? { id: Number(match[1]), attempt: Number(match[2]) } : null;
}

/** The claims of this run. */
export function holderOf({ ports, run }: Pick<Ci, 'ports' | 'run'>): Holder {
  return {
    now: ports.now,
    run: ciRun(run),
    leaseSeconds: ciLeaseSeconds,
    submit: ({ ledger }, request) => claimTask(ledger, request),
  };
}

/** Claims that are dead now. `ended`: claims whose jobs are over, as their own last job says. */
export async function deadClaims(
  claims: readonly Claim[],
  forge: Pick<ForgeRead, 'run'>,
  now: string,
  ended: ReadonlySet<string>,
): Promise<Set<string>> {
  const dead = new Set<string>();
  const answers = new Map<number, Awaited<ReturnType<ForgeRead['run']>>>();
  for (const claim of claims) {
    const run = parseCiRun(claim.run);
    if (claim.until <= now || (run && ended.has(claim.id))) {
      dead.add(claim.id);
      continue;
    }
    if (!run) continue;
    if (!answers.has(run.id)) answers.set(run.id, await forge.run(run.id));
    const found = answers.get(run.id);
    // A run that was deleted, that ended, or that was started anew: this claim's jobs are not at work any more.
    if (!found || found.attempt > run.attempt || (found.isCompleted && found.attempt === run.attempt))
      dead.add(claim.id);
  }
  return dead;
}
