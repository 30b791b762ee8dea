/** How the checks ended, on its way to the landing job. It comes from a machine that ran code nobody has read. */
import * as z from 'zod';
import { keepEnds } from '../../core/checks/output-text.ts';
import type { Check, Verification } from '../../core/checks/verification.ts';

const outputMax = 20_000;

const checkShape = z.object({
  name: z.enum(['files', 'setup', 'tests', 'verify', 'build']),
  command: z.string().max(5_000).optional(),
  ok: z.boolean(),
  skipped: z.boolean().optional(),
  reason: z.string().max(20_000).nullable(),
  exitCode: z.number().nullable().optional(),
  endedBy: z.enum(['timeout', 'idle', 'output_limit', 'cancelled']).optional(),
  timedOut: z.boolean().optional(),
  seconds: z.number().min(0).max(1e6),
  output: z.string().max(4 * outputMax),
});

const shape = z.object({ ok: z.boolean(), checks: z.array(checkShape).max(10) });

export function printVerification({ ok, checks }: Verification): string {
  const kept = checks.map(({ results: _results, ...check }) => ({
    ...check,
    output: keepEnds(check.output, outputMax / 4, outputMax),
  }));
  return JSON.stringify({ ok, checks: kept });
}

/**
 * What the landing job believes is how the job ended, which GitHub tells; the file only says what failed. One that
 * says otherwise than the job is left aside.
 */
export function believedVerification(jobResult: string, text: string | null): Verification {
  const ok = jobResult === 'success';
  const told = text === null ? null : parsed(text);
  if (told && told.ok === ok) return told;
  if (ok) return { ok, checks: [] };
  const reason = `the verify job ended ${jobResult || 'without a result'} and did not say what failed`;
  return { ok, checks: [{ name: 'verify', ok, reason, seconds: 0, results: null, output: '' }] };
}

function parsed(text: string): Verification | null {
  try {
    const found = shape.safeParse(JSON.parse(text));
    if (!found.success) return null;
    const { ok, checks } = found.data;
    if (ok !== checks.every((check) => check.ok)) return null;
    return { ok, checks: checks.map((check) => ({ ...check, results: null }) as Check) };
  } catch {
    return null;
  }
}
