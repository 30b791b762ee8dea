/**
 * Cleans up after a crash: saves the work of dead processes to its lane, frees their claims, and folds
 * merged lanes. Each record is written before anything is removed, so that a crash in the sweep loses
 * nothing either.
 */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { endMarked } from '../../agents/marked-processes.ts';
import type { Ports } from '../../app/command.ts';
import { branchTips, isAlive, localRun } from '../../app/facts/facts.ts';
import { loadProject, type Project } from '../../app/project.ts';
import { lanesOf } from '../../core/board/blockers.ts';
import type { TaskView } from '../../core/board/board.ts';
import type { Event } from '../../core/ledger/event.ts';
import { lostStep } from '../../core/ledger/lost-step.ts';
import type { Claim } from '../../core/ledger/record/record.ts';
import { foreseen } from '../../core/system-error.ts';
import { porcelain } from '../../git/porcelain.ts';
import { readBranch } from '../../git/refs.ts';
import { bareOptions, type Repository } from '../../git/repository.ts';
import { foldPlan } from '../../ledger/fold.ts';
import type { Change, Plan } from '../../ledger/ledger.ts';
import { isMerged } from '../../workspace/branch/is-merged.ts';
import { isOwnerAlive, readRecord } from '../../workspace/clone-folder.ts';
import type { SharedClone } from '../../workspace/shared-clone.ts';
import { markSaved, type Workspace } from '../../workspace/workspace.ts';
import { collectStep, policyOf, saveStep } from '../conclude/save-step.ts';
import { filesLeft } from '../left.ts';
import { claimFile } from '../perform/perform.ts';
import { finishDead } from './finish-dead.ts';
import { baseOf } from './lane-of.ts';
import { isBelowOver, removeJoins } from './rebase-on.ts';

export async function sweep(project: Project, workspace: Workspace, ports: Ports): Promise<void> {
  const dead = project.board.claims.filter((claim) => !isAlive(claim, ports.now()));
  const busy = new Set<string>();
  for (const clone of await deadClones(workspace)) {
    const claim = await claimFile(clone).read();
    const release = await lock(clone, ports);
    if (release === null) {
      busy.add(claim);
      continue;
    }
    try {
      await sweepClone(project, workspace, clone, dead.find(({ id }) => id === claim) ?? null, ports);
    } finally {
      await release();
    }
  }
  for (const claim of dead) {
    // The agent works in the person's own tree and may outlive the process that held the claim.
    if (claim.lane.startsWith('here:')) await endMarked(claim.id);
    // Another process is saving its work.
    if (busy.has(claim.id) || (await finishDead(project, workspace, claim, null, ports))) continue;
    await recordDead(project, workspace.repository, claim, null, ports);
  }
  await workspace.sweep();
  await removeJoins(project, workspace.repository);
  await foldMerged(project, workspace, ports);
}

async function deadClones(workspace: Workspace): Promise<SharedClone[]> {
  const clones: SharedClone[] = [];
  for (const clone of await workspace.listClones())
    if (!(await isOwnerAlive(clone.record.owner))) clones.push(clone);
  return clones;
}

/** Keeps two sweeps from saving the same clone twice, and from removing it while the other still uses it. */
async function lock({ dir }: SharedClone, ports: Ports): Promise<(() => Promise<void>) | null> {
  const file = join(dir, 'sweeping');
  const release = () => rm(file, { force: true });
  for (let tries = 0; tries < 2; tries += 1) {
    try {
      await writeFile(file, localRun(), { flag: 'wx' });
      return release;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return null;
    }
    if (await isHeld(file, ports)) return null;
    await release();
  }
  return null;
}

async function isHeld(file: string, ports: Ports): Promise<boolean> {
  const run = await readFile(file, 'utf8').catch(() => '');
  // An empty file was created only a moment ago.
  return run === '' || isAlive({ run, until: '' } as Claim, ports.now());
}

async function sweepClone(
  project: Project,
  workspace: Workspace,
  found: SharedClone,
  claim: Claim | null,
  ports: Ports,
): Promise<void> {
  await endMarked(`${found.dir}/`);
  if (found.record.purpose === 'review') return;
  // Another sweep may have finished with it before this one got the lock.
  const record = await readRecord(found.dir);
  if (record === null) return;
  const clone = { ...found, record };
  const id = claim?.task ?? record.name.split('.')[0] ?? 'task';
  if (claim !== null && (await finishDead(project, workspace, claim, clone, ports))) return;
  const commit = record.saved ?? (await saveDead(project, clone, id, ports));
  if (commit === null || commit === record.start) return;
  const left = { commit, start: record.start };
  if (claim !== null && (await recordDead(project, clone.repository, claim, left, ports))) {
    ports.progress(`saved what a dead process left on ${id} (${commit.slice(0, 7)})`);
    return;
  }
  await keepLost(project, clone, commit, ports);
}

