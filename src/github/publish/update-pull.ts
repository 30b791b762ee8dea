/**
 * Brings a lane's pull request up to date: opens it, posts reviews, sets statuses, title and body. Repeating
 * it only does what is missing. The body is written last, because it records what was done.
 */
import type { Project } from '../../app/project.ts';
import type { TaskView } from '../../core/board/board.ts';
import { readForeseen } from '../../core/ledger/ledger-state.ts';
import { type Box, isSameBox } from '../../core/markdown/body-block.ts';
import type { Decision } from '../../core/policy/decide.ts';
import { type Outdated, outdatedIn, type PersonAnswer } from '../../core/review/conversation.ts';
import { trapNotice } from '../../core/text/github/board-issue.ts';
import { type LastReview, mergeLabels, pullLabels, pullTitle } from '../../core/text/github/pull-story.ts';
import { clashesOf } from '../../core/text/terminal/lines.ts';
import { withinDeadline } from '../../system/outside.ts';
import type { Forge, PullChange, PullFacts, ReviewWanted } from '../api/forge.ts';
import { doneBoxes, issuesOf, tickDone, tickIssues } from '../comments/hand-over.ts';
import { answeredBefore, tickedBoxes } from '../comments/handle-comment.ts';
import { laneAnswers, postAnswers } from '../comments/people.ts';
import type { JobContext } from '../jobs/job-context.ts';
import {
  type LaneReview,
  type LaneStatus,
  laneReviews,
  laneStatuses,
  lastReview,
  reviewMark,
  reviewWanted,
} from './lane-reviews.ts';
import {
  bodyTelling,
  nothingPosted,
  type OnMissing,
  type Posted,
  readPosted,
  unlessMissing,
} from './posted-state.ts';

/** What updating a pull request needs from a job. */
export type PullContext = Pick<JobContext, 'forge' | 'say' | 'warn'> & {
  readonly run: Pick<JobContext['run'], 'url'>;
};

/** Adds what was read for the body. */
interface Looked extends PullInput {
  readonly review?: LastReview | undefined;
  readonly runs: string;
  readonly clashes: readonly string[];
}

export interface PullInput {
  readonly project: Project;
  readonly decisions: readonly Decision[];
  readonly branch: string;
  readonly tasks: readonly TaskView[];
  readonly head: string;
  /** Null when the head is what the last step left. */
  readonly diff: string | null;
  readonly pull: PullFacts | null;
  /** The pull request was read just now. Otherwise it is read again before it is written. */
  readonly isJustRead?: boolean;
  /** No job is working on it, so labels and the draft state are set too. */
  readonly isAtRest?: boolean;
  /** Statuses that were set since the body was last written. */
  readonly standing?: Readonly<Record<string, string>>;
  /** This very job made the last review, so it cannot have been posted. */
  readonly isReviewFresh?: boolean;
  /** The same for an improve's answers to people. */
  readonly isAnswerFresh?: boolean;
  /** Receives what GitHub refused, for the board. */
  readonly onRefused?: (notice: string) => void;
  /** Receives missing permissions. The rest is done anyway. */
  readonly onMissing?: OnMissing;
  /** Why it is not merged yet, if a merge was requested. */
  readonly merging?: string;
  /** Boxes that were handled, or whose request is stored elsewhere. */
  readonly answered?: readonly Box[];
  /** Set on a laptop, whose checks prove less than a fresh machine's: existing statuses stay as they are. */
  readonly noStatuses?: boolean;
}

