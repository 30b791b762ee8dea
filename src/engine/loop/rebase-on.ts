/**
 * Rebases a lane's own commits onto another commit, and updates branch and ledgers in one transaction. A
 * conflict changes nothing. Also predicts which lanes will conflict.
 */

import type { Ports } from '../../app/command.ts';
import { laneBranch } from '../../app/facts/facts.ts';
import type { Project } from '../../app/project.ts';
import { wholeView, writeToTask } from '../../app/tasks/change-task.ts';
import { lanesOf } from '../../core/board/blockers.ts';
import type { TaskView } from '../../core/board/board.ts';
import { GzaError } from '../../core/errors.ts';
import type { Event } from '../../core/ledger/event.ts';
import { type Clash, clashMark, type Foreseen, readForeseen } from '../../core/ledger/ledger-state.ts';
import type { LaneLink, StepRecord } from '../../core/ledger/record/record.ts';
import { foreseen } from '../../core/system-error.ts';
import { gzaIdentity } from '../../git/git.ts';
import { listRefs, readBranch } from '../../git/refs.ts';
import type { Repository } from '../../git/repository.ts';
import type { LedgerView } from '../../ledger/ledger.ts';
import { moveRefs, type RefMove } from '../../ledger/store/refs.ts';
import { conflictsBetween, hasPersonsWork } from '../../workspace/branch/join-branches.ts';
import { type RebaseResult, rebaseLane } from '../../workspace/branch/rebase-lane.ts';
import { diffId, mergeBase } from '../../workspace/patch/lane-diff.ts';

import { baseOf, isJoinBranch, joinLanes, joinMove, PredecessorsConflict, waitsForLane } from './lane-of.ts';
import type { Loop } from './work-run.ts';

export interface LaneToMove {
  readonly link: LaneLink;
  readonly head: string;
  readonly forkPoint: string;
  readonly tasks: readonly string[];
}

export interface Onto {
  readonly branch: string;
  readonly commit: string;
  /** The target is an unmerged lane, or a joining branch of gza's. */
  readonly isLane?: boolean;
  /** For a joining branch: the branches it joins, and the move that brings it up to date. */
  readonly joins?: readonly string[];
  readonly moves?: readonly RefMove[];
}

export type Rebased = { readonly kind: 'moved' } | Exclude<RebaseResult, { readonly kind: 'rebased' }>;

/** Whether the branch below was merged, or was dropped and this lane only shared files with it. */
export function isBelowOver(
  project: Project,
  { branch, stacked_on: on, joins, fork_point }: LaneLink,
): boolean {
  if (on === undefined || fork_point === undefined) return false;
  if (joins) return joins.some((one) => endOf(project, one) === 'merged');
  const end = endOf(project, on);
  return end === 'merged' || (end === 'dropped' && !waitsForLane(project, branch, on));
}

function endOf({ view, board }: Project, branch: string): 'merged' | 'dropped' | null {
  return view.tip(branch) === null ? lanesOf(board.views).end(branch) : null;
}

/** What the lane should stand on now: another lane, a joining branch of gza's, or the base branch. */
export async function ontoOf(
  project: Project,
  repository: Repository,
  { stacked_on: on, joins, fork_point: made }: LaneLink,
): Promise<Onto> {
  const base = await baseOf(project, repository);
  if (on === undefined) return base;
  const left = (joins ?? [on]).filter((branch) => project.view.tip(branch) !== null);
  if (left.length === 0) return base;
  if (joins === undefined) {
    const found = await readBranch(repository, on);
    return found ? { branch: on, commit: found.oid, isLane: true } : base;
  }
  // Includes the base, because it has the predecessors that were merged.
  const { commit } = await joinLanes(project, repository, on, left, base);
  const moves = await joinMove(repository, on, commit, made);
  return { branch: on, commit, isLane: true, joins: left, moves };
}

