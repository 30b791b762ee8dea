/** How the checks after a step ended. Text about it is in text/verification.ts. */
import type { TestResults } from './test-results.ts';

export type CheckName = 'files' | 'setup' | 'tests' | 'verify' | 'build';
export type CheckEnd = 'timeout' | 'idle' | 'output_limit' | 'resources' | 'cancelled';

export interface Check {
  readonly name: CheckName;
  /** As the team wrote it. */
  readonly command?: string;
  readonly ok: boolean;
  /** It was not run, and `reason` says why. One that could not be asked for is no failure. */
  readonly skipped?: boolean;
  /** Why it failed or was skipped, in a sentence without a full stop. */
  readonly reason: string | null;
  readonly exitCode?: number | null;
  /** Ended by us: too long, too quiet, too loud, or stopped by a person. */
  readonly endedBy?: CheckEnd;
  readonly timedOut?: boolean;
  readonly seconds: number;
  readonly results: TestResults | null;
  /** Its end, and of a long one the beginning: plain text, bounded. */
  readonly output: string;
}

export interface Verification {
  readonly ok: boolean;
  readonly checks: readonly Check[];
}

/** Nothing to check is no failure, but describeVerification says it. */
export function verificationOf(checks: readonly Check[]): Verification {
  return { ok: checks.every((check) => check.ok), checks };
}

export function failedChecks(verification: Verification): Check[] {
  return verification.checks.filter((check) => !check.ok);
}

/** Stopped from outside: it says nothing about the work. */
export function wasCancelled(verification: Verification): boolean {
  return verification.checks.some((check) => check.endedBy === 'cancelled');
}
