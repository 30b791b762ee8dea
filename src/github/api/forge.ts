/**
 * The place where pull requests live. It has a reading and a writing half, and code that decides only
 * receives the reading half. Expected outcomes (already closed, already exists, not allowed) are values. A
 * forge that fails throws a `world` error that says what to do. The adapter handles rate limits, retries and
 * conditional reads.
 */
import type { MergeSeen } from '../../core/policy/merging.ts';
import type { Outdated, Said, Thread } from '../../core/review/conversation.ts';
import type { PlacedComment } from '../../core/text/github/review-comment.ts';

export type Role = 'admin' | 'maintain' | 'write' | 'read' | 'none';

export interface PullFacts {
  readonly number: number;
  /** Its node id in GraphQL. */
  readonly nodeId: string;
  readonly url: string;
  readonly state: 'draft' | 'open' | 'merged' | 'closed';
  readonly branch: string;
  readonly base: string;
  readonly headCommit: string;
  readonly title: string;
  readonly body: string;
  /**
   * True when gza's own account opened it. Boxes count only then, and only inside the block that gza marked.
   */
  readonly isOurs: boolean;
  readonly author: string;
  readonly labels: readonly string[];
  /** Who edited the body last; null when only its author did. */
  readonly bodyEditedBy: string | null;
  readonly updatedAt: string;
  readonly mergedAt: string | null;
  /** True when the forge closed it because its base branch was deleted, so no person wanted it closed. */
  readonly closedWithBase: boolean;
  readonly fromFork: boolean;
  /** Only present where it was requested. */
  readonly checks?: TeamChecks;
}

/** How the team's own CI ended on a commit. */
export interface TeamChecks {
  /** Failed checks that must pass before a merge into the base. */
  readonly red: readonly RedCheck[];
  /** Names of workflows that passed, and of required checks that passed beside a failed job. */
  readonly green: readonly string[];
}

export interface RedCheck {
  readonly name: string;
  /** Ids of the job and of its run, and the run's attempt number. */
  readonly job: number;
  readonly run: number;
  readonly attempt: number;
}

export interface CommentFacts {
  readonly id: number;
  /**
   * `review-comment` is on a line of a diff, `review` is the summary of a whole review. `label`: somebody set
   * the label `gza` on an issue, which counts as `/gza work`.
   */
  readonly kind: 'comment' | 'review-comment' | 'review' | 'label';
  /** Node id in GraphQL. Set for reviews, since the REST API has no reactions on them. */
  readonly nodeId?: string;
  /** True for a label that an issue form added when the issue was opened, which no person asked for. */
  readonly isFromForm?: boolean;
  /** Number of the pull request or issue. */
  readonly on: number;
  readonly isPull: boolean;
  readonly author: string;
  /** Id of the account, since a login can pass to another person. */
  readonly authorId: number;
  readonly isBot: boolean;
  readonly text: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** The issue or pull request's text when the comment was written. Only an event contains it. */
  readonly subject?: { readonly title: string; readonly body: string };
  readonly file: string | null;
  readonly line: number | null;
}

export interface IssueFacts {
  readonly number: number;
  readonly title: string;
  readonly body: string;
  readonly state: 'open' | 'closed';
  readonly isOurs: boolean;
  readonly bodyEditedBy: string | null;
  readonly updatedAt: string;
  /** Its comments, at most the newest hundred. Only present when the issue was requested by number. */
  readonly said?: readonly Said[];
}

interface RunFacts {
  readonly id: number;
  readonly attempt: number;
  readonly isCompleted: boolean;
  readonly conclusion: string | null;
}

/** A workflow run on a commit that does not start until a person approves it. */
export interface WaitingRun {
  /** File name of the workflow. */
  readonly workflow: string;
  readonly commit: string;
}

export interface LanesSeen {
  readonly pulls: readonly PullFacts[];
  readonly issue: IssueFacts | null;
  /** Empty where no time was given. */
  readonly comments: readonly CommentFacts[];
}

export interface ForgeRead {
  /** Open and recently closed pull requests from these branches of this repository, in one request. */
  pullsOfBranches(branches: readonly string[]): Promise<PullFacts[]>;
  /**
   * Also reads the issue that gza opened under `title` and, given a time, the comments since then, like
   * `commentsSince`. This takes one request, unless there are more comments than one answer holds.
   */
  lanesAndIssue(branches: readonly string[], title: string, since?: string): Promise<LanesSeen>;
  pull(number: number): Promise<PullFacts | null>;
  issue(number: number): Promise<IssueFacts | null>;
  /** Whether anybody but gza edited an issue or pull request since a time. True in doubt. */
  isEditedSince(on: { readonly number: number; readonly isPull: boolean }, iso: string): Promise<boolean>;
  /** The issue that gza opened under this title, open or closed. */
  findIssue(title: string): Promise<IssueFacts | null>;
  /** Comments on pull requests, issues and lines, new or edited since a time; at most 300, oldest first. */
  commentsSince(iso: string): Promise<CommentFacts[]>;
  /** Whether a bot posted these words in a comment. Reads at most 1,000; true also when there are more. */
  hasBotComment(on: number, words: string): Promise<boolean>;
  /** Number of a pull request → its whole conversation. One request reads ten pull requests. */
  conversations(pulls: readonly number[]): Promise<Map<number, Thread[]>>;
  /** Texts of the reviews that gza posted on a pull request, at most 300. */
  ourReviews(pull: number): Promise<readonly string[]>;
  role(login: string): Promise<Role>;
  run(id: number): Promise<RunFacts | null>;
  /** Id of the newest artifact of a run with this name that has not expired. */
  artifact(run: number, name: string): Promise<number | null>;
  /**
   * Commit → how the team's CI ended there, for commits where it ended. Takes one or two requests, and more
   * only where a run failed.
   */
  teamChecks(
    heads: readonly string[],
    base: string,
    isKnown: (head: string) => boolean,
  ): Promise<Map<string, TeamChecks>>;
  /** The end of a job's log; null where there is none. */
  jobLog(job: number, bytesMax: number): Promise<string | null>;
  /** What prevents merging a pull request, and what it changes; null when it no longer exists. */
  mergeSeen(pull: number): Promise<MergeSeen | null>;
  /** Runs that a person must approve before they start; the newest hundred of each kind. */
  waitingRuns(): Promise<readonly WaitingRun[]>;
  /** File names of the workflows that were started by hand or by the API on a commit; at most 100. */
  startedOn(commit: string): Promise<readonly string[]>;
  /** Jobs of a run that have not ended; at most 2,000. */
  openJobs(run: number): Promise<readonly { readonly name: string; readonly isAtWork: boolean }[]>;
}