/** Removes joining branches that no open lane is stacked on any more. */
export async function removeJoins(
  project: Project,
  repository: Repository,
  isNeeded: (branch: string) => boolean = () => false,
): Promise<void> {
  const rows = await listRefs(repository, [`refs/heads/${project.config.branch_prefix}on`]);
  if (rows.length === 0) return;
  const lanes = [...lanesOf(project.board.views).open.values()];
  const stoodOn = new Set(lanes.flatMap(({ tasks }) => tasks.map(({ record }) => record?.lane?.stacked_on)));
  const old = rows.filter(({ ref }) => {
    const branch = ref.replace('refs/heads/', '');
    return isJoinBranch(project, branch) && !stoodOn.has(branch) && !isNeeded(branch);
  });
  for (const { ref, oid } of old) {
    if (await hasPersonsWork(repository, ref, oid, undefined)) continue;
    await moveRefs(repository, [{ ref, to: null, from: oid }]);
  }
}

/** `also` makes events for the base ledger, recorded together with the move. */
export async function rebaseOn(
  { ledger }: Project,
  repository: Repository,
  { link, head, forkPoint, tasks }: LaneToMove,
  onto: Onto,
  at: string,
  also: (view: LedgerView, to: string) => Promise<readonly Event[]> = async () => [],
): Promise<Rebased> {
  const rebased = await rebaseLane(repository, {
    onto: onto.commit,
    forkPoint,
    head,
    committer: gzaIdentity,
  });
  if (rebased.kind !== 'rebased') return rebased;
  const { branch, id, rebased: before } = link;
  const to = rebased.commit;
  // The commit that the last step left, even if the lane was rebased several times since.
  const from = before?.to === head ? before.from : head;
  const lane: LaneLink = {
    id,
    branch,
    fork_point: onto.commit,
    ...(onto.isLane ? { stacked_on: onto.branch } : {}),
    ...(onto.joins ? { joins: [...onto.joins] } : {}),
    rebased: { from, to, diff: await diffId(repository, { base: onto.commit, head: to }) },
  };
  const move = { ref: `refs/heads/${branch}`, to, from: head };
  const entered = tasks.map((task): Event => ({ kind: 'enter-lane', at, id: task, lane }));
  await ledger.write(async (view) => ({
    changes: [
      { branch, events: entered },
      { branch: view.base, events: [...entered, ...(await also(view, to))] },
    ],
    refs: [move, ...(onto.moves ?? [])],
  }));
  return { kind: 'moved' };
}

/** Rebases on a person's request. Refuses while a step runs on the branch, or while it is checked out. */
export async function rebaseHere(
  project: Project,
  view: TaskView,
  ports: Pick<Ports, 'now'>,
): Promise<string> {
  const { repository, board } = project;
  const { tasks: own, link } = lanesOf(board.views).open.get(laneBranch(project, view)) ?? {};
  const now = link && (await readBranch(repository, link.branch));
  if (!link || !own || !now)
    throw new GzaError('refused', `${view.id} has no branch here to rebase`, { hint: `gza why ${view.id}` });
  const claim = board.claims.find(({ lane, until }) => lane === link.branch && until > ports.now());
  if (claim)
    throw new GzaError('blocked', `${link.branch} is at work: ${claim.holder} holds it until ${claim.until}`);
  if (now.folder)
    throw new GzaError('blocked', `${link.branch} is checked out in ${now.folder}`, {
      hint: 'gza never changes files under your hands. Switch to another branch there.',
    });
  const lane = { link, head: now.oid, tasks: own.map(({ id }) => id) };
  const { isMoved, text } = await restack(project, repository, lane, ports.now());
  if (isMoved || text.endsWith('already')) return text;
  throw new GzaError('blocked', `${text}. The branch is as it was`);
}

/**
 * Before the next step of a lane whose predecessor was merged or dropped: rebases the lane, or asks a
 * person. Returns whether anything was written, because earlier decisions are then out of date.
 */
