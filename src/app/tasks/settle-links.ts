/**
 * Links closed tasks to commits. When `done` comes before the commit, the next commit is linked when the
 * task is read again. A commit that was amended or rebased is found again by its patch id.
 */
import { isGzaError } from '../../core/errors.ts';
import type { Event } from '../../core/ledger/event.ts';
import type { TaskRecord } from '../../core/ledger/record/record.ts';
import type { Repository } from '../../git/repository.ts';
import type { Ports } from '../command.ts';
import { loadProject, type Project } from '../project.ts';
import { taskCommits, writeNotes } from './task-commits.ts';

export interface HeadCommit {
  readonly id: string;
  /** Committer time in milliseconds. */
  readonly time: number;
}

/** How many commits are searched for a lost patch, newest first. */
const searchedMax = 500;
/** How many tasks are linked at a time. */
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

/** What `done` records when there is no commit yet. */
export const beforeAll = '0'.repeat(40);

/** Links closed tasks to the commits known now. Returns the project, reloaded if anything changed. */
export async function settleLinks(project: Project, ids: readonly string[], ports: Ports): Promise<Project> {
  const closed = ids.flatMap((id) => project.board.views.get(id)?.record ?? []).filter(mayHaveMoved);
  const head = closed.length > 0 ? await headCommit(project.repository) : null;
  if (!head) return project;
  const found = await linksOf(project, closed, head);
  return writeLinks(project, found, ports);
}

export async function writeLinks(project: Project, found: readonly Link[], ports: Ports): Promise<Project> {
  const links = found.map((link): Event => ({ kind: 'link', at: ports.now(), ...link }));
  if (links.length === 0 || !(await write(project, links))) return project;
  const settled = await loadProject(ports, project);
  await writeNotes(settled, await taskCommits(settled));
  return settled;
}

/**
 * Finds the commit of a task among the revisions: the newest that names it in a `Task:` trailer. Otherwise
 * the newest (or the oldest, with `isFirst`) that belongs to no other task.
 */
export async function commitOf(
  project: Project,
  id: string,
  revisions: readonly string[],
  isTheirs: (commit: HeadCommit) => boolean = () => true,
  isFirst = false,
): Promise<string | null> {
  const commits = await taskCommits(project, { max: searchedMax, revisions });
  const named = commits.find(({ trailers }) => trailers.includes(id));
  if (named) return named.id;
  const free = commits.filter((commit) => commit.tasks.every((task) => task === id) && isTheirs(commit));
  return (isFirst ? free.at(-1) : free[0])?.id ?? null;
}

/** Tasks that wait for the next commit. When there are none, git is not called. */
export function waitingForCommit({ board }: Project): string[] {
  return [...board.views.values()].filter(({ record }) => record?.link_next).map(({ id }) => id);
}

function mayHaveMoved({ link_next, closed_commit, closed_patch }: TaskRecord): boolean {
  return link_next !== undefined || (closed_commit !== undefined && closed_patch !== undefined);
}

interface Link {
  readonly id: string;
  readonly commit: string;
  readonly patch?: string;
}

async function linksOf(project: Project, closed: readonly TaskRecord[], head: HeadCommit): Promise<Link[]> {
  const { repository } = project;
  const links: Link[] = [];
  for (const { id, link_next } of closed.filter((record) => record.link_next).slice(0, settledMax)) {
    const range = link_next === beforeAll ? [head.id] : ['--ancestry-path', `${link_next}..${head.id}`];
    const commit = await commitOf(project, id, range, undefined, true);
    const patch = commit && (await patchIdOf(repository, commit));
    if (commit) links.push({ id, commit, ...(patch ? { patch } : {}) });
  }
  const strays = await outsideHistory(repository, closed, head);
  const byPatch = strays.length > 0 ? await commitsByPatch(repository, head.id) : new Map<string, string>();
  for (const { id, closed_patch: patch = '' } of strays) {
    const commit = byPatch.get(patch);
    if (commit) links.push({ id, commit, patch });
  }
  return links;
}

async function write(project: Project, links: readonly Event[]): Promise<boolean> {
  try {
    const written = await project.ledger.write(async (view) => {
      const branches = new Map<string, Event[]>();
      for (const link of links) {
        const at = 'id' in link ? await view.task(link.id) : null;
        if (at) branches.set(at.branch, [...(branches.get(at.branch) ?? []), link]);
      }
      return { changes: [...branches].map(([branch, events]) => ({ branch, events })) };
    });
    return written.kind === 'written';
  } catch (error) {
    // Showing tasks must work even where nothing can be written.
    if (isGzaError(error)) return false;
    throw error;
  }
}

/** Records whose commit exists but is not in the history of `head`. One git call finds them all. */
async function outsideHistory(
  { git }: Repository,
  closed: readonly TaskRecord[],
  head: HeadCommit,
): Promise<TaskRecord[]> {
  const linked = closed.filter(({ closed_commit, closed_patch }) => closed_commit && closed_patch);
  if (linked.length === 0) return [];
  const commits = [...new Set(linked.map(({ closed_commit }) => closed_commit))];
  const result = await git.run(['rev-list', '--ignore-missing', '--stdin'], {
    stdin: `${[...commits, `^${head.id}`].join('\n')}\n`,
  });
  const outside = new Set(result.code === 0 ? result.stdout.toString('utf8').split('\n') : []);
  return linked.filter(({ closed_commit }) => outside.has(closed_commit as string));
}

async function commitsByPatch({ git }: Repository, head: string): Promise<Map<string, string>> {
  const args = ['--no-merges', '--no-ext-diff', '--no-textconv', '--format=commit %H'];
  const log = await git.run(['log', '-p', `-${searchedMax}`, ...args, head, '--']);
  if (log.code !== 0) return new Map();
  const ids = await git.run(['patch-id', '--stable'], { stdin: log.stdout });
  const lines = ids.stdout.toString('utf8').trim().split('\n');
  // The log is newest first. Reversed, the newest of several commits with the same change wins.
  return new Map(lines.reverse().map((line) => line.split(' ') as [string, string]));
}
