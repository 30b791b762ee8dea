/**
 * What pick decided, for the jobs that follow: a mark of the base ledger, beside the claim, under the claim's id.
 * Only ids travel through the workflow; who can push can write a ledger, so what is read is checked.
 */
import * as z from 'zod';
import { GzaError } from '../../core/errors.ts';
import type { Event } from '../../core/ledger/event.ts';
import type { Claim } from '../../core/ledger/record/record.ts';
import { stepNames } from '../../core/ledger/record/record.ts';
import { pointCharsMax, pointsMax, settledMax } from '../../core/review/conversation.ts';
import { branchNameFault } from '../../core/task/branch-name.ts';
import type { StepJob } from '../../engine/engine.ts';
import type { LedgerView } from '../../ledger/ledger.ts';
import { parseJson } from '../jobs/parse-json.ts';

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
  isRecheck: z.boolean().optional(),
});

export function jobMark(claim: string): string {
  return `job:${claim}`;
}

export function jobEvent(job: StepJob, at: string): Event {
  return { kind: 'mark', at, name: jobMark(job.claim), value: JSON.stringify(job) };
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
