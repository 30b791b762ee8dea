/** Decides where a task's steps work: on which branch, from which commit, and compared with what. */

import { laneBranch } from '../../app/facts/facts.ts';
import type { Project } from '../../app/project.ts';
import { lanesOf } from '../../core/board/blockers.ts';
import type { TaskView } from '../../core/board/board.ts';
import { GzaError } from '../../core/errors.ts';
import type { LaneLink } from '../../core/ledger/record/record.ts';
import {
  type LaneStart,
  laneStart,
  type OpenLane,
  overlapStart,
  type Predecessor,
} from '../../core/policy/decide.ts';
import { normalisePaths } from '../../core/task/task.ts';
import { porcelain } from '../../git/porcelain.ts';
import { readBranch, readRef } from '../../git/refs.ts';
import { bareOptions, type Repository } from '../../git/repository.ts';
import { moveRefs, type RefMove } from '../../ledger/store/refs.ts';
import { hasPersonsWork, joinBranches } from '../../workspace/branch/join-branches.ts';
import { mergeBase } from '../../workspace/patch/lane-diff.ts';
import type { Lane, StepJob } from '../engine.ts';

export interface Base {
  readonly branch: string;
  readonly commit: string;
}

/** The base branch of this clone, or as last fetched from the remote. */
export async function baseOf(project: Pick<Project, 'view'>, repository: Repository): Promise<Base> {
  const branch = project.view.base;
  for (const ref of [`refs/heads/${branch}`, `refs/remotes/origin/${branch}`]) {
    const commit = await readRef(repository, ref);
    if (commit !== null) return { branch, commit };
  }
  throw new GzaError(
    'input',
    `the base branch ${branch} has no commit yet, so there is nothing to work from`,
    {
      hint: 'Make a first commit, for example: git commit --allow-empty -m "Begin"',
    },
  );
}

/** The lanes that a task waits for. For a task without a lane, its own dependencies and subtasks count. */
function predecessorsOf(project: Pick<Project, 'board'>, view: TaskView, branch: string): Predecessor[] {
  const { graph, views } = project.board;
  const all: Predecessor[] = [];
  const waits = new Set(graph.dependencies(view.id).map(({ id }) => id));
  // The set grows during the loop.
  for (const id of waits) {
    const { record, children = [] } = views.get(id) ?? {};
    if (record?.lane && record.lane.branch !== branch) {
      const { lane, merged_at, started_at } = record;
      const state = merged_at ? 'merged' : lane.folded_at ? 'gone' : 'unmerged';
      all.push({ branch: lane.branch, state, at: merged_at ?? started_at });
    }
    const below = record?.lane ? [] : graph.dependencies(id).map((one) => one.id);
    for (const one of [...below, ...children]) if (one !== view.id) waits.add(one);
  }
  const unmerged = all.filter(({ state }) => state === 'unmerged').map((one) => one.branch);
  const tops = lanesOf(views).tops(unmerged);
  return all.filter((one) => one.state !== 'unmerged' || tops.includes(one.branch));
}

export function startOf(
  project: Pick<Project, 'board'>,
  view: TaskView,
  branch: string,
  hasBranch: boolean,
): LaneStart {
  const isSameBranch = view.task.same_branch === true;
  const predecessors = predecessorsOf(project, view, branch);
  const start = laneStart({ branch, hasBranch, isSameBranch, predecessors });
  if (start.kind !== 'base' || start.note !== undefined) return start;
  const files = normalisePaths(view.task.files_to_modify);
  const on = files.length > 0 ? overlapStart(files, doneLanes(project, branch)) : null;
  return on === null ? start : { kind: 'stack', branch, on };
}

/** Open lanes whose tasks are all done, without this lane and those below another of them. */
function doneLanes({ board }: Pick<Project, 'board'>, own: string): OpenLane[] {
  const lanes = lanesOf(board.views);
  const isDone = ({ record, unapproved }: TaskView) => record?.closed_as === 'done' && !unapproved;
  const done = [...lanes.open.values()].filter(({ branch, tasks }) => branch !== own && tasks.every(isDone));
  const top = lanes.tops(done.map(({ branch }) => branch));
  return done
    .filter(({ branch }) => top.includes(branch))
    .map(({ branch, tasks }) => ({
      branch,
      files: tasks.flatMap(({ task }) => normalisePaths(task.files_to_modify)),
      position: Math.min(...tasks.map((one) => one.position)),
      height: lanes.stack(branch).size,
    }));
}

