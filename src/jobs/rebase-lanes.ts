/**
 * A lane's own commits are put on top of what it stands on: when what it was built on is merged, and when a person
 * asks for it. Never while something works on it; a person's commits hold it back unless someone asks.
 */
import { look, type Project } from '../commands/project.ts';
import type { Event } from '../core/event.ts';
import type { LaneLink } from '../core/record.ts';
import { baseOf } from '../engine/lane-of.ts';
import { isBelowMerged, leftAt as leftByStep } from '../engine/rebase-on-base.ts';
import { diffId, mergeBase } from '../workspace/lane-diff.ts';
import { rebaseLane } from '../workspace/rebase-lane.ts';
import type { Repository } from '../workspace/repository.ts';
import { gzaIdentity } from '../workspace/workspace.ts';
import type { Ci } from './ci.ts';
import type { LaneWorld } from './lane-world.ts';
import { rememberRefs, share } from './share.ts';

export interface Rebased {
  readonly branch: string;
  readonly isMoved: boolean;
  /** A person asked for it. */
  readonly isAsked: boolean;
  /** A sentence about the branch. */
  readonly text: string;
}

/** Kept in the base ledger until the lane is free. */
export function rebaseMark(branch: string): string {
  return `rebase:${branch}`;
}

export async function rebaseLanes(
  ci: Ci,
  project: Project,
  repository: Repository,
  worlds: ReadonlyMap<string, LaneWorld>,
): Promise<Rebased[]> {
  const done: Rebased[] = [];
  const marks = (await project.view.meta(project.view.base))?.marks ?? {};
  for (const lane of worlds.values()) {
    const isAsked = marks[rebaseMark(lane.branch)] !== undefined;
    const link = lane.tasks[0]?.record?.lane;
    if (!link || lane.head === null || !isDue(project, lane, link, isAsked)) continue;
    const asked: Due = { lane, link, head: lane.head, isAsked };
    const one = await rebaseOne(ci, await look(project, ci.ports), repository, asked);
    ci.say(one.text);
    done.push(one);
  }
  return done;
}

function isDue(
  project: Project,
  { branch, personCommits }: LaneWorld,
  link: LaneLink,
  isAsked: boolean,
): boolean {
  const { view, board } = project;
  if (view.tip(branch) === null || board.claims.some(({ lane }) => lane === branch)) return false;
  if (isAsked) return true;
  return !personCommits && isBelowMerged(project, link);
}

interface Due {
  readonly lane: LaneWorld;
  readonly link: LaneLink;
  readonly head: string;
  readonly isAsked: boolean;
}

async function rebaseOne(ci: Ci, project: Project, repository: Repository, due: Due): Promise<Rebased> {
  const { lane, link, head, isAsked } = due;
  const { branch } = lane;
  const onto = await ontoOf(project, repository, link);
  const forkPoint = await leftAt(repository, link, onto.commit, head);
  const end = async (text: string): Promise<Rebased> => {
    if (isAsked) await forget(ci, project, branch);
    return { branch, isMoved: false, isAsked, text };
  };
  if (forkPoint === null)
    return end(`${branch} has no history in common with ${onto.branch}, so it stays as it is.`);
  if (forkPoint === onto.commit) return end(`${branch} stands on ${onto.branch} already.`);
  const rebased = await rebaseLane(repository, {
    onto: onto.commit,
    forkPoint,
    head,
    committer: gzaIdentity,
  });
  switch (rebased.kind) {
    case 'empty':
      return end(`${branch} was not put on top of ${onto.branch}: nothing is left of it.`);
    case 'conflict':
      return end(
        `${branch} was not put on top of ${onto.branch} and is as it was: ${conflictText(rebased.paths)}.`,
      );
    case 'rebased':
      return move(ci, project, repository, due, onto, rebased.commit, end);
  }
}

const pathsShown = 20;

function conflictText(paths: readonly string[]): string {
  const more = paths.length - pathsShown;
  const shown = paths.slice(0, pathsShown).join(', ');
  return `conflicts in ${shown}${more > 0 ? ` and ${more} more` : ''}`;
}

/** The branch below, as long as it is not merged. */
async function ontoOf(project: Project, repository: Repository, { stacked_on: on }: LaneLink) {
  if (on !== undefined && project.view.tip(on) !== null) {
    const found = await repository.run(['rev-parse', '--verify', '--quiet', `refs/heads/${on}^{commit}`]);
    if (found.code === 0) return { branch: on, commit: found.stdout.toString('utf8').trim(), isBelow: true };
  }
  return { ...(await baseOf(project, repository)), isBelow: false };
}

/** As noted, where the branch still holds it; else where the two part. */
async function leftAt(
  repository: Repository,
  { fork_point: noted, stacked_on: on }: LaneLink,
  onto: string,
  head: string,
): Promise<string | null> {
  const common = await mergeBase(repository, { base: onto, head });
  if (noted === undefined || on === undefined) return common;
  const isIn = (await repository.run(['merge-base', '--is-ancestor', noted, head])).code === 0;
  // The base was merged into it since: what came with that is not its own.
  const isOlder =
    common !== null && (await repository.run(['merge-base', '--is-ancestor', noted, common])).code === 0;
  return isIn && !isOlder ? noted : common;
}

async function forget(ci: Ci, { ledger }: Project, branch: string): Promise<void> {
  const done = (at: string): Event => ({ kind: 'mark', at, name: rebaseMark(branch), value: null });
  await ledger.write(async ({ base }) => ({ changes: [{ branch: base, events: [done(ci.ports.now())] }] }));
}

async function move(
  ci: Ci,
  project: Project,
  repository: Repository,
  { lane: { branch, tasks }, link, head, isAsked }: Due,
  onto: Awaited<ReturnType<typeof ontoOf>>,
  commit: string,
  end: (text: string) => Promise<Rebased>,
): Promise<Rebased> {
  const goBack = await rememberRefs(project.ledger);
  const below = onto.isBelow ? { stacked_on: onto.branch } : {};
  const diff = await diffId(repository, { base: onto.commit, head: commit });
  const rebased = { from: leftByStep(link, head), to: commit, diff };
  const own: LaneLink = { id: link.id, branch, fork_point: onto.commit, ...below, rebased };
  const at = ci.ports.now();
  const forgotten: Event[] = isAsked ? [{ kind: 'mark', at, name: rebaseMark(branch), value: null }] : [];
  const ref = { ref: `refs/heads/${branch}`, to: commit, from: head };
  const entered = tasks.map(({ id }): Event => ({ kind: 'enter-lane', at, id, lane: own }));
  await project.ledger.write(async (view) => ({
    changes: [
      { branch, events: entered },
      { branch: view.base, events: [...entered, ...forgotten] },
    ],
    refs: [ref],
  }));
  const shared = await share(project.ledger, ref);
  if (shared.kind === 'shared')
    return { branch, isMoved: true, isAsked, text: `${branch} stands on ${onto.branch} now.` };
  await goBack();
  const why = shared.kind === 'refused' ? shared.why : 'someone else moved it';
  return end(`${branch} could not be put on top of ${onto.branch}: ${why}`);
}
