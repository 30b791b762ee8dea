/**
 * Where steps work: a shared clone for each, what is left there as a patch, and the patch as a commit on the lane.
 * Nothing here touches the user's own work tree or index, except `integrateLane`, which is asked to.
 */

import path from 'node:path';
import { type CommitPurpose, commitMessage } from '../core/guard/commit-message.ts';
import type { GuardPolicy } from '../core/guard/guard-patch.ts';
import { gzaIdentity, type Identity } from '../git/git.ts';
import type { Repository } from '../git/open-repository.ts';
import { type MoveBranchResult, moveBranch } from './branch/move-branch.ts';

import { type CollectedPatch, collectPatch } from './patch/collect-patch.ts';
import { type ImportResult, importPatch } from './patch/import-patch.ts';
import { collectLimits, type ListedChanges } from './patch/list-changes.ts';
import { markSaved } from './remove-clone.ts';
import {
  type CloneContext,
  type CloneOptions,
  createClone,
  findClone,
  type SharedClone,
} from './shared-clone.ts';
import { listClones, type SaveClone, type Swept, sweepClones } from './sweep-clones.ts';

export interface Workspace {
  readonly repository: Repository;
  /** The folder of the clones. */
  readonly root: string;
  createClone(options: CloneOptions): Promise<SharedClone>;
  findClone(name: string): Promise<SharedClone | null>;
  /** All of this repository that have a record, by name. */
  listClones(): Promise<SharedClone[]>;
  /** What is in the clone becomes one commit on its lane. */
  commitStep(
    clone: SharedClone,
    options: Omit<CommitStepOptions, 'author' | 'date'>,
  ): Promise<CommitStepResult>;
  sweep(save: SaveClone): Promise<Swept[]>;
}

export interface OpenWorkspaceOptions {
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
    commitStep: (clone, step) => commitStep(clone, { ...step, author: gzaIdentity, date: now() }),
    sweep: (save) => sweepClones(context, save),
  };
}

export interface CommitStepOptions {
  readonly purpose: CommitPurpose;
  readonly title: string;
  readonly taskId: string;
  readonly summary?: string;
  readonly author: Identity;
  readonly date: Date;
  readonly policy: GuardPolicy;
}

type CommitStepResult = Pick<ListedChanges, 'skipped' | 'skippedCount'> &
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
async function commitStep(clone: SharedClone, options: CommitStepOptions): Promise<CommitStepResult> {
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
