/**
 * After a crash: what dead processes left is saved on its lane, their claims are freed, merged lanes come home.
 * First the record, then the removal, so that a crash in here loses nothing either.
 */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { endMarked } from '../../agents/marked-processes.ts';
import type { Ports } from '../../app/command.ts';
import { isAlive, localRun } from '../../app/facts/is-alive.ts';
import type { Project } from '../../app/project.ts';
import type { Claim } from '../../core/ledger/record/record.ts';
import { foreseen } from '../../core/system-error.ts';
import { isOwnerAlive, readRecord } from '../../workspace/clone-record.ts';
import type { SharedClone } from '../../workspace/shared-clone.ts';
import { gzaIdentity, type Workspace } from '../../workspace/workspace.ts';
import { keepLost, recordDead } from '../record/record-dead.ts';
import { policyOf, saveStep } from '../record/save-step.ts';
import { claimFile } from './clone-claim.ts';
import { foldMerged } from './fold-merged.ts';

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
      await sweepClone(project, clone, dead.find(({ id }) => id === claim) ?? null, ports);
    } finally {
      await release();
    }
  }
  for (const claim of dead) {
    // Someone else is saving what it left.
    if (!busy.has(claim.id)) await recordDead(project, workspace.repository, claim, null, ports);
  }
  await workspace.sweep();
  await foldMerged(project, workspace, ports);
}

async function deadClones(workspace: Workspace): Promise<SharedClone[]> {
  const clones: SharedClone[] = [];
  for (const clone of await workspace.listClones())
    if (!(await isOwnerAlive(clone.record.owner))) clones.push(clone);
  return clones;
}

/** Two that sweep at once must not save the same clone twice, nor one remove it under the other's hands. */
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
  // One that is empty was just made.
  return run === '' || isAlive({ run, until: '' } as Claim, ports.now());
}

async function sweepClone(
  project: Project,
  found: SharedClone,
  claim: Claim | null,
  ports: Ports,
): Promise<void> {
  await endMarked(`${found.dir}/`);
  if (found.record.purpose === 'review') return;
  // It may have been swept between the look and the lock.
  const record = await readRecord(found.dir);
  if (record === null) return;
  const clone = { ...found, record };
  const id = claim?.task ?? record.name.split('.')[0] ?? 'task';
  const commit = record.saved ?? (await saveDead(project, clone, id, ports));
  if (commit === null || commit === record.start) return;
  const left = { commit, start: record.start };
  if (claim !== null && (await recordDead(project, clone.repository, claim, left, ports))) {
    ports.progress(`saved what a dead process left on ${id} (${commit.slice(0, 7)})`);
    return;
  }
  await keepLost(project, clone, commit, ports);
}

/** The commit that holds what is in it; null when it cannot be saved, and then it stays. */
async function saveDead(
  project: Project,
  clone: SharedClone,
  id: string,
  ports: Ports,
): Promise<string | null> {
  // Its making was cut short: no agent was there yet.
  if (clone.record.shown === null) return clone.record.start;
  const view = project.board.views.get(id);
  try {
    const saved = await saveStep({
      clone,
      purpose: { kind: 'wip', reason: 'its process died' },
      title: view?.task.title ?? id,
      taskId: id,
      policy: policyOf(view ? project.settings(view.task) : {}, project.config.protected),
      author: gzaIdentity,
      date: new Date(ports.now()),
      compareWith: clone.record.start,
    });
    if (saved.kind === 'saved') return saved.commit;
    if (saved.kind === 'nothing') return clone.record.start;
    ports.progress(
      `what a dead process left on ${id} cannot be saved and stays (gza kept ${id}): ${saved.why.split('\n')[0]}`,
    );
    return null;
  } catch (thrown) {
    const error = foreseen(thrown);
    if (error === null) throw thrown;
    ports.progress(`what a dead process left in ${clone.dir} could not be read: ${error.message}`);
    return null;
  }
}
