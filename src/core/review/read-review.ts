/**
 * What a review says, all of it: its verdict, its findings, and whether they agree. A verdict that its own
 * findings or JSON contradict is none: it is asked for once more, then it is a person's. It never counts as
 * an approval, nor does it spend an improve.
 */
import { type Markdown, readMarkdown } from '../markdown/markdown-lines.ts';
import { jsonAsProse } from './find-json.ts';
import { type Finding, type FindingParts, findingsMax, makeFindings } from './finding.ts';
import { type FindingsReading, findingsOf } from './parse-findings.ts';
import { isSilent, speaksAgainst, type VerdictReading, verdictOf, withDoubts } from './parse-verdict.ts';
import { proseFindings } from './prose-findings.ts';
import { fnv1a64 } from './same-finding.ts';
import type { Verdict } from './verdict.ts';
import { readVerdictLine } from './verdict-line.ts';
import { type Doubt, dataAgainst } from './words/doubts.ts';

interface ReviewParts {
  readonly findings: readonly Finding[];
  /** It carries the nonce of its step. */
  readonly hasNonce: boolean;
}

export type ReviewReading = ReviewParts &
  /** `isBare`: it asks for changes and does not say which. */
  (
    | {
        readonly kind: 'verdict';
        readonly verdict: Verdict;
        readonly line: number;
        readonly isBare: boolean;
      }
    /** `isSilent`: nor does it say anything that goes against an approval. */
    | { readonly kind: 'none'; readonly why: string; readonly isSilent: boolean }
    /** `isSilent`: nothing speaks against the approval, but not all that is said speaks for itself. */
    | {
        readonly kind: 'contradiction';
        readonly why: string;
        readonly isSilent: boolean;
        /** It approves, and only what may be a fault makes it doubtful. */
        readonly isSoft: boolean;
      }
  );

/** `nonce`: of the step that asked for the review; null where it is only read. */
export function readReview(text: string, nonce: string | null = null): ReviewReading {
  const whole = readMarkdown(text);
  const markdown = nonce !== null && text.includes(nonce) ? readMarkdown(withoutNonce(text, nonce)) : whole;
  const prose = proseVerdict(markdown, text);
  const read = findingsOf(whole, text, nonce);
  const [sealed, ...others] = read.sealed;
  const isSealed = sealed !== undefined && others.length === 0;
  const reading = isSealed ? sealedReading(sealed, prose, markdown) : (inData(prose, read) ?? prose);
  const findings = withoutSeverity(markdown, reading, read) ?? read.findings;
  const hasNonce = nonce !== null && (read.sealed.length > 0 || isIn(whole, nonce));
  const parts: ReviewParts = { findings, hasNonce };
  if (reading.kind === 'none') {
    const hasBlocker = findings.some(({ severity }) => severity === 'blocker') || read.lost > 0;
    const silent = !hasBlocker && read.verdicts.every((one) => one === 'APPROVED') && isSilent(markdown);
    return { ...parts, kind: 'none', why: whyNone(reading), isSilent: silent };
  }
  const why = contradictionOf(reading, read);
  if (reading.kind === 'contradiction' || why !== null) {
    const isSoft = isOnlySoft(reading, read);
    return {
      ...parts,
      kind: 'contradiction',
      why: why ?? 'its lines contradict each other',
      isSilent: isSoft,
      isSoft,
    };
  }
  const { verdict, line } = reading;
  if (verdict === 'APPROVED' && (read.questions > 0 || read.unmet > 0)) {
    const asks =
      read.questions > 0
        ? 'it gives APPROVED, and asks what only a person can answer'
        : 'it gives APPROVED, and says that a criterion is not met';
    return { ...parts, kind: 'contradiction', why: asks, isSilent: true, isSoft: false };
  }
  const isBare = verdict === 'CHANGES_REQUESTED' && findings.length === 0 && !hasSubstance(markdown);
  return { ...parts, kind: 'verdict', verdict, line, isBare };
}

/** Of an answer that is JSON and nothing else, its texts are read as prose. */
function proseVerdict(markdown: Markdown, text: string): VerdictReading {
  const reading = verdictOf(markdown);
  const prose = reading.kind === 'none' && !reading.isCut ? jsonAsProse(markdown, text) : null;
  return prose === null ? reading : withDoubts(verdictOf(readMarkdown(prose)), dataAgainst(markdown));
}

