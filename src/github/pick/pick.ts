/**
 * The picking job, of which only one runs at a time. It reads what happened, cleans up, decides, and claims
 * what may run. All its writes go out in one atomic push; without writes it only reads. The later jobs get
 * ids and names of secrets, never text.
 */
import { loadProject, type Project, scorer } from '../../app/project.ts';
import { updateTrackers } from '../../app/share/share.ts';
import { wholeView } from '../../app/tasks/change-task.ts';
import { configMistakes } from '../../core/config/config.ts';
import { type Decision, decide } from '../../core/policy/decide.ts';
import { trapText } from '../../core/text/doctor/trap-texts.ts';
import { boardIssueTitle, pushRefusal } from '../../core/text/github/board-issue.ts';
import { reviewerAfter } from '../../engine/loop/plan-step.ts';
import { foresee, removeJoins } from '../../engine/loop/rebase-on.ts';
import { type Front, playRound, settle } from '../../engine/loop/round.ts';
import { recordDead } from '../../engine/loop/sweep.ts';
import { openWork } from '../../engine/loop/work-run.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import type { IssueFacts, PullFacts } from '../api/forge.ts';
import { collectRequests, commentOfEvent, type Intake, readWatermark } from '../comments/intake.ts';
import { peopleFor, tasksThatListen } from '../comments/people.ts';
import type { JobContext, ReadingContext } from '../jobs/job-context.ts';
import { owedStarts, printStarts, type Start, vainRuns } from '../jobs/next.ts';
import { openCheckout, wholeHistory } from '../jobs/open-job.ts';
import { claimRechecks } from '../jobs/verify.ts';
import { notePulls } from '../publish/posted-state.ts';
import { type ClaimedLane, deadClaims, holderOf, leftoverJobs, readJob, writeJob } from './claims.ts';
import { isDryRun, wokenBy } from './dispatch.ts';
import { ciFacts, ciPlanning, type LaneWorld, lanesOf, liveBranches } from './lane-world.ts';
import { leftoverWishes, type Rebased, rebaseLanes, restoreHeads, type Stays } from './merge-lanes.ts';
import { branchesHere, branchMoves, oldNotKept, pushState, rememberRefs } from './push-state.ts';
import { takeOver } from './take-over.ts';
import { type ChecksSeen, failingText, noteReruns, seeChecks } from './team-checks.ts';

export interface Picked {
  readonly lanes: readonly ClaimedLane[];
  readonly project: Project;
  readonly worlds: ReadonlyMap<string, LaneWorld>;
  readonly intake: Intake;
  /** The board issue when the pick began. */
  readonly boardIssue: IssueFacts | null;
  readonly decisions: readonly Decision[];
  readonly rebased: readonly Rebased[];
  /** Failures that did not stop the pick. */
  readonly failures: readonly unknown[];
}

interface Pick {
  readonly ci: ReadingContext;
  readonly workspace: Workspace;
  readonly pulls: readonly PullFacts[];
  readonly checks: ChecksSeen;
  /** Ids of claims whose runs died. */
  readonly dead: ReadonlySet<string>;
  worlds: ReadonlyMap<string, LaneWorld>;
  /** Branch heads on the remote. */
  readonly heads: ReadonlyMap<string, string>;
  /** Lanes whose agents finished in earlier runs without being landed. This list grows. */
  readonly taken: ClaimedLane[];
}

