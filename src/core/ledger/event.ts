/**
 * What can happen to a ledger. An event is the body of a commit message under refs/tasks/, so its form is a
 * contract: old ledgers must stay readable. `apply` is its meaning, `describeEvent` its sentence.
 */

import type { Task } from '../task/task.ts';
import type {
  Claim,
  Closing,
  FinalVerdict,
  LaneLink,
  PullRequestRecord,
  StepRecord,
  Stop,
  TaskRecord,
} from './record/record.ts';

interface Happened {
  /** ISO time. */
  at: string;
  /** Who did it: a person, an agent, a run. */
  by?: string;
}

/** What a step used, counted for its day. */
export interface Spent {
  spent_usd?: number;
  input_tokens?: number;
  output_tokens?: number;
}

interface OnTask extends Happened {
  id: string;
}

export type Event =
  /** A task was filed. */
  | (Happened & { kind: 'add'; task: TaskRecord })
  /** A task from a file entered the ledger, with the definition it has from now on. */
  | (Happened & { kind: 'adopt'; task: TaskRecord })
  /** Fields were set; null removes one. */
  | (OnTask & { kind: 'edit'; set: Partial<Record<keyof Task, unknown>> })
  | (OnTask & { kind: 'note'; text: string })
  | (OnTask & { kind: 'assign'; agent: string | null })
  /** Closed by a person or by the engine. */
  | (OnTask & {
      kind: 'close';
      as: Closing;
      reason?: string;
      commit?: string;
      patch?: string;
      /** Commit at which HEAD stood: the next one after it closes the task. */
      link_next?: string;
      verdict?: FinalVerdict;
      notes?: string;
    })
  /** The commit that closed it became known, or was found again after a rebase. */
  | (OnTask & { kind: 'link'; commit: string; patch?: string })
  /** The running agent says that its task is done; completion follows from verification. */
  | (OnTask & { kind: 'believed-done' })
  | (OnTask & { kind: 'reopen'; reason?: string })
  /** The failed phase again; from the start: the implementation again on the same branch. */
  | (OnTask & { kind: 'retry'; from_start?: boolean; redefined?: Task })
  | (OnTask & { kind: 'reset' })
  | (OnTask & { kind: 'unblock' })
  | (OnTask & { kind: 'stop'; stop: Stop })
  | (OnTask & { kind: 'pause'; paused: boolean })
  | (OnTask & { kind: 'approve'; reason?: string })
  | (OnTask & { kind: 'verdict'; verdict: FinalVerdict | null })
  /** One more cycle beyond the end of the loop. */
  | (OnTask & { kind: 'grant-cycle' })
  | (OnTask & { kind: 'split'; children: TaskRecord[] })
  /** A step of the task ended. */
  | (OnTask & { kind: 'step'; step: StepRecord; not_before?: string })
  | (OnTask & { kind: 'pull-request'; pull_request: PullRequestRecord })
  /** First event of a lane's ledger: its tasks move in. */
  | (Happened & { kind: 'open-lane'; lane: LaneLink; tasks: TaskRecord[] })
  /** In the base ledger: the task's progress is kept in a lane from now on. */
  | (OnTask & { kind: 'enter-lane'; lane: LaneLink })
  /** In the base ledger: a lane ended and its tasks come home; its last commit is the second parent. */
  | (Happened & { kind: 'fold'; lane: LaneLink; how: 'merged' | 'closed' | 'ended'; tasks: TaskRecord[] })
  /** In the base ledger. */
  | (Happened & { kind: 'claim'; claim: Claim })
  | (Happened & { kind: 'renew'; claim: string; until: string })
  | (Happened & { kind: 'release'; claim: string; why: string } & Spent)
  /** In the base ledger: an agent met its usage limit. */
  | (Happened & { kind: 'limit'; agent: string; until: string | null })
  /** A file was put into the ledger's tree: plans/, explorations/, reviews/. */
  | (Happened & { kind: 'artifact'; path: string; blob: string })
  /** A named mark of the engine (watermarks, the board's number). */
  | (Happened & { kind: 'mark'; name: string; value: string | null })
  /** Two clones filed different tasks under one id; the one not yet shared got a longer id. */
  | (Happened & { kind: 'rename'; from: string; to: string });

export type EventKind = Event['kind'];

/** One commit of a ledger. */
export interface LedgerEntry {
  /** Random: how a writer knows that the commit on the ref is its own. */
  nonce: string;
  /** On a ledger's first commit: what it is called, so that a replay needs nothing but the messages. */
  opens?: { branch: string; lane: string; base?: boolean };
  events: Event[];
  /** What a join could not keep. It changes nothing; it is there to be read. */
  dropped?: DroppedEntry[];
}

export interface DroppedEntry {
  event: Event;
  why: string;
  /** Who recorded it: a person is named by the commit that it was in. */
  by: string;
}
