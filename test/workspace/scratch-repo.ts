import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { GuardPolicy } from '../../src/core/guard/guard-patch.ts';
import { type CommitParts, commitMessage } from '../../src/core/markdown/neutralise.ts';
import { gzaIdentity } from '../../src/git/git.ts';
import { openRepository } from '../../src/git/repository.ts';
import { collectPatch } from '../../src/workspace/patch/collect-patch.ts';
import { importPatch } from '../../src/workspace/patch/import-patch.ts';
import type { SharedClone } from '../../src/workspace/shared-clone.ts';
import { markSaved, openWorkspace, type Workspace } from '../../src/workspace/workspace.ts';

const made: string[] = [];

export function scratchDir(): string {
  const dir = realpathSync(mkdtempSync(path.join(tmpdir(), 'gza-test-')));
  made.push(dir);
  return dir;
}

export function removeScratchDirs(): void {
  for (const dir of made.splice(0)) rmSync(dir, { recursive: true, force: true });
}

const env = {
  PATH: process.env['PATH'],
  HOME: '/nonexistent',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'Ann',
  GIT_AUTHOR_EMAIL: 'ann@example.com',
  GIT_COMMITTER_NAME: 'Ann',
  GIT_COMMITTER_EMAIL: 'ann@example.com',
};

/** git as a person or an agent runs it. */
export function git(dir: string, ...args: string[]): string {
  return execFileSync('git', args, {
    cwd: dir,
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).replace(/\n$/, '');
}

export function writeFiles(dir: string, files: Readonly<Record<string, string | Buffer>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(dir, name)), { recursive: true });
    writeFileSync(path.join(dir, name), text);
  }
}

export function commitFiles(
  dir: string,
  files: Readonly<Record<string, string | Buffer>>,
  message = 'Change',
): string {
  writeFiles(dir, files);
  git(dir, 'add', '-A');
  git(dir, 'commit', '-qm', message);
  return git(dir, 'rev-parse', 'HEAD');
}

export interface ScratchRepo {
  readonly dir: string;
  readonly head: string;
  readonly workRoot: string;
  readonly workspace: Workspace;
}

export const now = () => new Date('2026-01-02T03:04:05Z');

export async function scratchRepo(
  files: Readonly<Record<string, string | Buffer>> = {
    'a.txt': 'one\ntwo\nthree\n',
    'src/b.txt': 'b\n',
    '.gitignore': '*.log\nnode_modules/\n',
  },
  initArgs: readonly string[] = [],
): Promise<ScratchRepo> {
  const dir = path.join(scratchDir(), 'repo');
  mkdirSync(dir);
  git(dir, 'init', '-q', '-b', 'main', ...initArgs);
  const head = commitFiles(dir, files, 'First');
  return { head, ...(await openIn(dir)) };
}

export async function openIn(dir: string): Promise<Omit<ScratchRepo, 'head'>> {
  const workRoot = `${dir}-clones`;
  return { dir, workRoot, workspace: openWorkspace(await openRepository(dir), { workRoot, now }) };
}

export interface Step extends CommitParts {
  readonly policy: GuardPolicy;
}

/** What is in the clone becomes one commit, and its branch is put there. */
export async function commitStep(clone: SharedClone, step: Step) {
  const collected = await collectPatch(clone);
  const { skipped, skippedCount } = collected;
  if (collected.kind !== 'patch') return { ...collected, skipped, skippedCount };
  const { branch, start } = clone.record;
  const imported = await importPatch(clone.repository, {
    patch: collected.patch,
    onto: start,
    policy: step.policy,
    message: commitMessage(step),
    author: gzaIdentity,
    date: now(),
  });
  if (imported.kind !== 'committed') return { ...imported, skipped, skippedCount };
  await clone.repository.bareGit.text(['update-ref', `refs/heads/${branch}`, imported.commit]);
  return { ...imported, skipped, skippedCount, clone: await markSaved(clone, imported.commit) };
}
