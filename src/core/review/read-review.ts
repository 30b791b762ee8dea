/**
 * Reads a whole review: its verdict, its findings, and whether they agree. If the findings or the JSON
 * contradict the verdict, gza asks the reviewer once more, and then leaves the decision to a person. A
 * contradiction never counts as an approval, and starts no improve.
 */
import { type Markdown, readMarkdown } from '../markdown/markdown-lines.ts';
import { isRecord } from '../shape.ts';
import { findJson, jsonAsProse } from './find-json.ts';
import {
  type Finding,
  type FindingParts,
  findingsMax,
  makeFindings,
  readFinding,
  type Severity,
} from './finding.ts';
import { isSilent, speaksAgainst, type VerdictReading, verdictOf, withDoubts } from './parse-verdict.ts';
import { proseFindings } from './prose-findings.ts';
import { fnv1a64 } from './same-finding.ts';
import { type Verdict, verdicts } from './verdict.ts';
import { readVerdictLine } from './verdict-line.ts';
import { type Doubt, dataAgainst } from './words/doubts.ts';

interface ReviewParts {
  readonly findings: readonly Finding[];
  /** It contains the nonce of its step. */
  readonly hasNonce: boolean;
}

export type ReviewReading = ReviewParts &
  /** `isBare`: it requests changes without naming any. */
  (
    | {
        readonly kind: 'verdict';
        readonly verdict: Verdict;
        readonly line: number;
        readonly isBare: boolean;
      }
    /** `isSilent`: nothing in it speaks against an approval either. */
    | { readonly kind: 'none'; readonly why: string; readonly isSilent: boolean }
    /** `isSilent`: nothing clearly speaks against the approval, but some parts could not be understood. */
    | {
        readonly kind: 'contradiction';
        readonly why: string;
        readonly isSilent: boolean;
        /** It approves, and there are only soft doubts. */
        readonly isSoft: boolean;
      }
  );

/** `nonce`: the nonce of the step that requested the review; null where none is needed. */
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

/** Reads the verdict in the words. If the answer is only JSON, the texts in it are read as prose. */
function proseVerdict(markdown: Markdown, text: string): VerdictReading {
  const reading = verdictOf(markdown);
  const prose = reading.kind === 'none' && !reading.isCut ? jsonAsProse(markdown, text) : null;
  return prose === null ? reading : withDoubts(verdictOf(readMarkdown(prose)), dataAgainst(markdown));
}

/**
 * Reads a verdict that came with the nonce, and so is certainly the reviewer's. A soft doubt in the prose
 * does not change it, but a contradiction does.
 */
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

/**
 * Accepts a single verdict from the data when the words give none, unless it approves: a wrong approval is
 * the only dangerous error.
 */
function inData(
  prose: VerdictReading,
  { verdicts: [verdict, ...others] }: FindingsReading,
): VerdictReading | null {
  const isGiven = prose.kind === 'none' && verdict !== undefined && others.length === 0;
  return isGiven && verdict !== 'APPROVED' ? { kind: 'verdict', verdict, line: 1 } : null;
}

/** Whether the nonce is outside code and quotes. */
function isIn({ lines }: Markdown, nonce: string): boolean {
  return lines.some(({ text, standing }) => standing !== 'hidden' && text.includes(nonce));
}

/** Reads a list without severities under a clear CHANGES_REQUESTED as the required changes. */
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

/** Whether there is enough text to act on, even if no finding can be read from it. */
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

/** Why a verdict cannot stand; null if it can. The text completes "The review contradicts itself: …". */
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
 * The nonce of a step, which its answer must contain. Text that existed before the step cannot contain it, so
 * a quotation cannot be mistaken for the answer.
 *
 * It is derived from the random claim, so that both halves of a step can compute it. It also depends on the
 * commit at which the step begins, so that the author of that commit could not have known it.
 */
export function stepNonce({ claim, id, step, cycle, lane }: StepKey): string {
  return fnv1a64(`${claim}\n${id}\n${step}\n${cycle}\n${lane?.head ?? ''}`);
}

/** Discards an approval without the nonce. Other verdicts need no nonce, because they approve nothing. */
export function gateReview(reading: ReviewReading): ReviewReading {
  if (reading.hasNonce) return reading;
  if (reading.kind === 'contradiction') return { ...reading, isSoft: false };
  if (reading.kind !== 'verdict' || reading.verdict !== 'APPROVED') return reading;
  const { findings, hasNonce } = reading;
  const why = 'its approval does not carry the nonce of this step';
  return { findings, hasNonce, kind: 'none', why, isSilent: true };
}

/** Removes the nonce from the text, so that it is not read as part of what the review says. */
function withoutNonce(text: string, nonce: string): string {
  if (!/^\w{8,64}$/.test(nonce)) return text;
  const named = new RegExp(`[(["]{0,2}\\b(?:nonce\\b[^\\w\\n]{0,8})?${nonce}\\b["\`*)\\]]{0,4}`, 'gi');
  return text.replace(named, '');
}

/**
 * The result of one or two answers by a reviewer. The second answer is requested when the first gave no valid
 * verdict. It can always make the result worse, but better only if nothing in the first answer speaks against
 * that.
 */
