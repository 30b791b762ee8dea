/** Selects the tasks that a tracker shows, and how it should show them. */
import type { TaskView } from '../board/board.ts';
import { neutraliseLine } from '../markdown/neutralise.ts';
import { type Milestone, milestoneOrder } from '../task/task.ts';
import { issueLabel, issueText } from '../text/github/tracker-issue.ts';
import { addSeconds } from '../time.ts';
import type { IssueState, Wanted, WantedIssue } from './tracker.ts';

/** What the tracker supports; the rest goes into labels and texts. */
export interface TrackerTraits {
  readonly milestones: boolean;
  readonly relations: boolean;
  readonly links: boolean;
  /** The project that milestones need. */
  readonly project: string | null;
  /** Labels on every issue. */
  readonly labels: readonly string[];
  /** Its issues may have become tasks; those are not shown a second time. */
  readonly hasOwnIssues?: boolean;
  /** The issue's name, if the ledger knows it. */
  readonly known: (view: TaskView) => string | null;
}

export interface ToTell {
  /** With their full texts. */
  readonly views: readonly TaskView[];
  readonly milestones: readonly Milestone[];
  readonly traits: TrackerTraits;
}

const settledSeconds = 14 * 86_400;

/** All open tasks and those closed in the last two weeks; older ones were posted long ago. */
export function postedTasks(views: readonly TaskView[], now: string): TaskView[] {
  const since = addSeconds(now, -settledSeconds);
  return views.filter(({ record }) => !record?.closed_at || record.closed_at >= since);
}

export function wantedIssues({ views, milestones, traits }: ToTell): Wanted {
  const isShown = ({ record }: TaskView) => !(traits.hasOwnIssues && record?.key?.startsWith('issue:'));
  const issues = views.filter(isShown).map((view) => wantedIssue(view, traits));
  const named = new Map(milestones.map((one) => [one.id, one]));
  const used = new Set(issues.flatMap(({ milestone }) => milestone ?? []));
  const order = milestoneOrder(
    milestones.map(({ id }) => id),
    views.map(({ task }) => task.milestone),
  );
  return {
    issues,
    project: traits.project,
    milestones: [...order.keys()]
      .filter((id) => used.has(milestoneName(id)))
      .map((id) => ({ name: milestoneName(id), description: described(named.get(id)) })),
  };
}

function described(milestone: Milestone | undefined): string {
  const parts = [milestone?.name, milestone?.description].filter((part) => part !== undefined);
  return neutraliseLine(parts.join(': '), 'body', 250);
}

/**
 * The id of the milestone: its name in gza.yaml may change, and renaming must not create a second milestone.
 */
function milestoneName(id: string): string {
  return neutraliseLine(id, 'body', 80);
}

function wantedIssue(view: TaskView, traits: TrackerTraits): WantedIssue {
  const { task, record, id } = view;
  const known = traits.known(view);
  const pull = record?.pull_request;
  const link =
    pull?.url && /^https?:\/\/[^\s<>"`]{1,500}$/.test(pull.url)
      ? { url: pull.url, title: `Pull request #${pull.number}` }
      : null;
  const blockedBy = task.depends_on ?? [];
  const text = issueText(view, {
    blockedBy: traits.relations ? [] : blockedBy,
    link: traits.links ? null : (link?.url ?? null),
  });
  const milestone = task.milestone ? milestoneName(task.milestone) : null;
  return {
    task: id,
    known,
    mayCreate: known === null && record?.closed_as !== 'dropped',
    ...text,
    state: issueState(view),
    priority: task.priority ?? null,
    milestone: traits.milestones ? milestone : null,
    labels: [
      ...traits.labels,
      ...(task.group ? [issueLabel('group: ', task.group)] : []),
      ...(task.milestone && !traits.milestones ? [issueLabel('milestone: ', task.milestone)] : []),
    ],
    parent: task.parent ?? null,
    blockedBy: traits.relations ? blockedBy : [],
    link: traits.links ? link : null,
  };
}

function issueState({ status, record, unapproved }: TaskView): IssueState {
  const pull = record?.pull_request?.state;
  const isOpen = unapproved || pull === 'open' || pull === 'draft';
  return status === 'completed' && isOpen ? 'in_review' : status;
}
