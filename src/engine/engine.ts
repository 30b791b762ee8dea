/**
 * The engine that both front ends share: decide, act, record. A step is planned from facts (StepJob),
 * performed where an agent may run (Left), concluded where no agent runs (StepReport), and recorded in one
 * transaction that moves branch and ledger together. A laptop does all of it in one process. In CI each
 * part is a job of its own, so every part takes and returns plain data.
 */

import type { SessionTotals } from '../agents/agents.ts';
import type { TaskView } from '../core/board/board.ts';
import { type Config, isPlanFiled, type Settings } from '../core/config/config.ts';
import type { LaneLink, StepName } from '../core/ledger/record/record.ts';
import type { OpenCommand } from '../core/policy/decide.ts';
import type { PeopleSaid } from '../core/review/conversation.ts';

/** The agent's session of a step that was cut short. */
export interface StoredSession {
  readonly id: string;
  /** Name of the clone, because agents find sessions by folder. */
  readonly clone: string;
  readonly totals?: SessionTotals | undefined;
}

/** The branch that a step works on. */
export interface Lane {
  readonly link: LaneLink;
  /** The lane has no ledger of its own yet. */
  readonly isNew: boolean;
  /** The commit the step begins at. */
  readonly head: string;
  /** Whether the branch exists. */
  readonly hasBranch: boolean;
  /** The commit to compare the lane with: on the base branch, or on the branch it is stacked on. */
  readonly compareWith: string;
  readonly note?: string;
}

/** One step to do, as plain data. */
export interface StepJob {
  readonly id: string;
  readonly step: StepName;
  /** 0 before the first review. */
  readonly cycle: number;
  readonly guidance?: string;
  /** The team's checks that fail on its branch, each with the end of its log. */
  readonly failing?: string;
  /** The request of a person that this step answers. */
  readonly wish?: OpenCommand;
  /** What people said on the pull request. */
  readonly people?: PeopleSaid;
  readonly agent: string;
  readonly model?: string;
  readonly maxTurns?: number;
  readonly budgetUsd?: number;
  readonly timeoutMinutes: number;
  /** Null for plan and explore, which change no files. */
  readonly lane: Lane | null;
  readonly base: { readonly branch: string; readonly commit: string };
  /** Id of the claim that the step runs under. */
  readonly claim: string;
  /** The agent of the review that follows, if the claim reserves that too. */
  readonly reviewer?: string;
  /** No agent runs; only the checks run, on the current head. */
  readonly isRecheck?: boolean;
  /** No agent runs. The step uses the artifact that a run under an earlier claim left. */
  readonly taken?: {
    readonly run: number;
    readonly artifact: number;
    readonly claim: string;
    readonly times: number;
  };
  /** A session to resume. */
  readonly session?: StoredSession;
}

/** The claim that the agent itself ran under. */
export function claimOfAgent({ claim, taken }: Pick<StepJob, 'claim' | 'taken'>): string {
  return taken?.claim ?? claim;
}

/** What a person chose on the command line. */
export interface RunChoice {
  readonly agents?: readonly string[];
  readonly model?: string;
  /** A command line of the person's own; it becomes the agent `runner`. */
  readonly runner?: string;
  readonly parallel?: number;
  readonly maxTasks?: number;
  readonly delaySeconds: number;
  readonly once: boolean;
  /** Runs one step without an agent, to check the branch as it is. */
  readonly checksOnly?: boolean;
  /** Resumes the session of the step that was cut short, if the agent can. */
  readonly resume?: boolean;
}

/** How many minutes a step of this kind may take. */
export function timeoutMinutes(step: StepName, settings: Settings): number {
  switch (step) {
    case 'review':
      return settings.review_timeout_minutes;
    case 'improve':
      return settings.improve_timeout_minutes;
    case 'plan':
    case 'explore':
    case 'implement':
      return settings.timeout_minutes;
  }
}

/** Whether a step changes files of a lane. The others leave a text. */
export function changesFiles(step: StepName): boolean {
  return step === 'implement' || step === 'improve';
}

/** Whether an agent is a configured command. It answers only in text, and may not read its prompt. */
export function isCommand(name: string, { agents }: Config): boolean {
  return name === 'runner' || agents[name]?.command !== undefined;
}

/** Whether a step needs the lane's branch, to work on it or to read it. */
export function needsLane(step: StepName, settings: Pick<Settings, 'approval' | 'breakdown'>): boolean {
  return changesFiles(step) || step === 'review' || (step === 'plan' && isPlanFiled(settings));
}

/** The path of the text that a step leaves in the ledger; null for steps that leave none. */
export function artifactPath(
  view: Pick<TaskView, 'id' | 'task'>,
  step: StepName,
  cycle: number,
): string | null {
  switch (step) {
    case 'plan':
      return `plans/${view.id}.md`;
    case 'explore':
      return `explorations/${view.id}.md`;
    case 'review':
      return view.task.type === 'review' ? `reviews/${view.id}.md` : `reviews/${view.id}-review-${cycle}.md`;
    case 'implement':
    case 'improve':
      return null;
  }
}

/** Copies those of the named fields that are set. */
export function definedOf<T extends object, K extends keyof T>(of: T, names: readonly K[]): Pick<T, K> {
  const set = names.filter((name) => of[name] !== undefined);
  return Object.fromEntries(set.map((name) => [name, of[name]])) as Pick<T, K>;
}
