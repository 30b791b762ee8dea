/** The commit statuses of a lane: whether its checks passed, and what its review says. */

import { cyclesMax, type Project } from '../../app/project.ts';
import type { TaskView } from '../../core/board/board.ts';
import type { StepRecord } from '../../core/ledger/record/record.ts';
import { remarksOf } from '../../core/policy/steps-so-far.ts';
import {
  reviewContext,
  reviewStatus,
  type StatusText,
  verifyContext,
} from '../../core/text/terminal/status-text.ts';
import type { LaneWorld } from '../pick/lane-world.ts';

export interface LaneStatus extends StatusText {
  readonly context: string;
  readonly commit: string;
}

/**
 * `head`: where the branch is; a status says something of that commit and of no other. After a rebase the lane's
 * diff is what it was (`diff`), and so is its verdict; its checks ran on another tree.
 */
export function laneStatuses(
  project: Project,
  tasks: readonly TaskView[],
  { head, diff }: Pick<LaneWorld, 'diff'> & { readonly head: string },
): LaneStatus[] {
  const steps = tasks
    .flatMap((task) => (task.record?.steps ?? []).map((step) => ({ task, step })))
    .toSorted((a, b) => (a.step.ended_at < b.step.ended_at ? -1 : 1));
  const diffNow = diff ?? steps.findLast(({ step }) => step.head === head && step.diff)?.step.diff ?? null;
  const isOfHead = (step: StepRecord) => step.head === head || (diffNow !== null && step.diff === diffNow);
  const checked = steps.findLast(({ step }) => isWork(step) && step.verified !== undefined);
  const reviewed = steps.findLast(({ step }) => step.step === 'review' && step.outcome === 'ok');
  const statuses: LaneStatus[] = [];
  if (checked?.step.head === head) {
    const ok = checked.step.verified === true;
    const own = remarksOf(checked.task.record).checks.length > 0 ? '; checks were changed' : '';
    const text = `The checks ${ok ? 'passed' : 'failed'} on a fresh machine${own}`;
    statuses.push({ context: verifyContext, commit: head, state: ok ? 'success' : 'failure', text });
  }
  if (checked && checked.step.head !== head && isOfHead(checked.step)) {
    const text = 'Its checks ran before it was put on its base; they run again';
    statuses.push({ context: verifyContext, commit: head, state: 'pending', text });
  }
  if (reviewed?.step.verdict && isOfHead(reviewed.step)) {
    statuses.push({
      context: reviewContext,
      commit: head,
      ...verdictStatus(project, reviewed.task, reviewed.step),
    });
  }
  return statuses;
}

function isWork({ step }: StepRecord): boolean {
  return step === 'implement' || step === 'improve';
}

function verdictStatus(project: Project, view: TaskView, step: StepRecord): StatusText {
  const cycle = Math.max(1, step.cycle ?? 0);
  const findings = step.findings ?? [];
  const blockers = findings.filter((mark) => mark.startsWith('!')).length;
  const verdict = view.record?.final_verdict ?? step.verdict ?? 'NEEDS_DISCUSSION';
  const goesOn = verdict === 'CHANGES_REQUESTED' && !view.record?.closed_at;
  if (goesOn) return reviewStatus({ kind: 'improving', cycle, cyclesMax: cyclesMax(project)(view) });
  const by = view.record?.verdict_by;
  return reviewStatus({
    kind: 'ended',
    verdict,
    cycle,
    blockers,
    followUps: findings.length - blockers,
    ...(by ? { by } : {}),
  });
}
