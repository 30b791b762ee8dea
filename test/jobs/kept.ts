/**
 * A repository as an earlier program left it, in the middle of its work: `test/fixtures/kept` says how it was made.
 * GitHub's side is a state of the offline one; the repository is a bundle.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Github, startGithub } from '../github/github.ts';
import type { State } from '../github/state.ts';

const folder = fileURLToPath(new URL('../fixtures/kept/', import.meta.url));

export async function openKept(): Promise<Github> {
  const github = await startGithub({ files: {} });
  const { git } = github.data;
  await git.text(['fetch', '-q', '--force', `${folder}repository.bundle`, '+refs/*:refs/*']);
  Object.assign(github.state, JSON.parse(readFileSync(`${folder}github.json`, 'utf8')) as State);
  return github;
}
