/**
 * What happened to a task: one line of a ledger. It holds facts, never a status; status.ts derives that.
 * Times are ISO 8601 in UTC.
 */

import type { Verdict } from '../../review/verdict.ts';
import type { Task, TaskType } from '../../task/task.ts';

export type FinalVerdict = Verdict | 'MAX_CYCLES_REACHED';

/** One agent run with one purpose. `task` runs as `implement`. */
export const stepNames = ['plan', 'explore', 'implement', 'review', 'improve'] as const;
export type StepName = (typeof stepNames)[number];

/**
 * How a step ended. `ok` did what it should. `failed` spends an attempt. `slice` was cut short by a turn or time
 * limit with work to show. `limit` met a usage limit of the agent: nothing spent, wait. `blocked` the agent said
 * it cannot go on. `no-verdict` a review without a clear verdict. `cancelled` was stopped. `lost` its process or
 * machine died and left nothing.
 */
export const stepOutcomes = [
  'ok',
  'failed',
  'slice',
  'limit',
  'blocked',
  'no-verdict',
  'cancelled',
  'lost',
] as const;
export type StepOutcome = (typeof stepOutcomes)[number];

export interface StepRecord {
  step: StepName;
  outcome: StepOutcome;
  started_at: string;
  ended_at: string;
  /** Review cycle it belongs to, from 1; 0 or absent before the first review. */
  cycle?: number;
  agent?: string;
  agent_version?: string;
  model?: string;
  /** The lane's commit after the step (implement, improve), or the one reviewed. */
  head?: string;
  /** Identity of the lane's diff (`git patch-id --verbatim`) after the step, or of the one reviewed. */
  diff?: string;
  verdict?: Verdict;
  /** Fingerprints of a review's findings; blockers begin with `!`. */
  findings?: string[];
  /** Result of the checks after an implement or improve step. */
  verified?: boolean;
  error?: string;
  cost_usd?: number;
  input_tokens?: number;
  output_tokens?: number;
  turns?: number;
  session?: string;
}

/** The last steps are kept; older ones are summed up in `spent`. */
export const stepsKeptMax = 40;

export const closings = ['done', 'skipped', 'dropped', 'failed', 'split'] as const;
export type Closing = (typeof closings)[number];

/** Why a person must look. A stable word for scripts, a sentence for people. */
export interface Stop {
  reason: string;
  detail: string;
  at: string;
}

export interface PullRequestRecord {
  number: number;
  url?: string;
  state: 'draft' | 'open' | 'merged' | 'closed';
}

export interface LaneLink {
  /** Random; a ledger that comes back with the id of a folded lane is ignored. */
  id: string;
  branch: string;
  /** The commit it began at, and the branch that it is stacked on, if any. */
  fork_point?: string;
  stacked_on?: string;
  /** gza itself put it on another commit: where it was, where it is, and the id of its diff there. */
  rebased?: { from: string; to: string; diff: string };
  folded_at?: string;
}

export interface TaskRecord extends Task {
  created_at: string;
  created_by?: string;
  /** The task file it was taken from when it was claimed. */
  file?: string;
  /** Identity of an imported line, so that a second import finds it again. */
  key?: string;
  /** Longer id under which a task that collided in another clone was first known. */
  was?: string;
  notes?: string[];
  lane?: LaneLink;
  started_at?: string;
  closed_at?: string;
  closed_as?: Closing;
  closed_reason?: string;
  closed_by?: string;
  closed_commit?: string;
  /** Patch identity of the closing commit, to find it again after amend or rebase. */
  closed_patch?: string;
  /** `done` without a commit of its own: the next commit closes it. */
  link_next?: string;
  /** The agent of the task's own run says that it is done. */
  believed_done_at?: string;
  steps?: StepRecord[];
  attempts?: number;
  slices?: number;
  error?: string;
  implementation_notes?: string;
  /** Current review cycle; 0 = not started. */
  review_cycle?: number;
  /** Cycles granted beyond max_review_cycles by a person. */
  extra_cycles?: number;
  final_verdict?: FinalVerdict;
  verdict_by?: string;
  approved_at?: string;
  approved_by?: string;
  stop?: Stop;
  paused_at?: string;
  not_before?: string;
  pull_request?: PullRequestRecord;
  merged_at?: string;
  cost_usd?: number;
  input_tokens?: number;
  output_tokens?: number;
  seconds?: number;
}

/** The right to work on a lane, with what it may spend. Lives in the base ledger. */
export interface Claim {
  /** Nonce of the claim; releasing and renewing name it. */
  id: string;
  task: string;
  /** Branch of the lane. */
  lane: string;
  /** Who: an agent's name, a person, or a CI run. */
  holder: string;
  at: string;
  /** When it is dead unless renewed. */
  until: string;
  /** A CI run that holds it, alive while the forge says that the run is not completed. */
  run?: string;
  step?: StepName;
  /** The lane's head when it was claimed. */
  head?: string;
  files?: string[];
  reserved_usd?: number;
  agent?: string;
}

/** From the first claim on, and when it is closed, a task is what its record says, whatever its file says then. */
export function isDefined(record: Pick<TaskRecord, 'file' | 'started_at' | 'closed_at'>): boolean {
  return record.file === undefined || record.started_at !== undefined || record.closed_at !== undefined;
}

export function stepOfType(type: TaskType): StepName {
  return type === 'task' ? 'implement' : type;
}
