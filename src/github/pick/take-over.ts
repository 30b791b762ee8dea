/**
 * Recovers a claim that died after its agent had finished. This run lands the artifact of that run under a
 * new claim, so that no agent repeats the work. Only possible while the artifact exists, and for a limited
 * number of times.
 */
import type { Project } from '../../app/project.ts';
import type { Claim } from '../../core/ledger/record/record.ts';
import { addSeconds } from '../../core/time.ts';
import { claimOfAgent } from '../../engine/engine.ts';
import { claimTask, releaseClaim } from '../../ledger/claim.ts';
import type { ReadingContext } from '../jobs/job-context.ts';
import {
  type ClaimedLane,
  ciLeaseSeconds,
  holderOf,
  jobMark,
  parseCiRun,
  readJob,
  writeJob,
} from './claims.ts';

/** If landing fails this often, an agent does the work again, and the try counts as a death. */
const timesMax = 3;

/** Null when the earlier run left nothing to land. */
export async function takeOver(
  ci: ReadingContext,
  { ledger, config }: Project,
  claim: Claim,
  id: string,
): Promise<ClaimedLane | null> {
  const run = parseCiRun(claim.run);
  const found = await readJob(await ledger.view(), claim.id).catch(() => null);
  if (!run || !found || found.job.isRecheck === true) return null;
  const { job } = found;
  const times = (job.taken?.times ?? 0) + 1;
  if (times > timesMax) return null;
  const artifact = await ci.forge().artifact(run.id, `gza-left-${claim.id}`);
  // The run that was to take it over may have died before it had its own artifact.
  const left = artifact === null ? job.taken : { run: run.id, artifact };
  if (!left) return null;
  const at = ci.ports.now();
  await releaseClaim(ledger, {
    claim: claim.id,
    at,
    why: 'its run ended before what its agent left was landed',
  });
  // The new claim keeps the old start time, so that a request to end the old one ends it too.
  const until = addSeconds(at, ciLeaseSeconds);
  const again = { ...claim, id, run: holderOf(ci).run, until };
  if ((await claimTask(ledger, { claim: again, at })).kind !== 'claimed') return null;
  const taken = { run: left.run, artifact: left.artifact, claim: claimOfAgent(job), times };
  const forget = { kind: 'mark', at, name: jobMark(claim.id), value: null } as const;
  const lane = await writeJob({ ledger, config }, { ...job, claim: id, taken }, at, [forget]);
  return { ...lane, left: { run: String(left.run), artifact: String(left.artifact) } };
}
