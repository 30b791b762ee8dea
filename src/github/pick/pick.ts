/**
 * The picking job, one at a time: reads what happened, sweeps, decides, and claims what may run. All that it writes
 * leaves in one atomic push; when there is nothing to write it only reads. What follows gets ids and names of secrets, never text.
 */
import { loadProject, openProject, type Project } from '../../app/project.ts';
import { tellTrackers } from '../../app/share/tell-trackers.ts';
import { configMistakes } from '../../core/config/config.ts';
import { type Decision, decide, type Facts } from '../../core/policy/decide.ts';
import { trapText } from '../../core/text/doctor/trap-texts.ts';
import { boardIssueTitle } from '../../core/text/github/board-issue.ts';
import { pushRefusal } from '../../core/text/github/push-refusal.ts';
import { act, isActed } from '../../engine/act.ts';
import { autoSplit } from '../../engine/loop/auto-split.ts';
import { recordDead } from '../../engine/record/record-dead.ts';
import { openWork } from '../../engine/work-ports.ts';
import type { IssueFacts, PullFacts } from '../api/forge.ts';
import { type Intake, takeIn } from '../comments/intake.ts';
import type { Ci } from '../jobs/ci.ts';
import { prepareRepository } from '../jobs/prepare-repository.ts';
import { oldNotKept, receive } from '../jobs/receive.ts';
import { claimRechecks } from '../jobs/recheck.ts';
import { printStarts, type Start } from '../jobs/start-workflows.ts';
import { notePulls } from '../publish/note-pulls.ts';
import { ciFacts } from './ci-facts.ts';
import { lanesMax } from './claim-each.ts';
import type { ClaimedLane } from './claim-job.ts';
import { deadClaims } from './claim-life.ts';
import { claimReady, type Picking } from './claim-ready.ts';
import { isDryRun } from './dispatch.ts';
import { type LaneWorld, lanesOf, liveBranches } from './lane-world.ts';
import { leftoverMarks } from './leftover-marks.ts';
import { owedStarts } from './owed-starts.ts';
import { type Rebased, rebaseLanes, type Stays } from './rebase-lanes.ts';
import { rememberRefs, share } from './share.ts';
import { readJob } from './step-job.ts';

export interface Picked {
  readonly lanes: readonly ClaimedLane[];
  readonly project: Project;
  readonly worlds: ReadonlyMap<string, LaneWorld>;
  readonly intake: Intake;
  /** As it was when the pick began. */
  readonly boardIssue: IssueFacts | null;
  readonly decisions: readonly Decision[];
  readonly rebased: readonly Rebased[];
  /** What went wrong and kept nothing back. */
  readonly failures: readonly unknown[];
}

interface Pick extends Picking {
  readonly dead: ReadonlySet<string>;
  worlds: ReadonlyMap<string, LaneWorld>;
  project: Project;
  facts: Facts;
}

const roundsMax = 50;

export async function pickJob(ci: Ci): Promise<Picked> {
  const { ports } = ci;
  const opened = await openProject(ports);
  await prepareRepository(ci, opened.repository);
  await receive(ci, opened.ledger);
  const workspace = await openWork(opened);
  let project = await loadProject(ports, opened);
  await sayIfRenamed(ci, project);
  const branches = liveBranches(project);
  // Without any task there is neither a pull request nor a board.
  const { pulls, issue: boardIssue } =
    project.board.views.size > 0
      ? await ci.forge().lanesAndIssue(branches, boardIssueTitle)
      : { pulls: [], issue: null };
  const lanesBefore = await lanesOf(project, workspace.repository, pulls);
  await notePulls(project, lanesBefore, ci);
  const before = project;
  const decideNow = async () => decide(await ciFacts(before, lanesBefore, new Set()));
  const intake = await takeIn(ci, project, { pulls, board: boardIssue, decideNow });
  project = await loadProject(ports, opened);
  const worlds = await lanesOf(project, workspace.repository, pulls);
  const dead = await deadClaims(project.board.claims, ci.forge(), ports.now(), intake.ended);
  const pick: Pick = { ci, workspace, dead, worlds, project, facts: await ciFacts(project, worlds, dead) };
  const settled = await settle(pick);
  const { claimed, rebased, starts, failures } = await writeAndShare(pick, settled, pulls);
  const lanes = await stillHeld(pick, claimed);
  const begun = isDryRun(ci) ? [] : lanes;
  ci.output('matrix', JSON.stringify(begun));
  ci.output('count', String(begun.length));
  ci.output('start', isDryRun(ci) ? '' : printStarts(ci, starts));
  ci.output('base', await workspace.repository.bareGit.text(['rev-parse', 'HEAD^{commit}']));
  project = await loadProject(ports, pick.project);
  const facts = await ciFacts(project, pick.worlds, dead);
  return {
    lanes,
    project,
    worlds: pick.worlds,
    intake,
    boardIssue,
    rebased,
    failures,
    decisions: decide(facts),
  };
}