export interface SettledReview {
  /** Null when a person must decide; `why` gives the reason. */
  readonly verdict: Verdict | null;
  readonly why: string;
  /** The findings of all answers. */
  readonly findings: readonly Finding[];
}

/** Whether to ask the reviewer again: there is no verdict, or none that anybody can act on. */
export function asksAgain(reading: ReviewReading): boolean {
  return reading.kind !== 'verdict' || reading.isBare;
}

/** `second`: null when it was not requested, or got no answer. */
export function settleReview(first: ReviewReading, second: ReviewReading | null): SettledReview {
  const findings = bothOf(first, second);
  if (second === null || !asksAgain(first)) {
    return first.kind === 'verdict'
      ? { verdict: first.verdict, why: '', findings }
      : { verdict: null, why: first.why, findings };
  }
  const stands = (verdict: Verdict): SettledReview => ({ verdict, why: '', findings });
  // The first answer requested changes without naming any, and that verdict stands.
  if (first.kind === 'verdict') return stands(first.verdict);
  // A second approval with only soft doubts settles those doubts.
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

export interface FindingsReading {
  readonly findings: readonly Finding[];
  readonly from: 'json' | 'prose' | 'none';
  /** Number of findings, or blocks of findings, that could not be read. */
  readonly lost: number;
  /** The verdicts in the JSON. */
  readonly verdicts: readonly Verdict[];
  /** The verdicts in JSON that also has the step's nonce. */
  readonly sealed: readonly Verdict[];
  /** Number of questions that only a person can answer. */
  readonly questions: number;
  /** Number of acceptance criteria that it reports as not met. */
  readonly unmet: number;
}

export function parseFindings(text: string): FindingsReading {
  return findingsOf(readMarkdown(text), text, null);
}

function findingsOf(markdown: Markdown, text: string, nonce: string | null): FindingsReading {
  const read = findJson(markdown, text, ...listNames, 'claim').map((block) =>
    block.kind === 'json' ? readBlock(block.value) : null,
  );
  const blocks = read.filter((block) => block !== null);
  const isJson = blocks.length > 0;
  const parts = isJson ? blocks.flatMap((block) => block.parts) : proseFindings(markdown.lines);
  const findings = makeFindings(parts);
  const named = blocks.filter((block) => block.verdict !== null);
  const verdictsOf = (some: readonly Block[]) => [...new Set(some.flatMap(({ verdict }) => verdict ?? []))];
  const sum = (counts: readonly number[]): number => counts.reduce((all, count) => all + count, 0);
  return {
    findings: findings.slice(0, findingsMax),
    from: isJson ? 'json' : parts.length > 0 ? 'prose' : 'none',
    lost:
      read.length -
      blocks.length +
      sum(blocks.map(({ lost }) => lost)) +
      Math.max(0, findings.length - findingsMax),
    verdicts: verdictsOf(named),
    sealed: nonce === null ? [] : verdictsOf(named.filter((block) => block.nonce === nonce)),
    questions: sum(blocks.map(({ questions }) => questions)),
    unmet: sum(blocks.map(({ unmet }) => unmet)),
  };
}

interface Block {
  readonly parts: readonly FindingParts[];
  readonly lost: number;
  readonly verdict: Verdict | null;
  readonly nonce: unknown;
  readonly questions: number;
  readonly unmet: number;
}

const entriesMax = 1000;

/** The lists that a block may contain, with the severity of entries that name none. */
const lists: Readonly<Record<string, Severity | null>> = {
  findings: null,
  issues: null,
  comments: null,
  blockers: 'blocker',
  required_changes: 'blocker',
  must_fix: 'blocker',
  followups: 'follow-up',
  follow_ups: 'follow-up',
  suggestions: 'follow-up',
  nits: 'follow-up',
};
const listNames = Object.keys(lists);

function readBlock(value: unknown): Block | null {
  const block = isRecord(value) ? value : { findings: value };
  if (!listNames.some((name) => Array.isArray(block[name]))) return null;
  const list = listNames.flatMap((name) => entriesOf(block[name], lists[name] ?? null));
  const parts = list.slice(0, entriesMax).flatMap((entry) => readFinding(entry) ?? []);
  const { verdict, questions, nonce, criteria } = block;
  return {
    parts,
    lost: list.length - parts.length,
    verdict: readVerdict(verdict),
    nonce,
    questions: Array.isArray(questions) ? questions.length : 0,
    unmet: Array.isArray(criteria)
      ? criteria.filter((one) => isRecord(one) && one['met'] === false).length
      : 0,
  };
}

function entriesOf(list: unknown, severity: Severity | null): readonly unknown[] {
  if (!Array.isArray(list)) return [];
  if (severity === null) return list;
  return list.map((entry) => (isRecord(entry) ? { severity, ...entry } : { severity, claim: entry }));
}

function readVerdict(value: unknown): Verdict | null {
  const word =
    typeof value === 'string'
      ? value
          .trim()
          .toUpperCase()
          .replace(/[\s-]+/g, '_')
      : '';
  return verdicts.find((verdict) => word === verdict || word === `${verdict}_WITH_FOLLOWUPS`) ?? null;
}
