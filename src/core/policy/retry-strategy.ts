/**
 * What the next attempt should do differently. The same prompt to the same model gives the same mistake, so
 * each attempt learns what was tried and gets another way of working: first the failure that was named, then
 * another approach. When an error comes for the third time, the agent should take the smallest step, or say
 * that it is stuck.
 */
import { type Check, keepEnds, type Verification } from '../checks/verification.ts';
import { fenceAsData, neutraliseLine } from '../markdown/neutralise.ts';

export interface FailedAttempt {
  readonly error: string;
  readonly verification?: Verification | null | undefined;
  /** What the agent said that it had done. */
  readonly summary?: string | undefined;
  /** How often this error has occurred, including this time. */
  readonly sameErrorTimes: number;
  /** False if the run itself failed, and not a check of its result. */
  readonly isCheck?: boolean;
  /** The prompt of the agent shows its error elsewhere. */
  readonly isShown?: boolean;
}

export type Strategy = 'fix' | 'rethink' | 'reproduce' | 'smallest';

const shownMax = 5;
const summaryChars = 600;
const errorChars = 800;

/** `history`: the failed attempts, oldest first. The text is empty if there are none. */
export function retryStrategy(history: readonly FailedAttempt[]): string {
  const last = history.at(-1);
  if (last === undefined) return '';
  const strategy = strategyAfter(history);
  const count = history.length;
  const opening = `This is attempt ${count + 1}: ${count === 1 ? 'one attempt' : `${count} attempts`} failed.`;
  return [
    '### What was tried',
    '',
    opening,
    '',
    ...history.slice(-shownMax).map((one, index, shown) => {
      const number = count - shown.length + index + 1;
      const isSame = index + 1 < shown.length && one.error === shown[index + 1]?.error;
      return isSame ? `Attempt ${number} failed as the next one did.\n` : tried(one, number);
    }),
    '### What to do differently',
    '',
    ...(last.isCheck === false ? afterRun : advice[strategy](last)).map((line) => `- ${line}`),
    ...hints(last.verification).map((line) => `- ${line}`),
    '',
  ].join('\n');
}

/** Never the same strategy twice in a row. */
export function strategyAfter(history: readonly FailedAttempt[]): Strategy {
  let before: Strategy | undefined;
  for (const [index, attempt] of history.entries()) before = next(attempt, index, before);
  return before ?? 'fix';
}

function next(attempt: FailedAttempt, index: number, before: Strategy | undefined): Strategy {
  const wanted = attempt.sameErrorTimes >= 3 ? 'smallest' : (ladder[index] ?? 'smallest');
  if (wanted !== before) return wanted;
  return wanted === 'smallest' ? 'reproduce' : 'smallest';
}

const ladder: readonly Strategy[] = ['fix', 'rethink', 'reproduce'];

const advice: Record<Strategy, (last: FailedAttempt) => string[]> = {
  fix: () => [
    'Fix the failure named above first. Read the failing test and the code it runs before you change either.',
    'Keep what works: the rest of the work may be right.',
    'Run the failing check again yourself before you say that you are done.',
  ],
  rethink: () => [
    'Step back: the last fix did not help, so its idea of the cause is probably wrong. Take another approach.',
    'Do not repeat what is listed above, also not in other words. Undo of it what did not help.',
    'Write down what the check really needs, look at how the neighbouring code does it, and only then edit.',
  ],
  reproduce: () => [
    'Change nothing yet. Run the failing command as it is written above, and find the first line that goes wrong.',
    'Prove the cause with the smallest experiment you can make, then fix that cause and nothing else.',
    'If you are not able to reproduce the failure, write a note that begins with `blocked:` and says what you saw.',
  ],
  smallest: ({ sameErrorTimes }) => [
    sameErrorTimes >= 3
      ? `The same error came ${sameErrorTimes} times. Make the smallest change that could remove it, and nothing besides.`
      : 'Make the smallest change that could remove the failure, and nothing besides.',
    'If it needs what you cannot do here (a missing program, access, a decision, a wrong test), do not try again:',
    'write a note that begins with `blocked:` and says what is needed and from whom.',
  ],
};

/** No check said what is wrong, so there is nothing to reproduce. */
const afterRun: readonly string[] = [
  'The run itself ended without a result that could be checked. Look at what is there already before you go on.',
  'What counts is what is in files at the end: change them, and finish with the summary that is asked for.',
  'If nothing needs to change, or you cannot go on, write a note that begins with `blocked:` and says why.',
];

function tried({ error, summary, isShown }: FailedAttempt, number: number): string {
  const texts = [
    isShown
      ? `The checks after attempt ${number} failed: their output is above.\n`
      : fenceAsData(keepEnds(error.trim(), errorChars / 4, errorChars), `Error of attempt ${number}`),
  ];
  if (summary?.trim()) {
    const short = keepEnds(summary.trim(), summaryChars, summaryChars / 4);
    texts.unshift(fenceAsData(short, `What attempt ${number} says it did`));
  }
  return texts.join('\n');
}

/** Hints that follow from the kind of the failure alone. */
function hints(verification: Verification | null | undefined): string[] {
  const failed = verification?.checks.filter((check) => !check.ok && !check.skipped) ?? [];
  return [...new Set(failed.flatMap(hintsOf))];
}

function hintsOf(check: Check): string[] {
  if (check.name === 'files') return [`Create exactly what is missing: ${line(check.reason ?? '')}`];
  if (check.endedBy === 'timeout' || check.endedBy === 'idle') {
    return [
      'A check hung: close servers, timers and handles that tests open, and wait for nothing without a limit.',
    ];
  }
  if (check.endedBy === 'output_limit')
    return ['A check printed without end: look for a loop, and take out debug output.'];
  const neverRan = check.exitCode === null && check.seconds === 0;
  if (neverRan || check.exitCode === 126 || check.exitCode === 127) {
    return ['The command itself did not run. If code cannot change that, say so with `blocked:`.'];
  }
  if (check.exitCode === 0 && check.results?.failed === 0) {
    return ['No test ran: the test files must hold tests that the command finds and does not skip.'];
  }
  return [];
}

function line(text: string): string {
  return neutraliseLine(text, 'comment', 600);
}

/** How often the last error has occurred, itself included. Numbers, times and addresses in it may differ. */
export function sameErrorTimes(errors: readonly string[]): number {
  const last = errors.at(-1);
  if (last === undefined) return 0;
  const key = errorKey(last);
  return errors.filter((error) => errorKey(error) === key).length;
}

const errorCharsMax = 4000;

function errorKey(error: string): string {
  return error
    .slice(0, errorCharsMax)
    .toLowerCase()
    .replace(/\b0x[\da-f]+\b|\b[\da-f]{7,40}\b|\d+(?:\.\d+)?(?:ms|s)?/g, '#')
    .replace(/\s+/g, ' ')
    .trim();
}