interface WrittenAndShared {
  readonly claimed: readonly ClaimedLane[];
  readonly rebased: readonly Rebased[];
  readonly starts: readonly Start[];
  readonly failures: readonly unknown[];
}

/**
 * All that a pick writes leaves in one push, branches and ledgers. A branch that is refused or was moved takes nothing
 * with it: the rest is made and sent once more without it, and if that fails too, without any branch.
 */
async function writeAndShare(
  pick: Pick,
  decisions: Decision[],
  pulls: readonly PullFacts[],
): Promise<WrittenAndShared> {
  const { ledger } = pick.project;
  const begun = { ...pick };
  const goBack = await rememberRefs(ledger);
  let stays: Stays | null = new Map();
  for (;;) {
    const written = await writeOnce(pick, decisions, pulls, stays);
    if (isDryRun(pick.ci)) return written;
    const shared = await share(
      pick.ci,
      ledger,
      written.rebased.flatMap(({ move }) => move ?? []),
    );
    if (!('refs' in shared)) return written;
    const { refs } = shared;
    const names = refs.map((ref) => ref.replace('refs/heads/', '')).join(', ');
    const why = shared.kind === 'refused' ? pushRefusal(names, shared.why) : 'someone else moved it';
    pick.ci.warn(`What was written is sent again without ${refs.join(', ')}: ${why}`);
    // Lanes that nobody refused are rebased by the next pick.
    stays = stays?.size === 0 ? new Map(refs.map((ref) => [ref, why])) : null;
    await goBack();
    Object.assign(pick, begun);
  }
}

async function writeOnce(
  pick: Pick,
  before: Decision[],
  pulls: readonly PullFacts[],
  stays: Stays | null,
): Promise<WrittenAndShared> {
  const { ci, workspace, dead } = pick;
  let decisions = before;
  const rebased = stays ? await rebaseLanes(ci, pick.project, workspace.repository, pick.worlds, stays) : [];
  if (rebased.some(({ move, isAsked }) => move !== null || isAsked)) {
    pick.project = await loadProject(ci.ports, pick.project);
    pick.worlds = await lanesOf(pick.project, workspace.repository, pulls);
    pick.facts = await ciFacts(pick.project, pick.worlds, dead);
    decisions = await settle(pick);
  }
  const starts = await owedStarts(ci, pick.project, pick.worlds);
  const claimed = await claimWork(pick, decisions);
  return { claimed, rebased, starts, failures: await tellTeam(ci, pick.project) };
}

/**
 * The team's trackers, before the push, so that what they call the tasks goes out with it. Whether they could be told
 * keeps nothing from being sent.
 */
async function tellTeam(ci: Ci, project: Project): Promise<unknown[]> {
  if (isDryRun(ci)) return [];
  const { ports } = ci;
  const env = { ...ports.env, GITHUB_TOKEN: ci.input('token') };
  try {
    const { lines } = await tellTrackers(project, { ...ports, env });
    for (const line of lines) ci.say(line);
    return [];
  } catch (error) {
    return [error];
  }
}

/** What costs nothing, until nothing of it is left: folds, ends, stops, the claims of the dead. */
async function settle(pick: Pick): Promise<Decision[]> {
  const { ci } = pick;
  for (let round = 0; round < roundsMax; round += 1) {
    const decisions = decide(pick.facts);
    let wrote = false;
    const folded = new Set<string>();
    for (const decision of decisions) wrote = (await actOne(pick, decision, folded)) || wrote;
    wrote = (await removeLeftovers(pick)) || wrote;
    if (!wrote) return decisions;
    pick.project = await loadProject(ci.ports, pick.project);
    pick.facts = await ciFacts(pick.project, pick.worlds, pick.dead);
  }
  ci.warn(`Deciding did not come to rest in ${roundsMax} rounds; the next pick goes on.`);
  return [];
}

