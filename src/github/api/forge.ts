/**
 * The place where pull requests live, in two halves: deciding code only ever receives the half that reads. An
 * answer that is expected (closed already, exists already, not allowed) is a value; a forge that fails is thrown
 * as a `world` error with what to do. Waiting for rate limits, retries and conditional reads are the adapter's.
 */
import type { MergeSeen } from '../../core/policy/merging.ts';
import type { Outdated, Said, Thread } from '../../core/review/conversation.ts';
import type { PlacedComment } from '../../core/text/github/review-comment.ts';

export type Role = 'admin' | 'maintain' | 'write' | 'read' | 'none';

export interface PullFacts {
  readonly number: number;
  /** Its name in GraphQL. */
  readonly nodeId: string;
  readonly url: string;
  readonly state: 'draft' | 'open' | 'merged' | 'closed';
  readonly branch: string;
  readonly base: string;
  readonly headCommit: string;
  readonly title: string;
  readonly body: string;
  /** True when gza's own account opened it; boxes count only then, and only in the block that gza marked. */
  readonly isOurs: boolean;
  readonly author: string;
  readonly labels: readonly string[];
  /** Who edited the body last, when it was not its author. */
  readonly bodyEditedBy: string | null;
  readonly updatedAt: string;
  readonly mergedAt: string | null;
  /** Closed by the forge along with its base branch: no person's wish. */
  readonly closedWithBase: boolean;
  readonly fromFork: boolean;
  /** Where it was asked for. */
  readonly checks?: TeamChecks;
}

/** How the team's own CI ended on a commit. */
export interface TeamChecks {
  /** Those that a merge into the base needs. */
  readonly red: readonly RedCheck[];
  /** Names of workflows that passed, and of such checks where another job of theirs failed. */
  readonly green: readonly string[];
}

export interface RedCheck {
  readonly name: string;
  /** Ids of the job and of its run, and which try of the run it was. */
  readonly job: number;
  readonly run: number;
  readonly attempt: number;
}

export interface CommentFacts {
  readonly id: number;
  /**
   * `review-comment` stands on a line of a diff, `review` is the summary of a whole review. `label`: somebody set the
   * label `gza` on an issue, which says as much as `/gza work`.
   */
  readonly kind: 'comment' | 'review-comment' | 'review' | 'label';
  /** Its name in GraphQL; of a review, on which REST knows no reactions. */
  readonly nodeId?: string;
  /** A label that came with the issue, as forms add them: nobody's wish. */
  readonly isFromForm?: boolean;
  /** Number of the pull request or issue. */
  readonly on: number;
  readonly isPull: boolean;
  readonly author: string;
  /** Of the account: a name may change hands. */
  readonly authorId: number;
  readonly isBot: boolean;
  readonly text: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** What it stands on, as that was when this was said: only an event tells. */
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
  /** What was said on it, at most the newest hundred; only where it was asked for by its number. */
  readonly said?: readonly Said[];
}

interface RunFacts {
  readonly id: number;
  readonly attempt: number;
  readonly isCompleted: boolean;
  readonly conclusion: string | null;
}

/** A run of a workflow on a commit, which does not begin before a person approves it. */
export interface WaitingRun {
  /** File name of the workflow. */
  readonly workflow: string;
  readonly commit: string;
}

export interface LanesSeen {
  readonly pulls: readonly PullFacts[];
  readonly issue: IssueFacts | null;
  /** None where no time was given. */
  readonly comments: readonly CommentFacts[];
}