/** Whether a task of the lane waits for the work on another branch. */
export function waitsForLane(project: Pick<Project, 'board'>, branch: string, other: string): boolean {
  const { tasks = [] } = lanesOf(project.board.views).open.get(branch) ?? {};
  return tasks.some((view) => predecessorsOf(project, view, branch).some((one) => one.branch === other));
}

export interface LaneOptions {
  readonly isOnlyRead?: boolean;
  /** Refs that the remote refuses to let gza move, each with the reason. Null: it refuses all of them. */
  readonly stays?: ReadonlyMap<string, string> | null;
}

export async function laneOf(
  project: Project,
  repository: Repository,
  view: TaskView,
  base: Base,
  newLaneId: () => string,
  { isOnlyRead = false, stays }: LaneOptions = {},
): Promise<Lane> {
  const branch = laneBranch(project, view);
  if (isOwnBranch(project, branch)) throw keptBranch(view, branch);
  const now = await readBranch(repository, branch);
  if (now?.folder && !isOnlyRead) throw checkedOut(view, branch, now.folder);
  // If another clone's work was fetched, the lane continues from there.
  const fetched = now ? null : await fetchedBranch(repository, branch);
  const known = view.record?.lane?.folded_at === undefined ? view.record?.lane : undefined;
  // Another task may have opened the lane already.
  const joined = known ?? lanesOf(project.board.views).open.get(branch)?.link;
  // If the branch no longer exists, the lane starts again from its current predecessors.
  const kept = now !== null || fetched !== null ? joined : undefined;
  const start = startOf(project, view, branch, now !== null || fetched !== null);
  const below = await belowOf(project, repository, view, base, start, stays);
  // Once the branch below is merged, the lane is compared with the base again.
  const stacked = kept?.stacked_on;
  const isOver = stacked !== undefined && lanesOf(project.board.views).end(stacked) !== null;
  const on = below?.on ?? (isOver ? undefined : stacked);
  const head = now?.oid ?? fetched ?? below?.commit ?? base.commit;
  const compareWith = below?.commit ?? (await comparedWith(repository, on, kept, base));
  const fork_point = kept?.fork_point ?? (await mergeBase(repository, { base: compareWith, head })) ?? head;
  const joins = below?.joins ? { joins: below.joins } : {};
  const link: LaneLink = kept ?? {
    id: joined?.id ?? newLaneId(),
    branch,
    fork_point,
    ...(on ? { stacked_on: on, ...joins } : {}),
  };
  const note = start.kind === 'base' ? start.note : undefined;
  return {
    link,
    isNew: project.view.tip(branch) === null,
    head,
    hasBranch: now !== null,
    compareWith,
    ...(note ? { note } : {}),
  };
}

interface Below {
  readonly on: string;
  readonly commit: string;
  readonly joins?: string[];
}

/** What a new lane is stacked on; null when that is only the base branch. */
async function belowOf(
  project: Project,
  repository: Repository,
  view: TaskView,
  base: Base,
  start: LaneStart,
  stays: LaneOptions['stays'],
): Promise<Below | null> {
  if (start.kind === 'stack')
    return { on: start.on, commit: await predecessorHead(project, repository, view.id, start.on) };
  if (start.kind !== 'join') return null;
  const { on: joins, withBase } = start;
  const on = joinBranch(project, view.id);
  const why = stays === null ? 'the remote took no branch' : stays?.get(`refs/heads/${on}`);
  if (why !== undefined) throw new GzaError('blocked', `${on}, which it starts from, was not taken: ${why}`);
  const { commit } = await joinLanes(project, repository, view.id, joins, withBase ? base : null);
  const moves = await joinMove(repository, on, commit, view.record?.lane?.fork_point);
  if (moves.length > 0 && (await moveRefs(repository, moves)) !== 'moved')
    throw new GzaError('lost', `${on} was moved by somebody else; try again`);
  return { on, commit, joins: [...joins] };
}

/** The branch that gza creates to join everything a lane builds on. */
function joinBranch({ config }: Pick<Project, 'config'>, id: string): string {
  return `${config.branch_prefix}on/${id}`;
}

export function isJoinBranch({ config }: Pick<Project, 'config'>, branch: string): boolean {
  return branch.startsWith(`${config.branch_prefix}on/`);
}

/** A branch named `gza/on` would make all branches below it impossible. */
function isOwnBranch(project: Pick<Project, 'config'>, branch: string): boolean {
  return isJoinBranch(project, `${branch}/`);
}

