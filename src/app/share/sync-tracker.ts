/** Shows the tasks of this repository in a tracker, and records the name of each task's issue. */
import { basename, dirname } from 'node:path';
import { linearIssue, type TaskView } from '../../core/board/board.ts';
import type { Event } from '../../core/ledger/event.ts';
import { postedTasks, wantedIssues } from '../../core/trackers/wanted-issues.ts';
import type { Repository } from '../../git/repository.ts';
import type { Change, LedgerView } from '../../ledger/ledger.ts';
import { syncTracker, type TrackerSync } from '../../trackers/sync.ts';
import type { IssueRef, Tracker } from '../../trackers/tracker.ts';
import type { Ports } from '../command.ts';
import type { Project } from '../project.ts';
import { adoptionOf, refusalError, type Stamp, stampOf } from '../tasks/change-task.ts';
import { wholeViews } from '../whole-tasks.ts';

export interface SyncChoice {
  readonly dryRun: boolean;
  /** Includes tasks that were closed long ago. */
  readonly all: boolean;
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly isOver: () => boolean;
}

export async function syncProject(
  project: Project,
  tracker: Tracker,
  choice: SyncChoice,
): Promise<TrackerSync> {
  const views = [...project.board.views.values()];
  const told = choice.all ? views : postedTasks(views, project.board.now);
  const wanted = wantedIssues({
    views: await wholeViews(project, told),
    milestones: project.read.milestones,
    traits: tracker.traits,
  });
  return syncTracker(tracker, wanted, choice);
}

const tasksPerWrite = 200;

/** Writes the names of issues to their tasks and returns how many. Tasks being worked on get theirs later. */
export async function keepLinearIds(
  project: Project,
  issues: readonly IssueRef[],
  ports: Ports,
): Promise<number> {
  const names = new Map(issues.map(({ task, name }) => [task, name]));
  const held = new Set(project.board.claims.map(({ lane }) => lane));
  const lacking = [...project.board.views.values()].filter(
    (view) => names.has(view.id) && linearIssue(view) === null && !held.has(view.branch ?? ''),
  );
  if (lacking.length === 0) return 0;
  const stamp = stampOf(ports);
  for (let at = 0; at < lacking.length; at += tasksPerWrite) {
    const some = lacking.slice(at, at + tasksPerWrite);
    const adopted = await adoptions(project, some, stamp);
    const written = await project.ledger.write(async (view) => ({
      changes: await changesFor(view, some, { names, adopted, stamp }),
    }));
    if (written.kind === 'refused') throw refusalError(written);
  }
  return lacking.length;
}

async function adoptions(
  project: Project,
  views: readonly TaskView[],
  stamp: Stamp,
): Promise<Map<string, Event>> {
  if (views.every(({ record }) => record !== null)) return new Map();
  // All files are read at once, because one file may hold hundreds of tasks.
  const files = (await project.backlog.read({ whole: true })).tasks;
  const byId = new Map(files.map((file) => [file.task.id, file]));
  return new Map(
    views.flatMap(({ id, record }) => {
      const file = record ? undefined : byId.get(id);
      return file ? [[id, adoptionOf(project, file, stamp)] as const] : [];
    }),
  );
}

interface Naming {
  readonly names: ReadonlyMap<string, string>;
  readonly adopted: ReadonlyMap<string, Event>;
  readonly stamp: Stamp;
}

async function changesFor(
  view: LedgerView,
  lacking: readonly TaskView[],
  { names, adopted, stamp }: Naming,
): Promise<Change[]> {
  const changes = new Map<string, Event[]>();
  for (const { id } of lacking) {
    const located = await view.task(id);
    const first = adopted.get(id);
    if (!located && !first) continue;
    if (located?.record.linear_issue_id !== undefined) continue;
    const branch = located?.branch ?? view.base;
    const events = changes.get(branch) ?? [];
    if (!located && first) events.push(first);
    events.push({ kind: 'edit', ...stamp, id, set: { linear_issue_id: names.get(id) } });
    changes.set(branch, events);
  }
  return [...changes].map(([branch, events]) => ({ branch, events }));
}

/** `host/owner/name` of the remote, the same in every clone; without a remote, the name of the folder. */
export async function repositoryName({ git, commonDir, workTree }: Repository): Promise<string> {
  const url = await git.run(['remote', 'get-url', 'origin']);
  const text = url.code === 0 ? url.stdout.toString('utf8').trim() : '';
  const address = text
    .replace(/^[a-z+]+:\/\//i, '')
    .replace(/^[^@/]*@/, '')
    .replace(/^([^/:]+):(?:\d+\/|\/*)/, '$1/')
    .replace(/(?<!\/)\/+$/, '')
    .replace(/\.git$/, '')
    .toLowerCase();
  return address || basename(workTree ?? dirname(commonDir));
}
