/** Before the next step of a lane whose predecessor was merged since: on top of the base with it, or to a person. */

import { laneBranch } from '../../app/facts/lane-branch-name.ts';
import type { Project } from '../../app/project.ts';
import { wholeView, writeToTask } from '../../app/tasks/change-task.ts';
import type { TaskView } from '../../core/board/board.ts';
import type { StepRecord } from '../../core/ledger/record/record.ts';
import { readBranch } from '../../workspace/branch/read-branch.ts';
import type { Loop } from './loop.ts';
import { sayOf } from './progress-lines.ts';
import { isBelowMerged, rebaseOnBase } from './rebase-on-base.ts';

/** Whether anything was written: what was decided before is old then. */
export async function unstack(loop: Loop, view: TaskView): Promise<boolean> {
  const { project, workspace, ports } = loop;
  const branch = laneBranch(project, view);
  const own = [...project.board.views.values()].filter(
    ({ record }) => record?.lane?.branch === branch && !record.lane.folded_at,
  );
  const link = own[0]?.record?.lane;
  if (!link || !isBelowMerged(project, link)) return false;
  const now = await readBranch(workspace.repository, branch);
  // Under somebody's hands, or with commits of theirs: it stays as they have it.
  if (!now || now.folder || now.oid !== (await leftAt(project, own))) return false;
  const stacked = { link, head: now.oid, tasks: own.map(({ id }) => id) };
  const rebased = await rebaseOnBase(project, workspace.repository, stacked, ports.now());
  if (rebased.kind === 'rebased') {
    sayOf(loop, view.id, `${link.branch} stands on ${rebased.base} now: ${link.stacked_on} was merged`);
    return true;
  }
  const onto = `git rebase --onto ${rebased.base} ${link.fork_point?.slice(0, 12)} ${link.branch}`;
  const detail = `${link.stacked_on} was merged, and ${link.branch} cannot be put on top of ${rebased.base}: ${rebased.why}. By hand: ${onto}`;
  await writeToTask(project, view.id, ports, (_record, { at }) => [
    { kind: 'stop', at, id: view.id, stop: { reason: 'rebase-conflict', detail, at } },
  ]);
  sayOf(loop, view.id, detail);
  // It is told at the end what it waits for.
  loop.ended.add(view.id);
  return true;
}

/** Where the last step left the branch, or gza itself after that. */
async function leftAt(project: Project, tasks: readonly TaskView[]): Promise<string | undefined> {
  // Whole: lists leave out the steps of what is closed.
  const whole = await Promise.all(tasks.map(({ id }) => wholeView(project, id)));
  const steps = whole.flatMap(({ record }) => record?.steps ?? []);
  const isLater = (one: StepRecord, than: StepRecord) => one.ended_at >= than.ended_at;
  const last = steps
    .filter(({ head }) => head !== undefined)
    .reduce<StepRecord | undefined>((best, one) => (!best || isLater(one, best) ? one : best), undefined);
  const rebased = whole.map(({ record }) => record?.lane?.rebased).find((one) => one !== undefined);
  return last && rebased && rebased.from === last.head ? rebased.to : last?.head;
}
