/** The reviews of a lane from its ledger, in the form in which they are posted on its pull request. */
import { cyclesMax, type Project } from '../../app/project.ts';
import { wholeView } from '../../app/tasks/change-task.ts';
import type { TaskView } from '../../core/board/board.ts';
import type { StepRecord } from '../../core/ledger/record/record.ts';
import { remarksOf } from '../../core/policy/steps-so-far.ts';
import { reviewWords } from '../../core/review/conversation.ts';
import type { Finding } from '../../core/review/finding.ts';
import { linesInDiff } from '../../core/review/lines-in-diff.ts';
import { type ReviewReading, readReview } from '../../core/review/read-review.ts';
import type { LastReview } from '../../core/text/github/pull-story.ts';
import {
  chooseInline,
  printInlineComment,
  printReviewComment,
  waitingReview,
} from '../../core/text/github/review-comment.ts';
import {
  reviewContext,
  reviewStatus,
  type StatusText,
  verifyContext,
} from '../../core/text/terminal/status-text.ts';
import { artifactPath } from '../../engine/engine.ts';
import { withinDeadline } from '../../system/outside.ts';
import { mergeBase, plainDiff, type Range } from '../../workspace/patch/lane-diff.ts';
import type { ReviewWanted } from '../api/forge.ts';
import type { LaneWorld } from '../pick/lane-world.ts';

export interface LaneReview {
  /** A permanent name: the task, its cycle, and the number of the review. */
  readonly key: string;
  readonly task: TaskView;
  readonly step: StepRecord;
}

/** Oldest first. */
export async function laneReviews(project: Project, tasks: readonly TaskView[]): Promise<LaneReview[]> {
  const reviews: LaneReview[] = [];
  for (const { id } of tasks) {
    const task = await wholeView(project, id);
    let n = 0;
    for (const step of task.record?.steps ?? []) {
      if (step.waits?.length && step.head && step.outcome === 'ok')
        reviews.push({ key: `${id}:waits:${step.head.slice(0, 12)}`, task, step });
      if (step.step !== 'review' || (step.outcome !== 'ok' && step.outcome !== 'no-verdict')) continue;
      n += 1;
      reviews.push({ key: `${id}:${step.cycle ?? 0}:${n}`, task, step });
    }
  }
  return reviews.toSorted((a, b) => (a.step.ended_at < b.step.ended_at ? -1 : 1));
}

export function reviewMark(key: string): string {
  return `<!-- gza:review ${key} -->`;
}

/** The last review, for the body; undefined when nothing was reviewed. */
export async function lastReview(
  project: Project,
  reviews: readonly LaneReview[],
): Promise<LastReview | undefined> {
  const last = reviews.findLast(({ step }) => step.step === 'review');
  if (last === undefined) return undefined;
  const text = (await reviewText(project, last)) ?? '';
  return { task: last.task.id, step: last.step, ...withinDeadline('the review', () => reviewWords(text)) };
}

async function reviewText({ view }: Project, { task, step }: LaneReview): Promise<string | null> {
  const path = artifactPath(task, 'review', step.cycle ?? 0);
  return path === null ? null : view.artifact(task.record?.lane?.branch ?? view.base, path);
}

/** Null when its text is no longer stored. `base`: the branch that the pull request is compared with. */
export async function reviewWanted(
  project: Project,
  review: LaneReview,
  earlier: readonly LaneReview[],
  base: string,
): Promise<ReviewWanted | null> {
  const { task, step, key } = review;
  const { head } = step;
  if (step.waits && head !== undefined) {
    const text = waitingReview(task.id, step.waits);
    return { commit: head, body: `${text}\n\n${reviewMark(key)}`, comments: [], rest: [] };
  }
  const text = await reviewText(project, review);
  if (text === null || head === undefined) return null;
  const reading = withinDeadline('the review', () => readReview(text));
  const known = new Set(
    earlier.flatMap((one) => (one.step.findings ?? []).map((mark) => mark.replace(/^!/, ''))),
  );
  const repeated = reading.findings.filter(({ fingerprint }) => known.has(fingerprint));
  const fresh = reading.findings.filter(({ fingerprint }) => !known.has(fingerprint));
  const { repository } = project;
  const shown = await shownLines(repository, { base: `refs/heads/${base}`, head }, fresh);
  // GitHub refuses the whole review when one comment stands on a line that the diff does not show.
  const inline = chooseInline(fresh, (file, line) => shown.get(file)?.has(line) === true);
  const cycle = Math.max(1, step.cycle ?? 0);
  const { summary, lookedAt } = withinDeadline('the review', () => reviewWords(text));
  const body = printReviewComment({
    verdict: verdictOf(reading, step),
    cycle,
    cyclesMax: cyclesMax(project)(task),
    findings: reading.findings,
    inline,
    repeated,
    summary,
    lookedAt,
    head,
    ...(step.agent ? { agent: step.agent } : {}),
    ...(step.model ? { model: step.model } : {}),
  });
  const comments = inline.map((finding) => ({
    path: finding.file ?? '',
    line: finding.line ?? 1,
    body: printInlineComment(finding, cycle),
  }));
  return { commit: head, body: `${body}\n\n${reviewMark(key)}`, comments, rest: [] };
}

