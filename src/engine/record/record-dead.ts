/** A claim whose holder died: what it left becomes the lane's, its step is recorded, and the task is free again. */

import type { Ports } from '../../app/command.ts';
import type { Project } from '../../app/project.ts';
import type { Event } from '../../core/ledger/event.ts';
import type { Claim, StepRecord } from '../../core/ledger/record/record.ts';
import { bareOptions, type Repository } from '../../git/open-repository.ts';
import { porcelain } from '../../git/porcelain.ts';
import type { Change, Plan } from '../../ledger/ledger.ts';
import { readBranch } from '../../workspace/branch/read-branch.ts';
import type { SharedClone } from '../../workspace/shared-clone.ts';

interface Left {
  readonly commit: string;
  /** The head of the lane that it was made on. */
  readonly start: string;
}

/** False when the claim is not held any more, or the lane went on without it. */
export async function recordDead(
  project: Project,
  repository: Repository,
  claim: Claim,
  left: Left | null,
  ports: Ports,
): Promise<boolean> {
  const at = ports.now();
  const move = left === null ? null : await moveOf(repository, claim, left);
  if (left !== null && move === null) return false;
  const written = await project.ledger.write(async (view): Promise<Plan | null> => {
    const held = (await view.meta(view.base))?.claims?.some(({ id }) => id === claim.id);
    if (!held) return null;
    const release: Event = { kind: 'release', at, claim: claim.id, why: 'its holder died' };
    const base: Change = { branch: view.base, events: [release] };
    const located = await view.task(claim.task);
    if (!located || located.record.closed_at || !claim.step) return { changes: [base] };
    const step = deadStep(claim, left, at);
    const event: Event = { kind: 'step', at, by: 'gza', id: claim.task, step };
    const changes =
      located.branch === view.base
        ? [{ branch: view.base, events: [event, release] }]
        : [{ branch: located.branch, events: [event] }, base];
    return { changes, refs: move ? [move] : [] };
  });
  return written.kind === 'written';
}

function deadStep(claim: Claim, left: Left | null, at: string): StepRecord {
  const { step = 'implement', agent } = claim;
  const head = left?.commit ?? claim.head;
  return {
    step,
    // With work to show it goes on from there; with none it is a failed try.
    outcome: left ? 'slice' : 'lost',
    started_at: claim.at,
    ended_at: at,
    error: 'its process died',
    ...(agent ? { agent } : {}),
    ...(head ? { head } : {}),
  };
}

type Move = NonNullable<Plan['refs']>[number];

/** Adopted only where the lane still stands as the dead process found it, and nobody has it checked out. */
async function moveOf(
  repository: Repository,
  { lane }: Claim,
  { commit, start }: Left,
): Promise<Move | null> {
  const now = await readBranch(repository, lane);
  if (now?.folder || (now && now.oid !== start)) return null;
  return { ref: `refs/heads/${lane}`, to: commit, from: now?.oid ?? null };
}

/** Nobody knows any more what it was for, or the lane went on: it is not thrown away. */
export async function keepLost(
  project: Project,
  clone: SharedClone,
  to: string,
  ports: Ports,
): Promise<void> {
  const { name, branch, start } = clone.record;
  if (await isIn(clone.repository, branch, start, to)) return;
  const ref = `refs/gza/lost/${name}`;
  await project.ledger.write(async () => ({ changes: [], refs: [{ ref, to, from: null }] }));
  ports.progress(`what a dead process left in ${name} is kept at ${ref}`);
}

/** The same files are on the branch already: the step was recorded, only its clone had not gone. */
async function isIn(repository: Repository, branch: string, start: string, commit: string): Promise<boolean> {
  const tree = await repository.bareGit.run(['rev-parse', '--verify', '--quiet', `${commit}^{tree}`]);
  const range = { from: start, to: `refs/heads/${branch}`, symmetric: false };
  const log = await porcelain(
    repository.commonDir,
    (git) => git.log({ ...range, maxCount: 1000, format: { tree: '%T' } }),
    bareOptions(repository.commonDir),
  ).catch(() => null);
  const known = tree.stdout.toString('utf8').trim();
  return tree.code === 0 && (log?.all ?? []).some((one) => one.tree === known);
}
