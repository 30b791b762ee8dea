/** Rules that choose the next step of a task that nothing blocks. */
import type { TaskView } from '../board/board.ts';
import type { StepName, StepRecord } from '../ledger/record/record.ts';
import { firstLine, oneLine } from '../markdown/neutralise.ts';
import { declaredFiles, normalisePath } from '../task/task.ts';
import { addSeconds } from '../time.ts';
import type { Facts, Match, Rule, StartRule } from './decide.ts';
import { deathPauseSeconds, deathsMax, endingOf } from './endings.ts';
import {
  agentsOut,
  askPerson,
  attemptsOf,
  currentReview,
  cyclesDone,
  cyclesMax,
  firstStep,
  howToAnswer,
  isLooping,
  isWork,
  lastGood,
  lastStep,
  leftWork,
  wait,
  wasAnswered,
} from './steps-so-far.ts';

const askedCharsMax = 4_000;

export const stepRules: readonly Rule[] = [
  {
    name: 'command',
    match: (view, facts) => {
      const command = facts.command(view);
      if (!command) return null;
      const cycle = command.step === 'review' ? cyclesDone(view) + 1 : (view.record?.review_cycle ?? 0);
      return run(command.step, cycle, `${command.by} asked for it`, command.guidance);
    },
  },
  {
    name: 'no-verdict',
    match: (view, facts) => {
      const last = lastStep(view);
      if (last?.outcome !== 'no-verdict' || wasAnswered(view)) return null;
      // Lists load the last error of a task, but not those of its steps.
      const error = last.error ?? view.record?.error;
      const detail = error
        ? oneLine(error, 500)
        : 'the review gave no clear verdict, also when asked again: no verdict given';
      const change = `gza edit ${view.id} --verdict APPROVED, or gza review ${view.id}, or gza unblock ${view.id}`;
      return askPerson('no-verdict', detail, change, facts);
    },
  },
  {
    name: 'agent-blocked',
    match: (view, facts) => {
      const last = lastStep(view);
      if (last?.outcome !== 'blocked' || wasAnswered(view)) return null;
      // The question is kept as the agent asked it.
      const detail = last.error?.trim().slice(0, askedCharsMax) || 'the agent said that it is blocked';
      return askPerson('agent-blocked', detail, howToAnswer(view.id), facts);
    },
  },
  { name: 'agent-cannot', match: agentCannot },
  {
    name: 'first-step',
    match: (view) => {
      const step = firstStep(view);
      const last = lastStep(view);
      if (lastGood(view, (one) => one === step)) return null;
      if (last?.step === step && last.outcome !== 'ok') return null;
      return run(step, 0, `its ${step} step was not done yet`);
    },
  },
  { name: 'verification-failed', match: verificationFailed },
  { name: 'continue', match: continued },
  { name: 'mend-checks', match: mendChecks },
  {
    name: 'review-head',
    match: (view, facts) => {
      if (!isLooping(view, facts) || !lastGood(view, isWork) || currentReview(view, facts)) return null;
      return run('review', cyclesDone(view) + 1, 'its diff has no verdict and a review was asked for');
    },
  },
  {
    name: 'improve',
    match: (view, facts) => {
      const review = currentReview(view, facts);
      if (review?.verdict !== 'CHANGES_REQUESTED' || !isLooping(view, facts)) return null;
      const cycle = cyclesDone(view);
      return run('improve', cycle, `review ${cycle} asked for changes`);
    },
  },
  {
    name: 'nothing-left',
    match: () => ({ action: { kind: 'nothing' }, because: 'nothing is left to do', change: 'a new command' }),
  },
];

function run(step: StepName, cycle: number, because: string, guidance?: string): Match {
  return {
    action: { kind: 'run', step, cycle, ...(guidance ? { guidance } : {}) },
    because,
    change: 'it runs with the next pick or work',
  };
}

