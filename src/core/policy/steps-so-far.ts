/**
 * Where a task stands, read from the records of its ended steps: whether they still make progress, and the
 * verdict.
 */
import type { TaskView } from '../board/board.ts';
import {
  type FinalVerdict,
  type StepName,
  type StepRecord,
  stepOfType,
  type TaskRecord,
  type WaitingFile,
} from '../ledger/record/record.ts';
import { isSameClaim } from '../review/same-finding.ts';
import type { TaskType } from '../task/task.ts';
import type { Facts, LaneFacts, Match } from './decide.ts';
import { endingOf } from './endings.ts';

/** The step that a type begins with. */
export function firstStep(view: TaskView): StepName {
  return stepOfType(view.task.type);
}

export function isWork(step: StepName): boolean {
  return step === 'implement' || step === 'improve';
}

export function lastStep(view: TaskView): StepRecord | undefined {
  return view.record?.steps?.at(-1);
}

/** The last step of these kinds that did what it should. */
export function lastGood(view: TaskView, isWanted: (step: StepName) => boolean): StepRecord | undefined {
  return view.record?.steps?.findLast((step) => step.outcome === 'ok' && isWanted(step.step));
}

/** The last review, if it is about the present diff of the lane. */
export function currentReview(view: TaskView, facts: Facts): StepRecord | undefined {
  const review = lastGood(view, (step) => step === 'review');
  // Without a verdict it decides nothing, but it counts as a cycle.
  if (!review?.verdict) return undefined;
  const steps = view.record?.steps ?? [];
  const later = steps.slice(steps.lastIndexOf(review) + 1);
  if (later.some((step) => leftWork(step) && (step.diff === undefined || step.diff !== review.diff)))
    return undefined;
  return isOfHead(review, facts.lane(view)) ? review : undefined;
}

/** Attempts used so far. A step at work counts as used until its end says otherwise. */
export function attemptsOf({ record, claim, deadClaim }: TaskView): number {
  return (record?.attempts ?? 0) + ((claim ?? deadClaim)?.step === undefined ? 0 : 1);
}

export function leftWork({ step, outcome }: StepRecord): boolean {
  return isWork(step) && (outcome === 'ok' || outcome === 'slice');
}

/** Compares by diff, else by commit. If neither is known, a person's commits are a reason to doubt. */
function isOfHead({ diff, head }: StepRecord, lane: LaneFacts): boolean {
  if (diff !== undefined && lane.diff !== undefined) return diff === lane.diff;
  if (head !== undefined && lane.head !== undefined) return head === lane.head;
  return lane.personCommits !== true;
}

/** Types whose work may be reviewed and improved inside the task. */
export function mayLoop(type: TaskType): boolean {
  return type === 'task' || type === 'implement';
}

/** A loop of review and improve runs inside the task. */
export function isLooping(view: TaskView, facts: Facts): boolean {
  const { auto_review } = facts.settings(view.task);
  return mayLoop(view.task.type) && auto_review && cyclesMax(view, facts) > 0;
}

export function cyclesMax(view: TaskView, facts: Facts): number {
  return facts.settings(view.task).max_review_cycles + (view.record?.extra_cycles ?? 0);
}

/** Reviews that gave a verdict. A review without one is repeated under the same number. */
export function cyclesDone(view: TaskView): number {
  const steps = view.record?.steps;
  if (!steps) return view.record?.review_cycle ?? 0;
  const reviews = steps.filter(({ step, outcome }) => step === 'review' && outcome === 'ok');
  return Math.max(reviews.length, ...reviews.map(({ cycle }) => cycle ?? 0));
}

/** Whether a person let it continue after its last step ended: `unblock` and `retry` record their time. */
export function wasAnswered(view: TaskView): boolean {
  const since = view.record?.not_before;
  return since !== undefined && since >= (lastStep(view)?.ended_at ?? '');
}

