/**
 * A GitHub as one plain value. It holds what GitHub itself knows beside git: people, pull requests, comments,
 * statuses, runs. Commits and refs are not here: they are read from a real bare repository, so the two cannot
 * disagree. A test may read and change all of it; the routes do nothing else.
 */
export type Role = 'admin' | 'maintain' | 'write' | 'triage' | 'read' | 'none';
type Level = 'read' | 'write' | 'none';
export type Permissions = Readonly<Record<string, Level>>;

export interface User {
  readonly login: string;
  readonly id: number;
  readonly type: 'User' | 'Bot';
}

/** Who makes a request: the token of a job, of an App, or of a person. */
export interface Token {
  readonly kind: 'actions' | 'app' | 'user';
  readonly login: string;
  readonly permissions: Permissions;
  readonly runId?: number;
  /** The job it was made for, by its name in the run. */
  readonly job?: string;
  revoked?: boolean;
}

export interface Edit {
  readonly editor: string;
  readonly at: number;
  readonly from: string;
}

interface Pull {
  base: string;
  head: { readonly ref: string; readonly repo: string; sha: string };
  draft: boolean;
  merged: boolean;
  mergedAt: number | null;
  mergedBy: string | null;
  mergeCommit: string | null;
  requestedReviewers: string[];
  /** GitHub works out whether a pull request can be merged only after it was asked once. */
  mergeableAskedFor: string;
}

export interface Issue {
  readonly id: number;
  readonly number: number;
  title: string;
  body: string | null;
  readonly author: string;
  state: 'open' | 'closed';
  stateReason: string | null;
  labels: string[];
  assignees: string[];
  readonly createdAt: number;
  updatedAt: number;
  closedAt: number | null;
  closedBy: string | null;
  edits: Edit[];
  locked: boolean;
  pull: Pull | null;
  /** Numbers. */
  milestone: number | null;
  parent: number | null;
  blockedBy: number[];
}

export interface Milestone {
  readonly id: number;
  readonly number: number;
  readonly title: string;
  readonly description: string | null;
  readonly creator: string;
  readonly createdAt: number;
}

export interface Comment {
  readonly id: number;
  readonly issue: number;
  readonly author: string;
  body: string;
  readonly createdAt: number;
  updatedAt: number;
  edits: Edit[];
}

export interface Review {
  readonly id: number;
  readonly pull: number;
  readonly author: string;
  body: string;
  state: 'APPROVED' | 'CHANGES_REQUESTED' | 'COMMENTED' | 'DISMISSED' | 'PENDING';
  readonly commit: string;
  readonly submittedAt: number;
  minimized?: string;
}

export interface ReviewComment extends Comment {
  readonly review: number;
  readonly path: string;
  readonly line: number | null;
  readonly startLine: number | null;
  readonly side: 'LEFT' | 'RIGHT';
  readonly commit: string;
  readonly inReplyTo: number | null;
  /** Of the thread that this comment begins. */
  resolved: boolean;
  /** Who did; a person, where a test only says that it was. */
  resolvedBy?: string;
}

export interface Reaction {
  readonly id: number;
  readonly on: 'issue' | 'comment' | 'review-comment' | 'review';
  readonly target: number;
  readonly author: string;
  readonly content: string;
  readonly createdAt: number;
}

export interface Status {
  readonly id: number;
  readonly sha: string;
  readonly context: string;
  readonly state: 'error' | 'failure' | 'pending' | 'success';
  readonly description: string | null;
  readonly targetUrl: string | null;
  readonly creator: string;
  readonly createdAt: number;
}

export interface Job {
  readonly id: number;
  /** As GitHub prints it: `pick`, `lane (t1) / agent`. */
  readonly name: string;
  status: 'queued' | 'in_progress' | 'completed' | 'pending' | 'waiting';
  conclusion: string | null;
  startedAt: number;
  completedAt: number | null;
  /** What it printed, as far as it came. */
  log?: string;
}

export interface Run {
  readonly id: number;
  readonly workflow: string;
  readonly name: string;
  readonly number: number;
  readonly event: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly actor: string;
  readonly headBranch: string;
  readonly headSha: string;
  readonly ref: string;
  attempt: number;
  status: 'queued' | 'in_progress' | 'completed' | 'pending' | 'waiting';
  conclusion: string | null;
  readonly createdAt: number;
  updatedAt: number;
  jobs: Job[];
  /** Why nothing ran, in the words of the page that GitHub shows. */
  message: string | null;
}

