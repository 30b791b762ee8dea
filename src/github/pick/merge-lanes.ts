/**
 * Merges lanes, by a person's request or by `auto_merge`. Only lanes directly on the base branch are merged.
 * After that another pick starts. It moves the lanes above onto the base, and they are merged then or later.
 */
import type { Project } from '../../app/project.ts';
import { wholeView } from '../../app/tasks/change-task.ts';
import type { Event } from '../../core/ledger/event.ts';
import type { LedgerMeta } from '../../core/ledger/ledger-state.ts';
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
import type { JobContext } from '../jobs/job-context.ts';
import type { LaneWorld } from './lane-world.ts';
import type { Picked } from './pick.ts';
import { pushState } from './push-state.ts';
import { type Reply, say } from './replies.ts';

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
