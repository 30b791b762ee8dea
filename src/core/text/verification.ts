/** Texts about a verification: one sentence for people, all details for the prompt of the next attempt. */

import {
  type Check,
  type CheckName,
  failedChecks,
  keepEnds,
  type TestResults,
  type Verification,
} from '../checks/verification.ts';
import { fenceAsData, neutraliseLine } from '../markdown/neutralise.ts';

const names: Record<CheckName, string> = {
  files: 'the files that the task names',
  setup: 'the setup command',
  tests: "the task's tests",
  verify: 'the verify command',
  build: 'the build check',
};

const described = 1000;

/** One paragraph, for notes, pull requests and the terminal. */
export function describeVerification(verification: Verification): string {
  const { ok, checks } = verification;
  if (checks.length === 0) {
    return 'Nothing was checked: the task names no files_to_create and no test_files, and no verify command is set.';
  }
  const head = ok ? 'The checks passed' : 'The checks failed';
  const text = `${head}: ${checks.map(describeCheck).join('; ')}.`;
  return neutraliseLine(text, 'comment', described);
}

/** One line each, with the command as the team wrote it. */
export function checkLines({ checks }: Verification): string[] {
  return checks.slice(0, 10).map(checkLine);
}

function checkLine(check: Check): string {
  const { name, ok, skipped, command, reason, results, seconds } = check;
  const what =
    command === undefined
      ? names[name]
      : `\`${neutraliseLine(command.replaceAll('`', "'"), 'comment', 200)}\``;
  const why = neutraliseLine(reason ?? '', 'comment', 300);
  if (skipped) return `not run: ${what}${why === '' ? '' : `, ${why}`}`;
  if (!ok) return `failed: ${what}${why === '' ? '' : `, ${why}`}`;
  if (name === 'files') return `passed: ${what} exist`;
  const details = [
    ...(results ? [countText(results)] : []),
    ...(seconds >= 1 ? [`${Math.round(seconds)} s`] : []),
  ];
  return `passed: ${what}${details.length === 0 ? '' : ` (${details.join(', ')})`}`;
}

function describeCheck(check: Check): string {
  const { name, ok, skipped, reason, results, seconds } = check;
  if (skipped) return `${names[name]} (not run: ${reason ?? 'for no known reason'})`;
  if (!ok) return failedText(name, reason);
  if (name === 'files') return `${names[name]} exist`;
  const details = [...(results ? [countText(results)] : []), `${Math.round(seconds)} s`];
  return `${names[name]} passed (${details.join(', ')})`;
}

function failedText(name: CheckName, reason: string | null): string {
  const own = /^it (ended[^]*)/.exec(reason ?? '')?.[1];
  return own === undefined ? `${names[name]}: ${reason ?? 'failed'}` : `${names[name]} ${own}`;
}

function countText({ passed, failed, skipped, unit }: TestResults): string {
  const parts = [
    ...(failed > 0 ? [`${failed} failed`] : []),
    `${passed} ${unit} passed`,
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
  ];
  return parts.join(', ');
}

const outputChars = 8000;

/**
 * The error of a step whose checks failed: a line for people, then Markdown for the prompt of the next
 * attempt.
 */
export function failureForPrompt(verification: Verification): string {
  const failed = failedChecks(verification);
  const reasons = failed.map(({ name, reason }) => failedText(name, reason));
  // The more checks failed, the less text each one gets.
  const share = 1 / Math.max(1, failed.length);
  const details = failed.map((check) => failedCheck(check, share)).join('\n');
  return `${neutraliseLine(reasons.join('; '), 'comment', described)}\n\n${details}`;
}

function failedCheck(check: Check, share: number): string {
  const reason = neutraliseLine(check.reason ?? 'it failed', 'comment', 2000);
  const lines = [`### Failed: ${names[check.name]}`, '', `${reason}.`, ''];
  if (check.command !== undefined) lines.push(fenceAsData(check.command.slice(0, 1000), 'Command'));
  const tail = Math.floor(outputChars * share);
  if (check.output !== '') {
    lines.push(fenceAsData(keepEnds(check.output, Math.floor(tail / 6), tail), 'Output'));
  }
  return lines.join('\n');
}
