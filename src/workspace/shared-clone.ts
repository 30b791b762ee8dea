/**
 * The place where one step works: a clone that shares the repository's objects. A worktree would be unsafe:
 * from there an agent can set `core.fsmonitor` or `core.hooksPath` for the whole repository and move any
 * ref. A clone confines changes to configuration, hooks and refs. It has two git folders: `tree/.git` for
 * the agent and `git/` for gza. Only gza's own index is used to find out what changed.
 */

import {
  copyFile,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  utimes,
} from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { GzaError } from '../core/errors.ts';
import { instructionGlobs } from '../core/guard/file-classes.ts';
import { compileGlobs, foldPath } from '../core/guard/paths.ts';
import { branchNameFault } from '../core/task/task.ts';
import { type GitOptions, type GitResult, gitFailure, type Identity, openGit } from '../git/git.ts';
import { type Repository, readWriteSettings } from '../git/repository.ts';
import { openCache } from '../system/cache.ts';
import {
  type CloneRecord,
  makingName,
  readRecord,
  thisProcess,
  writeGitFolder,
  writeRecord,
} from './clone-folder.ts';

export interface SharedClone {
  readonly dir: string;
  /** Where the agent works. */
  readonly treeDir: string;
  /** gza's own git folder of this clone. */
  readonly gitDir: string;
  readonly record: CloneRecord;
  readonly repository: Repository;
}

export interface CloneOptions {
  /** The name of its folder under the work root, unique for each clone. */
  readonly name: string;
  readonly branch: string;
  readonly start: string;
  /** The instruction files come from this commit. */
  readonly base: { readonly branch: string; readonly commit: string };
  readonly purpose?: CloneRecord['purpose'];
}

export interface CloneContext {
  readonly repository: Repository;
  readonly workRoot: string;
  readonly identity: Identity;
  readonly now: () => Date;
}

export async function createClone(context: CloneContext, options: CloneOptions): Promise<SharedClone> {
  checkOptions(options);
  const dir = path.join(context.workRoot, options.name);
  const record = await newRecord(context, options);
  await makeCloneDir(dir, record);
  try {
    return await fillClone(context, options, { dir, record });
  } catch (error) {
    // No agent has worked here yet, so nothing is lost.
    await rm(dir, { recursive: true, force: true });
    throw error;
  }
}

async function fillClone(
  context: CloneContext,
  options: CloneOptions,
  { dir, record }: Pick<SharedClone, 'dir' | 'record'>,
): Promise<SharedClone> {
  const { repository, identity } = context;
  await prefetchTree(repository, options.start);
  const clone = { dir, treeDir: path.join(dir, 'tree'), gitDir: path.join(dir, 'git'), repository };
  const shared = { repository, identity, exclude: await excludeText(repository) };
  await writeGitFolder({ ...shared, dir: clone.gitDir, head: { commit: options.start }, branches: {} });
  await mkdir(clone.treeDir);
  const shown = await treeToShow(clone, options);
  await inClone(clone, ['read-tree', '-u', '--reset', shown], 'work-tree');
  const agentGitDir = path.join(clone.treeDir, '.git');
  const branches = { [options.base.branch]: options.base.commit, [options.branch]: options.start };
  await writeGitFolder({ ...shared, dir: agentGitDir, head: { branch: options.branch }, branches });
  await copyIndex(path.join(clone.gitDir, 'index'), path.join(agentGitDir, 'index'));
  const complete = { ...record, shown, submodules: await submodulesOf(clone) };
  await writeRecord(dir, complete);
  return { ...clone, record: complete };
}

async function newRecord({ now, repository }: CloneContext, options: CloneOptions): Promise<CloneRecord> {
  return {
    version: 2,
    name: options.name,
    repository: repository.commonDir,
    branch: options.branch,
    start: options.start,
    shown: null,
    submodules: [],
    purpose: options.purpose ?? 'change',
    owner: await thisProcess(),
    createdAt: now().toISOString(),
    saved: null,
  };
}

/** A clone of this repository that an earlier process made; null for a folder without a valid record. */
export async function findClone(context: CloneContext, name: string): Promise<SharedClone | null> {
  const { repository } = context;
  const dir = path.join(context.workRoot, name);
  const stats = await lstat(dir).catch(() => null);
  const record = stats?.isDirectory() ? await readRecord(dir) : null;
  if (record?.name !== name || record.repository !== repository.commonDir) return null;
  return { dir, treeDir: path.join(dir, 'tree'), gitDir: path.join(dir, 'git'), record, repository };
}

function checkOptions({ name, branch, base }: CloneOptions): void {
  if (!/^[A-Za-z0-9][\w.-]{0,150}$/.test(name)) {
    throw new GzaError(
      'input',
      `${JSON.stringify(name)} cannot name a folder: expected letters, digits, ".", "_", "-"`,
    );
  }
  for (const one of [branch, base.branch]) {
    const problem = branchNameFault(one);
    if (problem) throw new GzaError('input', `${JSON.stringify(one)} cannot be a branch: ${problem}`);
  }
}

