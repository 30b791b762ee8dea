/**
 * What pick decided, for the later jobs. It is stored as a mark in the base ledger under the claim's id. Only
 * ids pass through the workflow. Everybody who can push can write a ledger, so what is read is validated.
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

/** Validates marks, since everybody who can push can write them. */
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

/** The claim for the review after a step. A late job of that step finds its own claim ended. */
export function reviewClaim(claim: string): string {
  return `${claim}-review`;
}

/** One entry of the job matrix. */
export interface ClaimedLane {
  readonly task: string;
  readonly claim: string;
  /** Names of the secrets that its machine needs. */
  readonly keys: readonly string[];
  /** An earlier run's result that only needs landing, so that no agent runs. */
  readonly left?: { readonly run: string; readonly artifact: string };
}

/** Stores what the later jobs must know, beside the claim. Also closes the request that the claim answers. */
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

/**
 * The names of the secrets that a lane's machines get: those of its agent and its reviewer. Only names pass
 * through the workflow.
 */
export function laneKeys(
  config: Config,
  { agent, reviewer = agent, isRecheck }: Pick<StepJob, 'agent' | 'reviewer' | 'isRecheck'>,
): readonly string[] {
  if (isRecheck === true) return [];
  return [...new Set([agent, reviewer].flatMap((name) => agentSecretsFor(name, config).given))];
}

/**
 * Removes the jobs of claims that no longer exist. If a claim died before its step was recorded, what a
 * person asked for is requested again.
 */
export function leftoverJobs(
  { claims = [], marks = {} }: LedgerMeta,
  dead: ReadonlySet<string>,
  at: string,
): Event[] {
  const held = new Set(claims.map(({ id }) => jobMark(id)));
  return Object.entries(marks).flatMap(([name, value]): Event[] => {
    if (held.has(name) || !name.startsWith(prefix)) return [];
    const job = dead.has(name.slice(prefix.length)) ? shape.safeParse(parseJson(value)).data : undefined;
    // What was stopped or released is no longer wanted.
    const again = job?.wish ? askAgain(job.id, job.wish as OpenCommand, { marks, at }) : [];
    return [{ kind: 'mark', at, name, value: null }, ...again];
  });
}

export interface ClaimedJob {
  readonly job: StepJob;
  readonly claim: Claim;
}

/** The job of a claim that is still held. Null otherwise, so that a late job does nothing. */
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

/** Much longer than any job, because a run of CI is dead when the forge says so, not after some time. */
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

/** Claims whose runs are dead. `ended`: claims whose jobs have ended, as reported by their own last job. */
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
    // The run was deleted, ended, or was restarted, so this claim's jobs are no longer running.
    if (!found || found.attempt > run.attempt || (found.isCompleted && found.attempt === run.attempt))
      dead.add(claim.id);
  }
  return dead;
}

type Marks = Readonly<Record<string, string>>;

const wishPrefix = 'command:';

/**
 * A step that a person requested by a comment, a box or a dispatch. It is a mark of the base ledger until a
 * claim answers it. Then it is a part of that claim's job. It becomes a mark again when the job dies or ends
 * without an answer.
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

/** How often a requested step is tried, so that a step that always kills its machine stops. */
const triesMax = 3;
/** A usage limit is nobody's fault, and waiting for its end is cheap, so more tries are allowed. */
const limitedTriesMax = 10;

/**
 * Whether the try gave no answer and no person must be asked first, so that the next try gets the request
 * again. This includes cancelled runs: a person who no longer wants the step says so with a command.
 */
export function isUnanswered({ outcome }: Pick<StepRecord, 'outcome'>, isStopped: boolean): boolean {
  const unanswered: readonly StepOutcome[] = ['failed', 'slice', 'limit', 'cancelled', 'lost'];
  return !isStopped && unanswered.includes(outcome);
}

/** Empty when it was tried too often or something newer was requested. */
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
