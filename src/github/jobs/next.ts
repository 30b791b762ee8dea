/** The last job of a lane. It starts pick again when landing could not, and starts the team's own CI. */
import { setTimeout as wait } from 'node:timers/promises';
import * as z from 'zod';
import type { Project } from '../../app/project.ts';
import { GzaError, isGzaError } from '../../core/errors.ts';
import type { Event } from '../../core/ledger/event.ts';
import type { Claim } from '../../core/ledger/record/record.ts';
import { parseJson } from '../../core/shape.ts';
import { branchNameFault } from '../../core/task/task.ts';
import { trapText } from '../../core/text/doctor/trap-texts.ts';
import { ciRun, parseCiRun, reviewClaim } from '../pick/claims.ts';
import type { LaneWorld } from '../pick/lane-world.ts';
import type { JobContext, ReadingContext } from './job-context.ts';

type NextCi = Pick<JobContext, 'input' | 'forge' | 'run' | 'defaultBranch' | 'say' | 'warn'>;

export async function nextJob(ci: NextCi): Promise<void> {
  const claim = ci.input('claim');
  // The ended claims are named, because this run is still going and would make them look alive.
  try {
    await wake(ci, claim === '' ? [] : [claim, reviewClaim(claim)]);
    ci.say('Picking was asked for again.');
  } catch (cause) {
    if (!isGzaError(cause)) throw cause;
    const { status } = cause.data;
    if (typeof status !== 'number' || status >= 500) throw cause;
    const { happened, kept, next } = trapText({ kind: 'dispatch-refused', said: cause.message });
    throw new GzaError('world', `${happened} ${kept}`, { hint: `${next.join('; ')}.`, cause });
  }
}

/**
 * A caller that does not listen for `repository_dispatch` is dispatched as if by hand. Callers that gza wrote
 * have an input for the ended claims; others are dispatched without it.
 */
async function wake(ci: NextCi, ended: readonly string[]): Promise<void> {
  const { run, defaultBranch } = ci;
  if (ci.input('wake') !== 'workflow_dispatch') return ci.forge().wake(ended);
  try {
    await ci.forge().dispatch(run.workflow, defaultBranch, { event: JSON.stringify({ ended }) });
  } catch (error) {
    if (!isGzaError(error) || error.data['status'] !== 422) throw error;
    await ci.forge().dispatch(run.workflow, defaultBranch);
  }
}

const startShape = z.strictObject({
  workflow: z.string().max(200),
  branch: z.string().refine((name) => branchNameFault(name) === null),
});
const runShape = z.union([
  z.strictObject({ rerun: z.int().min(1) }),
  z.strictObject({ cancel: z.int().min(1) }),
]);
const startsShape = z.array(z.union([startShape, runShape])).max(1_000);

export type Start = z.infer<typeof startShape>;
/** A run whose failed jobs should run again, or whose agents should be cancelled. */
type RunAsked = z.infer<typeof runShape>;

/**
 * Prints what the next job should start. A push with a job's token starts no workflow, but a dispatch does.
 * So the jobs that push name the team's CI workflows in their output `start`, and a job with only the
 * permission to start workflows does it. Empty when there is nothing to start. Pushes by an App start
 * workflows by themselves. `reruns`: ids of runs whose failed jobs should run again.
 */
export function printStarts(
  ci: Pick<JobContext, 'input'>,
  starts: readonly Start[],
  runs: readonly RunAsked[] = [],
): string {
  const all = [...(ci.input('login') === '' ? starts : []), ...runs];
  return all.length === 0 ? '' : JSON.stringify(all);
}

/**
 * Runs whose agents work for nothing, because somebody stopped their tasks or paused everything after they
 * were claimed. GitHub can only cancel whole runs, so a run in which another lane continues is left alone.
 * `dead`: claims whose jobs have ended anyway.
 */
export function vainRuns(
  ci: Pick<JobContext, 'run'>,
  { before, after, isPaused }: { before: readonly Claim[]; after: readonly Claim[]; isPaused: boolean },
  dead: ReadonlySet<string>,
): RunAsked[] {
  const held = new Set(after.map(({ id }) => id));
  const wanted = new Set(isPaused ? [] : after.map(({ run }) => run));
  const vain = before.filter(
    ({ id, run }) => !dead.has(id) && !wanted.has(run) && (isPaused || !held.has(id)),
  );
  const runs = new Set(vain.flatMap(({ run }) => parseCiRun(run)?.id ?? []));
  runs.delete(ci.run.id);
  return [...runs].map((cancel) => ({ cancel }));
}

