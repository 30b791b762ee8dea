/** What a clone consists of beside its tree: git folders that share objects, and the record of what it is for. */

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
  /** A branch name, or a commit for a HEAD that is on no branch. */
  readonly head: { readonly branch: string } | { readonly commit: string };
  readonly branches: Readonly<Record<string, string>>;
  readonly identity: Identity;
  /** Lines for `info/exclude`. */
  readonly exclude: string;
}

/**
 * Files are taken byte for byte, out of git and back in: no line endings, no filters (large files stay pointers), no
 * encodings. So an untouched file never shows up as changed, and nothing in `.gitattributes` can run a program or
 * make a file look different to the guard.
 */
const rawAttributes = '* -text -ident -filter !eol !working-tree-encoding\n';

/**
 * A git folder that shares the objects of the repository and nothing else: own refs, own configuration, no hooks,
 * no remote to push to. Written by hand, not by `git clone --shared`: that would copy every ref, and copy all
 * objects of a shallow repository.
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
 * Before gza runs git with its own folder of a clone: what could make git run a program, or look elsewhere, is again
 * as gza wrote it. An agent that runs as the user may have been there.
 */
export async function sealGitFolder(dir: string, repository: Repository): Promise<void> {
  for (const name of ['.', 'info', 'objects', 'objects/info']) {
    const stats = await lstat(path.join(dir, name)).catch(() => null);
    // Its making was cut short.
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

/** Where a clone that shares objects finds them, as full paths: git follows a relative one only from the first folder. */
export async function objectFolders(objectsDir: string): Promise<string[]> {
  const own = await readFile(path.join(objectsDir, 'info/alternates'), 'utf8').catch(() => '');
  const more = own.split('\n').filter((line) => line !== '' && !/^[#"]/.test(line));
  return [objectsDir, ...more.map((line) => path.resolve(objectsDir, line))];
}

/** git reads a line that starts with `#` as a comment, one that starts with `"` as quoted. */
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

/** What `git init` would have found out. */
function platformSettings(): string[] {
  if (process.platform === 'darwin') return ['\tignoreCase = true', '\tprecomposeUnicode = true'];
  return process.platform === 'win32' ? ['\tignoreCase = true', '\tsymlinks = false'] : [];
}

function configValue(text: string): string {
  return `"${text.replace(/[\r\n]/g, ' ').replace(/["\\]/g, '\\$&')}"`;
}

/** What is remembered of a clone, beside it, where the agent does not work. */
const recordSchema = z.object({
  version: z.literal(2),
  name: z.string(),
  /** The repository's common git folder, without links. */
  repository: z.string(),
  branch: z.string(),
  /** The commit the step starts from. */
  start: z.string(),
  /** The tree the agent was shown: that of `start`, with the base branch's instruction files; null until it is. */
  shown: z.string().nullable(),
  /** Folders of submodules: empty here, and not asked of git, which would look into them. */
  submodules: z.array(z.string()),
  purpose: z.enum(['change', 'review']),
  owner: z.object({ pid: z.number(), host: z.string(), since: z.string() }),
  createdAt: z.string(),
  /** The commit that holds what was left here; null until it is imported. */
  saved: z.string().nullable(),
});

/** Begins the names of folders that are being made or removed. */
export const asideMark = '.gza-';
const newMark = `${asideMark}new-`;

/** What a folder in the making is called at first: whose it is stands in its name, as it has no record yet. */
export function makingName({ host, pid, since }: CloneRecord['owner']): string {
  return `${newMark}${host.replaceAll(/[^\w.]/g, '_')}-${pid}-${since}-`;
}

/** Null where the name does not tell: another version made it. */
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

/** Null when there is none, or none that can be read: a clone whose making was cut short. */
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

/** A clone of another machine counts as alive: nothing is known of it from here. */
export async function isOwnerAlive({ pid, host, since }: CloneRecord['owner']): Promise<boolean> {
  if (host !== hostname()) return true;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  // The number may have gone to another process since.
  const start = await processStart(pid);
  return since === '' || start === '' || since === start;
}

/** Linux says when a process started; elsewhere the number has to do. */
async function processStart(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}
