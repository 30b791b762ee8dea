/** Event payloads as a workflow finds them in $GITHUB_EVENT_PATH. */
import { schemas } from './openapi/check.ts';
import { fill } from './openapi/fill.ts';
import type { Json, Render } from './render.ts';
import type { Comment, Issue, PullIssue, ReviewComment } from './state.ts';

/** The objects in a payload have the same shape as the API's. */
function whole(schema: string, value: Json): unknown {
  return JSON.parse(JSON.stringify(fill(schemas[schema] ?? {}, value)));
}

function envelope(render: Render, sender: string): Json {
  return {
    repository: whole('full-repository', render.repository()),
    sender: whole('simple-user', render.user(sender)),
  };
}

export interface PushFacts {
  readonly ref: string;
  readonly before: string;
  readonly after: string;
  readonly sender: string;
  readonly commits: readonly { readonly id: string; readonly message: string }[];
}

const zero = '0'.repeat(40);

export function pushPayload(render: Render, push: PushFacts): Json {
  return {
    ...envelope(render, push.sender),
    ref: push.ref,
    before: push.before,
    after: push.after,
    created: push.before === zero,
    deleted: push.after === zero,
    forced: false,
    base_ref: null,
    compare: `${render.html}/compare/${push.before.slice(0, 12)}...${push.after.slice(0, 12)}`,
    commits: push.commits,
    head_commit: push.commits.at(-1) ?? null,
    pusher: { name: push.sender },
  };
}

export function mergeGroupPayload(
  render: Render,
  group: { readonly ref: string; readonly sha: string; readonly base: string; readonly baseSha: string },
): Json {
  return {
    ...envelope(render, 'github-merge-queue[bot]'),
    action: 'checks_requested',
    merge_group: {
      head_sha: group.sha,
      head_ref: group.ref,
      base_sha: group.baseSha,
      base_ref: group.base,
    },
  };
}

export interface PullFacts {
  readonly action: string;
  readonly pull: PullIssue;
  readonly baseSha: string;
  readonly sender: string;
  /** `body.from` for an edit; `before` and `after` for a new head. */
  readonly changes?: Record<string, unknown>;
}

/** The payload of pull_request and of pull_request_target. */
export function pullPayload(render: Render, { action, pull, baseSha, sender, changes }: PullFacts): Json {
  const { before, after, ...edited } = changes ?? {};
  return {
    ...envelope(render, sender),
    action,
    number: pull.number,
    pull_request: {
      ...(whole('pull-request-simple', render.pull(pull, baseSha)) as Json),
      merged: pull.pull.merged,
      merged_by: pull.pull.mergedBy ? render.user(pull.pull.mergedBy) : null,
    },
    ...(Object.keys(edited).length > 0 ? { changes: edited } : {}),
    ...(before ? { before, after } : {}),
  };
}

export function issuePayload(
  render: Render,
  action: string,
  issue: Issue,
  sender: string,
  changes?: Json,
): Json {
  return {
    ...envelope(render, sender),
    action,
    issue: whole('issue', render.issue(issue)),
    ...(changes ? { changes } : {}),
  };
}

/** On a pull request `issue.pull_request` is there: the only sign that it is one. */
export function issueCommentPayload(
  render: Render,
  action: string,
  issue: Issue,
  comment: Comment,
  sender: string,
  changes?: Json,
): Json {
  return {
    ...issuePayload(render, action, issue, sender, changes),
    comment: whole('issue-comment', render.comment(comment)),
  };
}

export function reviewCommentPayload(
  render: Render,
  action: string,
  pull: PullIssue,
  baseSha: string,
  comment: ReviewComment,
  sender: string,
): Json {
  return {
    ...envelope(render, sender),
    action,
    pull_request: whole('pull-request-simple', render.pull(pull, baseSha)),
    comment: whole('pull-request-review-comment', render.reviewComment(comment)),
  };
}

export function reviewPayload(
  render: Render,
  pull: PullIssue,
  baseSha: string,
  review: Json,
  sender: string,
): Json {
  return {
    ...envelope(render, sender),
    action: 'submitted',
    pull_request: whole('pull-request-simple', render.pull(pull, baseSha)),
    review,
  };
}

export function workflowDispatchPayload(
  render: Render,
  ref: string,
  workflow: string,
  inputs: Json,
  sender: string,
): Json {
  return {
    ...envelope(render, sender),
    ref,
    workflow,
    inputs: Object.keys(inputs).length > 0 ? inputs : null,
  };
}

/** No repository, and nobody who sent it (github/codeql-action#1211, ossf/scorecard-action#106). */
export function schedulePayload(schedule: string): Json {
  return { schedule };
}

export function repositoryDispatchPayload(
  render: Render,
  action: string,
  branch: string,
  clientPayload: unknown,
  sender: string,
): Json {
  return { ...envelope(render, sender), action, branch, client_payload: clientPayload ?? {} };
}
