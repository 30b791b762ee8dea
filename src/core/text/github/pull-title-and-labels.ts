/** Makes a pull request's title and labels from the tasks of its lane. */
import type { TaskView } from '../../board/board.ts';
import { neutraliseLine } from '../../markdown/neutralise.ts';
import { isLaneJudged } from '../../policy/steps-so-far.ts';
import { count } from '../terminal/lines.ts';

const titleCharsMax = 120;
const labelCharsMax = 50;
const labelsMax = 90;

/** The title of a single task. For several: the group's name, or the first title and the number of others. */
export function pullTitle(tasks: readonly TaskView[]): string {
  const first = tasks[0]?.task;
  if (!first) return 'gza: no tasks yet';
  const group = first.group;
  const isGroup = tasks.length > 1 && group !== undefined && tasks.every(({ task }) => task.group === group);
  const rest = tasks.length - 1;
  const end = tasks.length === 1 ? '' : isGroup ? ` (${count(tasks.length, 'task')})` : ` (and ${rest} more)`;
  const title = neutraliseLine(isGroup ? group : first.title, 'body', titleCharsMax - end.length);
  return `${title === '' ? tasks[0]!.id : title}${end}`;
}

export const pullStates = [
  'working',
  'waiting',
  'needs a person',
  'paused',
  'approved',
  'done',
  'failed',
] as const;
export type PullState = (typeof pullStates)[number];

/** The most important state of all tasks. `needs a person` outranks every other. */
export function pullState(tasks: readonly TaskView[]): PullState {
  const has = (test: (view: TaskView) => boolean) => tasks.some(test);
  if (has(({ record, awaitsApproval, unapproved }) => !!record?.stop || !!awaitsApproval || !!unapproved))
    return 'needs a person';
  if (has(({ status }) => status === 'failed')) return 'failed';
  if (has(({ record }) => record?.paused_at !== undefined && !record.closed_at)) return 'paused';
  if (has(({ claim }) => claim !== null)) return 'working';
  if (has(({ record }) => !record?.closed_at)) return 'waiting';
  const verdicts = tasks.flatMap(({ record }) => record?.final_verdict ?? []);
  const records = tasks.flatMap(({ record }) => record ?? []);
  return verdicts.length > 0 && isLaneJudged(records) ? 'approved' : 'done';
}

/** `gza`, `gza: approved`, the tasks' groups and milestones. */
export function pullLabels(tasks: readonly TaskView[]): string[] {
  const groups = tasks.flatMap(({ task }) => (task.group ? [`group: ${task.group}`] : []));
  const milestones = tasks.flatMap(({ task }) => (task.milestone ? [`milestone: ${task.milestone}`] : []));
  const labels = ['gza', `gza: ${pullState(tasks)}`, ...groups, ...milestones].map(labelText);
  return unique(labels).slice(0, labelsMax);
}

/** Keeps people's labels, and removes labels of gza's that no longer apply. */
export function mergeLabels(current: readonly string[], wanted: readonly string[]): string[] {
  const states = new Set(pullStates.map((state) => `gza: ${state}`));
  return unique([...current.filter((label) => !states.has(label.toLowerCase())), ...wanted]);
}

/** Commas divide labels in GitHub's own lists. */
function labelText(label: string): string {
  return neutraliseLine(label.replaceAll(',', ' '), 'comment', labelCharsMax);
}

/** Ignores case, because GitHub treats labels that differ only in case as one. */
function unique(labels: readonly string[]): string[] {
  const seen = new Map<string, string>();
  for (const label of labels) if (!seen.has(label.toLowerCase())) seen.set(label.toLowerCase(), label);
  return [...seen.values()];
}