export async function updatePull(ci: PullContext, given: PullInput): Promise<PullFacts | null> {
  const answered = given.answered ?? (given.pull ? await answeredBefore(given.project, given.pull) : []);
  const { pull } = given;
  if (pull?.state === 'merged' || pull?.state === 'closed') return pull;
  const forge = ci.forge();
  const reviews = await laneReviews(given.project, given.tasks);
  const runs = `${repositoryUrl(ci)}/actions/runs`;
  const { view } = given.project;
  const clashes = clashesOf(given.branch, readForeseen((await view.meta(view.base))?.marks ?? {}).clashes);
  const review = await lastReview(given.project, reviews);
  const input: Looked = { ...given, answered, runs, review, clashes };
  const statuses = input.noStatuses ? [] : laneStatuses(input.project, input.tasks, input);
  const known = pull ? readPosted(pull.body) : { ...nothingPosted, reviews: toldElsewhere(input, reviews) };
  const before = { ...known, statuses: { ...known.statuses, ...input.standing } };
  const unless = (work: () => Promise<unknown>) => unlessMissing(input.onMissing, work);
  const standing = await setStatuses(forge, statuses, before, input.onMissing);
  const answers = await laneAnswers(input.project, input.tasks);
  const areAnswered = !pull || (await unless(() => tellAnswers(forge, input, pull, answers, before)));
  const ticked = pull ? (before.boxes ?? []) : [];
  const areTicked = await unless(() => tickIssues(forge, input.tasks, ticked));
  const heard = areAnswered ? answers.map(({ fingerprint }) => fingerprint) : (before.answers ?? []);
  const boxes = (areTicked ? doneBoxes(input.tasks) : ticked).slice(-200);
  const told: Posted = {
    reviews: reviews.map(({ key }) => key),
    ...(heard.length > 0 ? { answers: heard.slice(-500) } : {}),
    ...(before.resolved ? { resolved: before.resolved } : {}),
    ...(boxes.length > 0 ? { boxes } : {}),
    ...checksOf(input, before),
    statuses: input.noStatuses ? before.statuses : standing,
  };
  let end = pull;
  await unless(async () => {
    if (!pull) {
      end = await openNew(ci, forge, input, { ...told, reviews: before.reviews }, reviews.length);
      return;
    }
    const wanted = await reviewsToPost(forge, input, pull, reviews, before);
    const outdated = wanted.length > 0 ? await outdatedBy(forge, pull, reviews, before) : null;
    const tidied = [...(before.resolved ?? []), ...(outdated?.threads ?? []).map((one) => one.fingerprint)];
    const all = { ...told, ...(tidied.length > 0 ? { resolved: tidied.slice(-500) } : {}) };
    end = await update(forge, input, pull, all, { reviews: wanted, ...(outdated ? { outdated } : {}) });
  });
  if (end && input.isAtRest === true && (end.state === 'open' || end.state === 'draft'))
    await tellLabels(forge, input, end);
  return end;
}

async function tellLabels(forge: Forge, { tasks, onMissing }: PullInput, pull: PullFacts): Promise<void> {
  const wanted = mergeLabels(pull.labels, pullLabels(tasks));
  const has = (list: readonly string[], label: string) =>
    list.some((one) => one.toLowerCase() === label.toLowerCase());
  const add = wanted.filter((label) => !has(pull.labels, label));
  const remove = pull.labels.filter((label) => !has(wanted, label));
  if (add.length + remove.length > 0)
    await unlessMissing(onMissing, () => forge.changeLabels(pull.number, { add, remove }));
}

async function tellAnswers(
  forge: Forge,
  { head, isAnswerFresh }: PullInput,
  pull: PullFacts,
  answers: readonly PersonAnswer[],
  before: Posted,
): Promise<void> {
  const missing = answers.filter(({ fingerprint }) => !before.answers?.includes(fingerprint));
  const isFresh = isAnswerFresh === true && missing.every(({ commit }) => commit === head);
  await postAnswers(forge, pull, missing, isFresh);
}

/** Reviews of a lane that was reopened: they were posted on its earlier pull request, which is closed. */
function toldElsewhere({ tasks, isReviewFresh }: PullInput, reviews: readonly LaneReview[]): string[] {
  const hadPull = tasks.some(({ record }) => record?.pull_request !== undefined);
  if (!hadPull) return [];
  return (isReviewFresh === true ? reviews.slice(0, -1) : reviews).map(({ key }) => key);
}

/** The current results. If none were read now, the last known ones are kept while the head is the same. */
function checksOf({ pull, head }: PullInput, { checks: before }: Posted): Pick<Posted, 'checks'> {
  const { red = [], green = [] } = (pull?.headCommit === head && pull.checks) || {};
  const words = [...red.map(({ name }) => `${name} failed`), ...green.map((name) => `${name} passed`)];
  if (words.length > 0)
    return {
      checks: { head, words: words.slice(0, wordsMax).join(', ').slice(0, 900), isGreen: red.length === 0 },
    };
  return before?.head === head ? { checks: before } : {};
}

