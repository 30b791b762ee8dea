/** Texts about reviews and checks: the file that is kept, the answer formats, and how a verification ended. */
import {
  type Check,
  type CheckName,
  failedChecks,
  keepEnds,
  type TestResults,
  type Verification,
} from '../checks/verification.ts';
import { codeSpans } from '../markdown/markdown-lines.ts';
import { cleanText, fenceAsData, fenceData, neutraliseLine } from '../markdown/neutralise.ts';
import type { Finding } from '../review/finding.ts';
import type { ReviewReading } from '../review/read-review.ts';
import { type Verdict, verdicts } from '../review/verdict.ts';

export interface Review {
  readonly verdict: Verdict | null;
  readonly findings: readonly Finding[];
  /**
   * The reviewer's prose. It is printed as a quote, so that no parser or agent takes it for part of the
   * review.
   */
  readonly summary?: string;
  /** What the reviewer wrote when asked once more. */
  readonly second?: string;
}

/** The review as a file. Parsing it again gives the same verdict and findings. */
export function printReview(review: Review): string {
  const sections = [
    review.verdict === null ? '**No verdict given**' : `**Verdict: ${review.verdict}**`,
    listOf('Blockers', review.findings, 'blocker'),
    listOf('Follow-ups', review.findings, 'follow-up'),
    quoted('Review', withoutVerdict(review.summary, review)),
    quoted('Answer to the second question', withoutVerdict(review.second, review)),
    `\`\`\`json\n${JSON.stringify(asData(review), null, 2)}\n\`\`\``,
  ];
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`;
}

/** The verdict stands above already. */
function withoutVerdict(text: string | undefined, { verdict }: Review): string | undefined {
  const isVerdict = (line: string) =>
    /^\W{0,8}verdict\W{1,8}([A-Z_]+)\W{0,8}$/i.exec(line.trim())?.[1] === verdict;
  return text
    ?.split('\n')
    .filter((line) => !isVerdict(line))
    .join('\n');
}

function quoted(title: string, text: string | undefined): string {
  return text === undefined || text.trim() === '' ? '' : `## ${title}\n\n${quote(text)}`;
}

function asData(review: Review): object {
  return review.verdict === null
    ? { findings: review.findings }
    : { verdict: review.verdict, findings: review.findings };
}

function listOf(title: string, findings: readonly Finding[], severity: Finding['severity']): string {
  const items = findings.filter((finding) => finding.severity === severity).map(printFinding);
  return items.length === 0 ? '' : `## ${title}\n\n${items.join('\n')}`;
}

/** One finding as a list item. Line breaks in its parts are removed, so it keeps its form. */
export function printFinding(finding: Finding): string {
  const name = finding.severity === 'blocker' ? 'Blocker' : 'Follow-up';
  const place = placeOf(finding);
  const lines = [
    `- **${name}**${place === '' ? '' : ` \`${place}\``} (${finding.fingerprint}): ${oneLine(finding.claim)}`,
  ];
  if (finding.evidence !== '') lines.push(`  - Evidence: ${oneLine(finding.evidence)}`);
  if (finding.fix !== '') lines.push(`  - Fix: ${oneLine(finding.fix)}`);
  return lines.join('\n');
}

function placeOf(finding: Finding): string {
  if (finding.file === null) return '';
  return finding.line === null ? finding.file : `${finding.file}:${finding.line}`;
}

/** Puts text on one line and escapes tags and comments outside inline code. */
function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  let safe = '';
  let from = 0;
  for (const span of codeSpans(line)) {
    safe += escapeTags(line.slice(from, span.start)) + line.slice(span.start, span.end);
    from = span.end;
  }
  return safe + escapeTags(line.slice(from));
}

function escapeTags(text: string): string {
  return text.replace(/</g, '&lt;');
}

function quote(text: string): string {
  return text
    .trim()
    .split(/\r\n|\r|\n/)
    .map((line) => `> ${line}`.trimEnd())
    .join('\n');
}

const choices = verdicts.map((verdict) => `\`**Verdict: ${verdict}**\``).join(', ');

const ownCharsMax = 20_000;

/**
 * Asked once when a review has no valid verdict. `text`: the review, or null if the agent still remembers it.
 */
export function secondQuestion(reading: ReviewReading, nonce: string, text: string | null): string {
  const own =
    text === null
      ? ''
      : `You reviewed the change in this clone. This is the review that you wrote.\n\n${fenceData(cleanText(keepEnds(text, ownCharsMax / 2, ownCharsMax / 2)), 'Your review')}\n\n`;
  return `${own}${foundWords(reading)}

Do not review again, and change nothing. Say in a sentence or two why, then end with your verdict on a line of its
own, outside of code and quotes, without condition. One of: ${choices}.
Below it, on a line of its own, give the nonce of this step: \`Nonce: ${nonce}\`. Without it an approval does not count.
APPROVED means that nothing must be done before the merge. If something must, it is CHANGES_REQUESTED: name it. If a
person must decide, it is NEEDS_DISCUSSION.
`;
}

