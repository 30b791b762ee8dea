import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { GzaError } from '../core/errors.ts';
import type { Repository } from '../git/open-repository.ts';

const timeoutMs = 600_000;

/** In a partial clone: gets in one request what git would otherwise fetch file by file, or not at all from a clone of this one. */
export async function prefetchTree({ bareGit, objectsDir }: Repository, commit: string): Promise<void> {
  if (!(await isPartial(objectsDir))) return;
  const list = ['rev-list', '--objects', '--missing=print', '--no-object-names', `${commit}^{tree}`];
  const missing = (await bareGit.text(list)).split('\n').filter((line) => line.startsWith('?'));
  if (missing.length === 0) return;
  const remotes = await bareGit.run(['config', '--get-regexp', '^remote\\..*\\.promisor$']);
  const remote = /^remote\.(.*)\.promisor/.exec(remotes.stdout.toString('utf8'))?.[1];
  if (remote === undefined) {
    throw new GzaError(
      'world',
      `${missing.length} objects of ${commit} are missing, and no remote promises them`,
      { hint: 'Run `git fetch --refetch --no-filter` to complete this clone.' },
    );
  }
  const quiet = ['--quiet', '--no-tags', '--no-write-fetch-head', '--recurse-submodules=no'];
  const fetch = ['-c', 'fetch.negotiationAlgorithm=noop', 'fetch', ...quiet, '--filter=blob:none'];
  const stdin = missing.map((line) => `${line.slice(1)}\n`).join('');
  await bareGit.text([...fetch, '--stdin', remote], { stdin, timeoutMs });
}

async function isPartial(objectsDir: string): Promise<boolean> {
  const names = await readdir(path.join(objectsDir, 'pack')).catch(() => []);
  return names.some((name) => name.endsWith('.promisor'));
}
