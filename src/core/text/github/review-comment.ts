/**
 * A review on a pull request: the verdict and what the reviewer tried, then blockers, then follow-ups. A
 * finding becomes a comment on its line if the diff contains that line. All others are listed in the review's
 * text. Each finding appears once, with a hidden mark.
 */
import type { WaitingFile } from '../../ledger/record/record.ts';
import type { Finding } from '../../review/finding.ts';
import type { Verdict } from '../../review/verdict.ts';
import { count, fitStages } from '../terminal/lines.ts';
import { codeText, inlineText, quotedText } from './inline-text.ts';
import { findingCounts } from './pull-story.ts';

/** Nobody reads more comments on lines than these. */
export const inlineMax = 30;

export interface ReviewFacts {
  readonly verdict: Verdict | null;
  readonly cycle: number;
  readonly cyclesMax: number;
  /** All findings of this review. */
  readonly findings: readonly Finding[];
  /** Those that become comments on lines. */
  readonly inline: readonly Finding[];
  /** Findings of an earlier review that this one repeats without adding anything. */
  readonly repeated: readonly Finding[];
  /** What the reviewer reports to have tried, and what it read or ran. */
  readonly summary?: string;
  readonly lookedAt?: readonly string[];
  readonly agent?: string;
  readonly model?: string;
  /** The commit that was reviewed. */
  readonly head?: string;
  /** What happens next; trusted text. */
  readonly next?: string;
}

/** Chooses blockers first. Findings whose line is not in the diff stay in the review's text. */
export function chooseInline(
  findings: readonly Finding[],
  isOnDiff: (file: string, line: number) => boolean,
  max = inlineMax,
): readonly Finding[] {
  const on = findings.filter(({ file, line }) => file !== null && line !== null && isOnDiff(file, line));
  const byWeight = [...on].sort(
    (a, b) => Number(b.severity === 'blocker') - Number(a.severity === 'blocker'),
  );
  const chosen = new Set(byWeight.slice(0, max));
  return on.filter((finding) => chosen.has(finding));
}

const severities = { blocker: '🛑 Blocker', 'follow-up': '💡 Follow-up' } as const;

