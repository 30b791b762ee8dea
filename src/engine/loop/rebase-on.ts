/**
 * A lane's own commits, from where it left what it stood on, are put on top of something else, and branch and ledgers
 * say so in one transaction. A conflict changes nothing.
 */

import { laneBranch } from '../../app/facts/facts.ts';
import type { Project } from '../../app/project.ts';
import { wholeView, writeToTask } from '../../app/tasks/change-task.ts';
import type { TaskView } from '../../core/board/board.ts';
import type { Event } from '../../core/ledger/event.ts';
import type { LaneLink, StepRecord } from '../../core/ledger/record/record.ts';
import { gzaIdentity } from '../../git/git.ts';
import type { Repository } from '../../git/open-repository.ts';
import type { LedgerView } from '../../ledger/ledger.ts';
import type { RefMove } from '../../ledger/store/move-refs.ts';
import { readBranch } from '../../workspace/branch/read-branch.ts';
import { type RebaseResult, rebaseLane } from '../../workspace/branch/rebase-lane.ts';
import { diffId } from '../../workspace/patch/lane-diff.ts';

import { baseOf } from './lane-of.ts';
import type { Loop } from './loop.ts';

export interface LaneToMove {
  readonly link: LaneLink;
  readonly head: string;
  readonly forkPoint: string;
  readonly tasks: readonly string[];
}

export interface Onto {
  readonly branch: string;
  readonly commit: string;
  /** Another lane, which is not merged yet. */
  readonly isLane?: boolean;
}

export type Rebased =
  | { readonly kind: 'moved'; readonly move: RefMove }
  | Exclude<RebaseResult, { readonly kind: 'rebased' }>;

/** The branch below is merged and its ledger came home. */
export function isBelowMerged({ view, board }: Project, { stacked_on: on, fork_point }: LaneLink): boolean {
  if (on === undefined || fork_point === undefined || view.tip(on) !== null) return false;
  return [...board.views.values()].some(
    ({ record }) => record?.lane?.branch === on && record.merged_at !== undefined,
  );
}

/** `also`: recorded in the base ledger together with the move. */
export async function rebaseOn(
  { ledger }: Project,
  repository: Repository,
  { link, head, forkPoint, tasks }: LaneToMove,
  onto: Onto,
  at: string,
  also: (view: LedgerView, to: string) => Promise<readonly Event[]> = async () => [],
): Promise<Rebased> {
  const rebased = await rebaseLane(repository, {
    onto: onto.commit,
    forkPoint,
    head,
    committer: gzaIdentity,
  });
  if (rebased.kind !== 'rebased') return rebased;
  const { branch, id, rebased: before } = link;
  const to = rebased.commit;
  // Where the last step left it, also when it was put elsewhere more than once since.
  const from = before?.to === head ? before.from : head;
  const lane: LaneLink = {
    id,
    branch,
    fork_point: onto.commit,
    ...(onto.isLane ? { stacked_on: onto.branch } : {}),
    rebased: { from, to, diff: await diffId(repository, { base: onto.commit, head: to }) },
  };
  const move = { ref: `refs/heads/${branch}`, to, from: head };
  const entered = tasks.map((task): Event => ({ kind: 'enter-lane', at, id: task, lane }));
  await ledger.write(async (view) => ({
    changes: [
      { branch, events: entered },
      { branch: view.base, events: [...entered, ...(await also(view, to))] },
    ],
    refs: [move],
  }));
  return { kind: 'moved', move };
}

/**
 * Before the next step of a lane whose predecessor was merged since: on top of the base with it, or to a person.
 * Whether anything was written: what was decided before is old then.
 */
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
  const base = await baseOf(project, workspace.repository);
  const { fork_point: forkPoint = now.oid } = link;
  const lane = { link, head: now.oid, forkPoint, tasks: own.map(({ id }) => id) };
  const rebased = await rebaseOn(project, workspace.repository, lane, base, ports.now());
  if (rebased.kind === 'moved') {
    loop.teller.line(view.id, `${link.branch} stands on ${base.branch} now: ${link.stacked_on} was merged`);
    return true;
  }
  const why =
    rebased.kind === 'conflict'
      ? `conflicts in ${rebased.paths.slice(0, 5).join(', ')}`
      : 'nothing is left of it';
  const onto = `git rebase --onto ${base.branch} ${link.fork_point?.slice(0, 12)} ${link.branch}`;
  const detail = `${link.stacked_on} was merged, and ${link.branch} cannot be put on top of ${base.branch}: ${why}. By hand: ${onto}`;
  await writeToTask(project, view.id, ports, (_record, { at }) => [
    { kind: 'stop', at, id: view.id, stop: { reason: 'rebase-conflict', detail, at } },
  ]);
  loop.teller.line(view.id, detail);
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
