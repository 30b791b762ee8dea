/**
 * The engine that both fronts share: decide, act, record. A step is planned from facts (StepJob), performed where an
 * agent may run (Left), concluded where none does (StepReport), and recorded in one transaction that moves branch and
 * ledger together. On a laptop all of it happens here; in CI each part is a job of its own, so every part takes and
 * gives plain data.
 */

import type { SessionTotals } from '../agents/agents.ts';
import type { TaskView } from '../core/board/board.ts';
import { type Config, isPlanFiled, type Settings } from '../core/config/config.ts';
import type { LaneLink, StepName } from '../core/ledger/record/record.ts';
import type { OpenCommand } from '../core/policy/decide.ts';
import type { PeopleSaid } from '../core/review/conversation.ts';

/** The session of a step that was cut short. */
export interface StoredSession {
  readonly id: string;
  /** Name of the clone: agents look sessions up by folder. */
  readonly clone: string;
  readonly totals?: SessionTotals | undefined;
}

/** Where a step works. */
export interface Lane {
  readonly link: LaneLink;
  /** No ledger of its own yet. */
  readonly isNew: boolean;
  /** The commit the step begins at. */
  readonly head: string;
  /** Whether the branch exists. */
  readonly hasBranch: boolean;
  /** What the lane's diff is compared with: the base branch, or the branch it is stacked on. */
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
  /** Checks of the team that fail on its branch, each with the end of its log. */
  readonly failing?: string;
  /** What a person asked for, where the step answers that. */
  readonly wish?: OpenCommand;
  /** On the pull request, where there is one. */
  readonly people?: PeopleSaid;
  readonly agent: string;
  readonly model?: string;
  readonly maxTurns?: number;
  readonly budgetUsd?: number;
  readonly timeoutMinutes: number;
  /** Null for plan and explore, which change no files. */
  readonly lane: Lane | null;
  readonly base: { readonly branch: string; readonly commit: string };
  /** Id of the claim it is done under. */
  readonly claim: string;
  /** Who reviews what it leaves, where its claim reserves that too. */
  readonly reviewer?: string;
  /** No agent runs: only the checks, on the head as it is. */
  readonly isRecheck?: boolean;
  /** No agent runs: what it left under an earlier claim, as the artifact of that run, is taken over. */
  readonly taken?: {
    readonly run: number;
    readonly artifact: number;
    readonly claim: string;
    readonly times: number;
  };
  /** A session to go on with. */
  readonly session?: StoredSession;
}

/** The claim that its agent ran under. */
export function claimOfAgent({ claim, taken }: Pick<StepJob, 'claim' | 'taken'>): string {
  return taken?.claim ?? claim;
}

/** What a person chose on the command line. */
export interface RunChoice {
  readonly agents?: readonly string[];
  readonly model?: string;
  /** A command line of the person's own, as agent `runner`. */
  readonly runner?: string;
  readonly parallel?: number;
  readonly maxTasks?: number;
  readonly delaySeconds: number;
  readonly once: boolean;
  /** One step, of an agent that does nothing: the branch is checked as it stands. */
  readonly checksOnly?: boolean;
  /** Goes on in the session of the step that was cut short, where the agent can. */
  readonly resume?: boolean;
}

/** Minutes that a step of this kind may take. */
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

/** Steps that change files of a lane; the others leave a text. */
export function changesFiles(step: StepName): boolean {
  return step === 'implement' || step === 'improve';
}

/** A command line of somebody's own: it answers in text alone, and may not read its prompt. */
export function isCommand(name: string, { agents }: Config): boolean {
  return name === 'runner' || agents[name]?.command !== undefined;
}

/** Steps that work on a lane's branch, or look at it. */
export function needsLane(step: StepName, settings: Pick<Settings, 'approval' | 'breakdown'>): boolean {
  return changesFiles(step) || step === 'review' || (step === 'plan' && isPlanFiled(settings));
}

/** The folder of an artifact that a step leaves. */
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

/** Some fields of a record, those that are set. */
export function definedOf<T extends object, K extends keyof T>(of: T, names: readonly K[]): Pick<T, K> {
  const set = names.filter((name) => of[name] !== undefined);
  return Object.fromEntries(set.map((name) => [name, of[name]])) as Pick<T, K>;
}
