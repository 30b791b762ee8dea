/**
 * What a tracker (Linear, GitHub issues) should show of the tasks, what it holds, and what must be done.
 * Tasks are named by their ids, milestones and labels by their names; only its adapter knows the tracker's
 * own ids.
 */
import type { Priority } from '../task/task.ts';

/** A task's status, or `in_review`: its steps are done, and its pull request waits to be merged. */
export const issueStates = [
  'pending',
  'blocked',
  'in_progress',
  'in_review',
  'completed',
  'failed',
  'skipped',
] as const;
export type IssueState = (typeof issueStates)[number];

export interface WantedIssue {
  readonly task: string;
  /** The issue's name in the tracker (`ENG-12`), if the ledger knows it. */
  readonly known: string | null;
  /** False if the task was dropped, or had an issue already: one that went away is not created again. */
  readonly mayCreate: boolean;
  readonly title: string;
  /** gza's part of the text; ends with its mark. */
  readonly body: string;
  /** Digest of title and body, as written in the mark. */
  readonly digest: string;
  readonly state: IssueState;
  readonly priority: Priority | null;
  readonly milestone: string | null;
  readonly labels: readonly string[];
  /** The parent and the blockers are ids of tasks. */
  readonly parent: string | null;
  readonly blockedBy: readonly string[];
  /** Its pull request. */
  readonly link: TrackerLink | null;
}

export interface TrackerLink {
  readonly url: string;
  readonly title: string;
}

export interface WantedMilestone {
  readonly name: string;
  readonly description: string;
}

export interface Wanted {
  readonly issues: readonly WantedIssue[];
  /** Milestones that an issue names, in order. */
  readonly milestones: readonly WantedMilestone[];
  /** The project that milestones belong to; it is created if missing. */
  readonly project: string | null;
}

export interface HeldIssue {
  readonly task: string;
  /** What people call it: `ENG-12`, `#12`. */
  readonly name: string;
  readonly url: string;
  /** gza created it, so its text and labels are gza's to write. */
  readonly isOurs: boolean;
  /** Archived or in the bin, so it is left alone. */
  readonly isAway: boolean;
  readonly body: string;
  /** The task states that its present state may stand for. */
  readonly states: readonly IssueState[];
  readonly milestone: string | null;
  readonly labels: readonly string[];
  readonly parent: string | null;
  readonly blockedBy: readonly string[];
  /** Those of them that gza wrote, if the tracker says so. */
  readonly ourBlockedBy: readonly string[];
  /** Addresses attached to it. */
  readonly links: readonly string[];
}

export interface Held {
  readonly issues: readonly HeldIssue[];
  readonly milestones: readonly string[];
  readonly labels: readonly string[];
  readonly hasProject: boolean;
}

export interface IssueChange {
  readonly title?: string;
  readonly body?: string;
  readonly state?: IssueState;
  readonly milestone?: string;
  readonly parent?: string;
  readonly addLabels?: readonly string[];
  readonly removeLabels?: readonly string[];
}

export type TrackerAction =
  | { readonly kind: 'create-project'; readonly name: string }
  | ({ readonly kind: 'create-milestone' } & WantedMilestone)
  | { readonly kind: 'create-label'; readonly name: string }
  | { readonly kind: 'create-issue'; readonly task: string; readonly issue: NewIssue }
  | { readonly kind: 'update-issue'; readonly task: string; readonly set: IssueChange }
  | { readonly kind: 'block'; readonly task: string; readonly by: string }
  | { readonly kind: 'unblock'; readonly task: string; readonly by: string }
  | { readonly kind: 'attach'; readonly task: string; readonly link: TrackerLink };

export type NewIssue = Pick<
  WantedIssue,
  'title' | 'body' | 'state' | 'priority' | 'milestone' | 'labels' | 'parent'
>;

/** Actions with the same key do the same. */
export function actionKey(action: TrackerAction): string {
  switch (action.kind) {
    case 'create-project':
    case 'create-milestone':
    case 'create-label':
      return `${action.kind} ${action.name}`;
    case 'create-issue':
    case 'update-issue':
      return `${action.kind} ${action.task}`;
    case 'block':
    case 'unblock':
      return `${action.kind} ${action.task} ${action.by}`;
    case 'attach':
      return `${action.kind} ${action.task} ${action.link.url}`;
  }
}
