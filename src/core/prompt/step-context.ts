/**
 * All that a step's prompt may need, as plain data. Whoever gathers it has git, the ledger and the forge at hand;
 * whoever writes the prompt has only this, so `gza prompt` prints exactly what a run would send. Text in it is as
 * it came: making it harmless and fitting it in is the prompt's own work.
 */

import type { StepName } from '../ledger/record/record.ts';
import type { Finding, FindingAnswer } from '../review/finding.ts';
import type { Task, TaskType } from '../task/task.ts';

export interface StepContext {
  readonly task: Task;
  readonly step: StepName;
  /** What a review's answer must carry. */
  readonly nonce: string;
  /** Of the review loop, from 1; 0 before it. */
  readonly cycle: number;
  readonly cyclesMax: number;
  /** From 1. */
  readonly attempt: number;
  readonly lane: { readonly branch: string; readonly base: string };
  /** Who commits: the engine makes one commit of the final tree, or the agent makes its own (`--here`). */
  readonly commits: 'engine' | 'agent';
  /** The nearest plan along the dependency chain, or the file that the task names. */
  readonly plan: { readonly id: string; readonly text: string; readonly path: string } | null;
  /** Completed dependencies, nearest first. */
  readonly dependencies: readonly DependencyResult[];
  /** `Current Tasks` of contextText; empty when there is none. */
  readonly outline: string;
  readonly diff: StepDiff | null;
  /** How the checks ended last. */
  readonly verification: { readonly isOk: boolean; readonly text: string } | null;
  /** Commands that will judge the step. */
  readonly checks: readonly string[];
  /** What a retry should do otherwise than the try before. */
  readonly strategy: string | null;
  /** The review that an improve answers. */
  readonly review: { readonly text: string; readonly findings: readonly Finding[] } | null;
  /** Of the cycles before, with what was answered. */
  readonly earlierFindings: readonly EarlierFinding[];
  /** Unresolved, of people with write access. */
  readonly humanComments: readonly HumanComment[];
  /** What a person said with the command that asked for this step. */
  readonly guidance: string | null;
  /** Oldest first. */
  readonly notes: readonly string[];
  /** What a step may not touch, in words or globs for a person. */
  readonly protectedPaths: readonly string[];
  /** Set when the step runs in rounds until it is verified. */
  readonly ralph: { readonly round: number; readonly max: number } | null;
  /** What an earlier slice left behind. */
  readonly resumeHint: string | null;
}

export interface DependencyResult {
  readonly id: string;
  readonly title: string;
  readonly type: TaskType;
  readonly status: string;
  readonly summary: string;
  readonly commit: string | null;
  readonly branch: string | null;
  /** An exploration's text. */
  readonly text?: string;
}

export interface StepDiff {
  /** Null: not at hand, or too large to be. */
  readonly text: string | null;
  readonly isTooLarge: boolean;
  readonly files: readonly DiffFile[];
  /** Commits or branches that the work tree knows. */
  readonly base: string;
  readonly head: string;
}

export interface DiffFile {
  readonly path: string;
  /** Null for a binary file. */
  readonly added: number | null;
  readonly removed: number | null;
}

export interface EarlierFinding {
  readonly cycle: number;
  readonly finding: Finding;
  readonly answer: FindingAnswer | null;
}

export interface HumanComment {
  readonly author: string;
  readonly file: string | null;
  readonly line: number | null;
  readonly text: string;
  /** By which it is answered. */
  readonly fingerprint?: string;
  /** The finding that it is about. */
  readonly about?: string;
}