const wordsMax = 10;

function statusMarks(statuses: readonly LaneStatus[]): Record<string, string> {
  return Object.fromEntries(
    statuses.map(({ context, commit, state, text }) => [context, `${commit.slice(0, 12)} ${state} ${text}`]),
  );
}

/** Returns the statuses that are set now. */
export async function setStatuses(
  forge: Forge,
  statuses: readonly LaneStatus[],
  { statuses: before }: Pick<Posted, 'statuses'>,
  onMissing: OnMissing | undefined,
): Promise<Record<string, string>> {
  const standing = statusMarks(statuses);
  for (const { context, commit, state, text } of statuses) {
    const known = before[context];
    if (known === standing[context]) continue;
    const set = () => forge.setStatus(commit, context, state, text);
    if (await unlessMissing(onMissing, set)) continue;
    if (known === undefined) delete standing[context];
    else standing[context] = known;
  }
  return standing;
}

async function reviewsToPost(
  forge: Forge,
  input: PullInput,
  pull: PullFacts,
  reviews: readonly LaneReview[],
  before: Posted,
): Promise<ReviewWanted[]> {
  const { project, isReviewFresh } = input;
  const missing = reviews.filter(({ key }) => !before.reviews.includes(key));
  if (missing.length === 0) return [];
  // This job made the last review. A killed job may have posted others, so GitHub is asked for them.
  const isFresh = isReviewFresh === true && missing.length === 1 && missing[0] === reviews.at(-1);
  const posted = isFresh ? [] : await forge.ourReviews(pull.number);
  const wanted: ReviewWanted[] = [];
  for (const review of missing) {
    if (posted.some((text) => text.includes(reviewMark(review.key)))) continue;
    const earlier = reviews.slice(0, reviews.indexOf(review));
    const one = await reviewWanted(project, review, earlier, baseOf(input));
    if (one) wanted.push(one);
  }
  return wanted;
}

/** What the last review made outdated; null when gza had posted nothing before. */
async function outdatedBy(
  forge: Forge,
  { number }: PullFacts,
  reviews: readonly LaneReview[],
  before: Posted,
): Promise<Outdated | null> {
  const last = reviews.at(-1)?.step;
  if (before.reviews.length === 0 || last?.step !== 'review') return null;
  const threads = (await forge.conversations([number])).get(number) ?? [];
  const found = new Set((last.findings ?? []).map((mark) => mark.replace(/^!/, '')));
  return outdatedIn(threads, found, new Set(before.resolved));
}

function baseOf({ project, tasks }: PullInput): string {
  const { stacked_on: on, joins } = tasks[0]?.record?.lane ?? {};
  return on !== undefined && (joins || project.view.tip(on) !== null) ? on : project.view.base;
}

async function openNew(
  ci: PullContext,
  forge: Forge,
  input: Looked,
  told: Posted,
  reviews: number,
): Promise<PullFacts | null> {
  const { branch, tasks, project } = input;
  const opened = await forge.openPull({
    branch,
    base: baseOf(input),
    title: pullTitle(tasks),
    body: bodyFor(input, '', told) ?? '',
    draft: input.isAtRest !== true || !isReady(tasks),
    reviewers: project.config.reviewers,
  });
  switch (opened.kind) {
    case 'opened':
      ci.say(`Opened pull request #${opened.pull.number}.`);
      // Reviews may exist already, if a job died or the pull request could not be opened earlier.
      return told.reviews.length < reviews ? updatePull(ci, { ...input, pull: opened.pull }) : opened.pull;
    case 'found':
      return updatePull(ci, { ...input, pull: opened.pull });
    case 'no-commits':
      return null;
    case 'forbidden':
      ci.warn(`No pull request was opened for ${branch}: ${opened.hint}`);
      input.onRefused?.(
        trapNotice({ kind: 'pull-creation-off', branch }, compareLink(ci, baseOf(input), branch)),
      );
      return null;
  }
}

