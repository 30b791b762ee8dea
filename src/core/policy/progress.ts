/**
 * Whether the loop of review and improve still gets anywhere. What does not stops for a person: another cycle
 * would cost the same and end the same.
 */
import type { StepRecord } from '../ledger/record/record.ts';
import { isSameClaim } from '../review/same-finding.ts';
import { isWork } from './next-step.ts';

/** A finding: its mark (a fingerprint, `!` before a blocker's), and what it claims where that was kept. */
interface Point {
  readonly mark: string;
  readonly claim: string | undefined;
}

/** A review, and the diff that the improve after it left; null: there was none yet. */
interface Cycle {
  readonly n: number;
  /** The patch id of what was reviewed. */
  readonly diff: string;
  readonly verdict: StepRecord['verdict'];
  readonly findings: readonly Point[];
  readonly after: string | null;
}

export interface NoProgress {
  /** In this order; the first that holds is given. */
  readonly reason: 'same-findings' | 'improve-without-effect' | 'diff-undone' | 'same-blocker-again';
  readonly detail: string;
}

const sameBlockerMax = 3;

export function noProgress(steps: readonly StepRecord[]): NoProgress | null {
  const cycles = cyclesOf(steps);
  const last = cycles.at(-1);
  // Only a review that asks for changes goes round again.
  if (last?.verdict !== 'CHANGES_REQUESTED') return null;
  const before = cycles.slice(0, -1);
  return (
    sameFindings(last, before) ??
    improveWithoutEffect(last) ??
    diffUndone(last, before) ??
    sameBlockerAgain(last, before)
  );
}

function cyclesOf(steps: readonly StepRecord[]): Cycle[] {
  const cycles: Cycle[] = [];
  for (const { step, outcome, cycle, diff, verdict = 'CHANGES_REQUESTED', ...kept } of steps) {
    if (outcome !== 'ok') continue;
    const findings = (kept.findings ?? []).map((mark, at) => ({ mark, claim: kept.claims?.[at] }));
    const last = cycles.at(-1);
    const unknown = `unknown ${cycles.length}`;
    if (step === 'review')
      cycles.push({ n: cycle ?? cycles.length + 1, diff: diff ?? unknown, verdict, findings, after: null });
    else if (last && isWork(step)) cycles[cycles.length - 1] = { ...last, after: diff ?? `${unknown} after` };
  }
  return cycles;
}

function sameFindings(last: Cycle, before: readonly Cycle[]): NoProgress | null {
  const twin = before.findLast(
    (cycle) => cycle.diff === last.diff && cycle.verdict === last.verdict && hasSame(cycle, last),
  );
  if (twin === undefined) return null;
  const detail = `Review ${last.n} has the same findings as review ${twin.n}, on the same diff.`;
  return { reason: 'same-findings', detail };
}

function isSame(one: Point, other: Point): boolean {
  if (one.claim !== undefined && other.claim !== undefined) return isSameClaim(one.claim, other.claim);
  return one.mark.replace(/^!/, '') === other.mark.replace(/^!/, '');
}

function isAmong(point: Point, points: readonly Point[]): boolean {
  return points.some((other) => isSame(point, other));
}

function hasSame({ findings: a }: Cycle, { findings: b }: Cycle): boolean {
  return a.every((one) => isAmong(one, b)) && b.every((one) => isAmong(one, a));
}

function improveWithoutEffect({ n, diff, after }: Cycle): NoProgress | null {
  if (after !== diff) return null;
  const detail = `The improve after review ${n} changed nothing: the diff is what it was.`;
  return { reason: 'improve-without-effect', detail };
}

/** Also seen at the next review, when the diff came back by other hands than the improve's. */
function diffUndone(last: Cycle, before: readonly Cycle[]): NoProgress | null {
  const back = before.findLast((cycle) => cycle.diff === last.after);
  if (back !== undefined) {
    const detail = `The improve after review ${last.n} undid the one before: the diff is again that of review ${back.n}.`;
    return { reason: 'diff-undone', detail };
  }
  const previous = before.at(-1);
  const earlier = before.slice(0, -1).findLast((cycle) => cycle.diff === last.diff);
  if (previous === undefined || earlier === undefined || previous.diff === last.diff) return null;
  const detail = `The diff of review ${last.n} is again that of review ${earlier.n}: what came between was undone.`;
  return { reason: 'diff-undone', detail };
}

function sameBlockerAgain(last: Cycle, before: readonly Cycle[]): NoProgress | null {
  const others = before.filter(({ n, verdict }) => n !== last.n && verdict === last.verdict);
  const numbersOf = (cycles: readonly Cycle[]) => [...new Set(cycles.map(({ n }) => n)), last.n];
  for (const blocker of blockers(last)) {
    const numbers = numbersOf(others.filter((cycle) => isAmong(blocker, blockers(cycle))));
    if (numbers.length < sameBlockerMax) continue;
    const name = blocker.claim ?? blocker.mark.slice(1);
    const detail = `The same blocker (${name}) stands in reviews ${numbers.join(', ')}.`;
    return { reason: 'same-blocker-again', detail };
  }
  const unnamed = numbersOf(others.filter(({ findings }) => findings.length === 0));
  if (last.findings.length > 0 || unnamed.length < sameBlockerMax) return null;
  const detail = `Reviews ${unnamed.join(', ')} ask for changes, and name no finding.`;
  return { reason: 'same-blocker-again', detail };
}

function blockers({ findings }: Cycle): readonly Point[] {
  return findings.filter(({ mark }) => mark.startsWith('!'));
}
