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
import { listRefs, readRef } from '../../git/refs.ts';
import type { LedgerView } from '../../ledger/ledger.ts';
import { moveRefs, type RefMove } from '../../ledger/store/move-refs.ts';
import { readBranch } from '../../workspace/branch/read-branch.ts';
import { type RebaseResult, rebaseLane } from '../../workspace/branch/rebase-lane.ts';
import { diffId } from '../../workspace/patch/lane-diff.ts';

import { baseOf, isJoinBranch, joinLanes, PredecessorsConflict } from './lane-of.ts';
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
  /** Another lane, which is not merged yet; or gza's own branch. */
  readonly isLane?: boolean;
  /** What gza's own branch joins. */
  readonly joins?: readonly string[];
}

export type Rebased = { readonly kind: 'moved' } | Exclude<RebaseResult, { readonly kind: 'rebased' }>;

/** A branch below is merged, and its ledger is folded. */
export function isBelowMerged(project: Project, { stacked_on: on, joins, fork_point }: LaneLink): boolean {
  if (on === undefined || fork_point === undefined) return false;
  return (joins ?? [on]).some((branch) => isFolded(project, branch));
}

function isFolded({ view, board }: Project, branch: string): boolean {
  if (view.tip(branch) !== null) return false;
  return [...board.views.values()].some(
    ({ record }) => record?.lane?.branch === branch && record.merged_at !== undefined,
  );
}

/** What is left below a lane: another lane, gza's own branch that joins several, or the base branch. */
export async function ontoOf(
  project: Project,
  repository: Repository,
  { stacked_on: on, joins }: LaneLink,
): Promise<Onto> {
  const base = await baseOf(project, repository);
  if (on === undefined) return base;
  const left = (joins ?? [on]).filter((branch) => project.view.tip(branch) !== null);
  if (left.length === 0) return base;
  if (joins === undefined) {
    const found = await readBranch(repository, on);
    return found ? { branch: on, commit: found.oid, isLane: true } : base;
  }
  // With the base, for those that were merged.
  const { commit } = await joinLanes(repository, on, left, base);
  return { branch: on, commit, isLane: true, joins: left };
}

/** Branches that joined what a lane built on, and that no lane in flight stands on any more. */
export async function removeJoins(
  project: Project,
  repository: Repository,
  isNeeded: (branch: string) => boolean = () => false,
): Promise<void> {
  const rows = await listRefs(repository, [`refs/heads/${project.config.branch_prefix}on`]);
  if (rows.length === 0) return;
  const stoodOn = new Set(
    [...project.board.views.values()].flatMap(({ record }) =>
      record?.lane?.folded_at === undefined ? (record?.lane?.stacked_on ?? []) : [],
    ),
  );
  const old = rows.filter(({ ref }) => {
    const branch = ref.replace('refs/heads/', '');
    return isJoinBranch(project, branch) && !stoodOn.has(branch) && !isNeeded(branch);
  });
  if (old.length > 0)
    await moveRefs(
      repository,
      old.map(({ ref, oid }) => ({ ref, to: null, from: oid })),
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
    ...(onto.joins ? { joins: [...onto.joins] } : {}),
    rebased: { from, to, diff: await diffId(repository, { base: onto.commit, head: to }) },
  };
  const move = { ref: `refs/heads/${branch}`, to, from: head };
  const joined = onto.joins ? await moveTo(repository, onto) : [];
  const entered = tasks.map((task): Event => ({ kind: 'enter-lane', at, id: task, lane }));
  await ledger.write(async (view) => ({
    changes: [
      { branch, events: entered },
      { branch: view.base, events: [...entered, ...(await also(view, to))] },
    ],
    refs: [move, ...joined],
  }));
  return { kind: 'moved' };
}

async function moveTo(repository: Repository, { branch, commit: to }: Onto): Promise<RefMove[]> {
  const ref = `refs/heads/${branch}`;
  const from = await readRef(repository, ref);
  return from === to ? [] : [{ ref, to, from }];
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
  const merged = (link.joins ?? [link.stacked_on])
    .filter((one) => one && isFolded(project, one))
    .join(' and ');
  const onto = await ontoOf(project, workspace.repository, link).catch(conflictOnly);
  let why: string;
  if (onto instanceof PredecessorsConflict) {
    why = onto.message;
  } else {
    const { fork_point: forkPoint = now.oid } = link;
    const lane = { link, head: now.oid, forkPoint, tasks: own.map(({ id }) => id) };
    const rebased = await rebaseOn(project, workspace.repository, lane, onto, ports.now());
    if (rebased.kind === 'moved') {
      loop.teller.line(view.id, `${link.branch} stands on ${onto.branch} now: ${merged} was merged`);
      return true;
    }
    const found =
      rebased.kind === 'conflict'
        ? `conflicts in ${rebased.paths.slice(0, 5).join(', ')}`
        : 'nothing is left of it';
    const byHand = `git rebase --onto ${onto.branch} ${link.fork_point?.slice(0, 12)} ${link.branch}`;
    why = `${link.branch} cannot be put on top of ${onto.branch}: ${found}. By hand: ${byHand}`;
  }
  const detail = `${merged} was merged, and ${why}`;
  await writeToTask(project, view.id, ports, (_record, { at }) => [
    { kind: 'stop', at, id: view.id, stop: { reason: 'rebase-conflict', detail, at } },
  ]);
  loop.teller.line(view.id, detail);
  // It is told at the end what it waits for.
  loop.ended.add(view.id);
  return true;
}

export function conflictOnly(error: unknown): PredecessorsConflict {
  if (error instanceof PredecessorsConflict) return error;
  throw error;
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
