/** Gathers everything that a step's prompt may need from the board, the ledgers and git. */
import type { Project } from '../../app/project.ts';
import type { TaskView } from '../../core/board/board.ts';
import type { StepRecord, TaskRecord } from '../../core/ledger/record/record.ts';
import type {
  DependencyResult,
  EarlierFinding,
  HumanComment,
  StepContext,
  StepDiff,
} from '../../core/prompt/step-context.ts';
import { type Finding, type FindingAnswer, parseAnswers } from '../../core/review/finding.ts';
import { readReview, stepNonce } from '../../core/review/read-review.ts';
import { compareText } from '../../core/shape.ts';
import type { Task } from '../../core/task/task.ts';
import { contextText } from '../../core/text/terminal/outline.ts';
import type { Repository } from '../../git/repository.ts';
import { laneDiff } from '../../workspace/patch/lane-diff.ts';
import { artifactPath, type StepJob } from '../engine.ts';

interface GatherInput {
  readonly project: Project;
  /** The task with its full texts. */
  readonly view: TaskView;
  readonly job: StepJob;
  readonly repository: Repository;
  readonly checks: readonly string[];
  readonly strategy: string | null;
  readonly protectedPaths: readonly string[];
  readonly humanComments: readonly HumanComment[];
  readonly commits: 'engine' | 'agent';
}

const diffBytesMax = 200_000;
const chainMax = 200;
const artifactsMax = 50;

export async function gatherContext(input: GatherInput): Promise<StepContext> {
  const { project, view, job, checks, strategy, protectedPaths, humanComments, commits } = input;
  const { task, record } = view;
  const settings = project.settings(task);
  const subject = subjectOf(project, view);
  const chain = await dependencyChain(project, view);
  const loops = task.type === 'review' || task.type === 'improve' ? subject : view;
  const reviews = await reviewsOf(project, loops, job);
  const asked = reviews.find(({ cycle }) => cycle === record?.of_review);
  const isEarlier = (one: PastReview) =>
    job.step !== 'improve' || (asked ? one !== asked : one.cycle < job.cycle);
  return {
    task: await reviewedTask(project, view, await wholeOf(project, subject, view), job),
    step: job.step,
    nonce: stepNonce(job),
    cycle: job.cycle,
    cyclesMax: settings.max_review_cycles + (record?.extra_cycles ?? 0),
    attempt: (record?.attempts ?? 0) + 1,
    lane: {
      branch: job.lane?.link.branch ?? job.base.branch,
      base: job.lane?.link.stacked_on ?? job.base.branch,
    },
    commits,
    plan: await planOf(input, chain, subject),
    dependencies: await Promise.all(chain.filter(isResult).map((one) => resultOf(project, one))),
    outline: outlineOf(project, view),
    diff: await diffOf(input),
    verification: job.failing ? { isOk: false, text: job.failing } : lastVerification(view.record),
    checks,
    strategy,
    review: job.step === 'improve' ? (asked ?? reviews.at(-1) ?? null) : null,
    earlierFindings: reviews.filter(isEarlier).flatMap((review) => review.earlier),
    humanComments,
    guidance: job.guidance ?? null,
    notes: record?.notes ?? [],
    protectedPaths,
    ralph:
      settings.loop === 'until-verified'
        ? { round: (record?.attempts ?? 0) + 1, max: settings.max_attempts }
        : null,
    resumeHint: resumeHint(record),
  };
}

/** The task whose work a review or improve task is about: the one it depends on. */
export function subjectOf(project: Pick<Project, 'board'>, view: TaskView): TaskView {
  if (view.task.type !== 'review' && view.task.type !== 'improve') return view;
  let at: TaskView = view;
  for (let steps = 0; steps < chainMax; steps += 1) {
    const before = project.board.views.get(at.task.depends_on?.[0] ?? '');
    if (!before) break;
    at = before;
    if (at.task.type !== 'review' && at.task.type !== 'improve') break;
  }
  return at;
}

/** Loads the full texts of the subject. */
async function wholeOf(project: Project, subject: TaskView, view: TaskView): Promise<TaskView> {
  if (subject.id === view.id) return view;
  const located = await project.view.task(subject.id);
  return located ? { ...subject, record: located.record, task: located.record } : subject;
}

