/** Reports what a sync with a tracker did or would do. */
import type { IssueState, TrackerAction } from '../../trackers/tracker.ts';
import { count, shorten } from '../terminal/lines.ts';

export interface SyncToTell {
  readonly tracker: string;
  readonly done: readonly TrackerAction[];
  readonly owed: readonly TrackerAction[];
  readonly refused: readonly { readonly action: TrackerAction; readonly why: string }[];
  readonly problem: string | null;
  readonly dryRun: boolean;
}

const linesMax = 200;

export function trackerSyncText({ tracker, done, owed, refused, problem, dryRun }: SyncToTell): string {
  const shown = dryRun ? owed : done;
  const lines = shown.slice(0, linesMax).map(actionLine);
  if (shown.length > linesMax) lines.push(`… and ${shown.length - linesMax} more`);
  for (const { action, why } of refused.slice(0, linesMax))
    lines.push(`not done: ${actionLine(action)}: ${why}`);
  if (problem !== null) return [...lines, `${tracker}: ${unfinished(problem, done, owed)}`].join('\n');
  if (dryRun)
    return [
      ...lines,
      `${tracker}: ${owed.length === 0 ? 'nothing to do' : `would make ${count(owed.length, 'change')}`}`,
    ].join('\n');
  return [...lines, `${tracker}: ${summary(done, owed, refused.length)}`].join('\n');
}

/** The report in one line, for the end of another command. Empty when nothing happened. */
export function trackerSyncLine({ tracker, done, owed, refused, problem }: SyncToTell): string {
  if (problem !== null) return `${tracker}: ${unfinished(problem, done, owed)}`;
  if (done.length + owed.length + refused.length === 0) return '';
  return `${tracker}: ${summary(done, owed, refused.length)}`;
}

function unfinished(problem: string, done: readonly unknown[], owed: readonly unknown[]): string {
  const parts = [
    problem,
    done.length > 0 ? `${count(done.length, 'change')} made` : '',
    owed.length > 0 ? `${count(owed.length, 'change')} owed` : '',
  ].filter((part) => part !== '');
  return `${parts.join('; ')}. The next sync goes on from there.`;
}

function summary(done: readonly TrackerAction[], owed: readonly unknown[], refused: number): string {
  const of = (kind: TrackerAction['kind']) => done.filter((one) => one.kind === kind).length;
  const [created, updated] = [of('create-issue'), of('update-issue')];
  const other = done.length - created - updated;
  const parts = [
    created > 0 ? `${count(created, 'issue')} created` : '',
    updated > 0 ? `${updated} updated` : '',
    other > 0 ? count(other, 'other change') : '',
    refused > 0 ? `${refused} refused` : '',
    owed.length > 0 ? `${owed.length} owed` : '',
  ].filter((part) => part !== '');
  return parts.length > 0 ? parts.join(', ') : 'nothing to do';
}

function stateWords(state: IssueState): string {
  return state.replace('_', ' ');
}

function actionLine(action: TrackerAction): string {
  switch (action.kind) {
    case 'create-project':
      return `create the project ${shorten(action.name, 80)}`;
    case 'create-milestone':
      return `create the milestone ${shorten(action.name, 80)}`;
    case 'create-label':
      return `create the label ${shorten(action.name, 80)}`;
    case 'create-issue':
      return `${action.task}: create "${shorten(action.issue.title, 80)}" (${stateWords(action.issue.state)})`;
    case 'update-issue':
      return `${action.task}: ${changed(action.set)}`;
    case 'block':
      return `${action.task}: blocked by ${action.by}`;
    case 'unblock':
      return `${action.task}: no longer blocked by ${action.by}`;
    case 'attach':
      return `${action.task}: attach ${shorten(action.link.title, 80)}`;
  }
}

function changed(set: Extract<TrackerAction, { kind: 'update-issue' }>['set']): string {
  const parts = [
    set.title === undefined ? '' : 'new text',
    set.state === undefined ? '' : `now ${stateWords(set.state)}`,
    set.milestone === undefined ? '' : `into ${shorten(set.milestone, 40)}`,
    set.parent === undefined ? '' : `under ${set.parent}`,
    set.addLabels ? `+ ${set.addLabels.map((label) => shorten(label, 40)).join(', ')}` : '',
    set.removeLabels ? `- ${set.removeLabels.map((label) => shorten(label, 40)).join(', ')}` : '',
  ];
  return parts.filter((part) => part !== '').join(', ');
}

/** One action for `--json`, without the issue's texts. */
export function actionJson(action: TrackerAction): Record<string, unknown> {
  const task = 'task' in action ? action.task : null;
  return { kind: action.kind, task, says: actionLine(action) };
}
