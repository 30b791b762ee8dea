/**
 * What two answers of one reviewer come to. The second was asked for because the first gave no verdict that can
 * stand. It may make the outcome worse freely, but better only where nothing in the first goes against that.
 */
import { type Finding, type FindingParts, findingsMax, makeFindings } from './finding.ts';
import type { ReviewReading } from './read-review.ts';
import type { Verdict } from './verdict.ts';

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
