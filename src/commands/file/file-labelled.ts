/** `linear import`: turns issues into tasks of the ledger, each once. */

import type { Ports } from '../../app/command.ts';
import { homeBranch, type Project } from '../../app/project.ts';
import { filePlan, filing, freeIds, refusalError, set, stampOf } from '../../app/tasks/change-task.ts';
import { linearIssue } from '../../core/board/board.ts';
import type { TaskRecord } from '../../core/ledger/record/record.ts';
import { addSeconds } from '../../core/time.ts';
import { entityId } from '../../trackers/linear/entity-id.ts';
import type { LabelledIssue } from '../../trackers/linear/labelled-issues.ts';

export interface Imported {
  readonly filed: readonly TaskRecord[];
  readonly known: number;
}

export interface ImportChoice {
  /** The ids of gza's own issues are derived from this. */
  readonly repository: string;
  readonly dryRun: boolean;
}

export async function fileLabelled(
  project: Project,
  issues: readonly LabelledIssue[],
  { repository, dryRun }: ImportChoice,
  ports: Ports,
): Promise<Imported> {
  const stamp = stampOf(ports);
  const salt = ports.random();
  const byIssue = knownIssues(project, issues, repository);
  const fresh = issues.filter(({ id }) => !byIssue.has(id));
  let filed: TaskRecord[] = [];
  const written = await project.ledger.write(async (view) => {
    const keys = new Set((await view.rows()).flatMap(({ record }) => record.key ?? []));
    const left = fresh.filter(({ id }) => !keys.has(keyOf(id)));
    const ids = await freeIds(
      view,
      left.map(({ id }) => `${id}\n${stamp.at}\n${salt}`),
    );
    const tasks = new Map([...byIssue, ...left.map(({ id }, at) => [id, ids[at]!] as const)]);
    filed = left.map((issue, at) => ({
      ...recordOf(issue, tasks),
      ...filing({ ...stamp, at: addSeconds(stamp.at, at / 1000) }),
    }));
    if (dryRun || filed.length === 0) return null;
    return filePlan(view, homeBranch(project.repository, view), filed, stamp, salt);
  });
  if (written.kind === 'refused') throw refusalError(written);
  return { filed, known: issues.length - filed.length };
}

function keyOf(issue: string): string {
  return `linear:${issue}`;
}

/** Issue → task, for issues that were imported, linked by hand, or created by gza. */
function knownIssues(
  { board }: Project,
  issues: readonly LabelledIssue[],
  repository: string,
): Map<string, string> {
  const views = [...board.views.values()];
  const names = new Map(views.map((view) => [linearIssue(view)?.toLowerCase(), view.id]));
  const keys = new Map(views.map(({ id, record }) => [record?.key, id]));
  const own = new Map(views.map(({ id }) => [entityId(repository, 'issue', id), id]));
  return new Map(
    issues.flatMap(({ id, name }) => {
      const task = keys.get(keyOf(id)) ?? names.get(name.toLowerCase()) ?? names.get(id) ?? own.get(id);
      return task === undefined ? [] : [[id, task] as const];
    }),
  );
}

function recordOf(
  issue: LabelledIssue,
  tasks: ReadonlyMap<string, string>,
): Omit<TaskRecord, 'created_at' | 'created_by'> {
  const after = issue.blockedBy.flatMap((id) => (id === issue.id ? [] : (tasks.get(id) ?? [])));
  const parent = issue.parent === null ? undefined : tasks.get(issue.parent);
  return {
    id: tasks.get(issue.id)!,
    type: 'task',
    title: issue.title,
    content: issue.content,
    linear_issue_id: issue.name,
    key: keyOf(issue.id),
    ...set({ priority: issue.priority, parent, depends_on: after.length > 0 ? after : undefined }),
  };
}