/** The dependencies of a task and their dependencies, nearest first, with full texts. */
export async function dependencyChain(project: Project, view: TaskView): Promise<TaskView[]> {
  const seen = new Set([view.id]);
  const queue = [view.id];
  const chain: TaskView[] = [];
  while (queue.length > 0 && chain.length < chainMax) {
    for (const { id } of project.board.graph.dependencies(queue.shift() as string)) {
      const found = project.board.views.get(id);
      if (seen.has(id) || !found) continue;
      seen.add(id);
      queue.push(id);
      const located = await project.view.task(id);
      chain.push(
        located ? { ...found, record: located.record, task: located.record, branch: located.branch } : found,
      );
    }
  }
  return chain;
}

function isResult(view: TaskView): boolean {
  return view.status === 'completed' && view.task.type !== 'plan' && view.task.type !== 'review';
}

/** The plan of the nearest plan task. Otherwise the file that the task names, as it is on the base branch. */
async function planOf(
  { project, repository, job }: GatherInput,
  chain: readonly TaskView[],
  { task }: TaskView,
): Promise<StepContext['plan']> {
  for (const view of chain) {
    if (view.task.type !== 'plan') continue;
    const path = `plans/${view.id}.md`;
    const text = await artifactOf(project, view, path);
    if (text !== null) return { id: view.id, text, path: `.gza/${path}` };
  }
  const path = task.plan_file;
  if (path === undefined) return null;
  const read = await repository.bareGit.run(['cat-file', 'blob', `${job.base.commit}:${path}`], {
    outputBytesMax: 1 << 20,
  });
  return read.code === 0 ? { id: path, text: read.stdout.toString('utf8'), path } : null;
}

async function artifactOf(project: Project, view: TaskView, path: string): Promise<string | null> {
  const branches = [view.branch, view.record?.lane?.branch, project.view.base];
  for (const branch of new Set(branches)) {
    const text = branch ? await project.view.artifact(branch, path) : null;
    if (text !== null) return text;
  }
  return null;
}

async function resultOf(project: Project, view: TaskView): Promise<DependencyResult> {
  const { record, task } = view;
  const text = task.type === 'explore' ? await artifactOf(project, view, `explorations/${view.id}.md`) : null;
  return {
    id: view.id,
    title: task.title,
    type: task.type,
    status: view.status,
    summary: record?.implementation_notes ?? record?.notes?.at(-1) ?? '',
    commit: record?.closed_commit ?? record?.steps?.findLast(({ head }) => head !== undefined)?.head ?? null,
    branch: record?.lane?.branch ?? null,
    ...(text === null ? {} : { text }),
  };
}

function outlineOf(project: Project, view: TaskView): string {
  const ids = outlineIds(project, view);
  return ids.size > 1 ? contextText(project.board, ids, { bytesMax: 2000 }) : '';
}

/** The related tasks of one: its whole tree, and the tasks of the same plan. */
export function outlineIds(project: Project, view: TaskView): Set<string> {
  const { tree, views } = project.board;
  let root = view.id;
  for (let above = tree.parent(root); above !== undefined; above = tree.parent(root)) root = above;
  const ids = new Set(tree.preOrder.filter((id) => id === root || tree.isAbove(root, id)));
  const plan = view.task.plan_file;
  if (plan !== undefined) for (const one of views.values()) if (one.task.plan_file === plan) ids.add(one.id);
  return ids;
}

async function diffOf({ job, repository }: GatherInput): Promise<StepDiff | null> {
  if (!job.lane || (job.step !== 'review' && job.step !== 'improve')) return null;
  const range = { base: job.lane.compareWith, head: job.lane.head };
  const { files, text, isCut } = await laneDiff(repository, range, diffBytesMax);
  return { text: isCut ? null : text, isTooLarge: isCut, files, ...range };
}

function lastVerification(record: TaskRecord | null): StepContext['verification'] {
  const step = record?.steps?.findLast(({ verified }) => verified !== undefined);
  if (!step) return null;
  return {
    isOk: step.verified === true,
    text: step.verified ? 'All checks passed.' : (step.error ?? 'The checks failed.'),
  };
}

