import type { RestEndpointMethodTypes } from '@octokit/rest';
import type { IssueChange, IssueState, NewIssue, TrackerAction } from '../../core/trackers/tracker.ts';
import type { Asked, GithubClient } from '../../github/api/client/client.ts';
import type { Outcome } from '../tracker.ts';

export type IssueJson = RestEndpointMethodTypes['issues']['listForRepo']['response']['data'][number];

/** Maps gza's names to GitHub's, as of the last read. */
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

export async function applyToGithub(
  apply: GithubApply,
  actions: readonly TrackerAction[],
  outcome: Outcome,
): Promise<void> {
  for (const action of actions) {
    if (apply.isOver()) return;
    const why = await applyOne(apply, action);
    if (why === null) outcome.done(action);
    else outcome.refused(action, why);
    const issue = action.kind === 'create-issue' ? apply.names.issues.get(action.task) : undefined;
    if (action.kind === 'create-issue' && issue)
      outcome.made({ task: action.task, name: `#${issue.number}`, url: issue.html_url });
  }
}

/** Null on success, else the reason why GitHub refused. */
async function applyOne(apply: GithubApply, action: TrackerAction): Promise<string | null> {
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
      return block(apply, action.task, action.by);
    case 'unblock':
      return 'GitHub does not tell whose it is';
  }
}

async function createMilestone(
  { client, names }: GithubApply,
  { name, description }: { readonly name: string; readonly description: string },
): Promise<string | null> {
  const sent = await send(client, {
    operation: 'create a milestone',
    // Safe to repeat: GitHub refuses a second milestone with the same title.
    repeatable: true,
    send: (rest, here) => rest.issues.createMilestone({ ...here, title: name, description }),
  });
  if (typeof sent === 'string') return sent;
  names.milestones.set(name, sent.number);
  return null;
}

async function createIssue(apply: GithubApply, task: string, issue: NewIssue): Promise<string | null> {
  const { client, names } = apply;
  const { title, body, labels, milestone, state, parent } = issue;
  const sent = await send<IssueJson>(client, {
    operation: 'open an issue',
    send: (rest, here) =>
      rest.issues.create({ ...here, title, body, labels: [...labels], ...milestoneOf(names, milestone) }),
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
  const { addLabels } = set;
  if (addLabels) {
    const why = await whyNot(client, {
      operation: 'change labels',
      repeatable: true,
      send: (rest, here) =>
        rest.issues.addLabels({ ...here, issue_number: issue.number, labels: [...addLabels] }),
    });
    if (why !== null) return why;
  }
  for (const label of set.removeLabels ?? [])
    await client.find({
      operation: 'change labels',
      send: (rest, here) => rest.issues.removeLabel({ ...here, issue_number: issue.number, name: label }),
    });
  return set.parent === undefined ? null : putUnder(apply, task, set.parent);
}

function closing(state: IssueState): IssueFields {
  if (state === 'completed') return { state: 'closed', state_reason: 'completed' };
  if (state === 'skipped') return { state: 'closed', state_reason: 'not_planned' };
  return { state: 'open' };
}

function milestoneOf(names: GithubNames, name: string | null): { readonly milestone?: number } {
  const number = name === null ? undefined : names.milestones.get(name);
  return number === undefined ? {} : { milestone: number };
}

const isGone = 'one of the two issues is not there';

async function putUnder(
  { client, names }: GithubApply,
  task: string,
  parent: string,
): Promise<string | null> {
  const on = names.issues.get(parent);
  const part = names.issues.get(task);
  if (!on || !part) return isGone;
  return whyNot(client, {
    operation: 'link issues',
    repeatable: true,
    send: (rest, here) =>
      rest.issues.addSubIssue({
        ...here,
        issue_number: on.number,
        sub_issue_id: part.id,
        replace_parent: true,
      }),
  });
}

async function block({ client, names }: GithubApply, task: string, by: string): Promise<string | null> {
  const on = names.issues.get(task);
  const other = names.issues.get(by);
  if (!on || !other) return isGone;
  return whyNot(client, {
    operation: 'link issues',
    repeatable: true,
    send: (rest, here) =>
      rest.issues.addBlockedByDependency({ ...here, issue_number: on.number, issue_id: other.id }),
  });
}

type IssueFields = Partial<
  Pick<
    RestEndpointMethodTypes['issues']['update']['parameters'],
    'state' | 'state_reason' | 'title' | 'body' | 'milestone'
  >
>;

function patch(client: GithubClient, number: number, fields: IssueFields): Promise<string | null> {
  return whyNot(client, {
    operation: 'update an issue',
    send: (rest, here) => rest.issues.update({ ...here, issue_number: number, ...fields }),
  });
}

/** Null on success, else the reason why GitHub refused. */
async function whyNot(client: GithubClient, asked: Asked): Promise<string | null> {
  const sent = await send(client, asked);
  return typeof sent === 'string' ? sent : null;
}

/**
 * Returns the answer's data or the reason for a refusal. Throws when the token lacks a permission, because
 * then nothing works.
 */
async function send<T>(client: GithubClient, asked: Asked<T>): Promise<T | string> {
  const answer = await client.ask(asked);
  if (answer.status < 300) return answer.data;
  const error = client.refused(asked, answer);
  if (answer.status === 404 || answer.status === 422) return error.message;
  throw error;
}
