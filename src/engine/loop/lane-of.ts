/** Where a task's steps work: which branch, from which commit, compared with what. */

import { laneBranch, lanesBelow } from '../../app/facts/facts.ts';
import type { Project } from '../../app/project.ts';
import type { TaskView } from '../../core/board/board.ts';
import { GzaError } from '../../core/errors.ts';
import type { LaneLink } from '../../core/ledger/record/record.ts';
import { laneStart, type Predecessor } from '../../core/policy/lane-start.ts';
import { bareOptions, type Repository } from '../../git/open-repository.ts';
import { porcelain } from '../../git/porcelain.ts';
import { readRef } from '../../git/refs.ts';
import { readBranch } from '../../workspace/branch/read-branch.ts';
import { mergeBase } from '../../workspace/patch/lane-diff.ts';
import type { Lane, StepJob } from '../engine.ts';

export interface Base {
  readonly branch: string;
  readonly commit: string;
}

/** The base branch as it is here, or else as the remote had it. */
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

/** Explicit dependencies with a lane of their own, other than this one. */
function predecessorsOf(project: Pick<Project, 'board'>, view: TaskView, branch: string): Predecessor[] {
  const all = project.board.graph.dependencies(view.id).flatMap(({ id }) => {
    const record = project.board.views.get(id)?.record;
    if (!record?.lane || record.lane.branch === branch) return [];
    const state = record.merged_at ? 'merged' : record.lane.folded_at ? 'gone' : 'unmerged';
    return [{ branch: record.lane.branch, state } as const];
  });
  const unmerged = all.filter(({ state }) => state === 'unmerged').map((one) => one.branch);
  const tops = lanesBelow(project, unmerged);
  return all.filter((one) => one.state !== 'unmerged' || tops.includes(one.branch));
}

export async function laneOf(
  project: Project,
  repository: Repository,
  view: TaskView,
  base: Base,
  newLaneId: () => string,
  { isOnlyRead = false } = {},
): Promise<Lane> {
  const branch = laneBranch(project, view);
  const now = await readBranch(repository, branch);
  if (now?.folder && !isOnlyRead) throw checkedOut(view, branch, now.folder);
  // Another clone's work, which was fetched: the lane goes on from there.
  const fetched = now ? null : await fetchedBranch(repository, branch);
  const known = view.record?.lane?.folded_at === undefined ? view.record?.lane : undefined;
  const joined = known ?? laneOnBranch(project, branch);
  const start = laneStart({
    branch,
    hasBranch: now !== null || fetched !== null,
    isSameBranch: view.task.same_branch === true,
    predecessors: predecessorsOf(project, view, branch),
  });
  if (start.kind === 'wait') {
    throw new GzaError(
      'blocked',
      `${view.id} builds on ${start.unmerged.join(' and ')}; all but one must be merged first`,
    );
  }
  const on = start.kind === 'stack' ? start.on : unmergedBelow(project, known?.stacked_on);
  const onto = start.kind === 'stack' ? await predecessorHead(repository, view, start.on) : null;
  const head = now?.oid ?? fetched ?? onto ?? base.commit;
  const compareWith = await comparedWith(repository, on, base);
  const fork_point = joined?.fork_point ?? (await mergeBase(repository, { base: compareWith, head })) ?? head;
  const link: LaneLink = joined ?? { id: newLaneId(), branch, fork_point, ...(on ? { stacked_on: on } : {}) };
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

/** Another task of the same lane brought it about. */
function laneOnBranch(project: Project, branch: string): LaneLink | undefined {
  for (const { record } of project.board.views.values()) {
    if (record?.lane?.branch === branch && !record.lane.folded_at) return record.lane;
  }
  return undefined;
}

function fetchedBranch(repository: Repository, branch: string): Promise<string | null> {
  return readRef(repository, `refs/remotes/origin/${branch}`);
}

async function predecessorHead(repository: Repository, view: TaskView, branch: string): Promise<string> {
  const head = (await readBranch(repository, branch))?.oid ?? (await fetchedBranch(repository, branch));
  if (head !== null) return head;
  throw new GzaError('blocked', `${view.id} builds on ${branch}, which is not in this repository`, {
    hint: `Fetch it: git fetch origin ${branch}:${branch}`,
  });
}

/** What it was stacked on, until that is merged: then it is compared with the base again. */
function unmergedBelow(project: Project, branch: string | undefined): string | undefined {
  if (branch === undefined) return undefined;
  for (const { record } of project.board.views.values()) {
    const isBelow = record?.lane?.branch === branch;
    if (isBelow && (record.merged_at !== undefined || record.lane?.folded_at !== undefined)) return undefined;
  }
  return branch;
}

async function comparedWith(repository: Repository, on: string | undefined, base: Base): Promise<string> {
  if (on === undefined) return base.commit;
  return (await readBranch(repository, on))?.oid ?? base.commit;
}

function checkedOut(view: TaskView, branch: string, folder: string): GzaError {
  return new GzaError('blocked', `${view.id} works on ${branch}, which is checked out in ${folder}`, {
    hint: `gza never changes files under your hands. Switch to another branch there, or run it here: git tasks run`,
  });
}

/** Whether the lane holds work of this task, from an earlier try: then a try that adds none may be right. */
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
