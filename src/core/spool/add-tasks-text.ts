/** Appends tasks to the list of a file with `tasks:`, and leaves every other byte alone. */
import { isMap, isSeq, type Node } from 'yaml';
import { GzaError } from '../errors.ts';
import { openTaskDocument, sameTasks } from '../task/edit-task-text.ts';
import type { Milestone, Task } from '../task/task.ts';
import { taskFields, taskItemsText } from '../task/task-file-text.ts';

/** Whether a file holds a list of tasks; a file that is a single task cannot take another. */
export function isTaskList(file: string, text: string): boolean {
  return isSeq(openTaskDocument(file, text).get('tasks', true));
}

export function addTasksText(
  file: string,
  text: string,
  added: readonly Task[],
  milestones: readonly Milestone[] = [],
): string {
  if (added.length === 0) return text;
  const document = openTaskDocument(file, text);
  const tasks: unknown = document.get('tasks', true);
  if (!isSeq<Node>(tasks))
    throw new GzaError('input', `${file} holds one task, so no other can be added to it.`);
  const last = tasks.items.at(-1);
  const shared = sharedOf(document.toJS() as Fields);
  const items = (column: number) => taskItemsText(added, column, milestones, shared);
  const spliced = tasks.flow || !isMap(last) || !last.range ? null : splice(text, last.range, items);
  const described = new Map(milestones.map((one) => [one.id, one]));
  for (const task of added) {
    const fields = taskFields(task, described.get(task.milestone ?? ''), shared);
    tasks.items.push(document.createNode(fields));
    described.delete(task.milestone ?? '');
  }
  const careful = document.toString({ lineWidth: 0 });
  return spliced !== null && sameTasks(file, spliced, careful) ? spliced : careful;
}

type Fields = Record<string, unknown>;

/** What the file sets for all its tasks, which need not be repeated. */
function sharedOf(file: Fields): Fields {
  const own = Object.entries(file).filter(([name]) => name !== 'tasks' && name !== 'defaults');
  return { ...(file['defaults'] as Fields | undefined), ...Object.fromEntries(own) };
}

function splice(
  text: string,
  [start, end]: readonly [number, number, number],
  items: (column: number) => string,
): string | null {
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  const dash = text.indexOf('-', lineStart);
  if (dash < 0 || dash >= start) return null;
  const written = text.slice(0, end).trimEnd().length;
  const lineEnd = text.indexOf('\n', written);
  const at = lineEnd < 0 ? text.length : lineEnd + 1;
  const before = text.slice(0, at);
  const gap = before.endsWith('\n') ? '\n' : '\n\n';
  return `${before}${gap}${items(dash - lineStart)}${text.slice(at)}`;
}