/** The full plans, explorations and reviews, which the prompt may have to shorten. */
export async function artifactTexts(
  project: Project,
  view: TaskView,
  chain: readonly TaskView[],
): Promise<{ path: string; text: string }[]> {
  const wanted = new Map<string, TaskView>();
  for (const one of chain) {
    if (one.task.type === 'plan') wanted.set(`plans/${one.id}.md`, one);
    if (one.task.type === 'explore') wanted.set(`explorations/${one.id}.md`, one);
  }
  const loops = subjectOf(project, view);
  for (const { path } of reviewPaths(project, loops)) wanted.set(path, loops);
  const found: { path: string; text: string }[] = [];
  for (const [path, one] of [...wanted].slice(-artifactsMax)) {
    const text = await artifactOf(project, one, path);
    if (text !== null) found.push({ path, text });
  }
  return found;
}

interface PastReview {
  readonly cycle: number;
  readonly text: string;
  readonly findings: ReturnType<typeof readReview>['findings'];
  readonly earlier: readonly EarlierFinding[];
}

/** The reviews so far, oldest first, each with the answers to its findings. */
async function reviewsOf(project: Project, loops: TaskView, job: StepJob): Promise<PastReview[]> {
  if (job.step !== 'review' && job.step !== 'improve') return [];
  const past: PastReview[] = [];
  // If a person resolved a finding's thread, nothing is left to do there.
  const settled = new Set(job.step === 'improve' ? (job.people?.settled ?? []) : []);
  for (const { path, cycle } of reviewPaths(project, loops)) {
    const text = await artifactOf(project, loops, path);
    if (text === null) continue;
    const all = readReview(text).findings;
    const findings = all.filter(({ fingerprint }) => !settled.has(fingerprint));
    const answered = await artifactOf(project, loops, answersPath(loops.id, cycle));
    const answers = answered === null ? [] : parseAnswers(answered);
    const earlier = findings.map((finding) => ({
      cycle,
      finding,
      answer:
        settledAnswer(job, finding) ?? answers.find((one) => one.fingerprint === finding.fingerprint) ?? null,
    }));
    past.push({ cycle, text: textLeft(text, all, findings), findings, earlier });
  }
  return past;
}

/** A review's text, with a note about findings that people have settled since. */
function textLeft(text: string, all: readonly Finding[], left: readonly Finding[]): string {
  if (left.length === all.length) return text;
  if (left.length === 0) return 'People settled all that it found.';
  const settled = all.filter((finding) => !left.includes(finding)).map(({ fingerprint }) => fingerprint);
  return `People settled these findings, leave them: ${settled.join(', ')}.\n\n${text}`;
}

function settledAnswer({ people }: StepJob, { fingerprint }: Finding): FindingAnswer | null {
  if (!people?.settled.includes(fingerprint)) return null;
  const evidence = 'a person resolved it on the pull request; do not raise it again';
  return { fingerprint, answer: 'disputed', evidence };
}

export function answersPath(id: string, cycle: number): string {
  return `reviews/${id}-answers-${cycle}.md`;
}

function reviewPaths(project: Project, loops: TaskView): { path: string; cycle: number }[] {
  const paths: { path: string; cycle: number }[] = [];
  const reviews = loops.record?.steps?.filter(isReview) ?? [];
  const last = Math.max(loops.record?.review_cycle ?? 0, ...reviews.map(({ cycle }) => cycle ?? 0));
  for (let cycle = 1; cycle <= last; cycle += 1) {
    const path = artifactPath({ id: loops.id, task: { ...loops.task, type: 'implement' } }, 'review', cycle);
    if (path) paths.push({ path, cycle });
  }
  for (const [index, { id }] of reviewTasksOf(project, loops).entries()) {
    paths.push({ path: `reviews/${id}.md`, cycle: last + index + 1 });
  }
  return paths;
}

/** Completed review tasks about a task's work, oldest first. */
function reviewTasksOf({ board }: Pick<Project, 'board'>, loops: TaskView): TaskView[] {
  return board.graph
    .dependents(loops.id)
    .flatMap(({ id }) => board.views.get(id) ?? [])
    .filter(({ task, status }) => task.type === 'review' && status === 'completed')
    .sort((a, b) => ((a.record?.closed_at ?? '') < (b.record?.closed_at ?? '') ? -1 : 1));
}

/** How many reviews a task's work has had, in its own loop and by review tasks. */
export function reviewsSoFar(project: Pick<Project, 'board'>, subject: TaskView): number {
  const own = subject.record?.steps?.filter(isReview).map(({ cycle }) => cycle ?? 0) ?? [];
  return Math.max(subject.record?.review_cycle ?? 0, ...own) + reviewTasksOf(project, subject).length;
}

