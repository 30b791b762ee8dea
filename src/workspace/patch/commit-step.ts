import type { CommitPurpose } from '../../core/guard/commit-message.ts';
import { commitMessage } from '../../core/guard/commit-message.ts';
import type { GuardPolicy } from '../../core/guard/guard-patch.ts';
import type { MoveBranchResult } from '../branch/move-branch.ts';
import { moveBranch } from '../branch/move-branch.ts';
import type { Identity } from '../git-folder.ts';
import { markSaved } from '../remove-clone.ts';
import type { SharedClone } from '../shared-clone.ts';
import type { CollectedPatch } from './collect-patch.ts';
import { collectPatch } from './collect-patch.ts';
import type { ImportResult } from './import-patch.ts';
import { importPatch } from './import-patch.ts';
import type { ListedChanges } from './list-changes.ts';
import { collectLimits } from './list-changes.ts';

export interface CommitStepOptions {
  readonly purpose: CommitPurpose;
  readonly title: string;
  readonly taskId: string;
  readonly summary?: string;
  readonly author: Identity;
  readonly date: Date;
  readonly policy: GuardPolicy;
}

export type CommitStepResult = Pick<ListedChanges, 'skipped' | 'skippedCount'> &
  (
    | (Extract<ImportResult, { kind: 'committed' }> & { readonly clone: SharedClone })
    | Exclude<ImportResult, { kind: 'committed' }>
    | Extract<CollectedPatch, { kind: 'too-large' }>
    | Exclude<MoveBranchResult, { kind: 'moved' }>
  );

/**
 * All of it on one machine: what is in the clone becomes one commit on the lane, and the clone is marked as saved.
 * With the purpose `wip` this is also how work is saved before a deadline, or after a crash.
 */
export async function commitStep(clone: SharedClone, options: CommitStepOptions): Promise<CommitStepResult> {
  const { policy } = options;
  const { fileBytesMax, filesMax, patchBytesMax } = policy.limits;
  const collected = await collectPatch(clone, {
    limits: { ...collectLimits, fileBytesMax },
    filesMax,
    patchBytesMax,
  });
  const { skipped, skippedCount } = collected;
  const left = { skipped, skippedCount };
  if (collected.kind === 'empty') return { kind: 'empty', dropped: [], ...left };
  if (collected.kind === 'too-large') return collected;
  const message = commitMessage({ ...options, subjects: collected.subjects });
  const onto = clone.record.start;
  const imported = await importPatch(clone.repository, { ...options, patch: collected.patch, onto, message });
  if (imported.kind !== 'committed') return { ...imported, ...left };
  const { branch, start } = clone.record;
  const move = { branch, to: imported.commit, from: start, orCreate: true, reason: `gza: ${options.taskId}` };
  const moved = await moveBranch(clone.repository, move);
  if (moved.kind !== 'moved') return { ...moved, ...left };
  return { ...imported, ...left, clone: await markSaved(clone, imported.commit) };
}
