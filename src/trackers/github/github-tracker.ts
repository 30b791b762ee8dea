/**
 * GitHub as a tracker: an issue for each task, milestones, sub-issues for parts, and dependencies between
 * issues. gza's issues are recognised by their common label and by gza's mark in the text. Each change is one
 * request, at GitHub's pace, so a large backlog takes several syncs.
 */
import { GzaError } from '../../core/errors.ts';
import { readMark } from '../../core/text/github/tracker-issue.ts';
import type { Held, HeldIssue, IssueState, Wanted } from '../../core/trackers/tracker.ts';
import type { GithubClient } from '../../github/api/client/client.ts';
import type { Tracker } from '../tracker.ts';
import { applyToGithub, type GithubNames, type IssueJson } from './apply.ts';

export interface GithubTrackerOptions {
  readonly client: GithubClient;
  readonly label: string | undefined;
  /** True when nothing more may be started. */
  readonly isOver: () => boolean;
}

const issuesMax = 10_000;
const milestonesMax = 1_000;

export function githubTracker({ client, label = 'gza-task', isOver }: GithubTrackerOptions): Tracker {
  let names: GithubNames | null = null;
  return {
    name: 'GitHub',
    traits: {
      milestones: true,
      relations: true,
      links: false,
      project: null,
      labels: [label],
      hasOwnIssues: true,
      known: () => null,
    },
    async read(wanted) {
      const read = await readGithub(client, label, wanted);
      names = read.names;
      return read.held;
    },
    async apply(actions, outcome) {
      if (names === null) throw new Error('a tracker is read before it is written');
      return applyToGithub({ client, names, isOver }, actions, outcome);
    },
  };
}

async function readGithub(
  client: GithubClient,
  label: string,
  wanted: Wanted,
): Promise<{ readonly held: Held; readonly names: GithubNames }> {
  const all = await listIssues(client, label);
  const issues = new Map<string, IssueJson>();
  const tasks = new Map<number, string>();
  for (const issue of all) {
    const task = taskOf(issue);
    if (task === null) continue;
    tasks.set(issue.number, task);
    // The oldest issue counts: a lost answer may have led to two.
    if (!issues.has(task)) issues.set(task, issue);
  }
  const { items } = await client.list(
    {
      operation: 'read milestones',
      pages: (rest, here) => [rest.issues.listMilestones, { ...here, state: 'all' }],
    },
    { itemsMax: milestonesMax },
  );
  const milestones = new Map(items.map(({ title, number }) => [title, number]));
  const held: HeldIssue[] = [];
  for (const { task, blockedBy } of wanted.issues) {
    const issue = issues.get(task);
    if (!issue) continue;
    const isAsked = blockedBy.length > 0 && issue.issue_dependencies_summary?.total_blocked_by !== 0;
    const blockers = isAsked ? await readBlockers(client, issue, tasks) : [];
    held.push(heldIssue(issue, task, tasks, blockers));
  }
  return {
    held: {
      issues: held,
      milestones: [...milestones.keys()],
      // All wanted labels count as present, because GitHub creates missing ones.
      labels: wanted.issues.flatMap(({ labels }) => labels),
      hasProject: false,
    },
    names: { milestones, issues },
  };
}

async function listIssues(client: GithubClient, label: string): Promise<IssueJson[]> {
  const { items, isCut } = await client.list(
    {
      operation: 'read issues',
      pages: (rest, here) => [
        rest.issues.listForRepo,
        { ...here, labels: label, state: 'all', sort: 'created', direction: 'asc' },
      ],
    },
    { itemsMax: issuesMax },
  );
  if (!isCut) return items;
  throw new GzaError('world', `more than ${issuesMax} issues have the label ${label}`, {
    hint: 'Take the label from issues of tasks that are long over.',
  });
}

async function readBlockers(
  client: GithubClient,
  { number }: IssueJson,
  tasks: ReadonlyMap<number, string>,
): Promise<string[]> {
  const { items } = await client.list(
    {
      operation: 'read issues',
      pages: (rest, here) => [rest.issues.listDependenciesBlockedBy, { ...here, issue_number: number }],
    },
    { itemsMax: 100 },
  );
  return items.flatMap((one) => tasks.get(one.number) ?? []);
}

/** GitHub only knows open and closed, so every unfinished state is open. */
const open: readonly IssueState[] = ['pending', 'blocked', 'in_progress', 'in_review', 'failed'];

/** The task of an issue, from gza's mark in its text; null without a mark. */
function taskOf(issue: IssueJson): string | null {
  return issue.pull_request === undefined ? (readMark(issue.body ?? '')?.task ?? null) : null;
}

function heldIssue(
  issue: IssueJson,
  task: string,
  tasks: ReadonlyMap<number, string>,
  blockedBy: readonly string[],
): HeldIssue {
  const parent = Number(/\/(\d+)$/.exec(issue.parent_issue_url ?? '')?.[1] ?? Number.NaN);
  return {
    task,
    name: `#${issue.number}`,
    url: issue.html_url,
    isOurs: true,
    isAway: false,
    body: issue.body ?? '',
    states: statesOf(issue),
    milestone: issue.milestone?.title ?? null,
    labels: issue.labels.flatMap((one) => (typeof one === 'string' ? one : (one.name ?? []))),
    parent: tasks.get(parent) ?? null,
    blockedBy,
    // GitHub does not report who created a dependency, so none is ever removed.
    ourBlockedBy: [],
    links: [],
  };
}

function statesOf({ state, state_reason: reason }: IssueJson): readonly IssueState[] {
  if (state !== 'closed') return open;
  return reason === 'not_planned' || reason === 'duplicate' ? ['skipped'] : ['completed'];
}
