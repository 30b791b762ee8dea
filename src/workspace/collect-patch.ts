import { patchLimits } from '../core/patch.ts';
import { agentCommitSubjects } from './agent-commits.ts';
import type { CollectLimits, Skipped } from './list-changes.ts';
import { collectLimits, listChanges } from './list-changes.ts';
import type { SharedClone } from './shared-clone.ts';
import { inClone } from './shared-clone.ts';

export type CollectedPatch =
  | { readonly kind: 'empty'; readonly skipped: readonly Skipped[]; readonly subjects: readonly string[] }
  | {
      readonly kind: 'patch';
      /** Against the tree that the agent was shown. */
      readonly patch: Buffer;
      readonly skipped: readonly Skipped[];
      readonly subjects: readonly string[];
    }
  | { readonly kind: 'too-large'; readonly bytesMax: number; readonly skipped: readonly Skipped[] };

export interface CollectOptions {
  readonly limits?: CollectLimits;
  readonly patchBytesMax?: number;
}

/**
 * What an agent left, as one patch. Only the files count: its commits, branches, index and configuration are not
 * asked, so rewriting them changes nothing. May be called while the agent still runs (to save before a deadline).
 */
export async function collectPatch(
  clone: SharedClone,
  { limits = collectLimits, patchBytesMax = patchLimits.patchBytesMax }: CollectOptions = {},
): Promise<CollectedPatch> {
  const { written, deleted, skipped } = await listChanges(clone, limits);
  const subjects = await agentCommitSubjects(clone);
  if (written.length + deleted.length === 0) return { kind: 'empty', skipped, subjects };
  await stage(clone, written, deleted);
  const shown = clone.record.shown ?? clone.record.start;
  const diff = [
    'diff-index',
    '--cached',
    '-p',
    '--binary',
    '--full-index',
    '--no-renames',
    '--no-ext-diff',
    '--no-textconv',
  ];
  const result = await inClone(
    clone,
    [...diff, '--no-color', '--src-prefix=a/', '--dst-prefix=b/', '--unified=3', shown],
    'index',
    { outputBytesMax: patchBytesMax, mayFail: true },
  );
  if (result.code === -1) return { kind: 'too-large', bytesMax: patchBytesMax, skipped };
  if (result.code !== 0) await inClone(clone, diff, 'index');
  if (result.stdout.length === 0) return { kind: 'empty', skipped, subjects };
  return { kind: 'patch', patch: result.stdout, skipped, subjects };
}

async function stage(
  clone: SharedClone,
  written: readonly string[],
  deleted: readonly string[],
): Promise<void> {
  const list = (files: readonly string[]) => files.map((file) => `${file}\0`).join('');
  // Apart and first: a deleted file's folder may be a link or a file by now.
  if (deleted.length > 0) {
    await inClone(clone, ['update-index', '-z', '--force-remove', '--stdin'], 'work-tree', {
      stdin: list(deleted),
    });
  }
  if (written.length > 0) {
    await inClone(clone, ['update-index', '-z', '--add', '--replace', '--stdin'], 'work-tree', {
      stdin: list(written),
    });
  }
}
