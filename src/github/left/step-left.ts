/**
 * What an agent's job leaves for the others: a patch, what the agent said to the engine, and how its runs ended. It
 * crosses from a machine where an agent was, so whoever reads it takes plain files of bounded size and known form.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { stepNames } from '../../core/ledger/record/record.ts';
import { readPlainFile } from '../../system/plain-file.ts';
import { parseJson } from '../jobs/parse-json.ts';

const resultKinds = [
  'ok',
  'denied',
  'max_turns',
  'budget',
  'truncated',
  'empty',
  'refused',
  'auth',
  'usage_limit',
  'rate_limit',
  'overloaded',
  'server',
  'network',
  'context',
  'model',
  'session',
  'config',
  'timeout',
  'output_limit',
  'cancelled',
  'crash',
] as const;

export const countMax = 1e12;
export const dollarsMax = 100_000;
const count = z.number().min(0).max(countMax);
const runShape = z.strictObject({
  agent: z.strictObject({ name: z.string().max(200), version: z.string().max(200).optional() }),
  kind: z.enum(resultKinds),
  text: z.string().max(1_000_000),
  error: z.string().max(100_000).optional(),
  resetAt: z.iso.datetime().optional(),
  sessionId: z.string().max(500).optional(),
  turns: count,
  usage: z.strictObject({ input: count, cachedInput: count, output: count, reasoning: count }).nullable(),
  costUsd: z.number().min(0).max(dollarsMax).nullable(),
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
  task: z.string().max(200),
  claim: z.string().max(200),
  step: z.enum(stepNames),
  started_at: z.iso.datetime(),
  ended_at: z.iso.datetime(),
  runs: z.array(runShape).max(4),
  spool_cut: z.boolean(),
  skipped: z.array(z.strictObject({ path: z.string().max(5_000), why: z.enum(skipReasons) })).max(200),
  skipped_count: count,
  too_large: z.string().max(2_000).optional(),
  broken: z.string().max(2_000).optional(),
  discarded: z.array(z.string().max(5_000)).max(200),
});

export type RunLeft = z.infer<typeof runShape>;
export type StepLeft = z.infer<typeof leftShape>;

export interface Left {
  readonly left: StepLeft;
  readonly patch: Buffer | null;
  readonly spool: string;
}

const bytesMax = { result: 8 << 20, patch: 64 << 20, spool: 8 << 20 };

export async function writeLeft(dir: string, { left, patch, spool }: Left): Promise<void> {
  // An agent may have put a pipe or a link there.
  await rm(dir, { recursive: true, force: true });
  await mkdir(dir, { recursive: true });
  if (patch) await writeFile(join(dir, 'patch'), patch);
  await writeFile(join(dir, 'spool.jsonl'), spool);
  // Last: who finds it finds the rest whole.
  await writeFile(join(dir, 'result.json'), JSON.stringify(left));
}

export type ReadLeft =
  | ({ readonly kind: 'left' } & Left)
  /** Nothing came from that job: it died before it could write. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'unreadable'; readonly why: string };

export async function readLeft(
  dir: string,
  expected: { readonly task: string; readonly claim: string; readonly step: string },
): Promise<ReadLeft> {
  try {
    const text = await readPlainFile(join(dir, 'result.json'), bytesMax.result);
    if (text === null) return { kind: 'nothing' };
    const parsed = leftShape.safeParse(JSON.parse(text.toString('utf8')));
    if (!parsed.success) return { kind: 'unreadable', why: z.prettifyError(parsed.error).slice(0, 500) };
    const left = parsed.data;
    if (left.task !== expected.task || left.claim !== expected.claim || left.step !== expected.step) {
      return { kind: 'unreadable', why: 'it is the result of another step' };
    }
    const patch = await readPlainFile(join(dir, 'patch'), bytesMax.patch);
    const spool = await readPlainFile(join(dir, 'spool.jsonl'), bytesMax.spool);
    return { kind: 'left', left, patch, spool: spool?.toString('utf8') ?? '' };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { kind: 'unreadable', why: why.slice(0, 500) };
  }
}

/** Only what belongs there, each a plain file of bounded size; null when there is no result. */
export async function copyLeft(
  from: string,
  to: string,
): Promise<{ readonly left: StepLeft; readonly hasPatch: boolean } | null> {
  const text = await readPlainFile(join(from, 'result.json'), bytesMax.result);
  if (text === null) return null;
  const parsed = leftShape.safeParse(parseJson(text.toString('utf8')));
  if (!parsed.success) return null;
  const patch = await readPlainFile(join(from, 'patch'), bytesMax.patch);
  const spool = await readPlainFile(join(from, 'spool.jsonl'), bytesMax.spool);
  await writeLeft(to, { left: parsed.data, patch, spool: spool?.toString('utf8') ?? '' });
  return { left: parsed.data, hasPatch: patch !== null };
}
