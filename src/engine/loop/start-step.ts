/** From a decision to a step that runs: which agent, where, for how much, and under a claim. */

import { localRun } from '../../app/facts/is-alive.ts';
import { claimEverywhere } from '../../app/share/shared-claim.ts';
import { wholeView } from '../../app/tasks/change-task.ts';
import { warnJoined } from '../../app/warnings.ts';
import type { TaskView } from '../../core/board/board.ts';
import type { Decision, Facts } from '../../core/policy/decide.ts';
import { foreseen } from '../../core/system-error.ts';
import { claimTask } from '../../ledger/claim.ts';
import { claimOnRemote } from '../../ledger/sync/sync.ts';
import { readSession } from '../perform/session-file.ts';
import { planStep } from '../step/plan-step.ts';
import { runClaimed } from '../step/run-claimed.ts';
import { claimStep } from './claim-step.ts';
import type { Loop } from './loop.ts';
import { sayOf, sayTask } from './progress-lines.ts';
import { stateDirOf } from './state-dir.ts';

/** A task that cannot be started is refused for this run, with the reason; the others go on. */
export async function startStep(loop: Loop, view: TaskView, decision: Decision, facts: Facts): Promise<void> {
  try {
    await start(loop, view, decision, facts);
  } catch (thrown) {
    const error = foreseen(thrown);
    if (error === null) throw thrown;
    refuse(loop, view.id, error.message);
  }
}

function refuse(loop: Loop, id: string, why: string): void {
  loop.refused.set(id, why);
  loop.ports.say(`  ${id}: ${why}`);
}

async function start(loop: Loop, view: TaskView, decision: Decision, facts: Facts): Promise<void> {
  const { ports, project } = loop;
  const whole = await wholeView(project, view.id);
  const { choice } = loop.request;
  const planned = await planStep(
    {
      project,
      repository: loop.workspace.repository,
      choice,
      unusable: loop.unusable,
      running: loop.running.size,
      now: ports.now,
      random: ports.random,
      session: (owner) => (choice.resume ? readSession(stateDirOf(project), owner) : Promise.resolve(null)),
    },
    whole,
    decision,
    facts,
  );
  if (typeof planned === 'string') return refuse(loop, view.id, planned);
  const { job, reserved: reservedUsd } = planned;
  const claimed = await claimStep({
    project,
    view: whole,
    job,
    holder: job.agent,
    run: localRun(),
    reservedUsd,
    now: ports.now(),
    submit: (wanted) => submit(loop, wanted),
  });
  // Someone else was faster: the next look shows their claim.
  if (claimed.kind === 'lost') return;
  if (claimed.kind !== 'claimed') return refuse(loop, view.id, claimed.detail);
  if (!loop.tasks.has(view.id)) sayTask(loop, view);
  loop.tasks.add(view.id);
  if (job.lane?.note) sayOf(loop, view.id, job.lane.note);
  const done = runClaimed(loop, whole, job);
  loop.running.set(
    view.id,
    done.finally(() => loop.running.delete(view.id)),
  );
}

/** With `--push` the remote must accept it before an agent starts. */
function submit({ project, request, ports }: Loop, wanted: Parameters<typeof claimTask>[1]) {
  if (request.offline) return claimTask(project.ledger, wanted);
  if (!request.push) return claimEverywhere(project, wanted, {}, ports);
  const { ledger } = project;
  return claimOnRemote(ledger, wanted, { remote: 'origin', tell: warnJoined(ledger, ports) });
}