/** Creates the folder under another name and then renames it, so that a clone always has its record. */
async function makeCloneDir(dir: string, record: CloneRecord): Promise<void> {
  await mkdir(path.dirname(dir), { recursive: true, mode: 0o700 });
  const making = await mkdtemp(path.join(path.dirname(dir), makingName(record.owner)));
  await writeRecord(making, record);
  try {
    await rename(making, dir);
  } catch (cause) {
    await rm(making, { recursive: true, force: true });
    if (!isTaken(cause)) throw cause;
    throw new GzaError(
      'refused',
      `${dir} is there already: another step works in it, or left something unsaved`,
      {
        hint: 'Look what is in it, save what you need, then remove the folder.',
      },
    );
  }
}

function isTaken(error: unknown): boolean {
  return ['EEXIST', 'ENOTEMPTY', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');
}

async function submodulesOf(clone: Omit<SharedClone, 'record'>): Promise<string[]> {
  const hasAny = await stat(path.join(clone.treeDir, '.gitmodules')).catch(() => null);
  if (!hasAny) return [];
  const listed = await inClone(clone, ['ls-files', '-s', '-z'], 'index');
  const lines = listed.stdout.toString('utf8').split('\0');
  return lines.filter((line) => line.startsWith('160000 ')).map((line) => line.slice(line.indexOf('\t') + 1));
}

/** The user's own ignore rules apply in the clone too, where git does not read the user's configuration. */
async function excludeText(repository: Repository): Promise<string> {
  const { commonDir } = repository;
  const { excludesFile } = await readWriteSettings(repository, openCache(commonDir), process.env);
  const configHome = process.env['XDG_CONFIG_HOME'] || path.join(homedir(), '.config');
  const ofUser = excludesFile ?? path.join(configHome, 'git/ignore');
  const files = [ofUser.replace(/^~(?=\/)/, homedir()), path.join(commonDir, 'info/exclude')];
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8').catch(() => '')));
  return `${texts.map((text) => text.slice(0, 100_000)).join('\n')}\n/.gza/\n`;
}

/** The tree of the start commit, with the instruction files of the base branch. */
async function treeToShow(
  clone: Omit<SharedClone, 'record'>,
  { start, base }: CloneOptions,
): Promise<string> {
  if (start === base.commit) return start;
  const diff = ['diff-tree', '-r', '-z', '--raw', '--no-renames', '--no-abbrev', start, base.commit];
  const raw = await clone.repository.bareGit.text(diff);
  const isInstruction = compileGlobs(instructionGlobs.map(foldPath));
  const fields = raw.split('\0');
  const entries: string[] = [];
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const [, mode = '', , oid = ''] = (fields[i] ?? '').split(' ');
    const file = fields[i + 1] ?? '';
    if (isInstruction(foldPath(file))) entries.push(`${mode === '000000' ? '0' : mode} ${oid}\t${file}\0`);
  }
  if (entries.length === 0) return start;
  await inClone(clone, ['read-tree', start], 'index');
  await inClone(clone, ['update-index', '-z', '--replace', '--index-info'], 'index', {
    stdin: entries.join(''),
  });
  return (await inClone(clone, ['write-tree'], 'index')).stdout.toString('utf8').trim();
}

/**
 * Runs git with gza's own folder of the clone, never with the agent's. With `index` there is no work tree,
 * so that git does not read the agent's `.gitattributes` either.
 */
export async function inClone(
  clone: Pick<SharedClone, 'dir' | 'gitDir' | 'treeDir'>,
  args: readonly string[],
  where: 'index' | 'work-tree',
  { mayFail, index, ...options }: CloneGitOptions = {},
): Promise<GitResult> {
  const git = openGit(where === 'index' ? clone.dir : clone.treeDir, {
    isolated: true,
    config: [`core.bare=${where === 'index'}`, 'core.commitGraph=false'],
    env: {
      GIT_DIR: clone.gitDir,
      ...(where === 'work-tree' ? { GIT_WORK_TREE: clone.treeDir } : {}),
      ...(index ? { GIT_INDEX_FILE: index } : {}),
    },
  });
  const result = await git.run(args, options);
  if (result.code !== 0 && !mayFail) throw gitFailure(args, result);
  return result;
}

interface CloneGitOptions extends GitOptions {
  readonly mayFail?: boolean;
  /** An index other than the clone's own. */
  readonly index?: string;
}

/**
 * Copies an index with its time stamp. git compares a file again if it is not older than the index, so a
 * later time would hide changes made in the second of the checkout.
 */
export async function copyIndex(from: string, to: string): Promise<void> {
  await copyFile(from, to);
  const seconds = Math.floor((await stat(from)).mtimeMs / 1000);
  await utimes(to, seconds, seconds);
}

const timeoutMs = 600_000;

/**
 * In a partial clone, fetches all missing files in one request. Otherwise git would fetch them one by one,
 * and could not fetch any from a clone of this one.
 */
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