export async function unstack(loop: Loop, view: TaskView): Promise<boolean> {
  const { project, workspace, ports } = loop;
  const branch = laneBranch(project, view);
  const { tasks: own, link } = lanesOf(project.board.views).open.get(branch) ?? {};
  if (!link || !own || !isBelowOver(project, link)) return false;
  const now = await readBranch(workspace.repository, branch);
  // A branch that is checked out, or has commits of a person, is left alone.
  if (!now || now.folder || now.oid !== (await leftAt(project, own))) return false;
  const over = (link.joins ?? [link.stacked_on ?? '']).filter((one) => endOf(project, one) !== null);
  const ended = `${over.join(' and ')} was ${endOf(project, over[0] ?? '') ?? 'merged'}`;
  const lane = { link, head: now.oid, tasks: own.map(({ id }) => id) };
  const { isMoved, text } = await restack(project, workspace.repository, lane, ports.now());
  if (isMoved) {
    loop.reporter.line(view.id, `${text}: ${ended}`);
    return true;
  }
  const detail = `${ended}, and ${text}`;
  await writeToTask(project, view.id, ports, (_record, { at }) => [
    { kind: 'stop', at, id: view.id, stop: { reason: 'rebase-conflict', detail, at } },
  ]);
  loop.reporter.line(view.id, detail);
  // The end of the run reports what it waits for.
  loop.ended.add(view.id);
  return true;
}

/** Rebases a lane onto what is left below it, or returns why that is impossible. */
async function restack(
  project: Project,
  repository: Repository,
  lane: Omit<LaneToMove, 'forkPoint'>,
  at: string,
): Promise<{ readonly isMoved: boolean; readonly text: string }> {
  const { link, head } = lane;
  const onto = await ontoOf(project, repository, link).catch(conflictOnly);
  if (onto instanceof PredecessorsConflict) return { isMoved: false, text: onto.message };
  const { branch } = link;
  const stays = (why: string) => ({
    isMoved: false,
    text: `${branch} cannot be put on top of ${onto.branch}: ${why}`,
  });
  const forkPoint = await forkOf(repository, link, onto.commit, head);
  if (forkPoint === null) return stays('they have no history in common');
  if (forkPoint === onto.commit)
    return { isMoved: false, text: `${branch} stands on ${onto.branch} already` };
  const rebased = await rebaseOn(project, repository, { ...lane, forkPoint }, onto, at);
  if (rebased.kind === 'moved') return { isMoved: true, text: `${branch} stands on ${onto.branch} now` };
  if (rebased.kind === 'empty') return stays('nothing is left of it');
  const byHand = `git rebase --onto ${onto.branch} ${forkPoint.slice(0, 12)} ${branch}`;
  return stays(`conflicts in ${rebased.paths.slice(0, 5).join(', ')}. By hand: ${byHand}`);
}

/** Where a lane's own commits begin: as recorded, if the branch still has that commit, or the merge base. */
export async function forkOf(
  repository: Repository,
  { fork_point: noted, stacked_on: on }: LaneLink,
  onto: string,
  head: string,
): Promise<string | null> {
  const common = await mergeBase(repository, { base: onto, head });
  if (noted === undefined || on === undefined) return common;
  const isAncestor = async (older: string, newer: string) =>
    (await repository.bareGit.run(['merge-base', '--is-ancestor', older, newer])).code === 0;
  // If the base was merged into it later, what came before that merge base is not the lane's own.
  const isOlder = common !== null && (await isAncestor(noted, common));
  return !isOlder && (await isAncestor(noted, head)) ? noted : common;
}

export function conflictOnly(error: unknown): PredecessorsConflict {
  if (error instanceof PredecessorsConflict) return error;
  throw error;
}

