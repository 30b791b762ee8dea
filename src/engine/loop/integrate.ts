/** `--integrate` rebases finished lanes onto the current branch, in order, except those that conflict. */

import type { Ports } from '../../app/command.ts';
import type { Project } from '../../app/project.ts';
import { GzaError } from '../../core/errors.ts';
import type { Event } from '../../core/ledger/event.ts';
import type { LaneLink } from '../../core/ledger/record/record.ts';
import { oneLine } from '../../core/markdown/neutralise.ts';
import { describeVerification } from '../../core/text/review.ts';
import { gzaIdentity } from '../../git/git.ts';
import { readBranch } from '../../git/refs.ts';
import type { Repository } from '../../git/repository.ts';
import { integrateLane, rebaseLane } from '../../workspace/branch/rebase-lane.ts';
import { objectFolders } from '../../workspace/clone-folder.ts';
import { discardClone, type Workspace } from '../../workspace/workspace.ts';
import { verify } from '../checks/verify.ts';
import { baseOf } from './lane-of.ts';
import { stateDirOf } from './state-dir.ts';

/** The result for each branch so far in this run. */
export type Integrated = Map<string, { readonly head: string; readonly ok: boolean; readonly line: string }>;

/**
 * Integrates the lanes finished since the last call, so that the next tasks start on top of them. Returns
 * whether any was integrated. A lane that could not be integrated waits for a person.
 */
export async function integrateFinished(
  project: Project,
  { repository }: Workspace,
  tasks: readonly string[],
  done: Integrated,
  ports: Ports,
  isLast = false,
): Promise<boolean> {
  const treeDir = project.repository.workTree;
  if (treeDir === null)
    throw new GzaError('input', 'a bare repository has no current branch to integrate into');
  let isMoved = false;
  for (const lane of await finishedLanes(project, repository, tasks)) {
    const { branch, head } = lane;
    const before = done.get(branch);
    if (before?.head === head && (before.ok || !isLast)) continue;
    const result = await integrateLane(repository, { ...lane, treeDir, committer: gzaIdentity });
    const ok = result.kind === 'integrated' || result.kind === 'empty';
    const line = lineFor(branch, result);
    done.set(branch, { head, ok, line });
    isMoved ||= result.kind === 'integrated';
    await noteStop(project, branch, ok ? null : line.slice(2), ports.now());
  }
  return isMoved;
}

const stopReason = 'not-integrated';

async function noteStop({ ledger, board }: Project, branch: string, detail: string | null, at: string) {
  const all = [...board.views.values()].filter(({ record }) => record?.lane?.branch === branch);
  const stopped = all.filter(({ record }) => record?.stop?.reason === stopReason);
  const events =
    detail === null
      ? stopped.map(({ id }): Event => ({ kind: 'unblock', at, id }))
      : all
          .slice(-1)
          .map(({ id }): Event => ({ kind: 'stop', at, id, stop: { reason: stopReason, detail, at } }));
  if (events.length > 0) await ledger.write(async () => ({ changes: [{ branch, events }] }));
}

/** Integrates the rest at the end of a run. `ok` is false when a lane is left out or `build_verify` fails. */
export async function integrateLanes(
  project: Project,
  workspace: Workspace,
  tasks: readonly string[],
  done: Integrated,
  ports: Ports,
): Promise<BuildVerified> {
  await integrateFinished(project, workspace, tasks, done, ports, true);
  const lines = [...done.values()].map(({ line }) => line);
  const isAll = [...done.values()].every(({ ok }) => ok);
  const treeDir = project.repository.workTree;
  if (done.size === 0 || treeDir === null || project.config.build_verify === undefined)
    return { ok: isAll, lines };
  const checked = await checkBuild(project, { treeDir }, ports);
  return { ok: isAll && checked.ok, lines: [...lines, checked.line] };
}

function lineFor(branch: string, result: Awaited<ReturnType<typeof integrateLane>>): string {
  switch (result.kind) {
    case 'integrated':
      return `✓ integrated ${branch}`;
    case 'empty':
      return `  ${branch} is in already`;
    case 'conflict':
      return `✗ ${branch} was not integrated: it conflicts in ${fewPaths(result.paths)}. ${result.hint}`;
    case 'in-the-way':
      return `✗ ${branch} was not integrated: uncommitted changes are in the way. ${result.hint}`;
  }
}

const pathsShown = 3;

function fewPaths(paths: readonly string[]): string {
  const few = paths.slice(0, pathsShown).map((path) => oneLine(path, 200));
  const more = paths.length - few.length;
  return `${few.join(', ') || 'its changes'}${more > 0 ? ` and ${more} more` : ''}`;
}