function isReview({ step, outcome }: StepRecord): boolean {
  return step === 'review' && outcome === 'ok';
}

function resumeHint(record: TaskRecord | null): string | null {
  const last = record?.steps?.at(-1);
  const isKept =
    last?.outcome === 'lost' && last.head !== undefined && last.head !== record?.lane?.fork_point;
  if (last?.outcome !== 'slice' && !isKept) return null;
  return 'An earlier run of this step was cut short. What it left is committed on this branch: go on from there.';
}

/** The most tasks whose texts, criteria and files a review or improve gets. */
const tasksMax = 20;

/** The task as the prompt shows it: with the texts and criteria of other tasks whose work it reviews. */
async function reviewedTask(
  project: Project,
  view: TaskView,
  subject: TaskView,
  job: StepJob,
): Promise<Task> {
  const isLone = subject.id !== view.id;
  const all = job.step === 'review' || isLone ? await workOfLane(project, subject) : [];
  const works = all.some(({ id }) => id === subject.id) ? all : [subject];
  if (works.length === 1 && !isLone) return view.task;
  const parts = works.length === 1 ? new Map<string, readonly string[]>() : partsOfDiff(works, job);
  const criteria = works.flatMap(({ task }) => task.acceptance_criteria ?? []);
  const own = !isLone || view.record?.created_by === 'gza' ? [] : [view.task.content];
  const told = works.map((one) => toldOf(one, parts.get(one.id)));
  return {
    ...view.task,
    content: [...own, 'The work that it is about:', ...told].join('\n\n'),
    ...(view.task.acceptance_criteria || criteria.length === 0 ? {} : { acceptance_criteria: criteria }),
    ...(subject.task.user_story ? { user_story: subject.task.user_story } : {}),
    ...union('files_to_create', works),
    ...union('files_to_modify', works),
    ...union('test_files', works),
  };
}

function toldOf({ id, task }: TaskView, commits: readonly string[] = []): string {
  const story = task.user_story === undefined ? [] : [`User story: ${task.user_story}`];
  const part = commits.length === 0 ? [] : [`Its part of the diff: ${commits.join(', ')}`];
  return [`${id}: ${task.title}`, task.content, ...story, ...part].join('\n\n');
}

function union(field: 'files_to_create' | 'files_to_modify' | 'test_files', works: readonly TaskView[]) {
  const files = [...new Set(works.flatMap(({ task }) => task[field] ?? []))];
  return files.length === 0 ? {} : { [field]: files };
}

/** The tasks that worked on the lane, ordered by their first step, with full texts. */
async function workOfLane(project: Project, subject: TaskView): Promise<TaskView[]> {
  const lane = subject.record?.lane;
  if (lane === undefined) return [];
  const worked = [...project.board.views.values()].filter(
    ({ record }) => record?.lane?.branch === lane.branch,
  );
  const whole = await Promise.all(
    worked.slice(0, tasksMax).map(async (one) => {
      const located = await project.view.task(one.id);
      return located ? { ...one, record: located.record, task: located.record } : one;
    }),
  );
  const begun = ({ record }: TaskView): string => heads(record?.steps)[0]?.ended_at ?? '';
  // Uses whole records, because the board leaves out the steps of closed tasks.
  const done = whole.filter(({ record }) => heads(record?.steps).length > 0);
  return done.toSorted((a, b) => compareText(begun(a), begun(b)));
}

type Steps = NonNullable<TaskView['record']>['steps'];

function heads(steps: Steps) {
  return (steps ?? []).filter(
    ({ step, head }) => head !== undefined && (step === 'implement' || step === 'improve'),
  );
}

/** The commit ranges of each task. After a rebase the old commits may be gone, so there are none. */
function partsOfDiff(works: readonly TaskView[], { lane }: StepJob): Map<string, string[]> {
  const parts = new Map<string, string[]>();
  if (!lane || works.some(({ record }) => record?.lane?.rebased !== undefined)) return parts;
  const steps = works
    .flatMap(({ id, record }) => heads(record?.steps).map((step) => ({ id, ...step })))
    .toSorted((a, b) => compareText(a.ended_at, b.ended_at));
  let from: string = lane.compareWith;
  for (const { id, head = from } of steps) {
    if (head === from) continue;
    parts.set(id, [...(parts.get(id) ?? []), `git diff ${from.slice(0, 12)}..${head.slice(0, 12)}`]);
    from = head;
  }
  return parts;
}
