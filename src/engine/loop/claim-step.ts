/** Before anything is spent: the claim, with the lane's ledger opened in the same transaction. */

import type { Project } from '../../app/project.ts';
import { definitionNow } from '../../app/tasks/change-task.ts';
import type { TaskView } from '../../core/board/board.ts';
import { apply } from '../../core/ledger/apply.ts';
import type { Event } from '../../core/ledger/event.ts';
import { emptyState } from '../../core/ledger/ledger-state.ts';
import type { Claim, TaskRecord } from '../../core/ledger/record/record.ts';
import { declaredFiles } from '../../core/task/declared-files.ts';
import { addSeconds } from '../../core/time.ts';
import { type Claimed, type ClaimRequest } from '../../ledger/claim.ts';
import type { Change, LedgerView } from '../../ledger/ledger.ts';
import type { Lane, StepJob } from '../engine.ts';

/** A laptop's lease; renewed at a third of it. */
export const leaseSeconds = 600;

export interface ClaimFacts {
  readonly project: Project;
  readonly view: TaskView;
  readonly job: StepJob;
  readonly holder: string;
  /** How others can tell that the holder lives. */
  readonly run: string;
  readonly reservedUsd: number | null;
  readonly now: string;
  /** Default a laptop's lease. */
  readonly leaseSeconds?: number;
  /** Claims here, or also on the remote. */
  readonly submit: (request: ClaimRequest) => Promise<Claimed>;
}

export async function claimStep(facts: ClaimFacts): Promise<Claimed> {
  const { project, view, job, now } = facts;
  const adopted = await definitionNow(project, view.id, { at: now });
  const claim: Claim = {
    id: job.claim,
    task: view.id,
    lane: job.lane?.link.branch ?? `task:${view.id}`,
    holder: facts.holder,
    at: now,
    until: addSeconds(now, facts.leaseSeconds ?? leaseSeconds),
    run: facts.run,
    step: job.step,
    agent: job.agent,
    files: declaredFiles(view.task),
    ...(job.lane ? { head: job.lane.head } : {}),
    ...(facts.reservedUsd === null ? {} : { reserved_usd: facts.reservedUsd }),
  };
  return facts.submit({
    claim,
    at: now,
    also: (ledgers) => laneChanges(ledgers, view.id, job.lane, adopted, now),
  });
}

/** What goes along with the claim: the task enters the ledger, and the lane's ledger begins. */
async function laneChanges(
  ledgers: LedgerView,
  id: string,
  lane: Lane | null,
  adopted: Event | null,
  at: string,
): Promise<Change[]> {
  const located = await ledgers.task(id);
  const events: Event[] = adopted && !(located && adopted.kind === 'adopt') ? [adopted] : [];
  const record = recordWith(located?.record, events[0]);
  const branch = lane?.link.branch;
  if (!lane || branch === undefined || located?.branch === branch || !record) {
    return events.length > 0 ? [{ branch: ledgers.base, events }] : [];
  }
  events.push({ kind: 'enter-lane', at, id, lane: lane.link });
  const opening: Event = {
    kind: 'open-lane',
    at,
    lane: lane.link,
    tasks: [{ ...record, started_at: record.started_at ?? at }],
  };
  return [
    { branch: ledgers.base, events },
    { branch, events: [opening] },
  ];
}

/** The record as it is once what the claim brings was applied. */
function recordWith(record: TaskRecord | undefined, event: Event | undefined): TaskRecord | undefined {
  if (event?.kind === 'adopt') return event.task;
  if (!record || event?.kind !== 'retry') return record;
  const applied = apply(
    { ...emptyState({ v: 1, branch: '', lane: '' }), tasks: new Map([[record.id, record]]) },
    event,
  );
  return applied.kind === 'applied' ? applied.changes.tasks?.[0] : record;
}