/** Asks a person when no other try by any of its agents can help. */
function agentCannot(view: TaskView, facts: Facts): Match | null {
  const last = lastStep(view);
  const row = last?.outcome === 'cancelled' ? endingOf(last) : null;
  if (!last || row?.means !== 'cannot' || wasAnswered(view)) return null;
  const out = agentsOut(view);
  if (facts.settings(view.task).agents.some((agent) => !out.has(agent))) return null;
  const { reason, change } = row.stop ?? { reason: 'agent-cannot-run', change: 'look at its log' };
  const error = firstLine(last.error ?? view.record?.error, 400);
  const detail = `${last.agent ?? 'its agent'}: ${row.words}${error && error !== row.words ? ` (${error})` : ''}`;
  return askPerson(reason, detail, `${change}; then gza unblock ${view.id}`, facts);
}

function verificationFailed(view: TaskView): Match | null {
  const last = lastStep(view);
  if (last?.outcome !== 'failed' || last.verified !== false) return null;
  return run(
    last.step,
    cycleOf(view, last),
    `its checks failed: ${firstLine(last.error, 120) || 'no reason was given'}`,
  );
}

/** Repeats a step that failed, was cut short or died, from what it left. */
function continued(view: TaskView): Match | null {
  const last = lastStep(view);
  if (!last || last.outcome === 'ok') return null;
  const ended = endingOf(last)?.words ?? 'the agent met its usage limit';
  const why = {
    failed: `the last try failed: ${firstLine(last.error, 120) || 'no reason was given'}`,
    slice: 'the last try was cut short with work to show',
    limit: `the last try could not be made: ${ended}`,
    cancelled:
      endingOf(last)?.means === 'cannot'
        ? `the last try could not be made: ${ended}`
        : 'the last try was stopped',
    lost: 'the last try died',
    blocked: 'a person answered what blocked it',
    'no-verdict': 'the review gave no verdict and a person asked for another',
  }[last.outcome];
  return run(last.step, cycleOf(view, last), why);
}

/** A step that died did not record its cycle. */
function cycleOf(view: TaskView, { step, cycle }: StepRecord): number {
  if (cycle !== undefined) return cycle;
  if (step === 'review') return cyclesDone(view) + 1;
  return step === 'improve' ? cyclesDone(view) : 0;
}

/** Whether the step may start now: limits that are checked before anything is spent. */

/** What already runs, and what was chosen in this round. */
export interface Batch {
  /** The number of gza's own steps; tasks that people hold take no worker's place. */
  readonly size: () => number;
  /** The task that works on this branch, if any. */
  readonly workerOn: (branch: string) => string | null;
  /** The running task that declares one of these files, if any. */
  readonly holderOf: (files: readonly string[]) => { id: string; file: string } | null;
  readonly reserved: () => number;
  readonly add: (view: TaskView) => void;
}

export function emptyBatch(facts: Facts): Batch {
  const holders = new Map<string, string>();
  const workers = new Map<string, string>();
  let size = 0;
  let reserved = 0;
  const hold = (id: string, branch: string | null, files: readonly string[]) => {
    if (branch !== null) workers.set(branch, id);
    for (const file of files) holders.set(normalisePath(file), id);
  };
  for (const claim of facts.board.claims) {
    if (!facts.alive(claim)) continue;
    const task = facts.board.views.get(claim.task)?.task ?? {};
    hold(claim.task, claim.lane, claim.files ?? declaredFiles(task));
    if (claim.step !== undefined || claim.run !== undefined) size += 1;
    reserved += claim.reserved_usd ?? 0;
  }
  return {
    size: () => size,
    reserved: () => reserved,
    workerOn: (branch) => workers.get(branch) ?? null,
    holderOf: (files) => {
      for (const file of files) {
        const id = holders.get(normalisePath(file));
        if (id) return { id, file };
      }
      return null;
    },
    add: (view) => {
      hold(view.id, branchOf(view, facts), declaredFiles(view.task));
      size += 1;
      reserved += mayCost(view, facts);
    },
  };
}

/** The branch it works on, if that is known before the claim. */
function branchOf(view: TaskView, facts: Facts): string | null {
  const lane = view.record?.lane;
  return facts.lane(view).branch ?? (lane?.folded_at ? undefined : lane?.branch) ?? view.task.branch ?? null;
}

/** What is left of its own budget; 0 when it has none. */
function mayCost(view: TaskView, facts: Facts): number {
  const { budget } = facts.settings(view.task);
  return budget === null ? 0 : Math.max(0, budget - (view.record?.cost_usd ?? 0));
}