/** A verdict beside the nonce is meant: the text around it may contradict it, and need not account for itself. */
function sealedReading(verdict: Verdict, prose: VerdictReading, markdown: Markdown): VerdictReading {
  if (prose.kind === 'verdict' || prose.isCut) return prose;
  if (prose.kind === 'contradiction') {
    const isSoft = prose.doubts?.every((doubt) => doubt.isSoft === true) === true;
    return isSoft ? { kind: 'verdict', verdict, line: prose.lines[0] ?? 1 } : prose;
  }
  if (verdict !== 'APPROVED') return { kind: 'verdict', verdict, line: 1 };
  const against = speaksAgainst(markdown);
  if (against === null) return { kind: 'verdict', verdict, line: 1 };
  return {
    kind: 'contradiction',
    verdicts: [verdict],
    lines: against.map(({ line }) => line),
    doubts: against,
  };
}

/** What approves nothing needs no line of its own: one verdict in the data of a text that gives none in its words. */
function inData(
  prose: VerdictReading,
  { verdicts: [verdict, ...others] }: FindingsReading,
): VerdictReading | null {
  const isGiven = prose.kind === 'none' && verdict !== undefined && others.length === 0;
  return isGiven && verdict !== 'APPROVED' ? { kind: 'verdict', verdict, line: 1 } : null;
}

/** Outside of code and quotes. */
function isIn({ lines }: Markdown, nonce: string): boolean {
  return lines.some(({ text, standing }) => standing !== 'hidden' && text.includes(nonce));
}

/** A list under a clear CHANGES_REQUESTED is what must change, also where it names no severity. */
function withoutSeverity(
  { lines }: Markdown,
  reading: VerdictReading,
  { from, lost }: FindingsReading,
): readonly Finding[] | null {
  if (reading.kind !== 'verdict' || reading.verdict !== 'CHANGES_REQUESTED') return null;
  if (from !== 'none' || lost > 0) return null;
  const found = makeFindings(proseFindings(lines, 'blocker')).slice(0, findingsMax);
  return found.length > 0 ? found : null;
}

const substanceCharsMin = 40;

/** Words enough to act on, also where no finding can be made of them. */
function hasSubstance({ lines }: Markdown): boolean {
  const words = lines
    .filter(({ text, standing }) => standing !== 'hidden' && readVerdictLine(text) === null)
    .map(({ text }) => text.trim());
  return words.join(' ').trim().length >= substanceCharsMin;
}

const doubtsShown = 5;

function whyNone(reading: VerdictReading): string {
  return reading.isCut
    ? 'the review is too long to be read whole, and so cannot approve'
    : 'there is no line that gives a verdict and nothing else';
}

/** Why a verdict cannot stand, in words that follow "The review contradicts itself: "; null if it can. */
function contradictionOf(reading: VerdictReading, read: FindingsReading): string | null {
  if (reading.kind === 'none') return null;
  const given = reading.kind === 'verdict' ? [reading.verdict] : reading.verdicts;
  const [verdict, ...others] = given;
  if (verdict === undefined || others.length > 0) return linesAgainst(reading, given);
  const other = read.verdicts.find((one) => one !== verdict);
  if (other !== undefined) return `it gives ${verdict}, its JSON ${other}`;
  const blockers = read.findings.filter((finding) => finding.severity === 'blocker').length;
  if (verdict === 'APPROVED' && blockers > 0) {
    return `it gives APPROVED with ${blockers} blocker${blockers === 1 ? '' : 's'}`;
  }
  if (verdict === 'APPROVED' && read.lost > 0)
    return 'it gives APPROVED, and not all of its findings can be read';
  return linesAgainst(reading, given);
}

function isOnlySoft(reading: VerdictReading, read: FindingsReading): boolean {
  if (reading.kind !== 'contradiction' || read.lost > 0) return false;
  const isAgainst = [...reading.verdicts, ...read.verdicts].some((one) => one !== 'APPROVED');
  return !isAgainst && reading.doubts !== undefined && reading.doubts.every(({ isSoft }) => isSoft === true);
}

function linesAgainst(reading: VerdictReading, given: readonly Verdict[]): string | null {
  if (reading.kind !== 'contradiction') return null;
  const both = given.join(' and ');
  if (reading.doubts !== undefined) return `it gives ${both}, but ${doubtWords(reading.doubts)}`;
  const lines = reading.lines.slice(0, 10).join(', ');
  return given.length > 1
    ? `it gives ${both} (lines ${lines})`
    : `it gives ${both}, and a line that takes it back or puts a condition on it (lines ${lines})`;
}

