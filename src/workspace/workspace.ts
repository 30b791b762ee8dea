/**
 * Where steps work: a shared clone for each, what is left there as a patch, and the patch as a commit on the lane.
 * Nothing here touches the user's own work tree or index, except `integrateLane`, which is asked to.
 */

import path from 'node:path';
import { gzaIdentity } from '../git/git.ts';
import type { Repository } from '../git/open-repository.ts';
import { listClones, sweepClones } from './remove-clone.ts';
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
    sweep: () => sweepClones(context),
  };
}
