import { readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { isGzaError } from '../core/errors.ts';
import { isOwnerAlive } from './clone-record.ts';
import { discardClone, emptyTrash, removeClone } from './remove-clone.ts';
import type { CloneContext, SharedClone } from './shared-clone.ts';
import { findClone } from './shared-clone.ts';

export interface Swept {
  readonly name: string;
  readonly kind: 'removed' | 'unsaved' | 'kept' | 'alive';
}

/** Saves what is in a clone and answers it, marked as saved; or answers null when it could not. */
export type SaveClone = (clone: SharedClone) => Promise<SharedClone | null>;

const clonesMax = 500;
const unfinishedMs = 3_600_000;

/** Clones whose process is gone: first what they hold is saved, then they go. One that cannot be saved stays. */
export async function sweepClones(context: CloneContext, save: SaveClone): Promise<Swept[]> {
  await emptyTrash(context.workRoot);
  const entries = await readdir(context.workRoot, { withFileTypes: true }).catch(() => []);
  const names = entries
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map(({ name }) => name);
  const swept: Swept[] = [];
  for (const name of names.sort().slice(0, clonesMax)) {
    const clone = await findClone(context, name);
    if (clone) swept.push({ name, kind: await sweepOne(clone, save) });
    else await removeUnfinished(context, name);
  }
  return swept;
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

/** A folder that was made and got no record: no agent was in it. */
async function removeUnfinished({ workRoot, now }: CloneContext, name: string): Promise<void> {
  const dir = path.join(workRoot, name);
  const [made, tree] = await Promise.all([
    stat(dir).catch(() => null),
    stat(path.join(dir, 'tree')).catch(() => null),
  ]);
  if (made && !tree && now().getTime() - made.mtimeMs > unfinishedMs)
    await rm(dir, { recursive: true, force: true });
}
