/**
 * Reads the verdict of a review, in a way that quoted text cannot change.
 *
 * 1. Only the author's own lines count (markdown-lines.ts), and only whole lines (verdict-line.ts).
 * 2. Doubtful lines never give a verdict. But an approval stands only if no line, certain or doubtful, speaks
 *    against it, because the worst error is an approval that nobody gave.
 * 3. An approval stands only if nothing else in the author's words or data contradicts it (doubts.ts). A
 *    possible contradiction is a soft doubt, which a clear second answer settles.
 * 4. Only the end of a very long text is read. Such a text cannot approve, because the part that was cut off
 *    might say otherwise.
 */

import { type Markdown, type MarkdownLine, readMarkdown } from '../markdown/markdown-lines.ts';
import { foldLookAlikes, removeHidden } from '../markdown/neutralise.ts';
import type { Verdict } from './verdict.ts';
import {
  readPlainVerdict,
  readVerdictAtEnd,
  readVerdictLine,
  readVerdictValue,
  type Statement,
} from './verdict-line.ts';
import { type Doubt, dataAgainst, doubtsIn } from './words/doubts.ts';

export type VerdictReading = (
  | { readonly kind: 'verdict'; readonly verdict: Verdict; readonly line: number }
  | { readonly kind: 'none' }
  | {
      readonly kind: 'contradiction';
      readonly verdicts: readonly Verdict[];
      readonly lines: readonly number[];
      /** What speaks against the approval, other than a different verdict. */
      readonly doubts?: readonly Doubt[];
    }
) & {
  /** The text was too long, so only its end was read. */
  readonly isCut?: true;
};

interface Evidence {
  readonly line: number;
  /** Null when the line gives no verdict but speaks against an approval. */
  readonly verdict: Verdict | null;
  readonly isCertain: boolean;
  /** The rest of its line. */
  readonly beside?: string;
}

export function parseVerdict(text: string): VerdictReading {
  return verdictOf(readMarkdown(text));
}

export function verdictOf(markdown: Markdown): VerdictReading {
  const reading = weigh(collect(markdown.lines));
  const isApproval = reading.kind === 'verdict' && reading.verdict === 'APPROVED';
  const isCut = markdown.charsCut > 0;
  if (!isApproval) return isCut ? { ...reading, isCut } : reading;
  return isCut ? { kind: 'none', isCut: true } : withDoubts(reading, doubtsOf(markdown));
}

/** An approval with doubts becomes a contradiction. */
export function withDoubts(reading: VerdictReading, doubts: readonly Doubt[]): VerdictReading {
  if (reading.kind !== 'verdict' || reading.verdict !== 'APPROVED' || doubts.length === 0) return reading;
  const lines = [...new Set([reading.line, ...doubts.map(({ line }) => line)])].sort((a, b) => a - b);
  return { kind: 'contradiction', verdicts: ['APPROVED'], lines, doubts };
}

/** Whether a text without a verdict also has no condition, blocker or other doubt. */
export function isSilent(markdown: Markdown): boolean {
  if (markdown.charsCut > 0) return false;
  return speaksAgainst(markdown) === null;
}

/** What speaks against an approval in a text that gives no verdict in words; null when nothing does. */
export function speaksAgainst(markdown: Markdown): readonly Doubt[] | null {
  const said = collect(markdown.lines).map(({ line }) => ({ line, what: 'speaks of a verdict' }));
  const doubts = [...said, ...doubtsOf(markdown).filter(({ isSoft }) => isSoft !== true)];
  return doubts.length === 0 ? null : doubts;
}

function doubtsOf(markdown: Markdown): readonly Doubt[] {
  return [...doubtsIn(markdown.lines, verdictLinesOf(markdown)), ...dataAgainst(markdown)];
}

/** The lines that give or announce a verdict, with the rest of their text. */
export function verdictLinesOf({ lines }: Markdown): ReadonlyMap<number, string> {
  const labels = lines.filter(({ text }) => readVerdictLine(text)?.kind === 'label');
  return new Map([
    ...labels.map(({ number }) => [number, ''] as const),
    ...collect(lines).map(({ line, beside = '' }) => [line, beside] as const),
  ]);
}

function weigh(evidence: readonly Evidence[]): VerdictReading {
  const certain = evidence.filter((item) => item.isCertain);
  const given = [...new Set(certain.flatMap((item) => item.verdict ?? []))];
  const [verdict, ...others] = given;
  const first = certain[0];
  if (verdict === undefined || first === undefined) return { kind: 'none' };
  if (others.length > 0) {
    return { kind: 'contradiction', verdicts: given, lines: certain.map((item) => item.line) };
  }
  const against = evidence.filter((item) => item.verdict !== 'APPROVED');
  if (verdict !== 'APPROVED' || against.length === 0) return { kind: 'verdict', verdict, line: first.line };
  const lines = [...certain, ...against].map((item) => item.line).sort((a, b) => a - b);
  const all = [...new Set([verdict, ...against.flatMap((item) => item.verdict ?? [])])];
  return { kind: 'contradiction', verdicts: all, lines };
}