/** Starts what the earlier jobs named. A failure is reported and does not stop the rest. */
export async function startWorkflows(
  ci: Pick<JobContext, 'input' | 'forge' | 'run' | 'say' | 'warn' | 'ports'>,
): Promise<void> {
  const text = ci.input('start');
  if (text === '') return;
  for (const one of readStarts(text)) {
    if ('cancel' in one) {
      await cancelRun(ci, one.cancel);
      continue;
    }
    if ('rerun' in one) {
      const isStarted = await ci.forge().rerun(one.rerun);
      if (isStarted) ci.say(`What failed in run ${one.rerun} runs once more.`);
      else ci.warn(`GitHub does not run ${one.rerun} once more, so what failed counts.`);
      continue;
    }
    const { workflow, branch } = one;
    if (workflow === ci.run.workflow) {
      ci.warn(`ci_workflow names ${workflow}, which is the workflow that runs gza. It is not started.`);
      continue;
    }
    try {
      await ci.forge().dispatch(workflow, branch);
      ci.say(`${workflow} was started on ${branch}.`);
    } catch (error) {
      if (!isGzaError(error)) throw error;
      const { happened, next } = trapText({ kind: 'ci-not-started', workflow, branch, said: error.message });
      ci.warn(`${happened} ${next.join('; ')}.`);
    }
  }
}

const [lookMs, looksMax] = [15_000, 12];

/** Waits until checks and landing jobs have ended before it cancels, so that no finished work is lost. */
async function cancelRun(
  { forge, say, warn, ports }: Pick<JobContext, 'forge' | 'say' | 'warn' | 'ports'>,
  run: number,
): Promise<void> {
  try {
    for (let looks = 0; looks < looksMax; looks += 1) {
      const open = await forge().openJobs(run);
      if (!open.some(({ name }) => /\/ (agent|review) \(/.test(name)))
        return say(`Run ${run} runs no agent any more.`);
      const ends = /\/ (verify|land|land review|take over) \(/;
      if (!open.some(({ name, isAtWork }) => isAtWork && ends.test(name))) {
        await forge().cancel(run);
        return say(`Run ${run} was cancelled: what its agents did is kept.`);
      }
      await wait(lookMs, undefined, { signal: ports.signal });
    }
    say(`Run ${run} goes on: a task in it was being landed.`);
  } catch (error) {
    if (!isGzaError(error)) throw error;
    warn(`Run ${run} was not cancelled: ${error.message}`);
  }
}

function readStarts(text: string): z.infer<typeof startsShape> {
  try {
    return startsShape.parse(JSON.parse(text));
  } catch (cause) {
    throw new GzaError(
      'usage',
      'the input `start` is not what `pick` or `land` put into its output `start`',
      {
        cause,
      },
    );
  }
}

const prefix = 'start:';
const shape = z.strictObject({ head: z.string().max(64), run: z.string().max(60) });

/**
 * Notes in the base ledger what must be started, in the same push. If this job dies right after that push,
 * the next pick sees what was not started. Empty when there is nothing to start.
 */
export function startEvents(
  { ports, run, input }: ReadingContext,
  { config }: Project,
  branch: string,
  head: string,
): Event[] {
  if (config.ci_workflow.length === 0 || input('login') !== '') return [];
  const value = JSON.stringify({ head, run: ciRun(run) });
  return [{ kind: 'mark', at: ports.now(), name: `${prefix}${branch}`, value }];
}

/** What this run must start. Removes the notes of what earlier runs started or nobody needs any more. */
export async function owedStarts(
  ci: ReadingContext,
  project: Project,
  worlds: ReadonlyMap<string, LaneWorld>,
): Promise<Start[]> {
  const marks = Object.entries((await project.view.meta(project.view.base))?.marks ?? {});
  const starts: Start[] = [];
  const events: Event[] = [];
  for (const [name, value] of marks.filter(([one]) => one.startsWith(prefix))) {
    const branch = name.slice(prefix.length);
    const { data } = shape.safeParse(parseJson(value));
    const isThere = data !== undefined && worlds.get(branch)?.head === data.head;
    const left = isThere ? await leftToStart(ci, project, data) : [];
    if (left === 'unknown') continue;
    starts.push(...left.map((workflow) => ({ workflow, branch })));
    if (left.length === 0) events.push({ kind: 'mark', at: ci.ports.now(), name, value: null });
    else if (data && data.run !== ciRun(ci.run)) events.push(...startEvents(ci, project, branch, data.head));
  }
  if (events.length > 0)
    await project.ledger.write(async ({ base }) => ({ changes: [{ branch: base, events }] }));
  return starts;
}

/**
 * A run that ended well started its workflows or reported why it could not. For any other run, asks GitHub.
 */
async function leftToStart(
  ci: ReadingContext,
  { config }: Project,
  { head, run }: z.infer<typeof shape>,
): Promise<readonly string[] | 'unknown'> {
  if (run === ciRun(ci.run)) return config.ci_workflow;
  const of = parseCiRun(run);
  const found = of ? await ci.forge().run(of.id) : null;
  // A run that was restarted is another attempt, which handles this itself.
  if (found && found.attempt === of?.attempt) {
    if (!found.isCompleted) return 'unknown';
    if (found.conclusion === 'success') return [];
  }
  const begun = await ci.forge().startedOn(head);
  return config.ci_workflow.filter((workflow) => !begun.includes(workflow));
}
