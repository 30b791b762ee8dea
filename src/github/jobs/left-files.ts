/**
 * The files that pass from job to job: an agent's result and the outcome of the checks. Both come from
 * machines that ran unreviewed code, so reading accepts only plain files of bounded size and known form.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { type Check, keepEnds, type Verification } from '../../core/checks/verification.ts';
import { stepNames } from '../../core/ledger/record/record.ts';
import { resultKinds } from '../../core/policy/endings.ts';
import { parseJson } from '../../core/shape.ts';
import { claimOfAgent, type StepJob } from '../../engine/engine.ts';
import { type Left, leftMax } from '../../engine/left.ts';
import { readPlainFile } from '../../system/outside.ts';

const text = (max: number) => z.string().max(max);
const count = z.number().min(0).max(leftMax.count);
const runShape = z.strictObject({
  agent: z.strictObject({ name: text(leftMax.word), version: text(leftMax.word).optional() }),
  kind: z.enum(resultKinds),
  text: text(leftMax.text),
  error: text(leftMax.error).optional(),
  resetAt: z.iso.datetime().optional(),
  sessionId: text(leftMax.word).optional(),
  turns: count,
  usage: z.strictObject({ input: count, cachedInput: count, output: count, reasoning: count }).nullable(),
  costUsd: z.number().min(0).max(leftMax.dollars).nullable(),
  unpriced: count.optional(),
  pricedAsOf: z.iso.date().optional(),
});

const skipReasons = [
  'ignored',
  'oversized',
  'unsafe-path',
  'nested-repository',
  'submodule',
  'special-file',
  'unreadable',
] as const;

const leftShape = z.strictObject({
  v: z.literal(1),
  task: text(leftMax.word),
  claim: text(leftMax.word),
  step: z.enum(stepNames),
  started_at: z.iso.datetime(),
  ended_at: z.iso.datetime(),
  runs: z.array(runShape).max(leftMax.runs),
  spool_cut: z.boolean(),
  skipped: z.array(z.strictObject({ path: text(leftMax.path), why: z.enum(skipReasons) })).max(leftMax.list),
  subjects: z.array(text(leftMax.subject)).max(leftMax.list),
  too_large: text(leftMax.why).optional(),
  broken: text(leftMax.why).optional(),
  discarded: z.array(text(leftMax.path)).max(leftMax.list),
});

const bytesMax = { result: 8 << 20, patch: 64 << 20, spool: 8 << 20, verification: 1_000_000 };

export async function writeLeft(dir: string, { patch, spool, log: _log, ...left }: Left): Promise<void> {
  // An agent may have placed a pipe or a link at this path.
  await rm(dir, { recursive: true, force: true });
  await mkdir(dir, { recursive: true });
  if (patch) await writeFile(join(dir, 'patch'), patch);
  await writeFile(join(dir, 'spool.jsonl'), spool);
  // Written last: when this file exists, the others are complete.
  await writeFile(join(dir, 'result.json'), JSON.stringify({ v: 1, ...left }));
}

export type ReadLeft =
  | { readonly kind: 'left'; readonly left: Left }
  /** The job wrote nothing, because it died before it could. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'unreadable'; readonly why: string };

/** `expected` is null when the caller only copies the files. */
export async function readLeft(
  dir: string,
  expected: (Pick<StepJob, 'id' | 'claim' | 'taken'> & { readonly step: string }) | null,
): Promise<ReadLeft> {
  try {
    const result = await readPlainFile(join(dir, 'result.json'), bytesMax.result);
    if (result === null) return { kind: 'nothing' };
    const parsed = leftShape.safeParse(JSON.parse(result.toString('utf8')));
    if (!parsed.success) return { kind: 'unreadable', why: z.prettifyError(parsed.error).slice(0, 500) };
    const { v: _v, ...left } = parsed.data;
    const isOther =
      expected !== null &&
      (left.task !== expected.id || left.claim !== claimOfAgent(expected) || left.step !== expected.step);
    if (isOther) return { kind: 'unreadable', why: 'it is the result of another step' };
    const patch = await readPlainFile(join(dir, 'patch'), bytesMax.patch);
    const spool = await readPlainFile(join(dir, 'spool.jsonl'), bytesMax.spool);
    return { kind: 'left', left: { ...left, patch, spool: spool?.toString('utf8') ?? '' } };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { kind: 'unreadable', why: why.slice(0, 500) };
  }
}

const outputMax = 20_000;

const checkShape = z.object({
  name: z.enum(['files', 'setup', 'tests', 'verify', 'build']),
  command: text(5_000).optional(),
  ok: z.boolean(),
  skipped: z.boolean().optional(),
  reason: text(20_000).nullable(),
  exitCode: z.number().nullable().optional(),
  endedBy: z.enum(['timeout', 'idle', 'output_limit', 'resources', 'cancelled']).optional(),
  timedOut: z.boolean().optional(),
  seconds: z.number().min(0).max(1e6),
  output: text(4 * outputMax),
});

const baseline = z.object({ commit: z.string().regex(/^[0-9a-f]{40,64}$/), failed: text(2_000) });
const verificationShape = z.object({
  ok: z.boolean(),
  checks: z.array(checkShape).max(10),
  baseline: baseline.optional(),
});

export function printVerification({ ok, checks, baseline }: Verification): string {
  const kept = checks.map(({ results: _results, ...check }) => ({
    ...check,
    output: keepEnds(check.output, outputMax / 4, outputMax),
  }));
  return JSON.stringify({ ok, checks: kept, baseline });
}

/**
 * The landing job trusts how the job ended, since GitHub reports that. The file only says what failed, and is
 * ignored when it contradicts the job's result.
 */
export function believedVerification(jobResult: string, printed: string | null): Verification {
  const ok = jobResult === 'success';
  const told = printed === null ? null : parsedVerification(printed);
  if (told && told.ok === ok) return told;
  if (ok) return { ok, checks: [] };
  const reason = `the verify job ended ${jobResult || 'without a result'} and did not say what failed`;
  return { ok, checks: [{ name: 'verify', ok, reason, seconds: 0, results: null, output: '' }] };
}

function parsedVerification(printed: string): Verification | null {
  const found = verificationShape.safeParse(parseJson(printed));
  if (!found.success) return null;
  const { ok, checks, baseline } = found.data;
  if (ok !== checks.every((check) => check.ok)) return null;
  const all = checks.map((check) => ({ ...check, results: null }) as Check);
  return { ok, checks: all, ...(baseline && !ok ? { baseline } : {}) };
}

const verificationName = 'verification.json';

export async function writeVerification(dir: string, printed: string): Promise<void> {
  await mkdir(dir, { recursive: true });
  await writeFile(join(dir, verificationName), printed);
}

/** Null when there is no file. */
export async function readVerification(dir: string): Promise<string | null> {
  if (dir === '') return null;
  const bytes = await readPlainFile(join(dir, verificationName), bytesMax.verification).catch(() => null);
  return bytes?.toString('utf8') ?? null;
}
