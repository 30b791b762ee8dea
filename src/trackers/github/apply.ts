import { type GzaError, isGzaError } from '../../core/errors.ts';
import type { IssueChange, IssueState, NewIssue, TrackerAction } from '../../core/trackers/tracker.ts';
import type { Asked, GithubClient } from '../../github/api/client.ts';
import type { Applied, IssueRef, Refused } from '../tracker.ts';
import type { IssueJson } from './issue-json.ts';

/** What the names of the port are on GitHub, as of the last read. */
export interface GithubNames {
  readonly milestones: Map<string, number>;
  /** Task → its issue. */
  readonly issues: Map<string, IssueJson>;
}

export interface GithubApply {
  readonly client: GithubClient;
  readonly names: GithubNames;
  readonly isOver: () => boolean;
}

export async function applyToGithub(apply: GithubApply, actions: readonly TrackerAction[]): Promise<Applied> {
  const done: TrackerAction[] = [];
  const refused: Refused[] = [];
  const made: IssueRef[] = [];
  for (const action of actions) {
    if (apply.isOver()) break;
    const why = await tried(() => applyOne(apply, action));
    if (isGzaError(why)) return { done, refused, made, failed: why };
    if (why === null) done.push(action);
    else refused.push({ action, why });
    const issue = action.kind === 'create-issue' ? apply.names.issues.get(action.task) : undefined;
    if (action.kind === 'create-issue' && issue)
      made.push({ task: action.task, name: `#${issue.number}`, url: issue.html_url });
  }
  return { done, refused, made, failed: null };
}

async function tried<T>(work: () => Promise<T>): Promise<T | GzaError> {
  try {
    return await work();
  } catch (error) {
    if (isGzaError(error) && error.code === 'world') return error;
    throw error;
  }
}

/** Null when it is done; else why GitHub does not do it. */
async function applyOne(apply: GithubApply, action: TrackerAction): Promise<string | null> {
  const { names } = apply;
  switch (action.kind) {
    case 'create-project':
    case 'create-label':
    case 'attach':
      return 'GitHub has no place for it';
    case 'create-milestone':
      return createMilestone(apply, action);
    case 'create-issue':
      return createIssue(apply, action.task, action.issue);
    case 'update-issue':
      return updateIssue(apply, action.task, action.set);
    case 'block':
      return link(apply, {
        on: names.issues.get(action.task),
        path: 'dependencies/blocked_by',
        body: { issue_id: names.issues.get(action.by)?.id },
      });
    case 'unblock':
      return 'GitHub does not tell whose it is';
  }
}

async function createMilestone(
  { client, names }: GithubApply,
  { name, description }: { readonly name: string; readonly description: string },
): Promise<string | null> {
  const asked: Asked = {
    operation: 'create a milestone',
    method: 'POST',
    path: 'milestones',
    body: { title: name, description },
    // A second one of that title is refused.
    repeatable: true,
  };
  const sent = await send<{ readonly number: number }>(client, asked);
  if (typeof sent === 'string') return sent;
  names.milestones.set(name, sent.number);
  return null;
}

async function createIssue(apply: GithubApply, task: string, issue: NewIssue): Promise<string | null> {
  const { client, names } = apply;
  const { title, body, labels, milestone, state, parent } = issue;
  const sent = await send<IssueJson>(client, {
    operation: 'open an issue',
    method: 'POST',
    path: 'issues',
    body: { title, body, labels, ...milestoneOf(names, milestone) },
  });
  if (typeof sent === 'string') return sent;
  names.issues.set(task, sent);
  const closed = closing(state);
  if (closed.state === 'closed') {
    const why = await patch(client, sent.number, closed);
    if (why !== null) return why;
  }
  return parent === null ? null : putUnder(apply, task, parent);
}

async function updateIssue(apply: GithubApply, task: string, set: IssueChange): Promise<string | null> {
  const { client, names } = apply;
  const issue = names.issues.get(task);
  if (!issue) return 'its issue is not there';
  const fields = {
    ...(set.title === undefined ? {} : { title: set.title }),
    ...(set.body === undefined ? {} : { body: set.body }),
    ...(set.state === undefined ? {} : closing(set.state)),
    ...milestoneOf(names, set.milestone ?? null),
  };
  if (Object.keys(fields).length > 0) {
    const why = await patch(client, issue.number, fields);
    if (why !== null) return why;
  }
  if (set.addLabels) {
    const sent = await send(client, {
      operation: 'change labels',
      method: 'POST',
      path: `issues/${issue.number}/labels`,
      body: { labels: set.addLabels },
      repeatable: true,
    });
    if (typeof sent === 'string') return sent;
  }
  for (const label of set.removeLabels ?? [])
    await client.find({
      operation: 'change labels',
      method: 'DELETE',
      path: `issues/${issue.number}/labels/${encodeURIComponent(label)}`,
    });
  return set.parent === undefined ? null : putUnder(apply, task, set.parent);
}

function closing(state: IssueState): { readonly state: string; readonly state_reason?: string } {
  if (state === 'completed') return { state: 'closed', state_reason: 'completed' };
  if (state === 'skipped') return { state: 'closed', state_reason: 'not_planned' };
  return { state: 'open' };
}

function milestoneOf(names: GithubNames, name: string | null): { readonly milestone?: number } {
  const number = name === null ? undefined : names.milestones.get(name);
  return number === undefined ? {} : { milestone: number };
}

function putUnder(apply: GithubApply, task: string, parent: string): Promise<string | null> {
  const { issues } = apply.names;
  const body = { sub_issue_id: issues.get(task)?.id, replace_parent: true };
  return link(apply, { on: issues.get(parent), path: 'sub_issues', body });
}

async function link(
  { client }: GithubApply,
  { on, path, body }: { on: IssueJson | undefined; path: string; body: Record<string, unknown> },
): Promise<string | null> {
  if (!on || Object.values(body).includes(undefined)) return 'one of the two issues is not there';
  const asked: Asked = {
    operation: 'link issues',
    method: 'POST',
    path: `issues/${on.number}/${path}`,
    body,
    repeatable: true,
  };
  const sent = await send(client, asked);
  return typeof sent === 'string' ? sent : null;
}

async function patch(
  client: GithubClient,
  number: number,
  body: Record<string, unknown>,
): Promise<string | null> {
  const sent = await send(client, {
    operation: 'update an issue',
    method: 'PATCH',
    path: `issues/${number}`,
    body,
  });
  return typeof sent === 'string' ? sent : null;
}

/** What it made, or why not. What the token may not do at all stops everything. */
async function send<T>(client: GithubClient, asked: Asked): Promise<T | string> {
  const answer = await client.ask(asked);
  if (answer.status < 300) return answer.body as T;
  const error = client.refused(asked, answer);
  if (answer.status === 404 || answer.status === 422) return error.message;
  throw error;
}
