/**
 * The picking job, one at a time: reads what happened, sweeps, decides, and claims what may run. All that it writes
 * leaves in one atomic push; when there is nothing to write it only reads. What follows gets ids, never text.
 */

import { wholeView } from '../commands/change-task.ts';
import { look, open, type Project } from '../commands/project.ts';
import { scorer } from '../commands/score.ts';
import { openWork } from '../commands/work-ports.ts';
import type { TaskView } from '../core/board.ts';
import { configMistakes } from '../core/config-mistakes.ts';
import type { PeopleSaid } from '../core/conversation.ts';
import { type Decision, decide, type Facts } from '../core/decide.ts';
import type { Event } from '../core/event.ts';
import { boardIssueTitle } from '../core/text/board-issue.ts';
import { act, isActed } from '../engine/act.ts';
import { autoSplit } from '../engine/auto-split.ts';
import type { StepJob } from '../engine/engine.ts';
import { planStep } from '../engine/plan-step.ts';
import { recordDead } from '../engine/record-dead.ts';
import type { IssueFacts } from '../forge/forge.ts';
import type { LedgerView } from '../ledger/ledger.ts';
import { receiveLedgers } from '../ledger/sync.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { begunCommand, begunMark, commandMark } from './asked-steps.ts';
import { type Ci, remote } from './ci.ts';
import { ciFacts } from './ci-facts.ts';
import { claimEach, lanesMax } from './claim-each.ts';
import { type ClaimedLane, claimJob } from './claim-job.ts';
import { deadClaims } from './claim-life.ts';
import { type Intake, takeIn } from './intake.ts';
import { type LaneWorld, lanesOf, liveBranches } from './lane-world.ts';
import { leftoverMarks } from './leftover-marks.ts';
import { notePulls } from './note-pulls.ts';
import { peopleFor } from './people.ts';
import { prepareRepository } from './prepare-repository.ts';
import { type Rebased, rebaseLanes } from './rebase-lanes.ts';
import { claimRechecks } from './recheck.ts';
import { sayIfRenamed } from './renamed-base.ts';
import { share } from './share.ts';
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
}

interface Pick {
  readonly ci: Ci;
  readonly workspace: Workspace;
  readonly dead: ReadonlySet<string>;
  worlds: ReadonlyMap<string, LaneWorld>;
  project: Project;
  facts: Facts;
}

const roundsMax = 50;

export async function pickJob(ci: Ci): Promise<Picked> {
  const { ports } = ci;
  const opened = await open(ports);
  await prepareRepository(ci, opened.repository);
  await receiveLedgers(opened.ledger, { remote, shallow: true });
  const workspace = await openWork(opened);
  let project = await look(opened, ports);
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
  project = await look(opened, ports);
  const worlds = await lanesOf(project, workspace.repository, pulls);
  const dead = await deadClaims(project.board.claims, ci.forge(), ports.now(), intake.ended);
  const pick: Pick = { ci, workspace, dead, worlds, project, facts: await ciFacts(project, worlds, dead) };
  let decisions = await settle(pick);
  const rebased = await rebaseLanes(ci, pick.project, workspace.repository, worlds);
  if (rebased.some(({ isMoved, isAsked }) => isMoved || isAsked)) {
    pick.project = await look(pick.project, ports);
    pick.worlds = await lanesOf(pick.project, workspace.repository, pulls);
    pick.facts = await ciFacts(pick.project, pick.worlds, dead);
    decisions = await settle(pick);
  }
  const claimed = await claimWork(pick, decisions);
  await share(pick.project.ledger, null);
  const lanes = await stillHeld(pick, claimed);
  ci.output('matrix', JSON.stringify(lanes));
  ci.output('count', String(lanes.length));
  ci.output('base', await workspace.repository.text(['rev-parse', 'HEAD^{commit}']));
  project = await look(pick.project, ports);
  const facts = await ciFacts(project, pick.worlds, dead);
  return {
    lanes,
    project,
    worlds: pick.worlds,
    intake,
    boardIssue,
    rebased,
    decisions: decide(facts),
  };
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
    pick.project = await look(pick.project, ci.ports);
    pick.facts = await ciFacts(pick.project, pick.worlds, pick.dead);
  }
  ci.warn(`Deciding did not come to rest in ${roundsMax} rounds; the next pick goes on.`);
  return [];
}

async function removeLeftovers({ ci, project: { ledger }, dead }: Pick): Promise<boolean> {
  const written = await ledger.write(async (view) => {
    const meta = await view.meta(view.base);
    const events = meta ? leftoverMarks(meta, dead, ci.ports.now()) : [];
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
    pick.project = await look(pick.project, ci.ports);
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
  const claimed = await claimAll(pick, await splitFirst(pick, decisions));
  const room = lanesMax - claimed.length;
  claimed.push(...(await claimRechecks(ci, pick.project, workspace.repository, pick.worlds, room)));
  return claimed;
}

async function claimAll(pick: Pick, decisions: readonly Decision[]): Promise<ClaimedLane[]> {
  const people = await peopleFor(pick.ci, pick.project, pick.worlds, decisions);
  return claimEach(decisions, (one) => claimOne(pick, one, people.get(one.task)), pick.ci.warn);
}

async function claimOne(
  { ci, project, workspace, facts }: Pick,
  decision: Decision,
  people: PeopleSaid | undefined,
): Promise<ClaimedLane | null> {
  const { ports } = ci;
  const view = await wholeView(project, decision.task);
  const planned = await planStep(
    {
      project,
      repository: workspace.repository,
      choice: { delaySeconds: 0, once: false },
      unusable: new Map(),
      running: 0,
      now: ports.now,
      random: ports.random,
      session: async () => null,
    },
    view,
    decision,
    facts,
  );
  if (typeof planned === 'string') {
    ci.say(`${view.id}: ${planned}`);
    return null;
  }
  const job = people ? { ...planned.job, people } : planned.job;
  const claimed = await claimJob(ci, {
    project,
    view,
    job,
    reservedUsd: planned.reserved,
    also: async (ledgers, at) => (decision.rule === 'command' ? beginCommand(ledgers, job, at) : []),
  });
  if (!claimed) return null;
  if (!view.record?.started_at) warnOfSize(ci, project, view);
  ci.say(`${job.id}: ${job.step} by ${job.agent} (${decision.rule}: ${decision.because})`);
  return claimed;
}

/** Guidance: it starts all the same. */
function warnOfSize(ci: Ci, project: Project, { task }: TaskView): void {
  for (const { message } of scorer(project, [task])(task).warnings) ci.warn(message);
}

async function beginCommand(view: LedgerView, { id, claim }: StepJob, at: string): Promise<Event[]> {
  const name = commandMark(id);
  const command = (await view.meta(view.base))?.marks?.[name];
  if (command === undefined) return [];
  return [
    { kind: 'mark', at, name, value: null },
    { kind: 'mark', at, name: begunMark(claim), value: begunCommand(id, command) },
  ];
}

/** Someone else may have been faster at one of them: what the remote took counts. */
async function stillHeld(pick: Pick, claimed: readonly ClaimedLane[]): Promise<ClaimedLane[]> {
  if (claimed.length === 0) return [];
  const view = await pick.project.ledger.view();
  const held: ClaimedLane[] = [];
  for (const one of claimed) if (await readJob(view, one.claim)) held.push(one);
  return held;
}