/** Lanes that a run finished, in dependency order. */
interface FinishedLane {
  readonly branch: string;
  readonly forkPoint: string;
  readonly head: string;
  readonly link: LaneLink;
}

async function finishedLanes(
  project: Project,
  repository: Repository,
  tasks: readonly string[],
): Promise<FinishedLane[]> {
  const lanes = new Map<string, FinishedLane>();
  for (const id of project.board.graph.order.filter((one) => tasks.includes(one))) {
    const view = project.board.views.get(id);
    const link = view?.record?.lane;
    const ended = view?.status === 'completed' && (view.record?.final_verdict ?? 'APPROVED') === 'APPROVED';
    if (!link || !ended || link.folded_at !== undefined || lanes.has(link.branch)) continue;
    const head = await readBranch(repository, link.branch);
    if (!head || link.fork_point === undefined) continue;
    lanes.set(link.branch, { branch: link.branch, forkPoint: link.fork_point, head: head.oid, link });
  }
  return [...lanes.values()];
}

/**
 * The result of `build_verify`, which checks all finished branches together, because branches that pass
 * alone may fail together. They are combined in a temporary clone, so that nothing of the user's moves.
 */
export interface BuildVerified {
  readonly ok: boolean;
  readonly lines: readonly string[];
}

/** Null when nothing was finished, or the run was stopped. */
export async function verifyBuild(
  project: Project,
  workspace: Workspace,
  tasks: readonly string[],
  ports: Ports,
): Promise<BuildVerified | null> {
  if (ports.signal.aborted) return null;
  const lanes = await finishedLanes(project, workspace.repository, tasks);
  if (lanes.length === 0) return null;
  const base = await baseOf(project, workspace.repository);
  const { commit, left } = await together(workspace.repository, base.commit, withBelow(project, lanes));
  const clone = await workspace.createClone({
    name: `build.verify.${ports.random()}`,
    branch: 'gza-look/build',
    start: commit,
    base,
    purpose: 'review',
  });
  try {
    const lines = left.map((branch) => `  ${branch} conflicts with the others, so it was built without it`);
    const checked = await checkBuild(project, { treeDir: clone.treeDir, setup: project.config.setup }, ports);
    const built = lanes.length - left.length;
    const many = built === 1 ? '1 branch' : `${built} branches`;
    return { ok: checked.ok, lines: [...lines, `${checked.line} (${many} on ${base.branch})`] };
  } finally {
    await discardClone(clone);
  }
}

/** `setup` is given only for a clone, because a person sets up their own checkout. */
async function checkBuild(
  project: Pick<Project, 'config' | 'repository'>,
  { treeDir, setup }: { readonly treeDir: string; readonly setup?: string | undefined },
  ports: Ports,
): Promise<{ ok: boolean; line: string }> {
  const { workTree, commonDir, objectsDir } = project.repository;
  const verification = await verify({
    treeDir,
    task: {},
    commands: { setup, build: project.config.build_verify },
    limits: { timeoutMs: 3_600_000, idleMs: 600_000 },
    logPath: `${stateDirOf(project)}/logs/build-verify.log`,
    env: ports.env,
    sandbox: { ...project.config, caller: ports.env },
    // The check may read the hooks and settings of a person's own checkout, but not change them.
    read: treeDir === workTree ? [commonDir] : await objectFolders(objectsDir),
    signal: ports.signal,
  });
  const { ok } = verification;
  return { ok, line: `${ok ? '✓' : '✗'} ${describeVerification(verification)}` };
}

/** A branch may be stacked on others that this run did not touch. Then those commits are taken along. */
function withBelow(project: Project, lanes: readonly FinishedLane[]): FinishedLane[] {
  const known = new Set(lanes.map(({ branch }) => branch));
  return lanes.map((lane) => {
    const { stacked_on: on, joins = on === undefined ? [] : [on] } = lane.link;
    const isAlone = joins.some((branch) => !known.has(branch) && project.view.tip(branch) !== null);
    return isAlone ? { ...lane, forkPoint: '' } : lane;
  });
}

async function together(
  repository: Repository,
  base: string,
  lanes: readonly FinishedLane[],
): Promise<{ commit: string; left: string[] }> {
  let commit = base;
  const left: string[] = [];
  for (const { branch, forkPoint, head } of lanes) {
    const from = forkPoint === '' ? base : forkPoint;
    const put = await rebaseLane(repository, { onto: commit, forkPoint: from, head, committer: gzaIdentity });
    if (put.kind === 'rebased') commit = put.commit;
    if (put.kind === 'conflict') left.push(branch);
  }
  return { commit, left };
}
