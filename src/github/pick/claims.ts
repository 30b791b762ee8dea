/**
 * What pick decided, for the jobs that follow: a mark of the base ledger, beside the claim, under the claim's id.
 * Only ids travel through the workflow; who can push can write a ledger, so what is read is checked.
 */
import * as z from 'zod';
import type { Project } from '../../app/project.ts';
import type { Config } from '../../core/config/config.ts';
import { GzaError } from '../../core/errors.ts';
import type { Event } from '../../core/ledger/event.ts';
import type { LedgerMeta } from '../../core/ledger/ledger-state.ts';
import { type Claim, type StepOutcome, type StepRecord, stepNames } from '../../core/ledger/record/record.ts';
import type { OpenCommand } from '../../core/policy/decide.ts';
import { pointCharsMax, pointsMax, settledMax } from '../../core/review/conversation.ts';
import { parseJson } from '../../core/shape.ts';
import { branchNameFault } from '../../core/task/task.ts';
import type { StepJob } from '../../engine/engine.ts';
import type { Holder } from '../../engine/loop/round.ts';
import { agentSecretsFor } from '../../engine/perform/ask-agent.ts';
import { claimTask } from '../../ledger/claim.ts';
import type { LedgerView } from '../../ledger/ledger.ts';
import type { ForgeRead } from '../api/forge.ts';
import type { JobContext } from '../jobs/job-context.ts';

/** Whoever can push can write marks. */
const wishShape = z.strictObject({
  step: z.enum(stepNames),
  guidance: z.string().max(10_000).optional(),
  by: z.string().max(100),
  tries: z.int().min(0).max(100).optional(),
  said: z
    .strictObject({
      key: z.string().max(40),
      at: z.iso.datetime(),
      role: z.string().max(20),
      text: z.string().max(10_000),
    })
    .optional(),
});

const commit = z.string().regex(/^[0-9a-f]{40,64}$/);
const branch = z.string().refine((name) => branchNameFault(name) === null);
const word = z.string().min(1).max(200);
const fingerprint = z.string().regex(/^[0-9a-f]{16}$/);
const personPoint = z.strictObject({
  fingerprint,
  kind: z.enum(['line', 'comment', 'review']),
  id: z.int().min(0),
  author: word,
  file: z.string().max(4000).nullable(),
  line: z.int().min(1).nullable(),
  text: z.string().max(pointCharsMax + 10),
  about: fingerprint.optional(),
});

const shape = z.strictObject({
  id: word,
  step: z.enum(stepNames),
  cycle: z.int().min(0).max(1000),
  guidance: z.string().max(20_000).optional(),
  failing: z.string().max(25_000).optional(),
  people: z
    .strictObject({
      points: z.array(personPoint).max(pointsMax),
      settled: z.array(fingerprint).max(settledMax),
    })
    .optional(),
  agent: word,
  model: word.optional(),
  maxTurns: z.number().positive().optional(),
  budgetUsd: z.number().positive().optional(),
  timeoutMinutes: z
    .number()
    .positive()
    .max(6 * 60),
  lane: z
    .strictObject({
      link: z.strictObject({
        id: word,
        branch,
        fork_point: commit.optional(),
        stacked_on: branch.optional(),
        joins: z.array(branch).max(100).optional(),
        rebased: z.strictObject({ from: commit, to: commit, diff: commit }).optional(),
        folded_at: word.optional(),
      }),
      isNew: z.boolean(),
      head: commit,
      hasBranch: z.boolean(),
      compareWith: commit,
      note: z.string().max(2000).optional(),
    })
    .nullable(),
  base: z.strictObject({ branch, commit }),
  claim: word,
  reviewer: word.optional(),
  isRecheck: z.boolean().optional(),
  taken: z
    .strictObject({ run: z.int().min(1), artifact: z.int().min(1), claim: word, times: z.int().min(1) })
    .optional(),
  wish: wishShape.optional(),
});

const prefix = 'job:';

export function jobMark(claim: string): string {
  return prefix + claim;
}

/** The rest of a claim, for the review of what its step left. A job that comes late finds that its own is over. */
export function reviewClaim(claim: string): string {
  return `${claim}-review`;
}

/** What the matrix names. */
export interface ClaimedLane {
  readonly task: string;
  readonly claim: string;
  /** Names of the secrets that its machine needs. */
  readonly keys: readonly string[];
  /** What an earlier run's agent left: no agent runs. */
  readonly left?: { readonly run: string; readonly artifact: string };
}

/** Beside the claim: what its machines must know. A wish that it answers is open no more. */
export async function writeJob(
  { ledger, config }: Pick<Project, 'ledger' | 'config'>,
  job: StepJob,
  at: string,
  also: readonly Event[] = [],
): Promise<ClaimedLane> {
  const { id, claim, wish } = job;
  const events: Event[] = [
    { kind: 'mark', at, name: jobMark(claim), value: JSON.stringify(job) },
    ...(wish ? [wishEvent(id, null, at)] : []),
    ...also,
  ];
  await ledger.write(async ({ base }) => ({ changes: [{ branch: base, events }] }));
  return { task: id, claim, keys: laneKeys(config, job) };
}

/** Which secrets the machines of a lane are given: those of its agent and of its reviewer. Only their names travel. */
export function laneKeys(
  config: Config,
  { agent, reviewer = agent, isRecheck }: Pick<StepJob, 'agent' | 'reviewer' | 'isRecheck'>,
): readonly string[] {
  if (isRecheck === true) return [];
  return [...new Set([agent, reviewer].flatMap((name) => agentSecretsFor(name, config).given))];
}

