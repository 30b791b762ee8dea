/**
 * Where steps work: a shared clone for each, what is left there as a patch, and the patch as a commit on the lane.
 * Nothing here touches the user's own work tree or index, except `integrateLane`, which is asked to.
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
  /** The folder of the clones. */
  readonly root: string;
  createClone(options: CloneOptions): Promise<SharedClone>;
  findClone(name: string): Promise<SharedClone | null>;
  /** All of this repository that have a record, by name. */
  listClones(): Promise<SharedClone[]>;
  /** Removes what dead processes left, but no work that is in no commit. */
  sweep(): Promise<void>;
}

interface OpenWorkspaceOptions {
  /** Outside of the repository, and for its clones alone. */
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
  /** It holds work that is in no commit, and stays. */
  | { readonly kind: 'unsaved'; readonly paths: readonly string[] }
  /** The disk refused (files of another user). */
  | { readonly kind: 'kept'; readonly why: string };

/** Remembers that what is in the clone is in this commit, so that it may go. */
export async function markSaved(clone: SharedClone, commit: string): Promise<SharedClone> {
  const record = { ...clone.record, saved: commit };
  await writeRecord(clone.dir, record);
  return { ...clone, record };
}

/**
 * Removes a clone whose work was saved, or that holds none. With `later` it is only put aside at once, and what takes
 * time goes on beside whatever comes next.
 */
export async function removeClone(clone: SharedClone, later?: Promise<void>[]): Promise<RemoveResult> {
  if (clone.record.saved === null && clone.record.shown !== null) {
    const paths = await changedPaths(clone);
    if (paths.length > 0) return { kind: 'unsaved', paths };
  }
  return await removeFolder(clone.dir, later);
}

type DiscardResult = RemoveResult & { readonly discarded: readonly string[] };

/** For a review, which may read and not write: removes the clone and says what was thrown away with it. */
export async function discardClone(clone: SharedClone): Promise<DiscardResult> {
  // Its making was cut short: nobody was there yet, and there may be no tree to look at.
  const discarded = clone.record.shown === null ? [] : await changedPaths(clone);
  return { ...(await removeFolder(clone.dir)), discarded };
}

/** Whatever is in it, also what cannot be read. */
export function dropClone({ dir }: Pick<SharedClone, 'dir'>): Promise<RemoveResult> {
  return removeFolder(dir);
}

/** Everything a person could miss: also what is too large or odd to be committed, not what is ignored. */
async function changedPaths(clone: SharedClone): Promise<string[]> {
  const { written, deleted, skipped } = await listChanges(clone);
  const odd = skipped.filter(({ why }) => why !== 'ignored').map((one) => one.path);
  return [...written, ...deleted, ...odd];
}

const oldMark = `${asideMark}old-`;
/** A folder that is being made is aside for a moment. */
const makingMs = 3_600_000;

/** Moved aside first: a removal cut short must not leave half a clone that looks whole. */
async function removeFolder(dir: string, later?: Promise<void>[]): Promise<RemoveResult> {
  const trash = path.join(
    path.dirname(dir),
    `${oldMark}${path.basename(dir)}-${process.pid}-${process.hrtime.bigint()}`,
  );
  try {
    await rename(dir, trash);
    // What is left of it the next sweep removes.
    if (later) later.push(removeAll(trash).catch(() => {}));
    else await removeAll(trash);
    return { kind: 'removed' };
  } catch (error) {
    return { kind: 'kept', why: (error as Error).message };
  }
}

/**
 * Also folders that an agent, or a cache like Go's, made read-only. A link that was put in the folder's place is
 * removed, and what it leads to is left alone.
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

/** The program takes half of the processor's time that node takes, which is free meanwhile. */
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

/** What removals, and the making of clones, left when they were cut short. */
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

/** Clones whose process is gone go, unless they hold unsaved work; so does nothing that has no record of gza's. */
async function sweepClones(context: CloneContext): Promise<void> {
  await clearAside(context.workRoot, context.now());
  for (const clone of (await listClones(context)).slice(0, clonesMax)) {
    if (await isOwnerAlive(clone.record.owner)) continue;
    try {
      await (clone.record.purpose === 'review' ? discardClone(clone) : removeClone(clone));
    } catch (error) {
      // One that cannot be read, as after the repository was moved, must not keep the others from going on.
      if (!isGzaError(error)) throw error;
    }
  }
}

/** By name. */
async function listClones(context: CloneContext): Promise<SharedClone[]> {
  const names = await readdir(context.workRoot).catch(() => []);
  const found: SharedClone[] = [];
  for (const name of names.sort(compareText)) {
    const clone = await findClone(context, name);
    if (clone) found.push(clone);
  }
  return found;
}
