import type { RestEndpointMethodTypes } from '@octokit/rest';
import { readMark } from '../../core/text/github/tracker-issue.ts';
import type { HeldIssue, IssueState } from '../../core/trackers/tracker.ts';

export type IssueJson = RestEndpointMethodTypes['issues']['listForRepo']['response']['data'][number];

/** GitHub knows open and closed: everything that is not over is open. */
const open: readonly IssueState[] = ['pending', 'blocked', 'in_progress', 'in_review', 'failed'];

/** An issue that says whose it is; without gza's mark it is nobody's. */
export function taskOf(issue: IssueJson): string | null {
  return issue.pull_request === undefined ? (readMark(issue.body ?? '')?.task ?? null) : null;
}

export function heldIssue(
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
    // GitHub does not tell who wrote one: none is ever taken away.
    ourBlockedBy: [],
    links: [],
  };
}

function statesOf({ state, state_reason: reason }: IssueJson): readonly IssueState[] {
  if (state !== 'closed') return open;
  return reason === 'not_planned' || reason === 'duplicate' ? ['skipped'] : ['completed'];
}
