/** Loads many tasks with the texts that lists leave out, reading the files once and each ledger once. */
import type { TaskView } from '../core/board/board.ts';
import { isGzaError } from '../core/errors.ts';
import { isDefined, type TaskRecord } from '../core/ledger/record/record.ts';
import type { LedgerView } from '../ledger/ledger.ts';
import type { Project } from './project.ts';
import { wholeTask } from './tasks/change-task.ts';

/** Empty for a damaged ledger, which was already reported when its rows were read. */
async function tasksOf(view: LedgerView, branch: string): Promise<ReadonlyMap<string, TaskRecord>> {
  try {
    return (await view.state(branch)).tasks;
  } catch (error) {
    if (isGzaError(error)) return new Map();
    throw error;
  }
}

export async function wholeViews(
  { backlog, view }: Pick<Project, 'backlog' | 'view'>,
  views: readonly TaskView[],
): Promise<TaskView[]> {
  const branches = [...new Set(views.flatMap(({ branch }) => branch ?? []))];
  const records = new Map<string, ReadonlyMap<string, TaskRecord>>();
  for (const branch of branches) records.set(branch, await tasksOf(view, branch));
  const inFiles = views.some(({ record }) => record === null || !isDefined(record))
    ? new Map((await backlog.read({ whole: true })).tasks.map(({ task }) => [task.id, task]))
    : new Map();
  return views.map((one) => {
    const record = one.branch === null ? undefined : records.get(one.branch)?.get(one.id);
    if (record && isDefined(record)) return { ...one, record, task: wholeTask(record, one.task) };
    const file = inFiles.get(one.id);
    const task = file ? wholeTask(file, one.task) : (record ?? one.task);
    return { ...one, record: record ?? one.record, task };
  });
}
