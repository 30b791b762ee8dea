/** Claims what is decided to run: one job of the matrix for each. */

import { scorer } from '../../app/facts/scorer.ts';
import type { Project } from '../../app/project.ts';
import { wholeView } from '../../app/tasks/change-task.ts';
import type { TaskView } from '../../core/board/board.ts';
import type { Event } from '../../core/ledger/event.ts';
import type { Decision, Facts } from '../../core/policy/decide.ts';
import type { PeopleSaid } from '../../core/review/conversation.ts';
import type { StepJob } from '../../engine/engine.ts';
import { planStep } from '../../engine/loop/plan-step.ts';
import type { LedgerView } from '../../ledger/ledger.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { peopleFor } from '../comments/people.ts';
import type { Ci } from '../jobs/ci.ts';
import { begunCommand, begunMark, commandMark } from './asked-steps.ts';
import { claimEach } from './claim-each.ts';
import { type ClaimedLane, claimJob } from './claim-job.ts';
import type { LaneWorld } from './lane-world.ts';

export interface Picking {
  readonly ci: Ci;
  readonly workspace: Workspace;
  readonly worlds: ReadonlyMap<string, LaneWorld>;
  readonly project: Project;
  readonly facts: Facts;
}

/** Each in an order of its own; what cannot start is said. */
export async function claimReady(pick: Picking, decisions: readonly Decision[]): Promise<ClaimedLane[]> {
  const people = await peopleFor(pick.ci, pick.project, pick.worlds, decisions);
  return claimEach(decisions, (one) => claimOne(pick, one, people.get(one.task)), pick.ci.warn);
}

async function claimOne(
  { ci, project, workspace, facts }: Picking,
  decision: Decision,
  people: PeopleSaid | undefined,
): Promise<ClaimedLane | null> {
  const { ports } = ci;
  const view = await wholeView(project, decision.task);
  const planned = await planStep(
    {
      project,
      repository: workspace.repository,
      choice: { delaySeconds: 0, once: false },
      unusable: new Map(),
      running: 0,
      now: ports.now,
      random: ports.random,
      session: async () => null,
    },
    view,
    decision,
    facts,
  );
  if (typeof planned === 'string') {
    ci.say(`${view.id}: ${planned}`);
    return null;
  }
  const job = people ? { ...planned.job, people } : planned.job;
  const claimed = await claimJob(ci, {
    project,
    view,
    job,
    reservedUsd: planned.reserved,
    also: async (ledgers, at) => (decision.rule === 'command' ? beginCommand(ledgers, job, at) : []),
  });
  if (!claimed) return null;
  if (!view.record?.started_at) warnOfSize(ci, project, view);
  ci.say(`${job.id}: ${job.step} by ${job.agent} (${decision.rule}: ${decision.because})`);
  return claimed;
}

/** Guidance: it starts all the same. */
function warnOfSize(ci: Ci, project: Project, { task }: TaskView): void {
  for (const { message } of scorer(project, [task])(task).warnings) ci.warn(message);
}

async function beginCommand(view: LedgerView, { id, claim }: StepJob, at: string): Promise<Event[]> {
  const name = commandMark(id);
  const command = (await view.meta(view.base))?.marks?.[name];
  if (command === undefined) return [];
  return [
    { kind: 'mark', at, name, value: null },
    { kind: 'mark', at, name: begunMark(claim), value: begunCommand(id, command) },
  ];
}