/** Agents for which no other try can help, by their steps since the last success or a person's answer. */
export function agentsOut(view: TaskView): ReadonlySet<string> {
  const steps = wasAnswered(view) ? [] : (view.record?.steps ?? []);
  const since = steps.slice(steps.findLastIndex(({ outcome }) => outcome === 'ok') + 1);
  const cannot = since.filter((step) => step.outcome === 'cancelled' && endingOf(step)?.means === 'cannot');
  return new Set(cannot.flatMap(({ agent }) => agent ?? []));
}

/**
 * Its last try did not fail: it ran out of time, was stopped, died, or waited for an answer that is there
 * now.
 */
export function wasCutShort(view: TaskView): boolean {
  const last = lastStep(view);
  if (last === undefined || last.ending === 'context') return false;
  return /^(?:slice|limit|blocked|lost)$/.test(last.outcome) || last.ending === 'cancelled';
}

/** The agent of the last try, if another one should be tried before it. */
export function tiredAgent(view: TaskView): string | undefined {
  const last = lastStep(view);
  return last && last.outcome !== 'ok' && endingOf(last)?.elsewhere ? last.agent : undefined;
}

export function isOver(view: TaskView | undefined): boolean {
  return view === undefined || view.status === 'completed' || view.status === 'skipped';
}

export function hasOpenChildren(view: TaskView, facts: Facts): boolean {
  return view.children.some((id) => !isOver(facts.board.views.get(id)));
}

/** Whether there is anything left to decide: not over, or over with a claim, pull request or command left. */
export function isOpen(view: TaskView, facts: Facts): boolean {
  if (!view.record?.closed_at && !isOver(view)) return true;
  if (view.claim || view.deadClaim || facts.command(view)) return true;
  return view.record?.lane !== undefined && view.record.lane.folded_at === undefined;
}

export function wait(because: string, change: string, until?: string): Match {
  return { action: { kind: 'wait', ...(until ? { until } : {}) }, because, change };
}

export function askPerson(reason: string, detail: string, change: string, facts: Facts): Match {
  const stop = { reason, detail, at: facts.board.now };
  return { action: { kind: 'ask-person', stop }, because: detail, change };
}

/** How a person answers an agent's question. */
export function howToAnswer(id: string): string {
  return `gza note ${id} "the answer", then gza resume ${id}; as a comment: gza work ${id} and the answer`;
}

/** A finding: its mark (a fingerprint, with `!` before a blocker's), and its claim if that was kept. */
interface Point {
  readonly mark: string;
  readonly claim: string | undefined;
}

/** A review, and the diff that the improve after it left; null if there was none yet. */
interface Cycle {
  readonly n: number;
  /** The patch id of what was reviewed. */
  readonly diff: string;
  readonly verdict: StepRecord['verdict'];
  readonly findings: readonly Point[];
  readonly after: string | null;
}

/**
 * Whether the loop of review and improve still makes progress. If not, it stops for a person, because another
 * cycle would cost the same and end the same.
 */
interface NoProgress {
  /** Checked in this order; the first that applies is reported. */
  readonly reason: 'same-findings' | 'improve-without-effect' | 'diff-undone' | 'same-blocker-again';
  readonly detail: string;
}

const sameBlockerMax = 3;

export function noProgress(steps: readonly StepRecord[]): NoProgress | null {
  const cycles = cyclesOf(steps);
  const last = cycles.at(-1);
  // Only a review that asks for changes leads to another cycle.
  if (last?.verdict !== 'CHANGES_REQUESTED') return null;
  const before = cycles.slice(0, -1);
  return (
    sameFindings(last, before) ??
    improveWithoutEffect(last) ??
    diffUndone(last, before) ??
    sameBlockerAgain(last, before)
  );
}

function cyclesOf(steps: readonly StepRecord[]): Cycle[] {
  const cycles: Cycle[] = [];
  for (const { step, outcome, cycle, diff, verdict = 'CHANGES_REQUESTED', ...kept } of steps) {
    if (outcome !== 'ok') continue;
    const findings = (kept.findings ?? []).map((mark, at) => ({ mark, claim: kept.claims?.[at] }));
    const last = cycles.at(-1);
    const unknown = `unknown ${cycles.length}`;
    if (step === 'review')
      cycles.push({ n: cycle ?? cycles.length + 1, diff: diff ?? unknown, verdict, findings, after: null });
    else if (last && isWork(step)) cycles[cycles.length - 1] = { ...last, after: diff ?? `${unknown} after` };
  }
  return cycles;
}