/** The comment on a line. */
export function printInlineComment(finding: Finding, cycle: number): string {
  const { severity, claim, evidence, fix, fingerprint } = finding;
  return [
    `**${severities[severity]}**: ${inlineText(claim, 2_000)}`,
    evidence === '' ? '' : `**Evidence**\n\n${quotedText(evidence, 2_000)}`,
    fix === '' ? '' : `**What to do**\n\n${quotedText(fix, 2_000)}`,
    `<sub>gza review ${cycle}. Answer here, or resolve the conversation if it does not hold.</sub>`,
    `<!-- gza:finding ${fingerprint} -->`,
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

interface Limits {
  readonly listed: number;
  readonly claimChars: number;
  /** How many findings show their evidence and what to do. */
  readonly details: number;
}

const stages: readonly Limits[] = [
  { listed: 100, claimChars: 300, details: 100 },
  { listed: 100, claimChars: 200, details: 10 },
  { listed: 100, claimChars: 120, details: 0 },
  { listed: 20, claimChars: 60, details: 0 },
];

/** GitHub allows 65,536 characters. The rest is for the hidden mark and comments that fit on no line. */
export const reviewCharsMax = 60_000;

export function printReviewComment(facts: ReviewFacts): string {
  const fitted = fitStages(stages, (limits) => reviewText(facts, limits), reviewCharsMax);
  return fitted?.text ?? headline(facts);
}

function reviewText(facts: ReviewFacts, limits: Limits): string {
  const { inline, repeated, summary = '', lookedAt = [] } = facts;
  const elsewhere = new Set([...inline, ...repeated]);
  const listed = facts.findings.filter((finding) => !elsewhere.has(finding));
  const shown = byWeight(listed).slice(0, limits.listed);
  const seen = lookedAt.slice(0, 12).map((one) => codeText(one, 80));
  return [
    headline(facts),
    verdictLine(facts),
    quotedText(summary, 1_500),
    seen.length > 0 ? `Looked at ${seen.join(', ')}.` : '',
    list('Blockers', 'blocker', { shown, inline }, limits),
    list('Follow-ups', 'follow-up', { shown, inline }, limits),
    leftOut(listed.length - shown.length, 'more finding'),
    leftOut(shown.slice(limits.details).filter(hasMore).length, 'more finding', 'The evidence of '),
    stillOpen(repeated),
    facts.next ? inlineText(facts.next, 400) : '',
    footer(facts),
    listed.map(({ fingerprint }) => `<!-- gza:finding ${fingerprint} -->`).join('\n'),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

const verdictWords: Record<Verdict, string> = {
  APPROVED: '✅ **Verdict: APPROVED**',
  CHANGES_REQUESTED: '🔁 **Verdict: CHANGES_REQUESTED**',
  NEEDS_DISCUSSION: '💬 **Verdict: NEEDS_DISCUSSION**',
};

function headline({ cycle, cyclesMax }: ReviewFacts): string {
  return `### gza review ${cycle} of ${Math.max(cycle, cyclesMax)}`;
}

function verdictLine({ verdict, findings }: ReviewFacts): string {
  const blockers = findings.filter(({ severity }) => severity === 'blocker').length;
  const said = verdict === null ? '❓ **No verdict given**' : verdictWords[verdict];
  return `${said} · ${findingCounts(blockers, findings.length - blockers) || 'no findings'}`;
}

function byWeight(findings: readonly Finding[]): Finding[] {
  return findings.toSorted((a, b) => Number(b.severity === 'blocker') - Number(a.severity === 'blocker'));
}

interface Points {
  readonly shown: readonly Finding[];
  readonly inline: readonly Finding[];
}

/**
 * Lists the findings of one severity that are not on lines, with their evidence, and counts those on lines.
 */
function list(
  title: string,
  severity: Finding['severity'],
  { shown, inline }: Points,
  { claimChars, details }: Limits,
): string {
  const isOf = (one: Finding) => one.severity === severity;
  const own = shown.filter(isOf);
  const below = inline.filter(isOf).length;
  if (own.length + below === 0) return '';
  const items = own.map((one) => printPoint(one, claimChars, shown.indexOf(one) < details));
  const onLines = `- ${below}${own.length > 0 ? ' more' : ''}, on ${below === 1 ? 'its line' : 'their lines'} below`;
  return `#### ${title}\n\n${[...items, ...(below > 0 ? [onLines] : [])].join('\n')}`;
}

function hasMore({ evidence, fix }: Finding): boolean {
  return evidence !== '' || fix !== '';
}

/** A list item. Further lines are indented so that they stay inside it. */
function printPoint(finding: Finding, claimChars: number, isTold: boolean): string {
  const { claim, evidence, fix } = finding;
  const parts = [
    `**${inlineText(claim, claimChars)}**${placeOf(finding)}`,
    ...(isTold ? [quotedText(evidence, 2_000)] : []),
    ...(isTold && fix !== '' ? [whatToDo(fix)] : []),
  ];
  return `- ${parts
    .filter((part) => part !== '')
    .join('\n\n')
    .replaceAll('\n', '\n  ')}`;
}

function whatToDo(fix: string): string {
  return /\n/.test(fix.trim())
    ? `What to do:\n\n${quotedText(fix, 2_000)}`
    : `What to do: ${inlineText(fix, 500)}`;
}

function placeOf({ file, line }: Finding): string {
  return file === null ? '' : ` (${codeText(line === null ? file : `${file}:${line}`, 160)})`;
}

function leftOut(left: number, what: string, before = ''): string {
  return left > 0
    ? `${before}${count(left, what)} did not fit here; the ledger of this branch has all, under \`reviews/\`.`
    : '';
}

/** Names repeated findings, because this review hides the earlier one. Their evidence stays in that one. */
function stillOpen(repeated: readonly Finding[]): string {
  if (repeated.length === 0) return '';
  const lines = byWeight(repeated)
    .slice(0, 10)
    .map((one) => `- ${severities[one.severity]}: ${inlineText(one.claim, 120)}${placeOf(one)}`);
  const more = repeated.length > lines.length ? [`- … and ${repeated.length - lines.length} more`] : [];
  return `Still open from an earlier review:\n\n${[...lines, ...more].join('\n')}`;
}

function footer({ agent, model, head }: ReviewFacts): string {
  const by = agent ? `by ${inlineText(agent, 60)}${model ? ` (${inlineText(model, 60)})` : ''}` : '';
  const of = head ? `of ${head.slice(0, 7)}` : '';
  const line = [by, of].filter((part) => part !== '').join(' ');
  const advice = 'A verdict of gza is advice: it holds for this diff and merges nothing.';
  return `<sub>${line === '' ? '' : `Review ${line}. `}${advice}</sub>`;
}

/** A comment on a line outside the diff, which must go into the body of the review. */
export interface PlacedComment {
  readonly path: string;
  readonly line: number;
  readonly body: string;
}

export interface ReviewBody {
  readonly text: string;
  /** Number of comments that did not fit. */
  readonly dropped: number;
}

const heading = '#### On lines outside the diff';
const tail = (count: number) =>
  `\n\n_${count} more did not fit here; the ledger of this branch has them all, under \`reviews/\`._`;

/** At most `charactersMax` long. Ends with the number of comments that did not fit. */
export function reviewBody(body: string, rest: readonly PlacedComment[], charactersMax: number): ReviewBody {
  const room = charactersMax - tail(rest.length).length;
  const head = body.length <= room ? body : `${body.slice(0, room - 2).replace(/[\ud800-\udbff]$/, '')}\n…`;
  let text = head;
  let printed = 0;
  for (const one of rest) {
    const item = printComment(one);
    const more = `${printed === 0 ? `\n\n${heading}\n` : ''}\n${item}`;
    if (text.length + more.length > room) break;
    text += more;
    printed += 1;
  }
  const dropped = rest.length - printed;
  return { text: dropped > 0 ? text + tail(dropped) : text, dropped };
}

/** A list item. Further lines are indented so that they stay inside it. */
function printComment({ path, line, body }: PlacedComment): string {
  const place = `${path}:${line}`.replaceAll('`', "'").replaceAll(/[\r\n]+/g, ' ');
  return `- \`${place}\`: ${body.trim().replaceAll('\n', '\n  ')}`;
}

/** Lists the changes that a person must approve before the task continues, and says how. */
export function waitingReview(id: string, waits: readonly WaitingFile[]): string {
  const lines = waits.slice(0, 50).map(({ path, why }) => `- ${codeText(path)}: ${inlineText(why, 300)}`);
  const more = waits.length > 50 ? [`- … and ${waits.length - 50} more`] : [];
  return `### These changes wait for a person\n\n${[...lines, ...more].join('\n')}\n\n\`/gza approve\`, or the box in the description, lets them pass as they are in this commit, and ${codeText(id)} goes on. \`/gza improve\` and what to do instead asks for others.`;
}