export const startRules: readonly StartRule[] = [
  {
    name: 'all-paused',
    match: (_view, { paused }) =>
      paused === undefined ? null : wait(`everything is paused by ${paused}`, 'gza resume --all'),
  },
  { name: 'attempts-spent', match: attemptsSpent },
  { name: 'slices-spent', match: slicesSpent },
  { name: 'deaths-spent', match: deathsSpent },
  { name: 'death-pause', match: deathPause },
  {
    name: 'not-before',
    match: (view, facts) => {
      const until = view.record?.not_before;
      if (!until || until <= facts.board.now) return null;
      return wait(`it was put off until ${until}`, `${until} comes, or gza unblock ${view.id}`, until);
    },
  },
  { name: 'agent-limit', match: agentLimit },
  {
    name: 'lane-busy',
    match: (view, facts, batch) => {
      const branch = branchOf(view, facts);
      const worker = branch === null ? null : batch.workerOn(branch);
      if (worker === null || worker === view.id) return null;
      return wait(`#${worker} is at work on ${branch}`, `${worker} ends: a branch has one worker at a time`);
    },
  },
  {
    name: 'overlap',
    match: (view, _facts, batch) => {
      const holder = batch.holderOf(declaredFiles(view.task));
      if (!holder || holder.id === view.id) return null;
      return wait(`#${holder.id} is at work on ${holder.file} too`, `${holder.id} ends`);
    },
  },
  {
    name: 'workers-busy',
    match: (_view, facts, batch) => {
      if (batch.size() < facts.parallelWorkers) return null;
      const many = facts.parallelWorkers === 1 ? 'one task runs' : `${facts.parallelWorkers} tasks run`;
      return wait(`${many} already, the limit`, 'one of them ends, or parallel_workers is raised');
    },
  },
  { name: 'budget', match: overBudget },
];

function attemptsSpent(view: TaskView, facts: Facts): Match | null {
  const max = facts.settings(view.task).max_attempts;
  if (attemptsOf(view) < max || facts.command(view)) return null;
  const last = firstLine(view.record?.error, 200) || 'no reason given';
  const reason = `${max} attempt${max === 1 ? '' : 's'} failed; the last: ${last}`;
  return {
    action: { kind: 'fail', reason },
    because: reason,
    change: `gza retry ${view.id}, gza skip ${view.id}, or finish it by hand and gza done ${view.id}`,
  };
}

function slicesSpent(view: TaskView, facts: Facts): Match | null {
  const max = facts.settings(view.task).max_slices;
  if (lastStep(view)?.outcome !== 'slice' || (view.record?.slices ?? 0) <= max || facts.command(view))
    return null;
  const slices = view.record?.slices ?? 0;
  const cut = slices === 1 ? 'once; its try' : `${slices} times; each try`;
  const detail = `it was cut short ${cut} left work on its branch`;
  const change = `gza resume ${view.id} goes on, gza split ${view.id} makes it smaller`;
  return askPerson('slices-spent', detail, change, facts);
}

/** A task that dies each time is not tried for ever, because nobody knows what those tries cost. */
function deathsSpent(view: TaskView, facts: Facts): Match | null {
  const deaths = view.record?.deaths ?? 0;
  if (deaths < deathsMax || facts.command(view)) return null;
  const detail = `its machine or process died ${deaths} times in a row while it was worked on`;
  const change = `see that the machine has memory and time enough, then gza unblock ${view.id}; gza split ${view.id} makes it smaller`;
  return askPerson('deaths-spent', detail, change, facts);
}

function deathPause(view: TaskView, facts: Facts): Match | null {
  const deaths = view.record?.deaths ?? 0;
  const last = lastStep(view);
  if (deaths === 0 || !last || wasAnswered(view) || facts.command(view)) return null;
  const until = addSeconds(last.ended_at, deathPauseSeconds(deaths));
  if (until <= facts.board.now) return null;
  const times = deaths === 1 ? 'once' : `${deaths} times in a row`;
  return wait(`what worked on it died ${times}`, `${until} comes, or gza resume ${view.id}`, until);
}

