/**
 * Concludes the work of an agent that finished before its gza process died, so that the step is never done
 * twice. See `keepLeft` for where that work is kept.
 */
import type { Ports } from '../../app/command.ts';
import type { Project } from '../../app/project.ts';
import { wholeView } from '../../app/tasks/change-task.ts';
import type { Claim } from '../../core/ledger/record/record.ts';
import type { SharedClone } from '../../workspace/shared-clone.ts';
import { removeClone, type Workspace } from '../../workspace/workspace.ts';
import { conclude } from '../conclude/conclude.ts';
import { recordStep } from '../conclude/step-report.ts';
import { changesFiles } from '../engine.ts';
import { checked } from './run-claimed.ts';
import { keepArtifacts, stateDirOf, takeLeft } from './state-dir.ts';

/** Returns whether the step is now recorded, as if nothing had happened. */
export async function finishDead(
  project: Project,
  workspace: Workspace,
  claim: Claim,
  clone: SharedClone | null,
  ports: Ports,
): Promise<boolean> {
  const stateDir = stateDirOf(project);
  const kept = await takeLeft(stateDir, claim);
  if (kept === null || (clone === null && changesFiles(kept.job.step))) return false;
  const { job } = kept;
  const view = await wholeView(project, claim.task);
  const input = { project, view, job, stateDir, caller: ports.env, now: ports.now, signal: ports.signal };
  const { left, checks } = clone
    ? await checked(input, { left: kept.left, clone })
    : { left: kept.left, checks: null };
  const { repository } = workspace;
  const { report, clone: done } = await conclude({ ...input, repository, clone }, left, checks);
  const agentTasks = project.config.agent_tasks;
  const recorded = await recordStep(project.ledger, { job, report, at: ports.now(), agentTasks, repository });
  if (done) await removeClone(done);
  await keepArtifacts(project, report.artifacts);
  ports.progress(`recorded what ${job.agent} had finished on ${job.id} before a process died (${job.step})`);
  return recorded.kind === 'recorded';
}
