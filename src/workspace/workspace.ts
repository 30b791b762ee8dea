/**
 * Manages the places where steps work: a shared clone for each step, its work as a patch, and the patch as
 * a commit on the lane. Only `integrateLane` changes the user's own work tree or index, on request.
 */

import { execFile } from 'node:child_process';
import { chmod, lstat, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { isGzaError } from '../core/errors.ts';
import { compareText } from '../core/shape.ts';
import { gzaIdentity } from '../git/git.ts';
import type { Repository } from '../git/repository.ts';
import { asideMark, isOwnerAlive, makerOf, writeRecord } from './clone-folder.ts';
import { listChanges } from './patch/collect-patch.ts';
import {
  type CloneContext,
  type CloneOptions,
  createClone,
  findClone,
  type SharedClone,
} from './shared-clone.ts';

export interface Workspace {
  readonly repository: Repository;
  /** The folder that contains the clones. */
  readonly root: string;
  createClone(options: CloneOptions): Promise<SharedClone>;
  findClone(name: string): Promise<SharedClone | null>;
  /** All clones of this repository that have a record, sorted by name. */
  listClones(): Promise<SharedClone[]>;
  /** Removes what dead processes left, except work that is in no commit. */
  sweep(): Promise<void>;
}

interface OpenWorkspaceOptions {
  /** A folder outside the repository, used only for its clones. */
  readonly workRoot: string;
  readonly now?: () => Date;
}

export function openWorkspace(
  repository: Repository,
  { now = () => new Date(), ...options }: OpenWorkspaceOptions,
): Workspace {
  const workRoot = path.resolve(options.workRoot);
  const context: CloneContext = { repository, workRoot, identity: gzaIdentity, now };
  return {
    repository,
    root: workRoot,
    createClone: (clone) => createClone(context, clone),
    findClone: (name) => findClone(context, name),
    listClones: () => listClones(context),
    sweep: () => sweepClones(context),
  };
}

type RemoveResult =
  | { readonly kind: 'removed' }
  /** The clone holds work that is in no commit, so it is kept. */
  | { readonly kind: 'unsaved'; readonly paths: readonly string[] }
  /** The folder could not be removed (files of another user). */
  | { readonly kind: 'kept'; readonly why: string };

/** Records that the clone's work is in this commit, so that the clone may be removed. */
export async function markSaved(clone: SharedClone, commit: string): Promise<SharedClone> {
  const record = { ...clone.record, saved: commit };
  await writeRecord(clone.dir, record);
  return { ...clone, record };
}

/**
 * Removes a clone whose work was saved, or that has none. With `later` the folder is only renamed now, and
 * deleted in the background.
 */
export async function removeClone(clone: SharedClone, later?: Promise<void>[]): Promise<RemoveResult> {
  if (clone.record.saved === null && clone.record.shown !== null) {
    const paths = await changedPaths(clone);
    if (paths.length > 0) return { kind: 'unsaved', paths };
  }
  return await removeFolder(clone.dir, later);
}

type DiscardResult = RemoveResult & { readonly discarded: readonly string[] };

/** Removes the clone of a read-only step and returns the changes that were discarded with it. */
export async function discardClone(clone: SharedClone): Promise<DiscardResult> {
  // The clone was never finished, so nobody worked in it, and there may be no tree to read.
  const discarded = clone.record.shown === null ? [] : await changedPaths(clone);
  return { ...(await removeFolder(clone.dir)), discarded };
}

/** Removes the clone whatever it contains, even if it cannot be read. */
export function dropClone({ dir }: Pick<SharedClone, 'dir'>): Promise<RemoveResult> {
  return removeFolder(dir);
}

/** Everything a person could miss, including files too large or odd to commit, but not ignored files. */
async function changedPaths(clone: SharedClone): Promise<string[]> {
  const { written, deleted, skipped } = await listChanges(clone);
  const odd = skipped.filter(({ why }) => why !== 'ignored').map((one) => one.path);
  return [...written, ...deleted, ...odd];
}

const oldMark = `${asideMark}old-`;
/** A folder that is being created has a temporary name. After this time it counts as abandoned. */
const makingMs = 3_600_000;

/** Renames the folder first, so that an interrupted removal never leaves half a clone that looks complete. */
async function removeFolder(dir: string, later?: Promise<void>[]): Promise<RemoveResult> {
  const trash = path.join(
    path.dirname(dir),
    `${oldMark}${path.basename(dir)}-${process.pid}-${process.hrtime.bigint()}`,
  );
  try {
    await rename(dir, trash);
    // The next sweep removes what is left.
    if (later) later.push(removeAll(trash).catch(() => {}));
    else await removeAll(trash);
    return { kind: 'removed' };
  } catch (error) {
    return { kind: 'kept', why: (error as Error).message };
  }
}

/**
 * Removes a folder even if an agent, or a cache like Go's, made parts of it read-only. If a link is in its
 * place, only the link is removed.
 */
export async function removeAll(dir: string): Promise<void> {
  const found = await lstat(dir).catch(() => null);
  if (!found?.isDirectory()) return rm(dir, { force: true });
  try {
    await removePlain(dir);
  } catch {
    await openFolders(dir);
    await rm(dir, { recursive: true, force: true, maxRetries: 2 });
  }
}

/** `rm` takes half the processor time of node's own removal, and node stays free meanwhile. */
const removePlain = (dir: string) => promisify(execFile)('rm', ['-rf', '--', dir]);

const foldersMax = 200_000;

async function openFolders(dir: string): Promise<void> {
  const queue = [dir];
  for (let count = 0; queue.length > 0 && count < foldersMax; count += 1) {
    const next = queue.pop() ?? dir;
    await chmod(next, 0o700).catch(() => {});
    const entries = await readdir(next, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) if (entry.isDirectory()) queue.push(path.join(next, entry.name));
  }
}

/** Removes what interrupted removals and unfinished clones left. */
async function clearAside(workRoot: string, now: Date): Promise<void> {
  for (const name of await readdir(workRoot).catch(() => [])) {
    if (!name.startsWith(asideMark)) continue;
    const dir = path.join(workRoot, name);
    const stats = await lstat(dir).catch(() => null);
    const maker = makerOf(name);
    const isDone =
      name.startsWith(oldMark) ||
      now.getTime() - (stats?.mtimeMs ?? 0) > makingMs ||
      (maker !== null && !(await isOwnerAlive(maker)));
    if (stats?.isDirectory() && isDone) await removeAll(dir).catch(() => {});
  }
}

const clonesMax = 500;

/** Removes clones whose process is gone, unless they hold unsaved work. Other folders are not touched. */
async function sweepClones(context: CloneContext): Promise<void> {
  await clearAside(context.workRoot, context.now());
  for (const clone of (await listClones(context)).slice(0, clonesMax)) {
    if (await isOwnerAlive(clone.record.owner)) continue;
    try {
      await (clone.record.purpose === 'review' ? discardClone(clone) : removeClone(clone));
    } catch (error) {
      // A clone that cannot be read, as after the repository was moved, must not stop the others.
      if (!isGzaError(error)) throw error;
    }
  }
}

/** Sorted by name. */
async function listClones(context: CloneContext): Promise<SharedClone[]> {
  const names = await readdir(context.workRoot).catch(() => []);
  const found: SharedClone[] = [];
  for (const name of names.sort(compareText)) {
    const clone = await findClone(context, name);
    if (clone) found.push(clone);
  }
  return found;
}
