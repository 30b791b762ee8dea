/**
 * Whether the loop of review and improve still gets anywhere. What does not stops for a person: another cycle
 * would cost the same and end the same.
 */
import type { Severity } from '../review/finding.ts';
import { isSameClaim } from '../review/same-finding.ts';
import type { Verdict } from '../review/verdict.ts';

interface ReviewPoint {
  readonly fingerprint: string;
  readonly severity: Severity;
  /** Where it is and what it claims; null where only the fingerprint was kept. */
  readonly claim: string | null;
}

export interface ReviewCycle {
  readonly n: number;
  /** The patch id of what was reviewed. */
  readonly diffId: string;
  /** Null: the review gave no verdict. */
  readonly verdict: Verdict | null;
  readonly findings: readonly ReviewPoint[];
  /** Null: none yet. */
  readonly improve: { readonly diffIdAfter: string; readonly changed: boolean } | null;
}

/** In this order; the first that holds is given. */
export type NoProgressReason =
  | 'same-findings'
  | 'improve-without-effect'
  | 'diff-undone'
  | 'same-blocker-again';

export interface NoProgress {
  readonly reason: NoProgressReason;
  readonly detail: string;
}

const sameBlockerMax = 3;

export function noProgress(history: readonly ReviewCycle[]): NoProgress | null {
  const given = history.filter((cycle) => cycle.verdict !== null).sort((a, b) => a.n - b.n);
  const last = given.at(-1);
  // Only a review that asks for changes goes round again.
  if (last?.verdict !== 'CHANGES_REQUESTED') return null;
  const before = given.slice(0, -1);
  return (
    sameFindings(last, before) ??
    improveWithoutEffect(last) ??
    diffUndone(last, before) ??
    sameBlockerAgain(last, before)
  );
}

function sameFindings(last: ReviewCycle, before: readonly ReviewCycle[]): NoProgress | null {
  const twin = before.findLast(
    (cycle) => cycle.diffId === last.diffId && cycle.verdict === last.verdict && hasSame(cycle, last),
  );
  if (twin === undefined) return null;
  const detail = `Review ${last.n} has the same findings as review ${twin.n}, on the same diff.`;
  return { reason: 'same-findings', detail };
}

function isSame(one: ReviewPoint, other: ReviewPoint): boolean {
  if (one.claim !== null && other.claim !== null) return isSameClaim(one.claim, other.claim);
  return one.fingerprint === other.fingerprint;
}

function isAmong(point: ReviewPoint, points: readonly ReviewPoint[]): boolean {
  return points.some((other) => isSame(point, other));
}

function hasSame({ findings: a }: ReviewCycle, { findings: b }: ReviewCycle): boolean {
  return a.every((one) => isAmong(one, b)) && b.every((one) => isAmong(one, a));
}

function improveWithoutEffect(last: ReviewCycle): NoProgress | null {
  if (last.improve === null) return null;
  if (last.improve.changed && last.improve.diffIdAfter !== last.diffId) return null;
  const detail = `The improve after review ${last.n} changed nothing: the diff is what it was.`;
  return { reason: 'improve-without-effect', detail };
}

/** Also seen at the next review, when the diff came back by other hands than the improve's. */
function diffUndone(last: ReviewCycle, before: readonly ReviewCycle[]): NoProgress | null {
  const after = last.improve?.diffIdAfter;
  const back = before.findLast((cycle) => cycle.diffId === after);
  if (back !== undefined) {
    const detail = `The improve after review ${last.n} undid the one before: the diff is again that of review ${back.n}.`;
    return { reason: 'diff-undone', detail };
  }
  const previous = before.at(-1);
  const earlier = before.slice(0, -1).findLast((cycle) => cycle.diffId === last.diffId);
  if (previous === undefined || earlier === undefined || previous.diffId === last.diffId) return null;
  const detail = `The diff of review ${last.n} is again that of review ${earlier.n}: what came between was undone.`;
  return { reason: 'diff-undone', detail };
}

function sameBlockerAgain(last: ReviewCycle, before: readonly ReviewCycle[]): NoProgress | null {
  const others = before.filter((cycle) => cycle.n !== last.n);
  const numbersOf = (cycles: readonly ReviewCycle[]) => [...new Set(cycles.map(({ n }) => n)), last.n];
  for (const blocker of blockers(last)) {
    const numbers = numbersOf(others.filter((cycle) => isAmong(blocker, blockers(cycle))));
    if (numbers.length < sameBlockerMax) continue;
    const name = blocker.claim ?? blocker.fingerprint;
    const detail = `The same blocker (${name}) stands in reviews ${numbers.join(', ')}.`;
    return { reason: 'same-blocker-again', detail };
  }
  const unnamed = numbersOf(others.filter(({ findings }) => findings.length === 0));
  if (last.findings.length > 0 || unnamed.length < sameBlockerMax) return null;
  const detail = `Reviews ${unnamed.join(', ')} ask for changes, and name no finding.`;
  return { reason: 'same-blocker-again', detail };
}

function blockers(cycle: ReviewCycle): readonly ReviewPoint[] {
  return cycle.findings.filter(({ severity }) => severity === 'blocker');
}