async function removeLeftovers({ ci, project: { ledger }, dead }: Pick): Promise<boolean> {
  const written = await ledger.write(async (view) => {
    const meta = await view.meta(view.base);
    const at = ci.ports.now();
    const events = meta ? [...leftoverMarks(meta, dead, at), ...oldNotKept(meta, at)] : [];
    return events.length > 0 ? { changes: [{ branch: view.base, events }] } : null;
  });
  return written.kind === 'written';
}

/** Whether anything was written. */
async function actOne(pick: Pick, decision: Decision, folded: Set<string>): Promise<boolean> {
  const { ci, project, workspace } = pick;
  const view = project.board.views.get(decision.task);
  const { action } = decision;
  if (!view) return false;
  const tell = () => ci.say(`${view.id}: ${decision.rule}: ${decision.because}`);
  if (action.kind === 'record-dead') {
    tell();
    return recordDead(project, workspace.repository, action.claim, null, ci.ports);
  }
  if (!isActed(action)) return false;
  // Tasks of one lane come home together.
  const branch = action.kind === 'fold' ? (view.branch ?? '') : null;
  if (branch !== null && folded.has(branch)) return false;
  if (branch !== null) folded.add(branch);
  tell();
  return act(project, view, decision, ci.ports.now());
}

/** More in one pick would mean a backlog that nobody meant to split; the next pick goes on. */
const splitsMax = 50;

/** Where splits are automatic, what is about to start, or may not for its size, is split instead. */
async function splitFirst(pick: Pick, first: Decision[]): Promise<Decision[]> {
  const { ci } = pick;
  let decisions = first;
  const unsplit = new Map<string, string>();
  for (let count = 0; count < splitsMax; count += 1) {
    if (!(await splitOne(pick, decisions, unsplit))) {
      for (const [task, why] of unsplit) ci.warn(`${task} is not split: ${why}`);
      return decisions;
    }
    pick.project = await loadProject(ci.ports, pick.project);
    pick.facts = await ciFacts(pick.project, pick.worlds, pick.dead);
    decisions = await settle(pick);
  }
  ci.warn(`${splitsMax} tasks were split; what else is too large waits for the next pick.`);
  return decisions;
}

async function splitOne(
  { ci, project }: Pick,
  decisions: readonly Decision[],
  unsplit: Map<string, string>,
): Promise<boolean> {
  for (const { task, action, rule } of decisions) {
    const view = project.board.views.get(task);
    if (!view || (action.kind !== 'run' && rule !== 'too-complex')) continue;
    const split = await autoSplit(project, view, ci.ports.now());
    if (split?.kind === 'too-large') unsplit.set(task, split.why);
    if (split?.kind !== 'split') continue;
    ci.say(`${task} is split into ${split.segments.join(', ')}`);
    return true;
  }
  return false;
}

/** Under a configuration that was misspelt nothing starts: a budget or a check might be missing from it. */
async function claimWork(pick: Pick, decisions: Decision[]): Promise<ClaimedLane[]> {
  const { ci, workspace } = pick;
  const [mistake] = configMistakes(pick.project.read.problems);
  if (mistake) {
    ci.warn(`No agent starts: ${mistake.file}:${mistake.line}: ${mistake.message}`);
    return [];
  }
  const claimed = await claimReady(pick, await splitFirst(pick, decisions));
  const room = lanesMax - claimed.length;
  claimed.push(...(await claimRechecks(ci, pick.project, workspace.repository, pick.worlds, room)));
  return claimed;
}

/** Someone else may have been faster at one of them: what the remote took counts. */
async function stillHeld(pick: Pick, claimed: readonly ClaimedLane[]): Promise<ClaimedLane[]> {
  if (claimed.length === 0) return [];
  const view = await pick.project.ledger.view();
  const held: ClaimedLane[] = [];
  for (const one of claimed) if (await readJob(view, one.claim)) held.push(one);
  return held;
}

/** A default branch that was renamed leaves the ledger of its old name behind, which is still read. */
async function sayIfRenamed(ci: Ci, project: Project): Promise<void> {
  const { view } = project;
  for (const from of liveBranches(project)) {
    if (!(await view.meta(from))?.base) continue;
    const { happened, kept, next } = trapText({ kind: 'default-branch-renamed', from, to: view.base });
    ci.say(`${happened} ${kept} What to do: ${next.join('; ')}.`);
  }
}
