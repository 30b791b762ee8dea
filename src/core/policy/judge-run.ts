import { cleanLines, keepEnds } from '../checks/output-text.ts';
import { readTestResults, type TestResults, totalOf } from '../checks/test-results.ts';
import type { Check, CheckEnd, CheckName } from '../checks/verification.ts';

export interface CommandRun {
  readonly name: CheckName;
  readonly command: string;
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly endedBy: CheckEnd | undefined;
  readonly spawnError: string | undefined;
  /** What it used too much of, where that ended it. */
  readonly used?: string | undefined;
  readonly seconds: number;
  readonly output: string;
  /** The task names test files, so a run without tests is none. */
  readonly expectsTests: boolean;
}

const headChars = 2000;
const tailChars = 10_000;

/** Success needs an exit code of 0, and no results that say otherwise. */
export function judgeRun(run: CommandRun): Check {
  // What installs may print anything.
  const results = run.name === 'setup' ? null : readTestResults(run.output);
  const reason = endReason(run, results) ?? resultReason(run, results);
  const isLate = run.endedBy === 'timeout' || run.endedBy === 'idle';
  return {
    name: run.name,
    command: run.command,
    ok: reason === null,
    reason,
    exitCode: run.exitCode,
    ...(run.endedBy === undefined ? {} : { endedBy: run.endedBy }),
    ...(isLate ? { timedOut: true } : {}),
    seconds: run.seconds,
    results,
    output: keepEnds(cleanLines(run.output).join('\n').trimEnd(), headChars, tailChars),
  };
}

function endReason(run: CommandRun, results: TestResults | null): string | null {
  if (run.spawnError !== undefined) return `it could not be started: ${run.spawnError}`;
  if (run.used !== undefined) return `${run.used}, and was ended`;
  if (run.endedBy !== undefined) return endings[run.endedBy](Math.round(run.seconds));
  if (run.signal !== null) return `it was ended by ${run.signal}${counted(results)}`;
  if (run.exitCode === 0) return null;
  if (run.exitCode === 127) return notFound;
  if (run.exitCode === 126) return notRunnable;
  return `it ended with exit code ${run.exitCode}${counted(results)}`;
}

const endings: Record<CheckEnd, (seconds: number) => string> = {
  timeout: (seconds) =>
    `it was still running after ${seconds} s, its limit, and was ended with all it had started`,
  idle: (seconds) =>
    `it printed nothing and used no processor for too long (ended after ${seconds} s): it hangs, waits for input, or leaves a server running`,
  output_limit: () => 'it printed more than it may, and was ended',
  resources: () => 'it used more of the machine than it may, and was ended',
  cancelled: () => 'it was stopped from outside before it ended',
};

const notFound =
  'the shell did not find a program (exit code 127). Checks run with a HOME of their own and a short environment: name programs that are on PATH, or install what is missing with setup in gza.yaml';
const notRunnable =
  'the shell found a program that it may not run (exit code 126). Make the file executable and commit that, or name its interpreter in the command';

function resultReason(run: CommandRun, results: TestResults | null): string | null {
  if (results === null) return null;
  const { failed, passed, skipped, format } = results;
  if (failed > 0) return `it ended with exit code 0, but ${format} reports ${failedOf(results)}`;
  if (!run.expectsTests || passed > 0) return null;
  return skipped > 0
    ? `no tests ran: all ${skipped} were skipped. It ended with exit code 0, but nothing was tested`
    : 'no tests ran. It ended with exit code 0, but nothing was tested: see that the command takes the test files, and that they hold tests';
}

function counted(results: TestResults | null): string {
  return results === null || totalOf(results) === 0 ? '' : `: ${failedOf(results)}`;
}

const namesShown = 3;

function failedOf(results: TestResults): string {
  const { failed, unit, failures } = results;
  const names = failures.slice(0, namesShown).join(', ');
  const more = failed > namesShown && failures.length > 0 ? ', …' : '';
  return `${failed} of ${totalOf(results)} ${unit} failed${names === '' ? '' : `: ${names}${more}`}`;
}
