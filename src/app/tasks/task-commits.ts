/** Commits and their tasks: those named in `Task:` trailers, and those that the commit closed. */
import type { Project } from '../project.ts';

export interface TaskCommit {
  readonly id: string;
  /** Committer time in milliseconds. */
  readonly time: number;
  readonly subject: string;
  /** Tasks that the commit itself names. */
  readonly trailers: readonly string[];
  readonly tasks: readonly string[];
}

interface CommitsOptions {
  readonly max?: number;
  readonly everywhere?: boolean;
  /** Revisions as `git log` takes them. */
  readonly revisions?: readonly string[];
}

const notesRef = 'refs/notes/tasks';
export const commitsMax = 1000;

/**
 * Lists commits, newest first: those of `revisions`, or of the current branch. With `everywhere`, also
 * those of all branches and the commits that closed tasks.
 */
export async function taskCommits(
  { repository, board }: Pick<Project, 'repository' | 'board'>,
  { max = commitsMax, everywhere = true, revisions: given }: CommitsOptions = {},
): Promise<TaskCommit[]> {
  const closed = new Map<string, string[]>();
  for (const { id, record } of board.views.values()) {
    const commit = record?.closed_commit;
    if (commit) closed.set(commit, [...(closed.get(commit) ?? []), id]);
  }
  const isAll = everywhere && given === undefined;
  const revisions = isAll ? ['HEAD', ...closed.keys()].map((one) => `${one}\n`).join('') : 'HEAD\n';
  const log = await repository.git.run(
    [
      'log',
      `--max-count=${Math.max(1, Math.floor(max))}`,
      '--format=%H%x1f%ct%x1f%s%x1f%(trailers:key=Task,valueonly,separator=%x2C)',
      '--ignore-missing',
      ...(isAll ? ['--branches'] : []),
      ...(given ?? ['--stdin']),
      '--',
    ],
    { stdin: given ? '' : revisions },
  );
  if (log.code !== 0) return [];
  return log.stdout
    .toString('utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => {
      const [id = '', seconds = '', subject = '', trailers = ''] = line.split('\u001f');
      const named = trailers
        .split(',')
        .map((one) => one.trim())
        .filter((one) => board.views.has(one));
      const tasks = [...new Set([...(closed.get(id) ?? []), ...named])];
      return { id, time: Number(seconds) * 1000, subject, trailers: named, tasks };
    });
}

/** Rebuilds the notes that `git log --notes=tasks` shows. They are local and never pushed. */
export async function writeNotes(
  { repository }: Pick<Project, 'repository'>,
  commits: readonly TaskCommit[],
): Promise<void> {
  const noted = commits.filter(({ tasks }) => tasks.length > 0);
  if (noted.length === 0) return;
  const lines = [
    `commit ${notesRef}`,
    'committer gza <gza@localhost> 0 +0000',
    'data 14',
    'Tasks rebuilt.',
    'deleteall',
  ];
  for (const { id, tasks } of noted) {
    const text = `${tasks.join('\n')}\n`;
    lines.push(`N inline ${id}`, `data ${Buffer.byteLength(text)}`, text);
  }
  // The notes are only a copy for readers, so a failure (a read-only disk) is ignored.
  await repository.git.run(['fast-import', '--quiet', '--force'], { stdin: `${lines.join('\n')}\n` });
}