export async function pickJob(ci: JobContext): Promise<Picked> {
  const { ports } = ci;
  const opened = await openCheckout(ci);
  const workspace = await openWork(opened);
  let project = await loadProject(ports, opened);
  await sayIfRenamed(ci, project);
  const branches = liveBranches(project);
  // Comments are read even when there are no lanes, since work can be requested on any issue or pull request.
  const mark = await readWatermark(ci, project);
  const found = await ci.forge().lanesAndIssue(branches, boardIssueTitle, mark.since);
  const { issue: boardIssue, comments } = found;
  const checks = await seeChecks(ci, project, found.pulls);
  const { pulls } = checks;
  // Lanes and pull requests may be old, so comparing or rebasing them needs the whole history.
  if (branches.length + comments.length > 0 || commentOfEvent(ci)) await wholeHistory(opened.repository);
  const heads = await branchesHere(opened.ledger.store);
  await restoreHeads(project, workspace.repository, pulls);
  const lanesBefore = await lanesOf(project, workspace.repository, pulls);
  await notePulls(project, lanesBefore, ci);
  project = await loadProject(ports, opened);
  const before = project;
  const decideNow = async () => decide(await ciFacts(before, lanesBefore, new Set()));
  const intake = await collectRequests(ci, project, { mark, comments, pulls, board: boardIssue, decideNow });
  project = await loadProject(ports, opened);
  const worlds = await lanesOf(project, workspace.repository, pulls);
  const { claims } = project.board;
  const dead = await deadClaims(claims, ci.forge(), ports.now(), intake.ended);
  const pick: Pick = { ci, workspace, pulls, checks, dead, worlds, heads, taken: [] };
  await settle(frontOf(pick, project, []));
  const { claimed, rebased, starts, failures } = await writeAndShare(pick, project);
  const lanes = await stillHeld(project, [...pick.taken, ...claimed]);
  const begun = isDryRun(ci) ? [] : lanes;
  ci.output('matrix', JSON.stringify(begun));
  ci.output('count', String(begun.length));
  ci.output('wake', await wokenBy(ci, opened.repository.git.cwd));
  ci.output('base', await workspace.repository.bareGit.text(['rev-parse', 'HEAD^{commit}']));
  project = await loadProject(ports, opened);
  const facts = await ciFacts(project, pick.worlds, dead);
  const { claims: after } = project.board;
  const reruns = checks.reruns.map((rerun) => ({ rerun }));
  const stops = vainRuns(ci, { before: claims, after, isPaused: facts.paused !== undefined }, dead);
  ci.output('start', isDryRun(ci) ? '' : printStarts(ci, starts, [...reruns, ...stops]));
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
 * Sends all writes of a pick in one push, branches and ledgers. If a branch is refused or was moved by
 * others, everything else is written and sent once more without it. If that fails too, it is sent without any
 * branch.
 */
async function writeAndShare(pick: Pick, project: Project): Promise<WrittenAndShared> {
  const { ci, worlds } = pick;
  const { ledger } = project;
  const goBack = await rememberRefs(ledger);
  let stays: Stays | null = new Map();
  for (;;) {
    const written = await writeOnce(pick, project, stays);
    if (isDryRun(ci)) return written;
    const shared = await pushState(ci, ledger, await branchMoves(ledger, pick.heads, stays));
    if (!('refs' in shared)) return written;
    const { refs } = shared;
    const names = refs.map((ref) => ref.replace('refs/heads/', '')).join(', ');
    const why = shared.kind === 'refused' ? pushRefusal(names, shared.why) : 'someone else moved it';
    ci.warn(`What was written is sent again without ${refs.join(', ')}: ${why}`);
    // After this, lanes that nobody refused are rebased by the next pick.
    stays = stays?.size === 0 ? new Map(refs.map((ref) => [ref, why])) : null;
    await goBack();
    pick.worlds = worlds;
  }
}

async function writeOnce(pick: Pick, before: Project, stays: Stays | null): Promise<WrittenAndShared> {
  const { ci, workspace, pulls } = pick;
  const { repository } = workspace;
  let project = await loadProject(ci.ports, before);
  const rebased = stays ? await rebaseLanes(ci, project, repository, pick.worlds, stays) : [];
  if (rebased.some(({ isMoved, isAsked }) => isMoved || isAsked)) {
    project = await loadProject(ci.ports, before);
    pick.worlds = await lanesOf(project, repository, pulls);
  }
  const starts = await owedStarts(ci, project, pick.worlds);
  await noteReruns(ci, project, pick.checks);
  await foresee(project, repository, ci.ports.now());
  const claimed = await claimWork(pick, project, stays);
  const isBase = (branch: string) =>
    pulls.some(({ base, state }) => base === branch && state !== 'merged' && state !== 'closed');
  await removeJoins(await loadProject(ci.ports, before), repository, isBase);
  return { claimed, rebased, starts, failures: await tellTeam(ci, await loadProject(ci.ports, before)) };
}

/**
 * Updates the team's trackers before the push, so that the issue names are part of it. A failure here does
 * not stop the push.
 */
async function tellTeam(ci: ReadingContext, project: Project): Promise<unknown[]> {
  if (isDryRun(ci)) return [];
  const { ports } = ci;
  const env = { ...ports.env, GITHUB_TOKEN: ci.input('token') };
  try {
    const { lines } = await updateTrackers(project, { ...ports, env });
    for (const line of lines) ci.say(line);
    return [];
  } catch (error) {
    return [error];
  }
}

/** Starts nothing while the configuration has a mistake: a misspelt line may hide a budget or a check. */
async function claimWork(pick: Pick, project: Project, stays: Stays | null): Promise<ClaimedLane[]> {
  const { ci, workspace } = pick;
  const [mistake] = configMistakes(project.read.problems);
  const claimed: ClaimedLane[] = [];
  const front = frontOf(pick, project, claimed, stays);
  if (mistake) {
    await settle(front);
    ci.warn(`No agent starts: ${mistake.file}:${mistake.line}: ${mistake.message}`);
    return [];
  }
  const round = await playRound(front);
  if (round.waiting > 0) {
    ci.warn(`${lanesMax} lanes start, as many as one run may have; ${round.waiting} wait for the next.`);
  }
  const now = await loadProject(ci.ports, project);
  const room = lanesMax - claimed.length - pick.taken.length;
  const rechecks = await claimRechecks(ci, now, workspace.repository, pick.worlds, room);
  return [...claimed, ...rechecks];
}

/** GitHub's limit for the jobs of a matrix. */
const lanesMax = 256;

/** `claimed` collects the lanes that begin. */
function frontOf(
  pick: Pick,
  opened: Project,
  claimed: ClaimedLane[],
  stays: Stays | null = new Map(),
): Front {
  const { ci, workspace, dead, taken } = pick;
  const { ports } = ci;
  const refused = new Set<string>();
  const unsplit = new Set<string>();
  let people: ReturnType<typeof peopleFor> | null = null;
  return {
    ...holderOf(ci),
    acted: new Map(),
    look: async () => {
      people = null;
      const project = await loadProject(ports, opened);
      return { project, facts: await ciFacts(project, pick.worlds, dead) };
    },
    mayStart: ({ id }) => !refused.has(id),
    mayAct: () => true,
    recordDead: async ({ project }, claim, { task, rule, because }) => {
      const left = await takeOver(ci, project, claim, ports.random());
      if (left) {
        taken.push(left);
        ci.say(
          `${task}: what its agent left in an earlier run, which died before it was landed, is landed now`,
        );
        return true;
      }
      ci.say(`${task}: ${rule}: ${because}`);
      return recordDead(project, workspace.repository, claim, null, ports);
    },
    wrote: async (_, { id }, { rule, because }) => ci.say(`${id}: ${rule}: ${because}`),
    tidy: ({ project }) => removeLeftovers(pick, project),
    isFull: () => taken.length + claimed.length >= lanesMax,
    wasSplit: ({ id }, segments) => ci.say(`${id} is split into ${segments.join(', ')}`),
    notSplit: ({ id }, why) => {
      if (!unsplit.has(id)) ci.warn(`${id} is not split: ${why}`);
      unsplit.add(id);
    },
    planning: () => ({ ...ciPlanning(ci, workspace.repository, ports.random), stays }),
    begin: async ({ project, decisions, facts }, { view, job, decision }) => {
      people ??= peopleFor(ci, project, pick.worlds, tasksThatListen(decisions));
      const said = (await people).get(job.id);
      const context = { ...ciPlanning(ci, workspace.repository, ports.random), project };
      const reviewer = reviewerAfter(context, await wholeView(project, job.id), job, facts);
      const red = job.step === 'improve' && pick.worlds.get(job.lane?.link.branch ?? '')?.pull?.checks;
      const failing = red && red.red.length > 0 ? await failingText(ci, red) : '';
      const whole = {
        ...job,
        ...(failing === '' ? {} : { failing }),
        ...(said ? { people: said } : {}),
        ...(reviewer ? { reviewer } : {}),
      };
      claimed.push(await writeJob(project, whole, ports.now()));
      if (!view.record?.started_at) {
        // These warnings are advice: the task starts anyway.
        for (const { message } of scorer(project, [view.task])(view.task).warnings) ci.warn(message);
      }
      ci.say(`${job.id}: ${job.step} by ${job.agent} (${decision.rule}: ${decision.because})`);
      return false;
    },
    refuse: (id, why) => {
      refused.add(id);
      ci.warn(`${id}: ${why}`);
    },
  };
}

async function removeLeftovers({ ci, dead }: Pick, { ledger }: Project): Promise<boolean> {
  const written = await ledger.write(async (view) => {
    const meta = await view.meta(view.base);
    const at = ci.ports.now();
    const events = meta
      ? [
          ...leftoverJobs(meta, dead, at),
          ...oldNotKept(meta, at),
          ...leftoverWishes(meta, (branch) => view.tip(branch) !== null, at),
        ]
      : [];
    return events.length > 0 ? { changes: [{ branch: view.base, events }] } : null;
  });
  return written.kind === 'written';
}

/** Keeps the lanes whose claims the remote accepted, since another job may have been faster. */
async function stillHeld({ ledger }: Project, claimed: readonly ClaimedLane[]): Promise<ClaimedLane[]> {
  if (claimed.length === 0) return [];
  const view = await ledger.view();
  const held: ClaimedLane[] = [];
  for (const one of claimed) if (await readJob(view, one.claim)) held.push(one);
  return held;
}

/** After the default branch is renamed, the ledger of its old name remains and is still read. */
async function sayIfRenamed(ci: JobContext, project: Project): Promise<void> {
  const { view } = project;
  for (const from of liveBranches(project)) {
    if (!(await view.meta(from))?.base) continue;
    const { happened, kept, next } = trapText({ kind: 'default-branch-renamed', from, to: view.base });
    ci.say(`${happened} ${kept} What to do: ${next.join('; ')}.`);
  }
}