function repositoryUrl({ run }: PullContext): string {
  return run.url.split('/actions/')[0] ?? '';
}

/** A link with which a person can open it by hand. */
function compareLink(ci: PullContext, base: string, branch: string): string {
  const names = [base, branch].map((name) => name.split('/').map(encodeURIComponent).join('/'));
  return `[Open it by hand](${repositoryUrl(ci)}/compare/${names.join('...')}?expand=1)`;
}

async function update(
  forge: Forge,
  input: Looked,
  pull: PullFacts,
  told: Posted,
  also: Pick<PullChange, 'reviews' | 'outdated'>,
): Promise<PullFacts> {
  if (bodyFor(input, pull.body, told) === null)
    input.onRefused?.(trapNotice({ kind: 'no-room-in-body', pull: pull.number }));
  const change = changeOf(input, pull, told, also);
  if (Object.keys(change).length === 0) return pull;
  // Reads it again right before writing, because people tick boxes and edit while gza works.
  const fresh = input.isJustRead === true ? pull : ((await forge.pull(pull.number)) ?? pull);
  const now = changeOf(input, fresh, told, also);
  if (Object.keys(now).length > 0) await forge.changePull(fresh, now);
  return { ...fresh, ...now.fields };
}

function changeOf(
  input: Looked,
  pull: PullFacts,
  told: Posted,
  { reviews = [], outdated }: Pick<PullChange, 'reviews' | 'outdated'>,
): PullChange {
  const fields = fieldsFor(input, pull, told);
  const ready = isReady(input.tasks);
  const isOther = input.isAtRest === true && pull.isOurs && ready === (pull.state === 'draft');
  return {
    ...(reviews.length > 0 ? { reviews } : {}),
    ...(outdated && outdated.reviews.length + outdated.threads.length > 0 ? { outdated } : {}),
    ...(Object.keys(fields).length > 0 ? { fields } : {}),
    ...(isOther ? { ready } : {}),
  };
}

/** A lane on gza's own branch stays a draft, since nothing should be merged into that branch. */
function isReady(tasks: readonly TaskView[]): boolean {
  return tasks.every(({ record }) => record?.closed_at !== undefined && !record.lane?.joins);
}

function fieldsFor(input: Looked, pull: PullFacts, told: Posted): NonNullable<PullChange['fields']> {
  const before = tickDone({ kind: 'pull', number: pull.number }, pull.body, input.tasks);
  const body = bodyFor(input, before, { ...told, ...ticksKept(pull, input.answered ?? []) }) ?? before;
  const title = pull.isOurs ? pullTitle(input.tasks) : pull.title;
  const base = pull.isOurs ? baseOf(input) : pull.base;
  return {
    ...(title === pull.title ? {} : { title }),
    ...(body === pull.body ? {} : { body }),
    ...(base === pull.base ? {} : { base }),
  };
}

/** Notes who ticked the unhandled boxes, because writing the body makes gza its last editor. */
function ticksKept(pull: PullFacts, answered: readonly Box[]): Pick<Posted, 'ticks'> {
  const ticks = Object.fromEntries(
    tickedBoxes(pull).flatMap(({ box, by }) =>
      by === null || answered.some((one) => isSameBox(one, box)) ? [] : [[box.name, by]],
    ),
  );
  return Object.keys(ticks).length > 0 ? { ticks } : {};
}

/** Null when people's text leaves no room for gza's. */
function bodyFor(input: Looked, before: string, told: Posted): string | null {
  const { project, tasks, decisions, answered, head, review, runs, clashes } = input;
  // GitHub closes issues only through a merge into the default branch.
  const closes = (input.pull?.isOurs === false ? input.pull.base : baseOf(input)) === project.view.base;
  const of = { board: project.board, tasks, decisions, head, review, runs, checks: told.checks?.words };
  const facts = { ...of, clashes, merging: input.merging, closes: closes ? issuesOf(tasks) : [] };
  return withinDeadline('the body of the pull request', () => bodyTelling(facts, before, told, answered));
}