function sameFindings(last: Cycle, before: readonly Cycle[]): NoProgress | null {
  const twin = before.findLast(
    (cycle) => cycle.diff === last.diff && cycle.verdict === last.verdict && hasSame(cycle, last),
  );
  if (twin === undefined) return null;
  const detail = `Review ${last.n} has the same findings as review ${twin.n}, on the same diff.`;
  return { reason: 'same-findings', detail };
}

function isSame(one: Point, other: Point): boolean {
  if (one.claim !== undefined && other.claim !== undefined) return isSameClaim(one.claim, other.claim);
  return one.mark.replace(/^!/, '') === other.mark.replace(/^!/, '');
}

function isAmong(point: Point, points: readonly Point[]): boolean {
  return points.some((other) => isSame(point, other));
}

function hasSame({ findings: a }: Cycle, { findings: b }: Cycle): boolean {
  return a.every((one) => isAmong(one, b)) && b.every((one) => isAmong(one, a));
}

function improveWithoutEffect({ n, diff, after }: Cycle): NoProgress | null {
  if (after !== diff) return null;
  const detail = `The improve after review ${n} changed nothing: the diff is what it was.`;
  return { reason: 'improve-without-effect', detail };
}

/** At the next review this also detects that somebody other than the improve restored an earlier diff. */
function diffUndone(last: Cycle, before: readonly Cycle[]): NoProgress | null {
  const back = before.findLast((cycle) => cycle.diff === last.after);
  if (back !== undefined) {
    const detail = `The improve after review ${last.n} undid the one before: the diff is again that of review ${back.n}.`;
    return { reason: 'diff-undone', detail };
  }
  const previous = before.at(-1);
  const earlier = before.slice(0, -1).findLast((cycle) => cycle.diff === last.diff);
  if (previous === undefined || earlier === undefined || previous.diff === last.diff) return null;
  const detail = `The diff of review ${last.n} is again that of review ${earlier.n}: what came between was undone.`;
  return { reason: 'diff-undone', detail };
}

function sameBlockerAgain(last: Cycle, before: readonly Cycle[]): NoProgress | null {
  const others = before.filter(({ n, verdict }) => n !== last.n && verdict === last.verdict);
  const numbersOf = (cycles: readonly Cycle[]) => [...new Set(cycles.map(({ n }) => n)), last.n];
  for (const blocker of blockers(last)) {
    const numbers = numbersOf(others.filter((cycle) => isAmong(blocker, blockers(cycle))));
    if (numbers.length < sameBlockerMax) continue;
    const name = blocker.claim ?? blocker.mark.slice(1);
    const detail = `The same blocker (${name}) stands in reviews ${numbers.join(', ')}.`;
    return { reason: 'same-blocker-again', detail };
  }
  const unnamed = numbersOf(others.filter(({ findings }) => findings.length === 0));
  if (last.findings.length > 0 || unnamed.length < sameBlockerMax) return null;
  const detail = `Reviews ${unnamed.join(', ')} ask for changes, and name no finding.`;
  return { reason: 'same-blocker-again', detail };
}

function blockers({ findings }: Cycle): readonly Point[] {
  return findings.filter(({ mark }) => mark.startsWith('!'));
}

/** Shown instead of an approval that was given to earlier work. */
export const changedSince = 'not reviewed since it changed';

/** The verdict in words, as long as it applies to the work as it is. */
export function verdictWords(record: TaskRecord | null): string {
  return record && isChangedSince(record) ? changedSince : (standingVerdict(record) ?? '');
}

export function standingVerdict(record: TaskRecord | null): FinalVerdict | null {
  if (!record || isChangedSince(record)) return null;
  return record.final_verdict ?? (isStoppedInLoop(record) ? 'CHANGES_REQUESTED' : null);
}

