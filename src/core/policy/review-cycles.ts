/** The review cycles of a task as the progress check wants them, read from its steps. */

import type { StepRecord } from '../ledger/record/record.ts';
import { isWork } from './next-step.ts';
import type { ReviewCycle } from './progress.ts';

export function cyclesOf(steps: readonly StepRecord[]): ReviewCycle[] {
  const cycles: ReviewCycle[] = [];
  for (const step of steps) {
    if (step.outcome !== 'ok') continue;
    const last = cycles.at(-1);
    if (step.step === 'review') {
      cycles.push({
        n: step.cycle ?? cycles.length + 1,
        diffId: step.diff ?? `unknown ${cycles.length}`,
        verdict: step.verdict ?? 'CHANGES_REQUESTED',
        findings: (step.findings ?? []).map((mark) => ({
          fingerprint: mark.replace(/^!/, ''),
          severity: mark.startsWith('!') ? 'blocker' : 'follow-up',
        })),
        improve: null,
      });
    } else if (last && isWork(step.step)) {
      const diffIdAfter = step.diff ?? `unknown after ${cycles.length}`;
      cycles[cycles.length - 1] = { ...last, improve: { diffIdAfter, changed: diffIdAfter !== last.diffId } };
    }
  }
  return cycles;
}