export interface ForgeRead {
  /** Open and lately closed pull requests whose head is one of these branches of this repository; one request. */
  pullsOfBranches(branches: readonly string[]): Promise<PullFacts[]>;
  /**
   * The same, the issue that gza opened under a title, and with a time what was said since, as `commentsSince` tells
   * it: still one request, unless more was said than it holds.
   */
  lanesAndIssue(branches: readonly string[], title: string, since?: string): Promise<LanesSeen>;
  pull(number: number): Promise<PullFacts | null>;
  issue(number: number): Promise<IssueFacts | null>;
  /** Whether somebody else than gza edited title or text of an issue or a pull request since a time; true in doubt. */
  isEditedSince(on: { readonly number: number; readonly isPull: boolean }, iso: string): Promise<boolean>;
  /** The issue that gza opened under this title, open or closed. */
  findIssue(title: string): Promise<IssueFacts | null>;
  /** Comments on pull requests and issues, and on lines, created or edited since a time; at most 300, oldest first. */
  commentsSince(iso: string): Promise<CommentFacts[]>;
  /** Whether a bot said something with these words there; true also where more was said than is read, at most 1,000 comments. */
  hasBotComment(on: number, words: string): Promise<boolean>;
  /** Number of a pull request → all that was said on it; one request for ten of them. */
  conversations(pulls: readonly number[]): Promise<Map<number, Thread[]>>;
  /** Texts of the reviews that gza posted on a pull request, at most 300. */
  ourReviews(pull: number): Promise<readonly string[]>;
  role(login: string): Promise<Role>;
  run(id: number): Promise<RunFacts | null>;
  /** Id of the newest artifact of a run that has this name and did not expire. */
  artifact(run: number, name: string): Promise<number | null>;
  /** Commit → how the team's CI ended there, where it did; one or two requests, and more only where a run failed. */
  teamChecks(
    heads: readonly string[],
    base: string,
    isKnown: (head: string) => boolean,
  ): Promise<Map<string, TeamChecks>>;
  /** The end of a job's log; null where there is none. */
  jobLog(job: number, bytesMax: number): Promise<string | null>;
  /** What stands in the way of merging a pull request, and what it changes; null when it is gone. */
  mergeSeen(pull: number): Promise<MergeSeen | null>;
  /** Runs that a person must approve before they begin; of each kind the newest hundred. */
  waitingRuns(): Promise<readonly WaitingRun[]>;
  /** File names of the workflows that somebody started by hand, or by the API, on a commit; at most 100. */
  startedOn(commit: string): Promise<readonly string[]>;
  /** Jobs of a run that are not over; at most 2,000. */
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
  /** The branch has nothing that the base lacks. */
  | { readonly kind: 'no-commits' }
  /** The repository's settings forbid it; `hint` says which and where. */
  | { readonly kind: 'forbidden'; readonly hint: string };

export interface ReviewWanted {
  /** Null for that of the head. */
  readonly commit: string | null;
  readonly body: string;
  /** On lines that the diff shows. */
  readonly comments: readonly PlacedComment[];
  /** On others: they go into the body. */
  readonly rest: readonly PlacedComment[];
}

export interface PullChange {
  readonly reviews?: readonly ReviewWanted[];
  readonly fields?: {
    readonly title?: string;
    readonly body?: string;
    readonly base?: string;
  };
  /** Ready for review, or a draft. */
  readonly ready?: boolean;
  /** Of gza's own; what GitHub does not let it tidy stays as it is. */
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
  /** `mayChange`: a check that runs, or a base that moved. */
  | { readonly kind: 'refused'; readonly why: string; readonly mayChange: boolean };

export interface ForgeWrite {
  /** As the repository wants it, through its queue where it has one; nothing but this commit. */
  mergePull(pull: Pick<PullFacts, 'number' | 'nodeId' | 'base'>, head: string): Promise<Merged>;
  /** Creates first; when one exists already, finds it by its head. */
  openPull(wanted: PullWanted): Promise<Opened>;
  /** In one request, as long as GitHub refuses nothing of it. */
  changePull(pull: Pick<PullFacts, 'number' | 'nodeId' | 'body'>, change: PullChange): Promise<void>;
  /** Leaves all other labels, and so those of people, alone. */
  changeLabels(number: number, change: LabelChange): Promise<void>;
  setStatus(commit: string, context: string, state: StatusState, text: string, url?: string): Promise<void>;
  comment(on: number, text: string): Promise<number>;
  /** In the thread on a line of which `comment` is the first; false when it is gone. */
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
  /** Starts the workflow that listens for `gza`, and says which claims ended. A job's own token may do it. */
  wake(ended: readonly string[]): Promise<void>;
  /** What failed in a run, once more; false where GitHub does not. */
  rerun(run: number): Promise<boolean>;
  /** Starts a workflow on a branch. */
  dispatch(workflow: string, ref: string, inputs?: Readonly<Record<string, string>>): Promise<void>;
  /** All of its jobs: GitHub cancels no single one. */
  cancel(run: number): Promise<void>;
}

export interface Forge extends ForgeRead, ForgeWrite {}

const order: readonly Role[] = ['none', 'read', 'write', 'maintain', 'admin'];

/** Roles in their order; what a command needs is one of the upper ones. */
export function isAtLeast(role: Role, needed: Role): boolean {
  return order.indexOf(role) >= order.indexOf(needed);
}

export function strictest(roles: readonly Role[]): Role {
  return roles.reduce((one, other) => (isAtLeast(one, other) ? one : other), 'none');
}

export function weakest(one: Role, other: Role): Role {
  return isAtLeast(one, other) ? other : one;
}
