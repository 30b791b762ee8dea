/** Copies of plans, explorations and reviews where people look: `.gza/`, hidden from `git status`. */
import { appendFile, lstat, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Project } from '../../app/project.ts';
import { GzaError } from '../../core/errors.ts';
import { oneLine } from '../../core/markdown/one-line.ts';

type At = Pick<Project, 'repository'>;

const folders = ['.gza/plans', '.gza/explorations', '.gza/reviews'] as const;

export async function keepArtifacts(
  { repository: { workTree } }: At,
  artifacts: readonly { readonly path: string; readonly text: string }[],
): Promise<void> {
  if (workTree === null) return;
  for (const { path, text } of artifacts) {
    const file = join('.gza', path);
    await refuseLinks(workTree, ['.gza', dirname(file), file]);
    await mkdir(dirname(join(workTree, file)), { recursive: true });
    await writeFile(join(workTree, file), text);
  }
}

/** Once, before anything is written there. */
export async function openArtifacts({ repository }: At): Promise<void> {
  const { workTree, commonDir } = repository;
  if (workTree === null) return;
  await refuseLinks(workTree, ['.gza', ...folders]);
  await refuseTracked(repository);
  const file = join(commonDir, 'info', 'exclude');
  const text = await readFile(file, 'utf8').catch(() => '');
  const missing = folders.map((name) => `/${name}/`).filter((line) => !text.split('\n').includes(line));
  if (missing.length === 0) return;
  await mkdir(dirname(file), { recursive: true });
  await appendFile(file, `${text === '' || text.endsWith('\n') ? '' : '\n'}${missing.join('\n')}\n`);
}

/** What is behind a link is not gza's to write. */
async function refuseLinks(workTree: string, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const stats = await lstat(join(workTree, path)).catch(() => null);
    const isPlain = stats === null || stats.isDirectory() || (stats.isFile() && path.endsWith('.md'));
    if (isPlain) continue;
    const what = stats.isSymbolicLink() ? 'a symbolic link' : 'no folder';
    throw new GzaError('refused', `${path} is ${what}: gza would write to what is behind it`, {
      hint: 'Look where it leads, and remove it. gza makes the folder when it needs one.',
    });
  }
}

/** A file that the repository has there would be written over, and the copies would show in `git status`. */
async function refuseTracked({ git, workTree }: Project['repository']): Promise<void> {
  const at = ['-C', workTree ?? '.'];
  const [index, head] = await Promise.all([
    git.run([...at, 'ls-files', '-z', '--', ...folders.map((name) => `:(top,icase)${name}`)]),
    git.run([...at, 'ls-tree', '-z', '--name-only', '--full-tree', 'HEAD', '--', ...folders]),
  ]);
  // Before the first commit there is no HEAD.
  const text = index.stdout.toString('utf8') + (head.code === 0 ? head.stdout.toString('utf8') : '');
  const [first] = text.split('\0');
  if (!first) return;
  throw new GzaError('refused', `this repository has committed ${oneLine(first, 200)}, where gza writes`, {
    hint: `Take it out: git rm -r --cached ${folders.join(' ')} --ignore-unmatch, and commit. gza keeps these reports in the ledger.`,
  });
}