export interface PullWanted {
  readonly branch: string;
  readonly base: string;
  readonly title: string;
  readonly body: string;
  readonly draft: boolean;
  readonly reviewers: readonly string[];
}

export type Opened =
  | { readonly kind: 'opened' | 'found'; readonly pull: PullFacts }
  /** The branch has no commits that the base lacks. */
  | { readonly kind: 'no-commits' }
  /** The repository's settings forbid it. `hint` names the setting and where to find it. */
  | { readonly kind: 'forbidden'; readonly hint: string };

export interface ReviewWanted {
  /** Null for the commit at the head. */
  readonly commit: string | null;
  readonly body: string;
  /** Comments on lines that the diff shows. */
  readonly comments: readonly PlacedComment[];
  /** Comments on other lines; they become part of the body. */
  readonly rest: readonly PlacedComment[];
}

export interface PullChange {
  readonly reviews?: readonly ReviewWanted[];
  readonly fields?: {
    readonly title?: string;
    readonly body?: string;
    readonly base?: string;
  };
  /** True: ready for review. False: a draft. */
  readonly ready?: boolean;
  /**
   * gza's own outdated comments and threads to tidy up. Anything that GitHub refuses to tidy stays as it is.
   */
  readonly outdated?: Outdated;
}

export interface LabelChange {
  readonly add?: readonly string[];
  readonly remove?: readonly string[];
}

type StatusState = 'pending' | 'success' | 'failure' | 'error';

export type Merged =
  | { readonly kind: 'merged' }
  | { readonly kind: 'queued' }
  /** `mayChange`: the obstacle may go away by itself, for example a running check or a base that moved. */
  | { readonly kind: 'refused'; readonly why: string; readonly mayChange: boolean };

export interface ForgeWrite {
  /** Merges by a method that the repository allows, or through its merge queue. Merges only this commit. */
  mergePull(pull: Pick<PullFacts, 'number' | 'nodeId' | 'base'>, head: string): Promise<Merged>;
  /** Creates the pull request. When one already exists, finds it by its branch. */
  openPull(wanted: PullWanted): Promise<Opened>;
  /** Takes one request, unless GitHub refuses a part of it. */
  changePull(pull: Pick<PullFacts, 'number' | 'nodeId' | 'body'>, change: PullChange): Promise<void>;
  /** Leaves all other labels alone, since people may have set them. */
  changeLabels(number: number, change: LabelChange): Promise<void>;
  setStatus(commit: string, context: string, state: StatusState, text: string, url?: string): Promise<void>;
  comment(on: number, text: string): Promise<number>;
  /** Replies in the thread that `comment` started. False when the thread no longer exists. */
  reply(pull: number, comment: number, text: string): Promise<boolean>;
  react(
    comment: Pick<CommentFacts, 'id' | 'kind'> & { readonly nodeId?: string | undefined },
    reaction: 'eyes' | 'rocket' | 'confused' | '+1' | '-1',
  ): Promise<void>;
  createIssue(title: string, body: string, labels: readonly string[]): Promise<IssueFacts>;
  updateIssue(
    number: number,
    fields: { readonly body?: string; readonly state?: 'open' | 'closed' },
  ): Promise<void>;
  /**
   * Starts the workflow that listens for `gza`, and tells it which claims ended. A job's own token is allowed
   * to do this.
   */
  wake(ended: readonly string[]): Promise<void>;
  /** Runs the failed jobs of a run again; false when GitHub refuses. */
  rerun(run: number): Promise<boolean>;
  /** Starts a workflow on a branch. */
  dispatch(workflow: string, ref: string, inputs?: Readonly<Record<string, string>>): Promise<void>;
  /** Cancels all jobs of a run, since GitHub cannot cancel a single one. */
  cancel(run: number): Promise<void>;
}

export interface Forge extends ForgeRead, ForgeWrite {}

const order: readonly Role[] = ['none', 'read', 'write', 'maintain', 'admin'];

/** Whether a role is at least as high as the needed one. */
export function isAtLeast(role: Role, needed: Role): boolean {
  return order.indexOf(role) >= order.indexOf(needed);
}

export function strictest(roles: readonly Role[]): Role {
  return roles.reduce((one, other) => (isAtLeast(one, other) ? one : other), 'none');
}

export function weakest(one: Role, other: Role): Role {
  return isAtLeast(one, other) ? other : one;
}
