/**
 * Rebases a lane's own commits, when the branch below it was merged or when a person asks. Never while a job
 * works on the lane. With a person's commits on it, only when someone asks.
 */
import { loadProject, type Project } from '../../app/project.ts';
import type { Event } from '../../core/ledger/event.ts';
import { rebaseMark } from '../../core/ledger/marks.ts';
import type { LaneLink } from '../../core/ledger/record/record.ts';
import { inlineText } from '../../core/text/github/inline-text.ts';
import { isJoinBranch, PredecessorsConflict } from '../../engine/loop/lane-of.ts';
import { conflictOnly, forkOf, isBelowOver, ontoOf, rebaseOn } from '../../engine/loop/rebase-on.ts';
import { readRef } from '../../git/refs.ts';
import type { Repository } from '../../git/repository.ts';
import type { LedgerView } from '../../ledger/ledger.ts';
import { moveRefs } from '../../ledger/store/refs.ts';
import type { PullFacts } from '../api/forge.ts';
import type { ReadingContext } from '../jobs/job-context.ts';
import { startEvents } from '../jobs/next.ts';
import { ciRun } from './claims.ts';
import type { LaneWorld } from './lane-world.ts';
import { type Reply, withReply } from './replies.ts';

export interface Rebased {
  readonly branch: string;
  readonly isMoved: boolean;
  /** A person asked for it. */
  readonly isAsked: boolean;
  /** The answer on the pull request to the person who asked. */
  readonly remark: Reply | null;
  /** A sentence about the branch. */
  readonly text: string;
}

/** Ref of a branch that the remote refused to move → the reason. */
export type Stays = ReadonlyMap<string, string>;

export async function rebaseLanes(
  ci: ReadingContext,
  project: Project,
  repository: Repository,
  worlds: ReadonlyMap<string, LaneWorld>,
  stays: Stays,
): Promise<Rebased[]> {
  const done: Rebased[] = [];
  const marks = (await project.view.meta(project.view.base))?.marks ?? {};
  for (const lane of worlds.values()) {
    const isAsked = marks[rebaseMark(lane.branch)] !== undefined;
    const link = lane.tasks[0]?.record?.lane;
    if (!link || lane.head === null || !isRebaseDue(project, lane, marks)) continue;
    const due: Due = { lane, link, head: lane.head, isAsked, stays };
    const one = await rebaseOne(ci, await loadProject(ci.ports, project), repository, due);
    ci.say(one.text);
    done.push(one);
  }
  return done;
}

/**
 * Merging a lane into gza's own branch does not count as merged. GitHub may have deleted the lane's branch
 * then, so it is created again, and its work can be opened against the default branch.
 */
export async function restoreHeads(
  project: Project,
  repository: Repository,
  pulls: readonly PullFacts[],
): Promise<void> {
  for (const { state, base, branch, headCommit, fromFork } of pulls) {
    if (state !== 'merged' || fromFork || !isJoinBranch(project, base)) continue;
    if (project.view.tip(branch) === null || (await readRef(repository, refOf(branch))) !== null) continue;
    if ((await repository.bareGit.run(['cat-file', '-e', `${headCommit}^{commit}`])).code !== 0) continue;
    await moveRefs(repository, [{ ref: refOf(branch), to: headCommit, from: null }]);
  }
}

export function isRebaseDue(
  project: Project,
  { branch, personCommits, tasks, baseHead }: LaneWorld,
  marks: Readonly<Record<string, string>>,
): boolean {
  const { view, board } = project;
  if (view.tip(branch) === null || board.claims.some(({ lane }) => lane === branch)) return false;
  const link = tasks[0]?.record?.lane;
  if (marks[rebaseMark(branch)] !== undefined) return true;
  if (personCommits || link === undefined) return false;
  // Its checks failed because of the base, which has moved since.
  const isHeld = tasks.some(({ record }) => record?.steps?.at(-1)?.ending === 'baseline');
  return isBelowOver(project, link) || (isHeld && !link.stacked_on && link.fork_point !== baseHead);
}

