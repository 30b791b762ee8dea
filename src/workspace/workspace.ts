/**
 * Where steps work: a shared clone for each, what is left there as a patch, and the patch as a commit on the lane.
 * Nothing here touches the user's own work tree or index, except `integrateLane`, which is asked to.
 */
import path from 'node:path';
import type { Identity } from './git-folder.ts';
import type { CommitStepOptions, CommitStepResult } from './patch/commit-step.ts';
import { commitStep } from './patch/commit-step.ts';
import type { Repository } from './repository.ts';
import { openRepository } from './repository.ts';
import type { CloneContext, CloneOptions, SharedClone } from './shared-clone.ts';
import { createClone, findClone } from './shared-clone.ts';
import type { SaveClone, Swept } from './sweep-clones.ts';
import { listClones, sweepClones } from './sweep-clones.ts';

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
  readonly repoDir: string;
  /** Outside of the repository, and for its clones alone. */
  readonly workRoot: string;
  /** Whom gza's commits name. */
  readonly author?: Identity;
  readonly now?: () => Date;
}

export const gzaIdentity: Identity = { name: 'gza', email: 'gza@users.noreply.github.com' };

export async function openWorkspace(options: OpenWorkspaceOptions): Promise<Workspace> {
  const { repoDir, author = gzaIdentity, now = () => new Date() } = options;
  const workRoot = path.resolve(options.workRoot);
  const repository = await openRepository(repoDir);
  const context: CloneContext = { repository, workRoot, identity: author, now };
  return {
    repository,
    root: workRoot,
    createClone: (clone) => createClone(context, clone),
    findClone: (name) => findClone(context, name),
    listClones: () => listClones(context),
    commitStep: (clone, step) => commitStep(clone, { ...step, author, date: now() }),
    sweep: (save) => sweepClones(context, save),
  };
}