/** What GitHub's page of a pull request tells between the comments. */
export interface TimelineEvent {
  readonly id: number;
  readonly issue: number;
  readonly event:
    | 'closed'
    | 'reopened'
    | 'merged'
    | 'base_ref_changed'
    | 'base_ref_deleted'
    | 'head_ref_deleted'
    | 'head_ref_force_pushed'
    | 'labeled'
    | 'unlabeled'
    | 'renamed';
  readonly actor: string;
  readonly commit: string | null;
  readonly at: number;
  readonly label?: string;
}

/** A ref that a push, accepted, moved. */
interface Pushed {
  readonly ref: string;
  readonly old: string;
  readonly new: string;
  readonly login: string;
  readonly at: number;
}

export interface Artifact {
  readonly id: number;
  readonly run: number;
  readonly name: string;
  readonly digest: string;
  /** A zip, as GitHub serves it. */
  readonly zip: Buffer;
  readonly createdAt: number;
  expired: boolean;
}

export interface Settings {
  private: boolean;
  /** "Allow GitHub Actions to create and approve pull requests"; GitHub's default is false. */
  actionsMayOpenPulls: boolean;
  defaultPermissions: 'read' | 'write';
  allowAutoMerge: boolean;
  protectedBranches: string[];
  /** Checks that rulesets, and classic protection, ask of the default branch before a merge. */
  requiredChecks?: string[];
  classicChecks?: string[];
  /** Rulesets of the default branch: a merge queue, no merge commits, so many approvals of people who may write. */
  mergeQueue?: boolean;
  linearHistory?: boolean;
  approvals?: number;
  /** Whom branch protection asks nothing of. */
  bypassLogins: string[];
  pushRules: string[];
  refsPerPushMax: number | null;
  /** Users whose membership is private: their association reads CONTRIBUTOR. */
  privateMembers: string[];
  /** Names of the secrets of this repository, and of those that its organisation shares with it. */
  secrets: string[];
  organizationSecrets: string[];
  /** Fields of the repository as the API shows it: `archived`, `allow_squash_merge`. */
  repository: Readonly<Record<string, unknown>>;
}

/** Something that happened, as the webhooks tell it. */
export interface GithubEvent {
  readonly name: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly by: { readonly login: string; readonly kind: Token['kind'] };
  /** The ref whose workflow file counts, and its commit. */
  readonly ref: string;
  readonly sha: string;
}

export interface State {
  /** Milliseconds; every request moves it on by `stepMs`, so that no two things happen at once. */
  now: number;
  stepMs: number;
  nextId: number;
  readonly owner: string;
  readonly repo: string;
  defaultBranch: string;
  settings: Settings;
  users: Record<string, User>;
  roles: Record<string, Role>;
  tokens: Record<string, Token>;
  milestones: Milestone[];
  labels: {
    readonly id: number;
    readonly name: string;
    readonly color: string;
    readonly description: string | null;
  }[];
  issues: Issue[];
  comments: Comment[];
  reviews: Review[];
  reviewComments: ReviewComment[];
  reactions: Reaction[];
  statuses: Status[];
  runs: Run[];
  artifacts: Artifact[];
  events: GithubEvent[];
  /** So many of the next events start nothing: lost on the way. */
  loseEvents: number;
  /** Numbers of pull requests in the merge queue. */
  queue?: number[];
  timeline: TimelineEvent[];
  pushes: Pushed[];
  rate: Record<string, { used: number; limit: number; resetAt: number }>;
}

export const bot: User = { login: 'github-actions[bot]', id: 41898282, type: 'Bot' };

export function takeId(state: State): number {
  state.nextId += 1;
  return state.nextId;
}

export function tell(
  state: State,
  issue: number,
  event: TimelineEvent['event'],
  actor: string,
  commit: string | null = null,
  more: Pick<TimelineEvent, 'label'> = {},
): void {
  state.timeline.push({ id: takeId(state), issue, event, actor, commit, at: state.now, ...more });
}

export function nextNumber(state: State): number {
  return state.issues.reduce((most, issue) => Math.max(most, issue.number), 0) + 1;
}

function roleOf(state: State, login: string): Role {
  return state.roles[login] ?? 'none';
}

/** In a public repository whoever is nobody may still read and comment. */
export function effectiveRole(state: State, login: string): Role {
  const role = roleOf(state, login);
  return role === 'none' && !state.settings.private ? 'read' : role;
}

export function canWrite(state: State, login: string): boolean {
  return ['admin', 'maintain', 'write'].includes(roleOf(state, login));
}

export type PullIssue = Issue & { pull: Pull };

export function isPull(issue: Issue): issue is PullIssue {
  return issue.pull !== null;
}

export function findPull(state: State, number: number): PullIssue | undefined {
  return state.issues.filter(isPull).find((issue) => issue.number === number);
}

export function iso(at: number): string {
  return new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');
}
