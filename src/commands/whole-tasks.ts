/** Tasks with the texts that lists leave out, all at once: one read of the files, one of every ledger. */
import type { TaskView } from '../core/board.ts';
import { isDefined, type TaskRecord } from '../core/record.ts';
import type { Project } from './project.ts';

export async function wholeViews(
  { backlog, view }: Pick<Project, 'backlog' | 'view'>,
  views: readonly TaskView[],
): Promise<TaskView[]> {
  const branches = [...new Set(views.flatMap(({ branch }) => branch ?? []))];
  const records = new Map<string, ReadonlyMap<string, TaskRecord>>();
  for (const branch of branches) records.set(branch, (await view.state(branch)).tasks);
  const inFiles = views.some(({ record }) => record === null || !isDefined(record))
    ? new Map((await backlog.read({ whole: true })).tasks.map(({ task }) => [task.id, task]))
    : new Map();
  return views.map((one) => {
    const record = one.branch === null ? undefined : records.get(one.branch)?.get(one.id);
    if (record && isDefined(record)) return { ...one, record, task: record };
    return { ...one, record: record ?? one.record, task: inFiles.get(one.id) ?? record ?? one.task };
  });
}