/** Where the last step, or a later rebase by gza, left the branch. */
async function leftAt(project: Project, tasks: readonly TaskView[]): Promise<string | undefined> {
  // Reads whole records, because lists leave out the steps of closed tasks.
  const whole = await Promise.all(tasks.map(({ id }) => wholeView(project, id)));
  const steps = whole.flatMap(({ record }) => record?.steps ?? []);
  const isLater = (one: StepRecord, than: StepRecord) => one.ended_at >= than.ended_at;
  const last = steps
    .filter(({ head }) => head !== undefined)
    .reduce<StepRecord | undefined>((best, one) => (!best || isLater(one, best) ? one : best), undefined);
  const rebased = whole.map(({ record }) => record?.lane?.rebased).find((one) => one !== undefined);
  return last && rebased && rebased.from === last.head ? rebased.to : last?.head;
}

/**
 * Predicts which open branches will conflict with each other or with the base. Only branches that moved since
 * the last time are compared, and the result is stored. If git fails, the stored result is used.
 */

/** The most pairs compared at a time. The others wait for the next time. */
const pairsMax = 200;
const filesKept = 20;

/** Returns the known conflicts. They are written when they changed or took long to compute. */
export async function foresee(
  project: Project,
  repository: Repository,
  at: string,
): Promise<readonly Clash[]> {
  const before = readForeseen((await project.view.meta(project.view.base))?.marks ?? {});
  try {
    const { found, asked } = await ask(project, repository, before);
    const isSame = JSON.stringify(found.clashes) === JSON.stringify(before.clashes);
    if (!isSame || asked > 10) {
      const value = Object.keys(found.heads).length > 0 ? JSON.stringify(found) : null;
      await project.ledger.write(async ({ base }) => ({
        changes: [{ branch: base, events: [{ kind: 'mark', at, name: clashMark, value }] }],
      }));
    }
    return found.clashes;
  } catch (error) {
    if (foreseen(error) === null) throw error;
    return before.clashes;
  }
}

async function ask(
  project: Project,
  repository: Repository,
  before: Foreseen,
): Promise<{ readonly found: Foreseen; readonly asked: number }> {
  const base = await baseOf(project, repository);
  const lanes = lanesOf(project.board.views);
  const rows = await listRefs(repository, ['refs/heads']);
  const tips = new Map(rows.map(({ ref, oid }) => [ref.replace('refs/heads/', ''), oid]));
  const heads = new Map([[base.branch, base.commit]]);
  for (const { branch, link } of lanes.open.values()) {
    const head = tips.get(branch);
    if (head !== undefined && head !== link.fork_point) heads.set(branch, head);
  }
  const mayClash = (one: string, other: string) => {
    // A branch that starts at the current base cannot conflict with it.
    const link = lanes.open.get(one === base.branch ? other : one)?.link;
    if (one === base.branch || other === base.branch)
      return !link?.stacked_on && link?.fork_point !== base.commit;
    return !lanes.stack(one).has(other) && !lanes.stack(other).has(one);
  };
  const isKnown = (branch: string) => before.heads[branch] === heads.get(branch);
  const known = [...heads.keys()].filter(isKnown);
  const clashes = before.clashes.filter(({ branches }) =>
    branches.every((one) => heads.has(one) && isKnown(one)),
  );
  let asked = 0;
  for (const branch of [...heads.keys()].filter((one) => !isKnown(one)).sort()) {
    const others = known.filter((one) => mayClash(one, branch));
    if (asked + others.length > pairsMax) break;
    for (const other of others) {
      const files = await conflictsBetween(repository, heads.get(other) ?? '', heads.get(branch) ?? '');
      if (files.length > 0)
        clashes.push({
          branches: other < branch ? [other, branch] : [branch, other],
          files: files.slice(0, filesKept),
        });
    }
    asked += others.length;
    known.push(branch);
  }
  const all = Object.fromEntries(known.sort().map((one) => [one, heads.get(one) ?? '']));
  const order = ({ branches }: Clash) => branches.join(' ');
  const sorted = clashes.toSorted((a, b) => (order(a) < order(b) ? -1 : 1));
  return { found: { heads: known.length > 1 ? all : {}, clashes: sorted }, asked };
}