function doubtWords(doubts: readonly Doubt[]): string {
  const shown = doubts.slice(0, doubtsShown).map(({ line, what }) => `line ${line} ${what}`);
  const more = doubts.length - shown.length;
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ');
}

interface StepKey {
  readonly claim: string;
  readonly id: string;
  readonly step: string;
  readonly cycle: number;
  readonly lane?: { readonly head: string } | null;
}

/**
 * The nonce of a step: a word that its answer must carry. What the agent quotes, or what somebody wrote into the
 * work before, does not hold it, so it cannot be taken for the answer.
 *
 * It follows from the claim, which is random, so that both halves of a step know it with nothing to hand over; and
 * from the commit it begins at, so that who wrote that commit under the same claim could not put it in there.
 */
export function stepNonce({ claim, id, step, cycle, lane }: StepKey): string {
  return fnv1a64(`${claim}\n${id}\n${step}\n${cycle}\n${lane?.head ?? ''}`);
}

/**
 * The gate. An approval without the nonce is none; what asks for changes or for a person approves nothing, and
 * stands without.
 */
export function gateReview(reading: ReviewReading): ReviewReading {
  if (reading.hasNonce) return reading;
  if (reading.kind === 'contradiction') return { ...reading, isSoft: false };
  if (reading.kind !== 'verdict' || reading.verdict !== 'APPROVED') return reading;
  const { findings, hasNonce } = reading;
  const why = 'its approval does not carry the nonce of this step';
  return { findings, hasNonce, kind: 'none', why, isSilent: true };
}

/** The text without the lines that only hold the nonce: they say nothing else. */
function withoutNonce(text: string, nonce: string): string {
  if (!/^\w{8,64}$/.test(nonce)) return text;
  const named = new RegExp(`[(["]{0,2}\\b(?:nonce\\b[^\\w\\n]{0,8})?${nonce}\\b["\`*)\\]]{0,4}`, 'gi');
  return text.replace(named, '');
}

/**
 * What two answers of one reviewer come to. The second was asked for because the first gave no verdict that can
 * stand. It may make the outcome worse freely, but better only where nothing in the first goes against that.
 */
export interface SettledReview {
  /** Null: a person decides, because of `why`. */
  readonly verdict: Verdict | null;
  readonly why: string;
  /** Of all answers. */
  readonly findings: readonly Finding[];
}

/** A verdict that nobody can act on, or none, is asked for once more. */
export function asksAgain(reading: ReviewReading): boolean {
  return reading.kind !== 'verdict' || reading.isBare;
}

/** `second`: null when it was not asked for, or gave no answer. */
export function settleReview(first: ReviewReading, second: ReviewReading | null): SettledReview {
  const findings = bothOf(first, second);
  if (second === null || !asksAgain(first)) {
    return first.kind === 'verdict'
      ? { verdict: first.verdict, why: '', findings }
      : { verdict: null, why: first.why, findings };
  }
  const stands = (verdict: Verdict): SettledReview => ({ verdict, why: '', findings });
  // It asked for changes and named none.
  if (first.kind === 'verdict') return stands(first.verdict);
  // Asked whether that speaks against it, it approves once more: what only may be a fault is none.
  const isApproval = second.kind === 'contradiction' && second.isSoft;
  if (second.kind !== 'verdict' && !isApproval)
    return { verdict: null, why: `${first.why}; asked again: ${second.why}`, findings };
  if (second.kind === 'verdict' && second.verdict !== 'APPROVED') return stands(second.verdict);
  if (first.isSilent && !findings.some(({ severity }) => severity === 'blocker')) return stands('APPROVED');
  return {
    verdict: null,
    why: `${first.why}; asked again, it says APPROVED, which does not undo that`,
    findings,
  };
}

function bothOf(first: ReviewReading, second: ReviewReading | null): readonly Finding[] {
  if (second === null || second.findings.length === 0) return first.findings;
  if (first.findings.length === 0) return second.findings;
  const known = new Set(first.findings.map((finding) => finding.fingerprint));
  const fresh = second.findings.filter((finding) => !known.has(finding.fingerprint));
  return makeFindings([...first.findings, ...fresh].map(partsOf)).slice(0, findingsMax);
}

function partsOf({ severity, file, line, claim, evidence, fix }: Finding): FindingParts {
  return { severity, file, line, claim, evidence, fix };
}