/** Waits only when every agent that may run it is limited; otherwise the next one takes over. */
function agentLimit(view: TaskView, facts: Facts): Match | null {
  const { agents } = facts.settings(view.task);
  const until = agents.map((agent) => facts.limits[agent] ?? '').sort();
  const first = until[0];
  if (!first || first <= facts.board.now) return null;
  const named = agents.join(' and ');
  const ended = agents.map((agent) => restReason(agent, facts)).find((words) => words !== null);
  const because = ended
    ? `${named} rests until ${first}: ${ended}`
    : `${named} met the usage limit until ${first}`;
  return wait(because, `${first} comes`, first);
}

/** Why an agent rests, if not for a usage limit: from its last step, on any task, that ended so. */
function restReason(agent: string, { board }: Facts): string | null {
  const last = [...board.views.values()]
    .flatMap((view) => lastStep(view) ?? [])
    .filter((step) => step.agent === agent && step.outcome === 'limit')
    .reduce<StepRecord | null>((late, one) => (late && late.ended_at > one.ended_at ? late : one), null);
  return last === null || last.ending === 'usage_limit' ? null : (endingOf(last)?.words ?? null);
}

function overBudget(view: TaskView, facts: Facts, batch: Batch): Match | null {
  const { budget } = facts.settings(view.task);
  const spent = view.record?.cost_usd ?? 0;
  if (budget !== null && spent >= budget) {
    const detail = `it cost ${dollars(spent)} of its ${dollars(budget)}`;
    const change = `raise its budget, then gza unblock ${view.id}`;
    // A command does not raise the budget, and a person has already been asked.
    if (view.record?.stop?.reason === 'over-budget') return wait(detail, change);
    return askPerson('over-budget', detail, change, facts);
  }
  if (facts.dollarsLeft === null) return null;
  const left = facts.dollarsLeft - batch.reserved();
  const needed = mayCost(view, facts);
  if (left > 0 && left >= needed) return null;
  return wait(
    `${dollars(Math.max(0, left))} of the budget is left${needed ? `, it may need ${dollars(needed)}` : ''}`,
    'the day ends, or the budget is raised',
  );
}

function dollars(amount: number): string {
  return `$${amount.toFixed(2)}`;
}

const namesShown = 5;

/**
 * What failed, in words. Null if a person approved it, pushed commits or gave a command: they take care of
 * it.
 */
export function redChecks(view: TaskView, facts: Facts): string | null {
  const { red = [], personCommits } = facts.lane(view);
  if (red.length === 0 || personCommits || facts.command(view) || view.record?.verdict_by) return null;
  // Lists leave out the steps of closed tasks.
  if (!view.record?.closed_at && !lastGood(view, isWork)) return null;
  const names = red.slice(0, namesShown).map((name) => oneLine(name, 100));
  const more = red.length > namesShown ? ` and ${red.length - namesShown} more` : '';
  return `the required check${red.length === 1 ? '' : 's'} ${names.join(', ')}${more} failed on GitHub`;
}

/** Has red checks fixed by an improve, within the cycles that reviews have. */
function mendChecks(view: TaskView, facts: Facts): Match | null {
  const red = redChecks(view, facts);
  // What a review asks for comes first, and that improve is told about the checks too.
  if (!red || currentReview(view, facts)?.verdict === 'CHANGES_REQUESTED') return null;
  const works = (view.record?.steps ?? []).filter(leftWork);
  const improves = works.filter(({ step }) => step === 'improve').length;
  const cycles = isLooping(view, facts) ? Math.max(cyclesDone(view), improves) : improves;
  const [before, last] = works.slice(-2);
  const isUseless = last?.step === 'improve' && last.diff !== undefined && last.diff === before?.diff;
  if (isUseless || cycles >= cyclesMax(view, facts)) {
    const why = isUseless
      ? 'an improve for it changed nothing'
      : `its ${cycles === 1 ? 'one cycle is' : `${cycles} cycles are`} spent`;
    const change = `push a fix, gza improve ${view.id} "what to do", or gza approve ${view.id} as it is`;
    return askPerson('checks-red', `${red}, and ${why}`, change, facts);
  }
  return {
    action: { kind: 'run', step: 'improve', cycle: cyclesDone(view) },
    because: red,
    change: 'it runs with the next pick or work',
  };
}