function collect(lines: readonly MarkdownLine[]): readonly Evidence[] {
  const evidence: Evidence[] = [];
  const first = lines.findIndex(isSeen);
  const last = lines.findLastIndex(isSeen);
  for (const [index, line] of lines.entries()) {
    if (line.standing === 'hidden') continue;
    const isOuter = line.standing === 'prose' && (index === first || index === last);
    const atEnd = index === last ? readVerdictAtEnd(line.text) : null;
    if (atEnd === null && !mayBeVerdict(line.text)) {
      const verdict = isOuter ? readPlainVerdict(line.text) : null;
      const isCertain = verdict !== null && !isPartOfSentence(lines, index);
      if (verdict !== null) evidence.push({ line: line.number, verdict, isCertain });
      continue;
    }
    const { statement, isDisguised } = readDisguised(atEnd?.verdict ?? line.text, readVerdictLine);
    if (statement?.kind === 'label') {
      evidence.push(...valuesAfter(lines, index, isDisguised || line.standing !== 'prose'));
    } else if (statement !== null) {
      const isDoubtful =
        isDisguised ||
        (index === last && breaksOff(line.text)) ||
        hasFootnote(line.text) ||
        line.standing !== 'prose' ||
        (atEnd === null ? isPartOfSentence(lines, index) : isAnnounced(lines, index, atEnd.before));
      const found = evidenceOf(statement, line.number, !isDoubtful);
      evidence.push(...found.map((one) => (atEnd === null ? one : { ...one, beside: atEnd.before })));
    }
  }
  return evidence;
}

function isSeen({ text, standing }: MarkdownLine): boolean {
  return standing !== 'hidden' && text.trim() !== '';
}

/** Whether bold text is not closed, so that the line may be cut off. */
function breaksOff(text: string): boolean {
  return text.trimStart().startsWith('**') && (text.match(/\*\*/g)?.length ?? 0) % 2 === 1;
}

/** Whether a footnote follows, as in "APPROVED*": it may take the verdict back. */
function hasFootnote(text: string): boolean {
  const stars = text.replace(/^\s*\*\s/, '').match(/\*/g)?.length ?? 0;
  return /[†‡¹²³]\s*$/u.test(text) || (/\p{L}\*\s*$/u.test(text) && stars % 2 === 1);
}

const latin = /verdict/i;

/** A cheap test that rules out most lines. */
function mayBeVerdict(text: string): boolean {
  return latin.test(text) || (/[^\0-\x7F]/.test(text) && latin.test(foldLookAlikes(text.slice(0, 4000))));
}

/**
 * Reads the text as it is. If it is a verdict only with look-alike or hidden characters folded, it is
 * doubtful.
 */
function readDisguised<T extends Statement | null>(
  text: string,
  read: (text: string) => T,
): { statement: T; isDisguised: boolean } {
  const statement = read(text);
  const isHidden = removeHidden(text) !== text;
  if (!isHidden && (statement?.kind === 'verdict' || statement?.kind === 'label')) {
    return { statement, isDisguised: false };
  }
  const folded = /[^\0-\x7F]/.test(text) ? read(foldLookAlikes(text)) : statement;
  const isDisguised = folded?.kind === 'verdict' || folded?.kind === 'label';
  return isDisguised ? { statement: folded, isDisguised } : { statement, isDisguised: isHidden };
}

function evidenceOf(statement: Statement, line: number, isCertain: boolean): readonly Evidence[] {
  switch (statement.kind) {
    case 'verdict':
      return [{ line, verdict: statement.verdict, isCertain, beside: statement.remark }];
    case 'unclear':
      return statement.isAgainst ? [{ line, verdict: null, isCertain: false }] : [];
    case 'label':
      return [];
  }
}

const valuesMax = 8;

