/** `--integrate`: finished lanes onto the current branch, in dependency order; a conflict stops that one, untouched. */
import type { Ports } from '../commands/command.ts';
import type { Project } from '../commands/project.ts';
import { openWork } from '../commands/work-ports.ts';
import { GzaError } from '../core/errors.ts';
import { describeVerification } from '../core/text/verification.ts';
import { verify } from '../steps/verify.ts';
import { integrateLane } from '../workspace/integrate-lane.ts';
import { readBranch } from '../workspace/move-branch.ts';
import { gzaIdentity } from '../workspace/workspace.ts';
import { stateDirOf } from './state-dir.ts';

/** What was done, a line each. */
export async function integrateLanes(
  project: Project,
  tasks: readonly string[],
  ports: Ports,
): Promise<string[]> {
  const treeDir = project.repository.workTree;
  if (treeDir === null)
    throw new GzaError('input', 'a bare repository has no current branch to integrate into');
  const { repository } = await openWork(project);
  const lines: string[] = [];
  const seen = new Set<string>();
  const order = project.board.graph.order.filter((id) => tasks.includes(id));
  for (const id of order) {
    const view = project.board.views.get(id);
    const lane = view?.record?.lane;
    const ended = view?.status === 'completed' && (view.record?.final_verdict ?? 'APPROVED') === 'APPROVED';
    if (!lane || !ended || seen.has(lane.branch)) continue;
    seen.add(lane.branch);
    const head = await readBranch(repository, lane.branch);
    if (!head || lane.fork_point === undefined) continue;
    const result = await integrateLane(repository, {
      treeDir,
      branch: lane.branch,
      forkPoint: lane.fork_point,
      head: head.oid,
      committer: gzaIdentity,
    });
    lines.push(lineFor(lane.branch, result));
  }
  if (seen.size > 0 && project.config.build_verify !== undefined)
    lines.push(await buildVerified(project, treeDir, ports));
  return lines;
}

function lineFor(branch: string, result: Awaited<ReturnType<typeof integrateLane>>): string {
  switch (result.kind) {
    case 'integrated':
      return `✓ integrated ${branch}`;
    case 'empty':
      return `  ${branch} is in already`;
    case 'conflict':
    case 'in-the-way':
      return `✗ ${branch} was not integrated: ${result.hint}`;
  }
}

async function buildVerified(project: Project, treeDir: string, ports: Ports): Promise<string> {
  const verification = await verify({
    treeDir,
    task: {},
    commands: { build: project.config.build_verify },
    limits: { timeoutMs: 3_600_000, idleMs: 600_000 },
    logPath: `${stateDirOf(project)}/logs/build-verify.log`,
    env: ports.env,
  });
  return `${verification.ok ? '✓' : '✗'} ${describeVerification(verification)}`;
}
