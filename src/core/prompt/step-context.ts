/**
 * Everything that a step's prompt may need, as plain data. The caller collects it from git, the ledger and
 * the forge. The prompt is built from this data alone, so `gza prompt` prints exactly what a run would send.
 * Its texts are raw: building the prompt cleans and shortens them.
 */

import type { StepName } from '../ledger/record/record.ts';
import type { Finding, FindingAnswer } from '../review/finding.ts';
import type { Task, TaskType } from '../task/task.ts';

export interface StepContext {
  readonly task: Task;
  readonly step: StepName;
  /** A word that a review's answer must contain. */
  readonly nonce: string;
  /** Cycle of the review loop, from 1; 0 before it. */
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
  /** The result of the last checks. */
  readonly verification: { readonly isOk: boolean; readonly text: string } | null;
  /** Commands that will verify the step. */
  readonly checks: readonly string[];
  /** What a retry should do differently. */
  readonly strategy: string | null;
  /** The review that an improve answers. */
  readonly review: { readonly text: string; readonly findings: readonly Finding[] } | null;
  /** Findings of earlier cycles, with their answers. */
  readonly earlierFindings: readonly EarlierFinding[];
  /** Unresolved comments by people with write access. */
  readonly humanComments: readonly HumanComment[];
  /** What a person wrote with the command that requested this step. */
  readonly guidance: string | null;
  /** Oldest first. */
  readonly notes: readonly string[];
  /** What a step must not touch, in words or globs. */
  readonly protectedPaths: readonly string[];
  /** Set when the step runs in rounds until it is verified. */
  readonly ralph: { readonly round: number; readonly max: number } | null;
  /** Describes the unfinished work of an earlier slice. */
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
  /** Null when unavailable or too large. */
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
  /** Identifies the comment in the agent's answers. */
  readonly fingerprint?: string;
  /** Fingerprint of the finding that it is about. */
  readonly about?: string;
}
