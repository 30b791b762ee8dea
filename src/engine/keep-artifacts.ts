/** Copies of plans, explorations and reviews where people look: `.gza/`, hidden from `git status`. */
import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Project } from '../commands/project.ts';

const hidden = ['plans', 'explorations', 'reviews', 'work', 'logs', 'homes', 'bin'].map(
  (name) => `/.gza/${name}/`,
);

export async function keepArtifacts(
  { repository }: Pick<Project, 'repository'>,
  artifacts: readonly { readonly path: string; readonly text: string }[],
): Promise<void> {
  const { workTree } = repository;
  if (workTree === null) return;
  for (const { path, text } of artifacts) {
    const file = join(workTree, '.gza', path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
}

/** Once, before anything is written there. */
export async function hideWorkFiles({ repository }: Pick<Project, 'repository'>): Promise<void> {
  if (repository.workTree === null) return;
  const file = join(repository.commonDir, 'info', 'exclude');
  const text = await readFile(file, 'utf8').catch(() => '');
  const missing = hidden.filter((line) => !text.split('\n').includes(line));
  if (missing.length === 0) return;
  await mkdir(dirname(file), { recursive: true });
  await appendFile(file, `${text === '' || text.endsWith('\n') ? '' : '\n'}${missing.join('\n')}\n`);
}