/** Reads the value below a heading `Verdict`. Several values are a list of choices, and all are returned. */
function valuesAfter(lines: readonly MarkdownLine[], at: number, isDoubtful: boolean): readonly Evidence[] {
  const evidence: Evidence[] = [];
  let read = 0;
  for (const line of lines.slice(at + 1, at + 30)) {
    if (line.standing === 'hidden') break;
    if (/^\s*$|^\s*[=-]+\s*$|^\s*[-*+]\s+\[ \]/.test(line.text)) continue;
    if (readVerdictLine(line.text) !== null) break;
    const { statement, isDisguised } = readDisguised(line.text, readVerdictValue);
    const isFirst = read === 0;
    read += 1;
    if (statement.kind !== 'verdict' && !isFirst) break;
    if (read > valuesMax) break;
    const index = line.number - (lines[0]?.number ?? 1);
    const isCertain =
      !isDoubtful && !isDisguised && line.standing === 'prose' && !isCondition(ownText(lines[index + 1]));
    evidence.push(...evidenceOf(statement, line.number, isCertain));
  }
  return evidence;
}

const reported =
  /\b(?:says?|said|reads?|contains?|claims?|claimed|wrote|written|states?|stated|example|would|could|if|unless|had|template|format|such as|like|quot\w+|description|comment\w*|instruct\w*|asks?|asked|tells?|told|tried|tries|inject\w*|pretend\w*|previous\w*|earlier|print\w*|output\w*|answer\w*|repl(?:y|ied)|write|add|adds|added|begins?|ends?|not|never|instead)\b|n['’]t\b/i;
/** "… ends with the following line.": the next line is a quotation. */
const pointing =
  /(?:\b(?:following|next|this) (?:line|text|verdict|marker|block|output|message|comment|review|string|footer|snippet)\b|\b(?:line|text|verdict|output|message|string|block) (?:below|that follows)\b|\b(?:ends?|begins?|starts?|closes?|concludes?|finish(?:es)?) (?:with|in|by)\b|\b(?:i quote|quot(?:ed|ing)|quotes? (?:the|this|from|it|its|an?)|past(?:e|es|ed|ing) (?:\w+ ){0,4}(?:from|below|here|over)|past(?:e|es|ed|ing)(?=[:,.]?$)|verbatim|copied (?:from|here|below|out|in|over)|excerpt)\b|\b(?:bot|tool|linter|model|description|commit message|readme|changelog|log|author|docs?|template|previous reviewer|other reviewer|fixture|test) (?:says|said|wrote|reads|prints|printed|claims|claimed|states|stated|contains|ended|concluded|shows|outputs?)\b)[^.!?]{0,80}[.:,]?$/i;
/** "… now contains the sentence": the next line is a quotation, too. */
const unended =
  /^(?![-*+\d]).{0,300}\b(?:sentence|line|string|words?|text|output|message|snippet|example|marker|footer|sample|excerpt|phrase|template|fixture|constant is|value is)$/i;
/** Words of a title that announces the reviewer's own verdict. */
const ownTitle =
  /\b(?:verdict|conclusion|conclud\w*|summary|result|decision|therefore|so|overall|final\w*|assessment|recommend\w*|outcome|thus|hence|judg[e]?ment|status|bottom line|tl;dr)\b[^.!?]{0,40}:$/i;
const condition =
  /^[\s(*_–—-]*(?:if|once|when|unless|after|until|provided|providing|pending|assuming|subject to|but|except|only|as soon as|as long as|on condition|conditional|contingent|would|had|should|is not|was not|cannot|not)\b/i;

/** Whether the surrounding lines make the verdict part of a quotation or a condition. */
function isPartOfSentence(lines: readonly MarkdownLine[], index: number): boolean {
  const before = ownText(lines[index - 1]);
  const leadIn = before === '' ? ownText(lines[index - 2]) : before;
  const isOpen = before === '' ? /[:,]$/.test(leadIn) : !/(?:[.!?|)\]>]|\*\*|`)$/.test(leadIn);
  if (leadIn !== '' && !leadIn.startsWith('#')) {
    const said = leadIn.slice(-400);
    if ((isOpen && reported.test(said)) || pointing.test(said)) return true;
    if (said.endsWith(':') && !ownTitle.test(said)) return true;
    if (unended.test(said)) return true;
  }
  return isCondition(ownText(lines[index + 1]));
}

/** Whether the sentence before the verdict makes it a quotation. */
function isAnnounced(lines: readonly MarkdownLine[], index: number, before: string): boolean {
  const above = ownText(lines[index - 1]) || ownText(lines[index - 2]);
  if (/[:,]$/.test(above) && !ownTitle.test(above)) return true;
  const sentence =
    before
      .slice(-300)
      .replace(/[.!?)]+$/, '')
      .split(/[.!?]\s/)
      .at(-1) ?? '';
  return pointing.test(sentence) || unended.test(sentence);
}

function ownText(line: MarkdownLine | undefined): string {
  return line === undefined || line.standing === 'hidden' ? '' : line.text.trim();
}

function isCondition(text: string): boolean {
  return condition.test(text.slice(0, 200));
}
