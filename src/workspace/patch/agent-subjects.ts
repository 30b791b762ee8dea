import { lstat } from 'node:fs/promises';
import path from 'node:path';
import { openGit } from '../../git/git.ts';
import { readPlainFile } from '../../system/plain-file.ts';
import type { SharedClone } from '../shared-clone.ts';

const subjectsMax = 50;
const fileBytesMax = 1 << 20;

/**
 * Subjects of the commits that the agent made for itself, newest first: only words for the message of gza's own
 * commit, so any doubt ends in none. The agent's git folder is read as files; git only gets its objects, as one
 * more place to look, never its configuration or refs.
 */
export async function agentCommitSubjects(clone: SharedClone): Promise<string[]> {
  const head = await readHead(path.join(clone.treeDir, '.git'));
  if (head === null || head === clone.record.start) return [];
  const git = openGit(clone.dir, { isolated: true });
  const result = await git.run(
    [
      '-c',
      'core.bare=true',
      '-c',
      'core.commitGraph=false',
      'log',
      '--no-show-signature',
      '--no-mailmap',
      '--format=%s',
      `--max-count=${subjectsMax}`,
      head,
      '--not',
      clone.record.start,
    ],
    {
      env: {
        GIT_DIR: clone.gitDir,
        GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(path.join(clone.treeDir, '.git/objects')),
      },
      timeoutMs: 10_000,
      outputBytesMax: 1 << 20,
    },
  );
  if (result.code !== 0) return [];
  return result.stdout
    .toString('utf8')
    .split('\n')
    .map((line) => line.slice(0, 500))
    .filter((line) => line.trim() !== '');
}

async function readHead(gitDir: string): Promise<string | null> {
  const head = await readSmallFile(gitDir, 'HEAD');
  if (/^([0-9a-f]{40}|[0-9a-f]{64})$/.test(head)) return head;
  const ref = /^ref: (refs\/heads\/[\w./-]{1,250})$/.exec(head)?.[1];
  if (ref === undefined || ref.split('/').includes('..')) return null;
  const loose = await readSmallFile(gitDir, ref);
  if (/^([0-9a-f]{40}|[0-9a-f]{64})$/.test(loose)) return loose;
  const packed = (await readSmallFile(gitDir, 'packed-refs'))
    .split('\n')
    .find((line) => line.endsWith(` ${ref}`));
  return /^([0-9a-f]{40}|[0-9a-f]{64}) /.exec(packed ?? '')?.[1] ?? null;
}

/** Not a link or a pipe that would lead or hold us elsewhere. */
async function readSmallFile(gitDir: string, name: string): Promise<string> {
  let at = gitDir;
  for (const part of name.split('/')) {
    const isFolder = await lstat(at).then(
      (stats) => stats.isDirectory(),
      () => false,
    );
    if (!isFolder) return '';
    at = path.join(at, part);
  }
  const found = await readPlainFile(at, fileBytesMax).catch(() => null);
  return found?.toString('utf8').trim() ?? '';
}