function foundWords(reading: ReviewReading): string {
  switch (reading.kind) {
    case 'none':
      return `Your review gives no verdict that can be read: ${reading.why}.`;
    case 'contradiction':
      return reading.isSilent
        ? `Your review leaves a doubt: ${reading.why}. Is it a fault of the change, or does it hold nothing against it?`
        : `Your review contradicts itself: ${reading.why}.`;
    case 'verdict':
      return 'Your review asks for changes, and does not say which.';
  }
}

/** The schema for agents that support structured answers. */
export const reviewSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['nonce', 'summary', 'looked_at', 'criteria', 'findings', 'questions', 'verdict'],
  properties: {
    nonce: { type: 'string' },
    summary: { type: 'string' },
    looked_at: { type: 'array', items: { type: 'string' } },
    criteria: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['number', 'met', 'evidence'],
        properties: {
          number: { type: 'integer' },
          met: { type: 'boolean' },
          evidence: { type: 'string' },
        },
      },
    },
    findings: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['severity', 'file', 'line', 'claim', 'evidence', 'fix'],
        properties: {
          severity: { type: 'string', enum: ['blocker', 'follow-up'] },
          file: { type: ['string', 'null'] },
          line: { type: ['integer', 'null'] },
          claim: { type: 'string' },
          evidence: { type: 'string' },
          fix: { type: 'string' },
        },
      },
    },
    questions: { type: 'array', items: { type: 'string' } },
    verdict: { type: 'string', enum: [...verdicts] },
  },
};

/** Turns a structured answer into review text: its prose, then the whole answer as JSON. */
export function structuredReview(value: Readonly<Record<string, unknown>>, text: string): string {
  const { summary } = value;
  const isData = /^\s*(?:```|\{)/.test(text);
  const words = [isData ? '' : text.trim(), typeof summary === 'string' ? summary.trim() : ''];
  const said = words.filter((part, at) => part !== '' && words.indexOf(part) === at);
  return [...said, `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``].join('\n\n');
}

/** The part of a review's prompt that says how to answer. */
export function findingsSchemaText(nonce: string): string {
  return `End your review with a JSON block of this form and, after it, the verdict on a line of its own. Where you are
held to a schema, your last answer is that JSON and nothing else; where the variable GZA_ANSWER names a file, write it
to that file.

\`\`\`json
{
  "nonce": "${nonce}",
  "summary": "what you tried and what came of it, in two to four sentences",
  "looked_at": ["what you read or ran, such as src/example.ts or npm test"],
  "criteria": [{ "number": 1, "met": true, "evidence": "the test or the run that shows it" }],
  "findings": [
    {
      "severity": "blocker",
      "file": "src/example.ts",
      "line": 12,
      "claim": "what is wrong, in one sentence",
      "evidence": "how you know: the code, a failing input, the rule it breaks",
      "fix": "what must be done"
    }
  ],
  "questions": ["what only a person can answer"],
  "verdict": "one of the three below"
}
\`\`\`

- nonce: as it stands above. It belongs to this step alone: an approval without it does not count.
- criteria: one entry for each acceptance criterion, by its number; [] when the task has none.
- severity: "blocker" (must be fixed before this may be merged) or "follow-up" (may wait).
- file: a path relative to the repository's root, or null. line: a number in the new file, or null.
- No findings: "findings": []. No questions: "questions": []. Keep the words of a claim when you raise the same point again.
- The verdict is one of: ${choices}.
  It must stand outside of code and quotes, once, without condition. With a blocker it cannot be APPROVED.`;
}

/** For review agents that may write one file, but have no shell to read its name from the environment. */
export function answerFileText(file: string): string {
  return `Write that JSON to the file ${file} too, with your tool for writing files. It is the only file that you may write. If you cannot write it, print the JSON as said above.`;
}

/** The part of an improve's prompt that says how to answer each finding. */
export function answersSchemaText(): string {
  return `Answer each finding, by its fingerprint, in a JSON block at the end:

\`\`\`json
{
  "answers": [
    { "fingerprint": "0123456789abcdef", "answer": "fixed", "evidence": "what you changed, and how you checked it" },
    { "fingerprint": "fedcba9876543210", "answer": "disputed", "evidence": "why the finding is wrong" }
  ]
}
\`\`\`

- answer: "fixed" or "disputed". What is disputed needs evidence: code, a test, a document.`;
}

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
