import { GzaError } from '../core/errors.ts';
import type { LaneStart } from '../core/lane-start.ts';
import type { Repository } from './repository.ts';

export interface ResolvedLaneStart {
  readonly branch: string;
  /** Where the next step starts. */
  readonly start: string;
  /** Where the lane leaves the branch it is on; null for a lane that goes on: its own is on record. */
  readonly forkPoint: string | null;
}

/** Finds the commits behind a lane's start. The fork point is stored by the caller: after a squash merge it is lost. */
export async function resolveLaneStart(
  repository: Repository,
  start: Exclude<LaneStart, { kind: 'wait' }>,
  options: { readonly base: string; readonly remote?: string },
): Promise<ResolvedLaneStart> {
  const { branch } = start;
  const tip = (name: string) => branchTip(repository, name, options.remote);
  switch (start.kind) {
    case 'base':
      return { branch, start: options.base, forkPoint: options.base };
    case 'stack': {
      const commit = await tip(start.on);
      return { branch, start: commit, forkPoint: commit };
    }
    case 'continue':
      return { branch, start: await tip(branch), forkPoint: null };
  }
}

/** The local branch, or the one that was fetched: a CI checkout has no other. */
async function branchTip(repository: Repository, branch: string, remote?: string): Promise<string> {
  const refs = [
    `refs/heads/${branch}`,
    ...(remote === undefined ? [] : [`refs/remotes/${remote}/${branch}`]),
  ];
  const listed = await repository.text(['for-each-ref', '--format=%(refname) %(objectname)', ...refs]);
  for (const ref of refs) {
    const line = listed.split('\n').find((one) => one.startsWith(`${ref} `));
    if (line) return line.slice(ref.length + 1);
  }
  throw new GzaError(
    'blocked',
    `there is no branch ${branch} to start from (looked for ${refs.join(' and ')})`,
    {
      hint: `Fetch it, or retry the task that made it.`,
    },
  );
}