function keptBranch({ id }: TaskView, branch: string): GzaError {
  return new GzaError(
    'input',
    `${id} cannot work on ${branch}: gza keeps that name for branches that join others`,
    {
      hint: `Give the task another id, or a field of its own: branch: ${branch.split('/')[0]}/task-${id}`,
    },
  );
}

/** Thrown before anything is spent: the branches that a task builds on conflict. A person must resolve it. */
export class PredecessorsConflict extends GzaError {}

export async function joinLanes(
  project: Pick<Project, 'board'>,
  repository: Repository,
  id: string,
  branches: readonly string[],
  base: Base | null,
): Promise<{ readonly commit: string }> {
  const parts: Base[] = base ? [base] : [];
  for (const branch of branches) {
    parts.push({ branch, commit: await predecessorHead(project, repository, id, branch) });
  }
  const result = await joinBranches(repository, parts as [Base, ...Base[]]);
  if (result.kind === 'joined') return result;
  const before = parts
    .map((part) => part.branch)
    .slice(
      0,
      parts.findIndex((part) => part.branch === result.branch),
    );
  const shown = result.paths.slice(0, 10).join(', ') + (result.paths.length > 10 ? ' and more' : '');
  throw new PredecessorsConflict(
    'blocked',
    `it builds on branches that do not merge: ${result.branch} conflicts with ${before.join(' and ')} in ${shown}`,
  );
}

/** Moves gza's joining branch to a commit, if it is not there. `made` is where gza last put it. */
export async function joinMove(
  repository: Repository,
  branch: string,
  to: string,
  made: string | undefined,
): Promise<RefMove[]> {
  const ref = `refs/heads/${branch}`;
  const from = await readRef(repository, ref);
  if (from === to) return [];
  const above = branch.slice(0, branch.lastIndexOf('/'));
  if ((await readRef(repository, `refs/heads/${above}`)) !== null)
    throw new PredecessorsConflict(
      'blocked',
      `${branch} cannot be made, as there is a branch ${above}: git branch -m ${above} another-name`,
    );
  if (from !== null && (await hasPersonsWork(repository, ref, from, made))) {
    throw new PredecessorsConflict(
      'blocked',
      `${branch} holds commits of a person, so gza does not move it: put them on a branch of their own, and remove ${branch}`,
    );
  }
  return [{ ref, to, from }];
}

function fetchedBranch(repository: Repository, branch: string): Promise<string | null> {
  return readRef(repository, `refs/remotes/origin/${branch}`);
}

async function predecessorHead(
  { board }: Pick<Project, 'board'>,
  repository: Repository,
  id: string,
  branch: string,
): Promise<string> {
  const head = (await readBranch(repository, branch))?.oid ?? (await fetchedBranch(repository, branch));
  if (head !== null) return head;
  const owner = [...board.views.values()].find(({ record }) => record?.lane?.branch === branch)?.id;
  throw new GzaError(
    'blocked',
    `${id} builds on ${branch}, which is not in this repository: git fetch origin ${branch}:${branch} brings it; where it was deleted, gza retry ${owner} --from-start does its work again`,
  );
}

async function comparedWith(
  repository: Repository,
  on: string | undefined,
  link: LaneLink | undefined,
  base: Base,
): Promise<string> {
  if (on === undefined) return base.commit;
  const head = (await readBranch(repository, on))?.oid ?? (await fetchedBranch(repository, on));
  return head ?? (link?.joins && link.fork_point) ?? base.commit;
}

function checkedOut(view: TaskView, branch: string, folder: string): GzaError {
  return new GzaError('blocked', `${view.id} works on ${branch}, which is checked out in ${folder}`, {
    hint: `gza never changes files under your hands. Switch to another branch there, or run it here: git tasks run`,
  });
}

/** Whether the lane has commits of this task. Then a further try without changes is not a failure. */
export async function hasWorkOf(repository: Repository, { id, lane }: StepJob): Promise<boolean> {
  if (!lane?.hasBranch) return false;
  const from = lane.link.fork_point;
  const range = from === undefined ? { maxCount: 200, [lane.head]: null } : { from, to: lane.head };
  const format = { ids: '%(trailers:key=Task,valueonly,separator=%x2C)' };
  const log = await porcelain(
    repository.commonDir,
    (git) => git.log({ ...range, symmetric: false, format }),
    bareOptions(repository.commonDir),
  ).catch(() => null);
  return (log?.all ?? []).some(({ ids }) => ids.split(',').includes(id));
}
