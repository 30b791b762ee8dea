/** How the checks after a step ended, and the files that they name. Text about it is in text/verification.ts. */

import type { Baseline } from '../ledger/marks.ts';
import { isRecord } from '../shape.ts';
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
  /** All that failed is the project's, and fails on the commit that the work began from too. */
  readonly baseline?: Baseline;
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

const runsScripts = /(?:^|[\s;&|/])(?:npm|npx|pnpm|yarn|bun)\b/;

/** Files that these commands name, also by the scripts of package.json where they run such. */
export function checkedFiles(commands: readonly string[], packageJson: string | null): string[] {
  const scripts = commands.some((one) => runsScripts.test(one)) ? scriptsIn(packageJson) : [];
  const words = [...commands, ...scripts].flatMap((one) => one.split(/[\s;&|()<>'"`=,]+/));
  return [...new Set(words.map((word) => word.replace(/^(?:\.\/)+/, '')))].filter((word) =>
    /[./]/.test(word),
  );
}

function scriptsIn(packageJson: string | null): string[] {
  try {
    const json: unknown = JSON.parse(packageJson ?? '');
    const scripts = isRecord(json) ? json['scripts'] : undefined;
    return isRecord(scripts) ? Object.values(scripts).filter((one) => typeof one === 'string') : [];
  } catch {
    return [];
  }
}