interface Due {
  readonly lane: LaneWorld;
  readonly link: LaneLink;
  readonly head: string;
  readonly isAsked: boolean;
  readonly stays: Stays;
}

async function rebaseOne(
  ci: ReadingContext,
  project: Project,
  repository: Repository,
  due: Due,
): Promise<Rebased> {
  const { lane, link, head, isAsked, stays } = due;
  const { branch } = lane;
  const end = (text: string) => stay(ci, project, due, text);
  const onto = await ontoOf(project, repository, link).catch(conflictOnly);
  if (onto instanceof PredecessorsConflict) return end(`${branch} is as it was: ${onto.message}.`);
  const forkPoint = await forkOf(repository, link, onto.commit, head);
  if (forkPoint === null)
    return end(`${branch} has no history in common with ${onto.branch}, so it stays as it is.`);
  if (forkPoint === onto.commit) return end(`${branch} stands on ${onto.branch} already.`);
  const why = stays.get(refOf(branch)) ?? stays.get(refOf(onto.branch));
  if (why !== undefined) return end(`${branch} could not be put on top of ${onto.branch}: ${why}`);
  const remark = remarkOf(ci, due, `${branch} stands on ${onto.branch} now.`);
  const own = { link, head, forkPoint, tasks: lane.tasks.map(({ id }) => id) };
  const also = async (view: LedgerView, to: string) => [
    ...startEvents(ci, project, branch, to),
    ...(await settled(ci, view, due, remark)),
  ];
  const rebased = await rebaseOn(project, repository, own, onto, ci.ports.now(), also);
  switch (rebased.kind) {
    case 'empty':
      return end(`${branch} was not put on top of ${onto.branch}: nothing is left of it.`);
    case 'conflict':
      return end(
        `${branch} was not put on top of ${onto.branch} and is as it was: ${conflictText(rebased.paths)}.`,
      );
    case 'moved': {
      return { branch, isMoved: true, isAsked, remark, text: `${branch} stands on ${onto.branch} now.` };
    }
  }
}

const pathsShown = 20;

function conflictText(paths: readonly string[]): string {
  const more = paths.length - pathsShown;
  const shown = paths.slice(0, pathsShown).join(', ');
  return `conflicts in ${shown}${more > 0 ? ` and ${more} more` : ''}`;
}

function refOf(branch: string): string {
  return `refs/heads/${branch}`;
}

async function stay(ci: ReadingContext, { ledger }: Project, due: Due, text: string): Promise<Rebased> {
  const remark = remarkOf(ci, due, text);
  await ledger.write(async (view) => {
    const events = await settled(ci, view, due, remark);
    return events.length > 0 ? { changes: [{ branch: view.base, events }] } : null;
  });
  return { branch: due.lane.branch, isMoved: false, isAsked: due.isAsked, remark, text };
}

/** One answer per pull request and run; the key identifies it. */
function remarkOf(
  { ports, run }: ReadingContext,
  { lane: { pull }, isAsked }: Due,
  text: string,
): Reply | null {
  if (!isAsked || pull === null) return null;
  const on = pull.number;
  const said = { comment: null, reaction: null, text: inlineText(text, 2_000) };
  return { key: `${ciRun(run)}:${on}`, on, at: ports.now(), ...said };
}

/** Removes the request, which this push or the next pick answers. */
async function settled(
  { ports, run }: ReadingContext,
  view: LedgerView,
  { lane, isAsked }: Due,
  remark: Reply | null,
): Promise<Event[]> {
  if (!isAsked) return [];
  const at = ports.now();
  const forgotten: Event = { kind: 'mark', at, name: rebaseMark(lane.branch), value: null };
  if (remark === null) return [forgotten];
  const marks = (await view.meta(view.base))?.marks ?? {};
  return [forgotten, withReply(marks, run, remark)];
}
