import path from 'node:path';
import { type PatchLimits, patchLimits } from '../../core/guard/patch.ts';
import { gitFailure } from '../../git/git.ts';
import { copyIndex, inClone, type SharedClone } from '../shared-clone.ts';
import { plainDiff } from './lane-diff.ts';
import { type ListedChanges, listChanges } from './list-changes.ts';

const diffIndex = ['diff-index', '--cached', '-p', '--binary', '--unified=3', ...plainDiff];

export type CollectedPatch = Pick<ListedChanges, 'skipped' | 'skippedCount'> &
  (
    | { readonly kind: 'empty' }
    /** Against the tree that the agent was shown. */
    | { readonly kind: 'patch'; readonly patch: Buffer }
    | { readonly kind: 'too-large'; readonly why: string }
  );

/**
 * What an agent left, as one patch. Only the files count: its commits, branches, index and configuration are not
 * asked, so rewriting them changes nothing. May be called while the agent still runs (to save before a deadline).
 */
export async function collectPatch(
  clone: SharedClone,
  { fileBytesMax, filesMax, patchBytesMax }: PatchLimits = patchLimits,
): Promise<CollectedPatch> {
  const { written, deleted, ...left } = await listChanges(clone, fileBytesMax);
  const files = written.length + deleted.length;
  if (files === 0) return { kind: 'empty', ...left };
  if (files > filesMax)
    return { kind: 'too-large', why: `${files} changed files; the limit is ${filesMax}`, ...left };
  const index = await stage(clone, written, deleted);
  const result = await inClone(clone, [...diffIndex, clone.record.shown ?? clone.record.start], 'index', {
    index,
    outputBytesMax: patchBytesMax,
    mayFail: true,
  });
  if (result.code === -1) return { kind: 'too-large', why: result.stderr, ...left };
  if (result.code !== 0) throw gitFailure(diffIndex, result);
  if (result.stdout.length === 0) return { kind: 'empty', ...left };
  return { kind: 'patch', patch: result.stdout, ...left };
}

/** In a copy of the index: the original goes on saying what differs from the start, until the clone is removed. */
async function stage(
  clone: SharedClone,
  written: readonly string[],
  deleted: readonly string[],
): Promise<string> {
  const index = path.join(clone.gitDir, 'index.collected');
  await copyIndex(path.join(clone.gitDir, 'index'), index);
  const update = (args: readonly string[], files: readonly string[]) =>
    inClone(clone, ['update-index', '-z', ...args, '--stdin'], 'work-tree', {
      index,
      stdin: files.map((file) => `${file}\0`).join(''),
    });
  // Apart and first: a deleted file's folder may be a link or a file by now.
  if (deleted.length > 0) await update(['--force-remove'], deleted);
  // --remove: a file may go while this runs.
  if (written.length > 0) await update(['--add', '--remove', '--replace'], written);
  return index;
}
