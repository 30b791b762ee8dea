/** After a crash: what dead processes left is saved on its lane, their claims are freed, merged lanes come home. */
import type { Claim, StepRecord } from '../core/record.ts';
import type { Ports } from '../commands/command.ts';
import type { Project } from '../commands/project.ts';
import type { Event } from '../core/event.ts';
import { foldPlan } from '../ledger/fold.ts';
import type { Change } from '../ledger/ledger.ts';
import { mergeBase } from '../workspace/lane-diff.ts';
import { readBranch } from '../workspace/move-branch.ts';
import type { SharedClone } from '../workspace/shared-clone.ts';
import { type Workspace, gzaIdentity } from '../workspace/workspace.ts';
import { isAlive } from './is-alive.ts';
import { baseOf } from './lane-of.ts';
import { policyOf, saveStep } from './save-step.ts';

export async function sweep(project: Project, workspace: Workspace, ports: Ports): Promise<void> {
  const saved = new Map<string, string>();
  await workspace.sweep(async (clone) => saveDead(project, clone, ports, saved));
  const dead = project.board.claims.filter((claim) => !isAlive(claim, ports.now()));
  for (const claim of dead) await recordDead(project, claim, saved.get(claim.id) ?? null, ports);
  await foldMerged(project, workspace, ports);
}

/** The clone's name says whose it was: `<id>.<step>.<claim>`. */
async function saveDead(
  project: Project,
  clone: SharedClone,
  ports: Ports,
  saved: Map<string, string>,
): Promise<SharedClone | null> {
  const claim = project.board.claims.find(({ id }) => clone.record.name.endsWith(`.${id.slice(0, 12)}`));
  const id = claim?.task ?? clone.record.name.split('.')[0] ?? 'task';
  const view = project.board.views.get(id);
  const result = await saveStep({
    clone,
    purpose: { kind: 'wip', reason: 'its process died' },
    title: view?.task.title ?? id,
    taskId: id,
    policy: policyOf(view ? project.settings(view.task) : {}, project.config.protected.except),
    author: gzaIdentity,
    date: new Date(ports.now()),
    compareWith: clone.record.start,
  });
  if (result.kind === 'refused') return null;
  if (result.kind === 'saved') {
    if (claim) saved.set(claim.id, result.commit);
    else await keepLost(project, clone.record.name, result.commit);
    ports.progress(`saved what a dead process left on ${id} (${result.commit.slice(0, 7)})`);
  }
  return {
    ...clone,
    record: { ...clone.record, saved: result.kind === 'saved' ? result.commit : clone.record.start },
  };
}

/** Nobody knows any more what it was for; it is not thrown away. */
async function keepLost(project: Project, name: string, commit: string): Promise<void> {
  const ref = `refs/gza/lost/${name}`;
  await project.ledger.write(async () => ({ changes: [], refs: [{ ref, to: commit, from: null }] }));
}

export async function recordDead(
  project: Project,
  claim: Claim,
  commit: string | null,
  ports: Ports,
): Promise<void> {
  const at = ports.now();
  await project.ledger.write(async (view) => {
    const held = (await view.meta(view.base))?.claims?.some(({ id }) => id === claim.id);
    if (!held) return null;
    const release: Event = { kind: 'release', at, claim: claim.id, why: 'its holder died' };
    const located = await view.task(claim.task);
    const base: Change = { branch: view.base, events: [release] };
    if (!located || located.record.closed_at || !claim.step) return { changes: [base] };
    const step: StepRecord = {
      step: claim.step,
      // With work to show it goes on from there; with none it is a failed try.
      outcome: commit ? 'slice' : 'lost',
      started_at: claim.at,
      ended_at: at,
      error: 'its process died',
      ...(claim.agent ? { agent: claim.agent } : {}),
      ...(commit ? { head: commit } : claim.head ? { head: claim.head } : {}),
    };
    const event: Event = { kind: 'step', at, by: 'gza', id: claim.task, step };
    const same = located.branch === view.base;
    const changes = same
      ? [{ branch: view.base, events: [event, release] }]
      : [{ branch: located.branch, events: [event] }, base];
    const refs = commit
      ? [{ ref: `refs/heads/${claim.lane}`, to: commit, from: await branchTip(project, claim.lane) }]
      : [];
    return { changes, refs };
  });
}

async function branchTip({ repository }: Project, branch: string): Promise<string | null> {
  const found = await repository.git.run([
    'rev-parse',
    '--verify',
    '--quiet',
    `refs/heads/${branch}^{commit}`,
  ]);
  return found.code === 0 ? found.stdout.toString('utf8').trim() : null;
}

/** A lane whose commits are all in the base branch was merged by hand. */
async function foldMerged(project: Project, workspace: Workspace, ports: Ports): Promise<void> {
  const lanes = project.view.branches.filter((branch) => branch !== project.view.base);
  if (lanes.length === 0) return;
  const base = await baseOf(project, workspace.repository);
  for (const branch of lanes) {
    const head = await readBranch(workspace.repository, branch);
    const views = [...project.board.views.values()].filter(
      ({ record }) => record?.lane?.branch === branch && !record.lane.folded_at,
    );
    const done = views.length > 0 && views.every(({ record }) => record?.closed_at !== undefined);
    const worked = views.some(({ record }) =>
      record?.steps?.some((step) => step.head === head?.oid && step.step !== 'review'),
    );
    if (!head || !done || !worked) continue;
    if ((await mergeBase(workspace.repository, { base: base.commit, head: head.oid })) !== head.oid) continue;
    await project.ledger.write((view) => foldPlan(view, { branch, how: 'merged', at: ports.now() }));
    ports.progress(`${branch} is merged`);
  }
}
