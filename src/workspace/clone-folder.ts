/** The parts of a clone besides its tree: git folders that share objects, and a record of its purpose. */

import { copyFile, lstat, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import * as z from 'zod';
import { GzaError } from '../core/errors.ts';
import type { Identity } from '../git/git.ts';
import { isShallow, type Repository } from '../git/repository.ts';
import { readPlainFile } from '../system/outside.ts';

interface GitFolderOptions {
  readonly dir: string;
  readonly repository: Repository;
  /** A branch name, or a commit for a detached HEAD. */
  readonly head: { readonly branch: string } | { readonly commit: string };
  readonly branches: Readonly<Record<string, string>>;
  readonly identity: Identity;
  /** Lines for `info/exclude`. */
  readonly exclude: string;
}

/**
 * Files pass through git byte for byte: no line-ending conversion, no filters (large files stay pointers),
 * no encodings. So an untouched file never appears changed, and `.gitattributes` cannot run a program or
 * hide content from the guard.
 */
const rawAttributes = '* -text -ident -filter !eol !working-tree-encoding\n';

/**
 * Writes a git folder that shares only the repository's objects. It has its own refs and configuration, no
 * hooks, and no remote to push to. `git clone --shared` would copy every ref, and all objects of a shallow
 * repository.
 */
export async function writeGitFolder(options: GitFolderOptions): Promise<void> {
  const { dir, repository, branches } = options;
  for (const name of ['objects/info', 'objects/pack', 'refs/heads', 'refs/tags', 'info']) {
    await mkdir(path.join(dir, name), { recursive: true });
  }
  const head = 'branch' in options.head ? `ref: refs/heads/${options.head.branch}` : options.head.commit;
  await writeFile(path.join(dir, 'HEAD'), `${head}\n`);
  await writeSettings(dir, repository, configText(repository, options.identity));
  await writeFile(path.join(dir, 'info/exclude'), options.exclude);
  const refs = Object.entries(branches).map(([name, oid]) => `${oid} refs/heads/${name}\n`);
  await writeFile(path.join(dir, 'packed-refs'), `# pack-refs with: sorted\n${refs.sort(byRef).join('')}`);
  if (isShallow(repository))
    await copyFile(path.join(repository.commonDir, 'shallow'), path.join(dir, 'shallow'));
}

function byRef(a: string, b: string): number {
  const [one = '', two = ''] = [a.split(' ')[1], b.split(' ')[1]];
  return Buffer.compare(Buffer.from(one), Buffer.from(two));
}

/**
 * Restores everything that could make git run a program or read elsewhere, before gza uses its own git
 * folder of a clone. An agent that runs as the user may have changed it.
 */
export async function sealGitFolder(dir: string, repository: Repository): Promise<void> {
  for (const name of ['.', 'info', 'objects', 'objects/info']) {
    const stats = await lstat(path.join(dir, name)).catch(() => null);
    // The clone was never finished.
    if (stats === null) return;
    if (stats.isDirectory()) continue;
    throw new GzaError('world', `${path.join(dir, name)} is no folder any more: somebody replaced it`, {
      hint: 'Look what is in the clone, then remove it by hand.',
    });
  }
  for (const name of ['config', 'config.worktree', 'commondir', 'info/attributes', 'objects/info/alternates'])
    await rm(path.join(dir, name), { recursive: true, force: true });
  await writeSettings(dir, repository, configText(repository, null));
}

async function writeSettings(dir: string, { objectsDir }: Repository, config: string): Promise<void> {
  await writeFile(path.join(dir, 'config'), config);
  await writeFile(path.join(dir, 'objects/info/alternates'), await alternates(objectsDir));
  await writeFile(path.join(dir, 'info/attributes'), rawAttributes);
}

async function alternates(objectsDir: string): Promise<string> {
  return (await objectFolders(objectsDir)).map((dir) => `${alternate(dir)}\n`).join('');
}

/** The folders of a clone's shared objects, as absolute paths: git follows relative ones only one level. */
export async function objectFolders(objectsDir: string): Promise<string[]> {
  const own = await readFile(path.join(objectsDir, 'info/alternates'), 'utf8').catch(() => '');
  const more = own.split('\n').filter((line) => line !== '' && !/^[#"]/.test(line));
  return [objectsDir, ...more.map((line) => path.resolve(objectsDir, line))];
}

/** git takes a line that starts with `#` for a comment, and one that starts with `"` for a quoted path. */
function alternate(dir: string): string {
  return /^[#"]/.test(dir) || /[\\\n]/.test(dir) ? JSON.stringify(dir) : dir;
}

function configText({ objectFormat }: Repository, identity: Identity | null): string {
  const isSha256 = objectFormat === 'sha256';
  return [
    '[core]',
    `\trepositoryformatversion = ${isSha256 ? 1 : 0}`,
    `\tfilemode = ${process.platform !== 'win32'}`,
    '\tbare = false',
    ...platformSettings(),
    '\tprotectHFS = true',
    '\tprotectNTFS = true',
    ...(isSha256 ? ['[extensions]', '\tobjectFormat = sha256'] : []),
    ...(identity === null ? [] : userSettings(identity)),
    '[commit]',
    '\tgpgSign = false',
    '[gc]',
    '\tauto = 0',
    '[push]',
    '\tdefault = nothing',
    '',
  ].join('\n');
}

function userSettings({ name, email }: Identity): string[] {
  return ['[user]', `\tname = ${configValue(name)}`, `\temail = ${configValue(email)}`];
}

/** Settings that `git init` would detect. */
function platformSettings(): string[] {
  if (process.platform === 'darwin') return ['\tignoreCase = true', '\tprecomposeUnicode = true'];
  return process.platform === 'win32' ? ['\tignoreCase = true', '\tsymlinks = false'] : [];
}

function configValue(text: string): string {
  return `"${text.replace(/[\r\n]/g, ' ').replace(/["\\]/g, '\\$&')}"`;
}

/** The record of a clone. It is outside the tree, where the agent does not work. */
const recordSchema = z.object({
  version: z.literal(2),
  name: z.string(),
  /** The repository's common git folder, with links resolved. */
  repository: z.string(),
  branch: z.string(),
  /** The commit that the step starts from. */
  start: z.string(),
  /** The tree given to the agent: `start` with the base branch's instruction files; null before that. */
  shown: z.string().nullable(),
  /** Folders of submodules. They are empty here, and git is not asked, as it would look inside. */
  submodules: z.array(z.string()),
  purpose: z.enum(['change', 'review']),
  owner: z.object({ pid: z.number(), host: z.string(), since: z.string() }),
  createdAt: z.string(),
  /** The commit that holds the work of this clone; null until it is imported. */
  saved: z.string().nullable(),
});

/** Prefix of folders that are being created or removed. */
export const asideMark = '.gza-';
const newMark = `${asideMark}new-`;

/** The temporary name of a new clone. It names the owner, because there is no record yet. */
export function makingName({ host, pid, since }: CloneRecord['owner']): string {
  return `${newMark}${host.replaceAll(/[^\w.]/g, '_')}-${pid}-${since}-`;
}

/** The owner that such a name tells; null for a name that another version of gza made. */
export function makerOf(name: string): CloneRecord['owner'] | null {
  const [, host = '', pid = '', since = ''] = /^\.gza-new-([\w.]+)-(\d+)-(\d*)-\w+$/.exec(name) ?? [];
  const here = hostname().replaceAll(/[^\w.]/g, '_');
  return pid === '' ? null : { host: host === here ? hostname() : host, pid: Number(pid), since };
}

export type CloneRecord = z.infer<typeof recordSchema>;

const recordBytesMax = 16 << 20;

export async function writeRecord(cloneDir: string, record: CloneRecord): Promise<void> {
  const file = path.join(cloneDir, 'record.json');
  await writeFile(`${file}.new`, `${JSON.stringify(record, null, 2)}\n`);
  await rename(`${file}.new`, file);
}

/** Null when there is no readable record, because the clone was never finished. */
export async function readRecord(cloneDir: string): Promise<CloneRecord | null> {
  try {
    const parsed = recordSchema.safeParse(
      JSON.parse(
        (await readPlainFile(path.join(cloneDir, 'record.json'), recordBytesMax))?.toString('utf8') ?? '',
      ),
    );
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

export async function thisProcess(): Promise<CloneRecord['owner']> {
  return { pid: process.pid, host: hostname(), since: await processStart(process.pid) };
}

/** Owners on another machine count as alive, because they cannot be checked from here. */
export async function isOwnerAlive({ pid, host, since }: CloneRecord['owner']): Promise<boolean> {
  if (host !== hostname()) return true;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  // Another process may have got the same id since.
  const start = await processStart(pid);
  return since === '' || start === '' || since === start;
}

/** Linux reports when a process started. Elsewhere the process id alone must do. */
async function processStart(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}