/** Of claims that are gone. One that died before its step was recorded leaves what a person asked for: that is asked again. */
export function leftoverJobs(
  { claims = [], marks = {} }: LedgerMeta,
  dead: ReadonlySet<string>,
  at: string,
): Event[] {
  const held = new Set(claims.map(({ id }) => jobMark(id)));
  return Object.entries(marks).flatMap(([name, value]): Event[] => {
    if (held.has(name) || !name.startsWith(prefix)) return [];
    const job = dead.has(name.slice(prefix.length)) ? shape.safeParse(parseJson(value)).data : undefined;
    // What was stopped or released is not wanted any more.
    const again = job?.wish ? askAgain(job.id, job.wish as OpenCommand, { marks, at }) : [];
    return [{ kind: 'mark', at, name, value: null }, ...again];
  });
}

export interface ClaimedJob {
  readonly job: StepJob;
  readonly claim: Claim;
}

/** The job of a claim that is still held; null when it is not, so that a late job does nothing. */
export async function readJob(view: LedgerView, id: string): Promise<ClaimedJob | null> {
  const meta = await view.meta(view.base);
  const claim = meta?.claims?.find((one) => one.id === id);
  const text = meta?.marks?.[jobMark(id)];
  if (!claim || text === undefined) return null;
  const parsed = shape.safeParse(parseJson(text));
  if (!parsed.success || parsed.data.claim !== id || parsed.data.id !== claim.task) {
    throw new GzaError('world', `what the ledger says about claim ${id} cannot be read`, {
      hint: 'Release it (gza release), and the task is picked again.',
    });
  }
  return { job: parsed.data as StepJob, claim };
}

/** Much longer than any job: a run of CI is dead when the forge says so, not when time passes. */
export const ciLeaseSeconds = 36 * 3600;

export function ciRun(run: { readonly id: number; readonly attempt: number }): string {
  return `github:${run.id}:${run.attempt}`;
}

export function parseCiRun(run: string | undefined): { id: number; attempt: number } | null {
  const match = /^github:(\d{1,15}):(\d{1,6})$/.exec(run ?? '');
  return match ? { id: Number(match[1]), attempt: Number(match[2]) } : null;
}

/** The claims of this run. */
export function holderOf({ ports, run }: Pick<JobContext, 'ports' | 'run'>): Holder {
  return {
    now: ports.now,
    run: ciRun(run),
    leaseSeconds: ciLeaseSeconds,
    submit: ({ ledger }, request) => claimTask(ledger, request),
  };
}

/** Claims that are dead now. `ended`: claims whose jobs are over, as their own last job says. */
export async function deadClaims(
  claims: readonly Claim[],
  forge: Pick<ForgeRead, 'run'>,
  now: string,
  ended: ReadonlySet<string>,
): Promise<Set<string>> {
  const dead = new Set<string>();
  const answers = new Map<number, Awaited<ReturnType<ForgeRead['run']>>>();
  for (const claim of claims) {
    const run = parseCiRun(claim.run);
    if (claim.until <= now || (run && ended.has(claim.id))) {
      dead.add(claim.id);
      continue;
    }
    if (!run) continue;
    if (!answers.has(run.id)) answers.set(run.id, await forge.run(run.id));
    const found = answers.get(run.id);
    // A run that was deleted, that ended, or that was started anew: this claim's jobs are not at work any more.
    if (!found || found.attempt > run.attempt || (found.isCompleted && found.attempt === run.attempt))
      dead.add(claim.id);
  }
  return dead;
}

type Marks = Readonly<Record<string, string>>;

const wishPrefix = 'command:';

/**
 * Steps that a person asked for, by comment, box or dispatch: each is a mark of the base ledger until a claim answers
 * it, then a part of that claim's job, and again a mark where the job dies or ends without an answer.
 */
export function wishEvent(task: string, wish: OpenCommand | null, at: string): Event {
  return { kind: 'mark', at, name: wishPrefix + task, value: wish && JSON.stringify(wish) };
}

export async function openWishes({ view }: Pick<Project, 'view'>): Promise<Map<string, OpenCommand>> {
  const wishes = new Map<string, OpenCommand>();
  for (const [name, value] of Object.entries((await view.meta(view.base))?.marks ?? {})) {
    const parsed = name.startsWith(wishPrefix) ? wishShape.safeParse(parseJson(value)) : null;
    if (parsed?.success) wishes.set(name.slice(wishPrefix.length), parsed.data as OpenCommand);
  }
  return wishes;
}

/** A step that ends its machine each time is not begun for ever. */
const triesMax = 3;
/** A usage limit is nobody's fault, and what is put off until it ends is cheap. */
const limitedTriesMax = 10;

/**
 * Its try answered nothing, and nobody has to be asked first: what was said goes to the next try. A run that was
 * cancelled as well: whoever does not want the step any more says so with a command, as for any other step.
 */
export function isUnanswered({ outcome }: Pick<StepRecord, 'outcome'>, isStopped: boolean): boolean {
  const unanswered: readonly StepOutcome[] = ['failed', 'slice', 'limit', 'cancelled', 'lost'];
  return !isStopped && unanswered.includes(outcome);
}

/** None when it was tried often, or something newer was asked for. */
export function askAgain(
  task: string,
  wish: OpenCommand,
  {
    marks,
    outcome = 'lost',
    at,
  }: { readonly marks: Marks; readonly outcome?: StepOutcome; readonly at: string },
): Event[] {
  const tries = (wish.tries ?? 0) + 1;
  const isOften = tries >= (outcome === 'limit' ? limitedTriesMax : triesMax);
  return marks[wishPrefix + task] !== undefined || isOften ? [] : [wishEvent(task, { ...wish, tries }, at)];
}
