/** A lane's branch to the remote. One that gza itself put on another commit may replace what gza pushed before. */

import type { Project } from '../../app/project.ts';
import { wholeView } from '../../app/tasks/change-task.ts';
import { PorcelainError, porcelain } from '../../git/porcelain.ts';

export type PushedBranch = { readonly kind: 'pushed' } | { readonly kind: 'refused'; readonly why: string };

const networkMs = 120_000;

export async function pushBranch(
  project: Project,
  { branch, remote }: { readonly branch: string; readonly remote: string },
): Promise<PushedBranch> {
  const first = await push(project, remote, branch, []);
  if (first.kind === 'pushed' || !/non-fast-forward|fetch first|stale info/.test(first.why)) return first;
  const there = await tipThere(project, remote, branch);
  if (there === null || !(await isOurs(project, branch, there))) return first;
  return push(project, remote, branch, [`--force-with-lease=refs/heads/${branch}:${there}`]);
}

async function push(
  { repository }: Project,
  remote: string,
  branch: string,
  more: readonly string[],
): Promise<PushedBranch> {
  const ref = `refs/heads/${branch}`;
  try {
    await porcelain(
      repository.git.cwd,
      (git, names) => git.push(['--no-verify', '--no-follow-tags', ...more, names(remote, `${ref}:${ref}`)]),
      { timeoutMs: networkMs },
    );
    return { kind: 'pushed' };
  } catch (error) {
    if (!(error instanceof PorcelainError)) throw error;
    const { stdout, stderr } = error.result;
    const [, told] = /^!\t[^\t]*\t(.*)$/m.exec(stdout.toString('utf8')) ?? [];
    const reason = told ?? stderr.trim().split('\n').at(-1);
    // An address may hold a token.
    const why = (reason || 'git said nothing').replaceAll(/\/\/[^/@\s]*@/g, '//');
    return { kind: 'refused', why };
  }
}

async function tipThere({ repository }: Project, remote: string, branch: string): Promise<string | null> {
  const ref = `refs/heads/${branch}`;
  const listed = await porcelain(repository.git.cwd, (git) => git.listRemote(['--', remote, ref]), {
    timeoutMs: networkMs,
  }).catch(() => '');
  const line = listed.split('\n').find((one) => one.endsWith(`\t${ref}`));
  return line?.split('\t')[0] ?? null;
}

/** A step of the lane left it there, so nobody else's commit is lost. */
async function isOurs(project: Project, branch: string, commit: string): Promise<boolean> {
  for (const { id, record } of project.board.views.values()) {
    if (record?.lane?.branch !== branch) continue;
    const whole = await wholeView(project, id);
    if (whole.record?.steps?.some(({ head }) => head === commit)) return true;
  }
  return false;
}
