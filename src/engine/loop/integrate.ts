/** `--integrate`: finished lanes onto the current branch, in dependency order; a conflict stops that one, untouched. */
import type { Ports } from '../../app/command.ts';
import type { Project } from '../../app/project.ts';
import { GzaError } from '../../core/errors.ts';
import { oneLine } from '../../core/markdown/one-line.ts';
import { integrateLane } from '../../workspace/branch/rebase-lane.ts';
import { gzaIdentity } from '../../workspace/workspace.ts';
import { openWork } from '../work-ports.ts';
import { finishedLanes } from './finished-lanes.ts';
import { type BuildVerified, checkBuild } from './verify-build.ts';

/** What was done, a line each; `ok` is false when a lane is left out or the whole did not pass `build_verify`. */
export async function integrateLanes(
  project: Project,
  tasks: readonly string[],
  ports: Ports,
): Promise<BuildVerified> {
  const treeDir = project.repository.workTree;
  if (treeDir === null)
    throw new GzaError('input', 'a bare repository has no current branch to integrate into');
  const { repository } = await openWork(project);
  const lanes = await finishedLanes(project, repository, tasks);
  const lines: string[] = [];
  let isAll = true;
  for (const { branch, forkPoint, head } of lanes) {
    const result = await integrateLane(repository, {
      treeDir,
      branch,
      forkPoint,
      head,
      committer: gzaIdentity,
    });
    lines.push(lineFor(branch, result));
    isAll &&= result.kind === 'integrated' || result.kind === 'empty';
  }
  if (lanes.length === 0 || project.config.build_verify === undefined) return { ok: isAll, lines };
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
