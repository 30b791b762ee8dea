import { readdir } from 'node:fs/promises';
import { isGzaError } from '../core/errors.ts';
import { compareText } from '../core/natural-compare.ts';
import { isOwnerAlive } from './clone-record.ts';
import { clearAside, discardClone, removeClone } from './remove-clone.ts';
import type { CloneContext, SharedClone } from './shared-clone.ts';
import { findClone } from './shared-clone.ts';

export interface Swept {
  readonly name: string;
  readonly kind: 'removed' | 'unsaved' | 'kept' | 'alive';
}

/** Saves what is in a clone and answers it, marked as saved; or answers null when it could not. */
export type SaveClone = (clone: SharedClone) => Promise<SharedClone | null>;

const clonesMax = 500;

/**
 * Clones whose process is gone: first what they hold is saved, then they go. One that cannot be saved stays, and so
 * does whatever has no record of gza's.
 */
export async function sweepClones(context: CloneContext, save: SaveClone): Promise<Swept[]> {
  await clearAside(context.workRoot, context.now());
  const swept: Swept[] = [];
  for (const clone of (await listClones(context)).slice(0, clonesMax))
    swept.push({ name: clone.record.name, kind: await sweepOne(clone, save) });
  return swept;
}

/** By name. */
export async function listClones(context: CloneContext): Promise<SharedClone[]> {
  const names = await readdir(context.workRoot).catch(() => []);
  const found: SharedClone[] = [];
  for (const name of names.sort(compareText)) {
    const clone = await findClone(context, name);
    if (clone) found.push(clone);
  }
  return found;
}

/** One that cannot be read, as after the repository was moved, must not keep the others from going on. */
async function sweepOne(clone: SharedClone, save: SaveClone): Promise<Swept['kind']> {
  try {
    return await sweepClone(clone, save);
  } catch (error) {
    if (!isGzaError(error)) throw error;
    return 'kept';
  }
}

async function sweepClone(clone: SharedClone, save: SaveClone): Promise<Swept['kind']> {
  if (await isOwnerAlive(clone.record.owner)) return 'alive';
  if (clone.record.purpose === 'review') return (await discardClone(clone)).kind;
  const first = await removeClone(clone);
  if (first.kind !== 'unsaved') return first.kind;
  const saved = await save(clone);
  return saved ? (await removeClone(saved)).kind : 'unsaved';
}