/** The commit with the clone's work; null when it cannot be saved, and then the clone stays. */
async function saveDead(
  project: Project,
  clone: SharedClone,
  id: string,
  ports: Ports,
): Promise<string | null> {
  // The clone was never finished, so no agent worked in it.
  if (clone.record.shown === null) return clone.record.start;
  const view = project.board.views.get(id);
  try {
    const policy = policyOf(view ? project.settings(view.task) : {}, project.config);
    const saved = await saveStep({
      repository: clone.repository,
      onto: clone.record.start,
      left: filesLeft(await collectStep(clone, policy)),
      purpose: { kind: 'wip', reason: 'its process died' },
      title: view?.task.title ?? id,
      taskId: id,
      policy,
      date: new Date(ports.now()),
      compareWith: clone.record.start,
    });
    // Files that must wait for a person are not saved: without a record of the step nobody would be asked.
    const why =
      saved.kind === 'refused'
        ? saved.why.split('\n')[0]
        : saved.kind === 'saved' && saved.waits[0] && `a person must look at ${saved.waits[0].path}`;
    if (saved.kind !== 'refused' && !why) {
      const commit = saved.kind === 'saved' ? saved.commit : clone.record.start;
      await markSaved(clone, commit);
      return commit;
    }
    ports.progress(`what a dead process left on ${id} cannot be saved and stays (gza kept ${id}): ${why}`);
    return null;
  } catch (thrown) {
    const error = foreseen(thrown);
    if (error === null) throw thrown;
    ports.progress(`what a dead process left in ${clone.dir} could not be read: ${error.message}`);
    return null;
  }
}

/**
 * Folds lanes that a person merged. Without a forge, the commits must show it: the base branch has the
 * lane's commits, or others with the same diff, and all tasks of the lane are closed.
 */
export async function foldMerged(project: Project, workspace: Workspace, ports: Ports): Promise<void> {
  const { repository } = workspace;
  const isClosed = ({ record }: TaskView) => record?.closed_at !== undefined;
  const done = [...lanesOf(project.board.views).open.values()].filter(
    ({ branch, tasks }) =>
      branch !== project.view.base && project.view.tip(branch) !== null && tasks.every(isClosed),
  );
  if (done.length === 0) return;
  const [base, tips] = await Promise.all([baseOf(project, repository), branchTips(project)]);
  for (const { branch, tasks, link } of done) {
    const head = tips.get(`refs/heads/${branch}`);
    if (!head || !tasks.some(({ record }) => record?.lane?.fork_point !== head)) continue;
    // The branch it was stacked on may have been merged as other commits, for example as a squash.
    const from = isBelowOver(project, link) ? link.fork_point : undefined;
    if (!(await isMerged(repository, { base: base.commit, head, from }))) continue;
    const fold = { branch, how: 'merged', at: ports.now() } as const;
    const written = await project.ledger.write((view) => foldPlan(view, fold));
    if (written.kind !== 'written') continue;
    ports.progress(`${branch} is merged`);
    // Lanes stacked on it are now compared without its commits, so everything is loaded again.
    return foldMerged(await loadProject(ports, project), workspace, ports);
  }
}

interface Left {
  readonly commit: string;
  /** The head of the lane when the work began. */
  readonly start: string;
}

/**
 * Records the step of a dead holder: its work becomes the lane's, and the task is free again. False when
 * the claim is no longer held, or the lane has moved on.
 */
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
    const step = lostStep(claim, at, left?.commit);
    const event: Event = { kind: 'step', at, by: 'gza', id: claim.task, step };
    const changes =
      located.branch === view.base
        ? [{ branch: view.base, events: [event, release] }]
        : [{ branch: located.branch, events: [event] }, base];
    return { changes, refs: move ? [move] : [] };
  });
  return written.kind === 'written';
}

type Move = NonNullable<Plan['refs']>[number];

/** The work is adopted only if the lane has not moved since, and nobody has it checked out. */
async function moveOf(
  repository: Repository,
  { lane }: Claim,
  { commit, start }: Left,
): Promise<Move | null> {
  const now = await readBranch(repository, lane);
  if (now?.folder || (now && now.oid !== start)) return null;
  return { ref: `refs/heads/${lane}`, to: commit, from: now?.oid ?? null };
}

/** Keeps work under a separate ref when its claim is unknown or its lane has moved on. */
async function keepLost(project: Project, clone: SharedClone, to: string, ports: Ports): Promise<void> {
  const { name, branch, start } = clone.record;
  if (await isIn(clone.repository, branch, start, to)) return;
  const ref = `refs/gza/lost/${name}`;
  await project.ledger.write(async () => ({ changes: [], refs: [{ ref, to, from: null }] }));
  ports.progress(`what a dead process left in ${name} is kept at ${ref}`);
}

/** Whether the branch already has these files: the step was recorded, and only the clone was left over. */
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
