/**
 * Which commit closed a task. `done` before the commit links the next one, found when the task is looked at
 * again; a commit that was amended or rebased away is found by the identity of its patch.
 */
import { GzaError } from '../core/errors.ts';
import type { Event } from '../core/event.ts';
import type { TaskRecord } from '../core/record.ts';
import type { Repository } from '../ledger/repository.ts';
import type { Ports } from './command.ts';
import type { Project } from './project.ts';

export interface HeadCommit {
  readonly id: string;
  /** Committer time in milliseconds. */
  readonly time: number;
}

/** Commits looked through for a lost patch, newest first. */
const searchedMax = 500;
/** Tasks mended in one go. */
const settledMax = 50;

export async function headCommit({ git }: Repository): Promise<HeadCommit | null> {
  const result = await git.run(['log', '-1', '--format=%H %ct', 'HEAD', '--']);
  const [id, seconds] = result.stdout.toString('utf8').trim().split(' ');
  return result.code === 0 && id ? { id, time: Number(seconds) * 1000 } : null;
}

export async function patchIdOf({ git }: Repository, commit: string): Promise<string | undefined> {
  const diff = await git.run(['diff-tree', '--root', '-p', '--no-ext-diff', '--no-textconv', commit]);
  if (diff.code !== 0 || diff.stdout.length === 0) return undefined;
  const result = await git.run(['patch-id', '--stable'], { stdin: diff.stdout });
  return result.stdout.toString('utf8').split(' ')[0] || undefined;
}

/** Writes the commits of closed tasks that are known by now; says whether anything changed. */
export async function settleLinks(project: Project, ids: readonly string[], ports: Ports): Promise<boolean> {
  const head = await headCommit(project.repository);
  if (!head) return false;
  const links: Event[] = [];
  for (const id of ids) {
    const record = project.board.views.get(id)?.record;
    if (!record || links.length >= settledMax) continue;
    const found = await linkOf(project.repository, record, head);
    if (found) links.push({ kind: 'link', at: ports.now(), id, ...found });
  }
  if (links.length === 0) return false;
  return write(project, links);
}

async function write(project: Project, links: readonly Event[]): Promise<boolean> {
  try {
    const written = await project.ledger.write(async (view) => {
      const located = await Promise.all(
        links.map(async (link) => ({ link, at: 'id' in link ? await view.task(link.id) : null })),
      );
      const branches = new Map<string, Event[]>();
      for (const { link, at } of located)
        if (at) branches.set(at.branch, [...(branches.get(at.branch) ?? []), link]);
      return { changes: [...branches].map(([branch, events]) => ({ branch, events })) };
    });
    return written.kind === 'written';
  } catch (error) {
    // Showing must work where nothing can be written.
    if (error instanceof GzaError) return false;
    throw error;
  }
}

async function linkOf(
  repository: Repository,
  record: TaskRecord,
  head: HeadCommit,
): Promise<{ commit: string; patch?: string } | null> {
  if (record.link_next !== undefined) return firstAfter(repository, record.link_next, head);
  const { closed_commit, closed_patch } = record;
  if (!closed_commit || !closed_patch || closed_commit === head.id) return null;
  const kept = await repository.git.run(['merge-base', '--is-ancestor', closed_commit, head.id]);
  // 1: exists, but not in this history. Anything else tells nothing.
  if (kept.code !== 1) return null;
  const commit = await commitWithPatch(repository, closed_patch, head.id);
  return commit ? { commit, patch: closed_patch } : null;
}

async function firstAfter(
  repository: Repository,
  base: string,
  head: HeadCommit,
): Promise<{ commit: string; patch?: string } | null> {
  const range = base === 'none' ? [head.id] : [`${base}..${head.id}`];
  const args = ['rev-list', '--reverse', '--first-parent', ...range, '--'];
  const result = await repository.git.run(args);
  const commit = result.code === 0 ? result.stdout.toString('utf8').split('\n')[0] : '';
  if (!commit) return null;
  const patch = await patchIdOf(repository, commit);
  return patch ? { commit, patch } : { commit };
}

async function commitWithPatch({ git }: Repository, patch: string, head: string): Promise<string | null> {
  const log = await git.run([
    'log',
    '-p',
    `-${searchedMax}`,
    '--no-merges',
    '--no-ext-diff',
    '--no-textconv',
    '--format=commit %H',
    head,
    '--',
  ]);
  if (log.code !== 0) return null;
  const ids = await git.run(['patch-id', '--stable'], { stdin: log.stdout });
  const line = ids.stdout
    .toString('utf8')
    .split('\n')
    .find((one) => one.startsWith(patch));
  return line?.split(' ')[1] ?? null;
}
