/** One job of the matrix: its claim, and beside it what its machines must know. */
import type { Project } from '../../app/project.ts';
import type { TaskView } from '../../core/board/board.ts';
import type { Config } from '../../core/config/config.ts';
import type { Event } from '../../core/ledger/event.ts';
import type { StepJob } from '../../engine/engine.ts';
import { claimStep } from '../../engine/loop/claim-step.ts';
import { agentSecretsFor } from '../../engine/perform/ask-agent.ts';
import { claimTask } from '../../ledger/claim.ts';
import type { LedgerView } from '../../ledger/ledger.ts';
import type { Ci } from '../jobs/ci.ts';
import { ciLeaseSeconds, ciRun } from './claim-life.ts';
import { jobEvent } from './step-job.ts';

/** What the matrix names. */
export interface ClaimedLane {
  readonly task: string;
  readonly claim: string;
  /** Names of the secrets that its machine needs. */
  readonly keys: readonly string[];
}

export interface JobToClaim {
  readonly project: Project;
  readonly view: TaskView;
  readonly job: StepJob;
  readonly reservedUsd: number | null;
  /** Recorded together with the job. */
  readonly also: (ledgers: LedgerView, at: string) => Promise<readonly Event[]>;
}

/** Null when someone else was faster; the log says so. */
export async function claimJob(
  { ports, run, say }: Ci,
  { project, view, job, reservedUsd, also }: JobToClaim,
): Promise<ClaimedLane | null> {
  const { ledger } = project;
  const now = ports.now();
  const submitted = await claimStep({
    project,
    view,
    job,
    holder: job.agent,
    run: ciRun(run),
    reservedUsd,
    now,
    leaseSeconds: ciLeaseSeconds,
    submit: (request) => claimTask(ledger, request),
  });
  if (submitted.kind !== 'claimed') {
    say(`${job.id}: ${submitted.detail}`);
    return null;
  }
  await ledger.write(async (ledgers) => ({
    changes: [{ branch: ledgers.base, events: [jobEvent(job, now), ...(await also(ledgers, now))] }],
  }));
  return { task: job.id, claim: job.claim, keys: laneKeys(project.config, job) };
}

/** Which secrets the machine of a lane is given: those of its agent. Only their names travel. */
export function laneKeys(
  config: Config,
  { agent, isRecheck }: Pick<StepJob, 'agent' | 'isRecheck'>,
): readonly string[] {
  return isRecheck === true ? [] : agentSecretsFor(agent, config).given;
}
