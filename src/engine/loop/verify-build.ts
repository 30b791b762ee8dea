/**
 * `build_verify`: does the whole hold together? Branches that each pass may not pass as one. They are put on top of
 * each other in a clone that is thrown away, so that nothing of the user's moves.
 */
import type { Ports } from '../../app/command.ts';
import type { Project } from '../../app/project.ts';
import { describeVerification } from '../../core/text/verification.ts';
import type { Repository } from '../../git/open-repository.ts';
import { rebaseLane } from '../../workspace/branch/rebase-lane.ts';
import { discardClone } from '../../workspace/remove-clone.ts';
import { gzaIdentity, type Workspace } from '../../workspace/workspace.ts';
import { verify } from '../checks/verify.ts';
import { type FinishedLane, finishedLanes } from './finished-lanes.ts';
import { baseOf } from './lane-of.ts';
import { stateDirOf } from './state-dir.ts';

export interface BuildVerified {
  readonly ok: boolean;
  readonly lines: readonly string[];
}

/** Null where nothing was finished, or nobody asked for it. */
export async function verifyBuild(
  project: Project,
  workspace: Workspace,
  tasks: readonly string[],
  ports: Ports,
): Promise<BuildVerified | null> {
  if (project.config.build_verify === undefined || ports.signal.aborted) return null;
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

/** `setup`: only for a clone; a person's own checkout is set up as that person likes. */
export async function checkBuild(
  project: Pick<Project, 'config' | 'repository'>,
  { treeDir, setup }: { readonly treeDir: string; readonly setup?: string | undefined },
  ports: Ports,
): Promise<{ ok: boolean; line: string }> {
  const verification = await verify({
    treeDir,
    task: {},
    commands: { setup, build: project.config.build_verify },
    limits: { timeoutMs: 3_600_000, idleMs: 600_000 },
    logPath: `${stateDirOf(project)}/logs/build-verify.log`,
    env: ports.env,
    signal: ports.signal,
  });
  const { ok } = verification;
  return { ok, line: `${ok ? '✓' : '✗'} ${describeVerification(verification)}` };
}

/** A branch stands on others that this run did not touch: without them its commits mean nothing. */
function withBelow(project: Project, lanes: readonly FinishedLane[]): FinishedLane[] {
  const known = new Set(lanes.map(({ branch }) => branch));
  return lanes.map((lane) => {
    const on = lane.link.stacked_on;
    const isAlone = on !== undefined && !known.has(on) && project.view.tip(on) !== null;
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