/** The lines of each file that the diff shows. */
async function shownLines(
  repository: Project['repository'],
  range: Range,
  findings: readonly Finding[],
): Promise<ReadonlyMap<string, ReadonlySet<number>>> {
  const paths = new Set(findings.flatMap(({ file, line }) => (file === null || line === null ? [] : file)));
  const from = paths.size > 0 ? await mergeBase(repository, range) : null;
  const shown = new Map<string, ReadonlySet<number>>();
  for (const path of from === null ? [] : paths) {
    const words = ['diff-tree', '-p', '--unified=3', ...plainDiff, from ?? '', range.head];
    const patch = await repository.bareGit.run([...words, '--', `:(literal)${path}`]);
    if (patch.code === 0) shown.set(path, linesInDiff(patch.stdout.toString('utf8')));
  }
  return shown;
}

function verdictOf(reading: ReviewReading, step: StepRecord) {
  return step.verdict ?? (reading.kind === 'verdict' ? reading.verdict : null);
}

/** A commit status of a lane: whether its checks passed, or what its review says. */
export interface LaneStatus extends StatusText {
  readonly context: string;
  readonly commit: string;
}

/**
 * `head` is the head of the branch; a status belongs to that commit only. After a rebase the diff (`diff`) is
 * unchanged, so the verdict still holds. The checks do not, because they ran on another tree.
 */
export function laneStatuses(
  project: Project,
  tasks: readonly TaskView[],
  { head, diff }: Pick<LaneWorld, 'diff'> & { readonly head: string },
): LaneStatus[] {
  const steps = tasks
    .flatMap((task) => (task.record?.steps ?? []).map((step) => ({ task, step })))
    .toSorted((a, b) => (a.step.ended_at < b.step.ended_at ? -1 : 1));
  const diffNow = diff ?? steps.findLast(({ step }) => step.head === head && step.diff)?.step.diff ?? null;
  const isOfHead = (step: StepRecord) => step.head === head || (diffNow !== null && step.diff === diffNow);
  const checked = steps.findLast(({ step }) => isWork(step) && step.verified !== undefined);
  const reviewed = steps.findLast(({ step }) => step.step === 'review' && step.outcome === 'ok');
  const statuses: LaneStatus[] = [];
  if (checked?.step.head === head) {
    const ok = checked.step.verified === true;
    const own = remarksOf(checked.task.record).checks.length > 0 ? '; checks were changed' : '';
    const text = `The checks ${ok ? 'passed' : 'failed'} on a fresh machine${own}`;
    statuses.push({ context: verifyContext, commit: head, state: ok ? 'success' : 'failure', text });
  }
  if (checked && checked.step.head !== head && isOfHead(checked.step)) {
    const text = 'Its checks ran before it was put on its base; they run again';
    statuses.push({ context: verifyContext, commit: head, state: 'pending', text });
  }
  if (reviewed?.step.verdict && isOfHead(reviewed.step)) {
    statuses.push({
      context: reviewContext,
      commit: head,
      ...verdictStatus(project, reviewed.task, reviewed.step),
    });
  }
  return statuses;
}

function isWork({ step }: StepRecord): boolean {
  return step === 'implement' || step === 'improve';
}

function verdictStatus(project: Project, view: TaskView, step: StepRecord): StatusText {
  const cycle = Math.max(1, step.cycle ?? 0);
  const findings = step.findings ?? [];
  const blockers = findings.filter((mark) => mark.startsWith('!')).length;
  const verdict = view.record?.final_verdict ?? step.verdict ?? 'NEEDS_DISCUSSION';
  const goesOn = verdict === 'CHANGES_REQUESTED' && !view.record?.closed_at;
  if (goesOn) return reviewStatus({ kind: 'improving', cycle, cyclesMax: cyclesMax(project)(view) });
  const by = view.record?.verdict_by;
  return reviewStatus({
    kind: 'ended',
    verdict,
    cycle,
    blockers,
    followUps: findings.length - blockers,
    ...(by ? { by } : {}),
  });
}
