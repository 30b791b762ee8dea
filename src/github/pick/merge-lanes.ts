/**
 * Merges lanes, by a person's request or by `auto_merge`. Only lanes directly on the base branch are merged.
 * After that another pick starts. It moves the lanes above onto the base, and they are merged then or later.
 */
import { loadProject, type Project } from '../../app/project.ts';
import { wholeView } from '../../app/tasks/change-task.ts';
import type { Event } from '../../core/ledger/event.ts';
import { type LedgerMeta, rebaseMark } from '../../core/ledger/ledger-state.ts';
import type { LaneLink } from '../../core/ledger/record/record.ts';
import {
  judgeMerge,
  type MergeFacts,
  type MergeJudgement,
  type MergeWish,
  mergeMark,
  readWish,
  wishedBranches,
} from '../../core/policy/merging.ts';
import { inlineText } from '../../core/text/github/inline-text.ts';
import { isJoinBranch, PredecessorsConflict } from '../../engine/loop/lane-of.ts';
import { conflictOnly, forkOf, isBelowOver, ontoOf, rebaseOn } from '../../engine/loop/rebase-on.ts';
import { readRef } from '../../git/refs.ts';
import type { Repository } from '../../git/repository.ts';
import type { LedgerView } from '../../ledger/ledger.ts';
import { moveRefs } from '../../ledger/store/refs.ts';
import type { PullFacts } from '../api/forge.ts';
import type { JobContext, ReadingContext } from '../jobs/job-context.ts';
import { startEvents } from '../jobs/next.ts';
import { ciRun } from './claims.ts';
import type { LaneWorld } from './lane-world.ts';
import type { Picked } from './pick.ts';
import { pushState } from './push-state.ts';
import { type Reply, say, withReply } from './replies.ts';

export interface Merging {
  readonly lane: LaneWorld;
  readonly wish: MergeWish | null;
  readonly facts: MergeFacts;
  readonly judged: MergeJudgement;
}

/** Branch → whether it can be merged, for branches whose merge was requested. */
export async function judgeMerges(
  ci: JobContext,
  { project, worlds }: Picked,
): Promise<Map<string, Merging>> {
  const { view, config } = project;
  const marks = (await view.meta(view.base))?.marks ?? {};
  const all = new Map<string, Merging>();
  for (const lane of worlds.values()) {
    const wish = readWish(marks[mergeMark(lane.branch)]);
    if (view.tip(lane.branch) === null || (!wish && !config.auto_merge)) continue;
    const one = await looked(ci, { lane, wish, ...(await judgedAs(project, lane, wish)) });
    if (one.judged.kind !== 'none') all.set(lane.branch, one);
  }
  return all;
}

async function judgedAs(
  { board, view, config, ...project }: Project,
  lane: LaneWorld,
  wish: MergeWish | null,
) {
  const { branch, pull, head, leftAt, personCommits } = lane;
  const own = lane.tasks.map(({ id }) => wholeView({ board, view, config, ...project }, id));
  const facts: MergeFacts = {
    wish,
    rules: pull?.isOurs ? config.auto_merge : undefined,
    tasks: await Promise.all(own),
    isAtWork: board.claims.some((claim) => claim.lane === branch),
    personCommits,
    leftAt,
    head,
    baseBranch: view.base,
    pull: pull && { ...pull, red: (pull.checks?.red ?? []).map(({ name }) => name) },
    seen: null,
  };
  return { facts, judged: judgeMerge(facts) };
}

/** Adds GitHub's view when nothing known here prevents the merge. */
async function looked(ci: JobContext, merging: Merging): Promise<Merging> {
  const { lane, facts, judged } = merging;
  if (judged.kind !== 'look' || !lane.pull) return merging;
  const seen = facts.seen ?? (await ci.forge().mergeSeen(lane.pull.number));
  const now = { ...facts, seen };
  return { ...merging, facts: now, judged: judgeMerge(now) };
}

/** Requests to merge lanes that are merged or gone. */
export function leftoverWishes({ marks = {} }: LedgerMeta, isLive: (branch: string) => boolean, at: string) {
  const over = wishedBranches(marks).filter((branch) => !isLive(branch));
  return over.map((branch): Event => ({ kind: 'mark', at, name: mergeMark(branch), value: null }));
}

/** Merges what can be merged. Whoever requested an impossible merge is told why; the others wait. */
export async function mergeLanes(ci: JobContext, { project }: Picked, all: Iterable<Merging>): Promise<void> {
  let merged = 0;
  const stopped: Stopped[] = [];
  for (const merging of all) {
    const { lane, wish } = merging;
    const { kind, because } = await mergeOne(ci, merging);
    ci.say(`${lane.branch}: ${kind === 'merge' ? 'merged' : 'not merged'}: ${because}`);
    if (kind === 'merge') merged += 1;
    if (kind === 'stop' && wish) stopped.push({ lane, wish, because });
  }
  await forget(ci, project, stopped);
  // Actions with a job's token start no workflow, so pick is started explicitly.
  if (merged > 0) await ci.forge().wake([]);
}

/** This pick may just have changed the pull request's base, or marked it ready, so it is read again. */
async function mergeOne(ci: JobContext, before: Merging): Promise<MergeJudgement> {
  const { lane, facts, judged: first, wish } = before;
  const { pull, head } = lane;
  const isTold =
    pull && (pull.state === 'draft' || pull.base !== facts.baseBranch || pull.headCommit !== head);
  if (!pull || head === null || (first.kind !== 'merge' && !(first.kind === 'wait' && isTold))) return first;
  const now = await ci.forge().pull(pull.number);
  if (!now) return { kind: 'wait', because: 'GitHub does not show its pull request' };
  const again = { ...facts, pull: { ...now, red: facts.pull?.red ?? [] } };
  const { judged } = await looked(ci, { lane, wish, facts: again, judged: judgeMerge(again) });
  if (judged.kind !== 'merge') return judged;
  const done = await ci.forge().mergePull(now, head);
  if (done.kind === 'merged') return judged;
  if (done.kind !== 'refused') return { kind: 'wait', because: 'it stands in the merge queue' };
  return { kind: done.mayChange || !wish ? 'wait' : 'stop', because: done.why };
}

interface Stopped {
  readonly lane: LaneWorld;
  readonly wish: MergeWish;
  readonly because: string;
}

/**
 * Posts the answer before it removes the request, and checks for it first, so that it is posted once even
 * after a kill.
 */
async function forget(ci: JobContext, { ledger, view }: Project, stopped: readonly Stopped[]): Promise<void> {
  if (stopped.length === 0) return;
  const at = ci.ports.now();
  for (const { lane, wish, because } of stopped) {
    const on = lane.pull?.number;
    if (on === undefined) continue;
    const text = `${inlineText(lane.branch, 200)} is not merged: ${inlineText(because, 1_000)}.`;
    const said = { comment: null, reaction: null, text };
    const reply: Reply = { key: `merge:${on}:${Date.parse(wish.at)}`, on, at: wish.at, ...said };
    await say(ci.forge(), reply, true);
  }
  const events = stopped.map(({ lane }): Event => {
    return { kind: 'mark', at, name: mergeMark(lane.branch), value: null };
  });
  await ledger.write(async () => ({ changes: [{ branch: view.base, events }] }));
  await pushState(ci, ledger, []);
}

/**
 * Rebases a lane's own commits, when the branch below it was merged or when a person asks. Never while a job
 * works on the lane. With a person's commits on it, only when someone asks.
 */

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