/** Its reviews had begun, and something other than a review ended them. */
function isStoppedInLoop({ type, review_cycle = 0, closed_as, stop }: TaskRecord): boolean {
  const isStopped = closed_as === 'failed' || (closed_as === undefined && stop !== undefined);
  return isStopped && review_cycle > 0 && mayLoop(type);
}

/** Completed but not done: the last verdict was not an approval. */
export function isUnapproved(record: TaskRecord | null): record is TaskRecord {
  if (record?.closed_as !== 'done' || record.merged_at !== undefined) return false;
  return (record.final_verdict ?? 'APPROVED') !== 'APPROVED';
}

/** The reasons and errors that still apply. An approval cancels those that gza gave for lack of one. */
export function complaints(record: TaskRecord): {
  closed_reason?: string | undefined;
  error?: string | undefined;
} {
  const { closed_as, closed_by, closed_reason, error, final_verdict } = record;
  if (closed_as !== 'done' || final_verdict !== 'APPROVED') return { closed_reason, error };
  return closed_by === undefined ? {} : { closed_reason };
}

/** It was approved, and an improve that a person asked for changed it afterwards. */
export function isChangedSince(record: TaskRecord): boolean {
  const { steps = [], final_verdict, verdict_by } = record;
  const last = steps.findLast(leftWork);
  if (final_verdict !== 'APPROVED' || !last) return false;
  const later = steps.slice(steps.lastIndexOf(last));
  if (later.some(approves) || steps.some((step) => approves(step) && hasSameDiff(step, last))) return false;
  if (verdict_by === undefined) return steps.some(approves);
  // The person who gave the verdict saw the work as it was then.
  const given = [record.approved_at ?? '', record.closed_at ?? ''].toSorted().at(-1) ?? '';
  const seen = steps.findLast((step) => leftWork(step) && step.ended_at <= given);
  return given !== '' && last.ended_at > given && !(seen && hasSameDiff(seen, last));
}

/** Whether the last work on the branch was judged, even if earlier work on it had been approved. */
export function isLaneJudged(records: readonly TaskRecord[]): boolean {
  const all = records
    .flatMap((record) => (record.steps ?? []).map((step) => ({ record, step })))
    .toSorted((a, b) => (a.step.ended_at < b.step.ended_at ? -1 : 1));
  const last = all.findLastIndex(({ step }) => leftWork(step));
  const isReviewed = all.slice(last + 1).some(({ step }) => approves(step));
  return (
    !records.some(isChangedSince) && (last < 0 || isReviewed || all[last]?.record.final_verdict !== undefined)
  );
}

function approves({ step, verdict }: StepRecord): boolean {
  return step === 'review' && verdict === 'APPROVED';
}

function hasSameDiff(one: StepRecord, other: StepRecord): boolean {
  return one.diff !== undefined && one.diff === other.diff;
}

/** A person approved the finished work. An approval from before the start only let the task start. */
export function isApproved(record: TaskRecord | null): boolean {
  const at = record?.approved_at;
  if (at === undefined) return false;
  const start = record?.started_at;
  return start === undefined || record?.closed_at === undefined || at >= start;
}

/** What people should know about a task's changes, besides what a review says. */
interface Remarks {
  /** Files that a person must let pass, as they are. */
  readonly waits: readonly WaitingFile[];
  /** Files that judge the work and were changed with it, each with the reason. */
  readonly checks: readonly string[];
  readonly named: readonly string[];
}

export function remarksOf(record: Pick<TaskRecord, 'steps' | 'waits'> | null): Remarks {
  const steps = record?.steps ?? [];
  const all = (lines: readonly (readonly string[] | undefined)[]) => [
    ...new Set(lines.flatMap((one) => one ?? [])),
  ];
  return {
    waits: record?.waits ?? [],
    checks: all(steps.map(({ checks }) => checks)),
    named: all(steps.map(({ named }) => named)),
  };
}

/** The commit that an approval would apply to, as a box names it: of waiting files, or of the closed work. */
export function approvableAt(record: TaskRecord | null): string | undefined {
  if (!record?.closed_at && !record?.waits) return undefined;
  const last = record.steps?.findLast(({ head }) => head !== undefined)?.head;
  return (last ?? record.closed_commit)?.slice(0, 12);
}
