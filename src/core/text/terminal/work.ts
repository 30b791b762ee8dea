/** What `work` prints while it works. */
import type { TaskView } from '../../board/board.ts';
import type { StepName } from '../../ledger/record/record.ts';
import type { Style } from './style.ts';
import { mark } from './task-line.ts';

export interface Turn {
  readonly step: StepName;
  /** Review cycle of the step; 0 before the first. */
  readonly cycle: number;
  /** Cycles allowed, or null where no loop runs. */
  readonly cyclesMax: number | null;
}

/** `[2/3] `: an improve already counts as the next round. */
function roundOf({ step, cycle, cyclesMax }: Turn): string {
  if (cyclesMax === null) return '';
  const round = step === 'improve' ? cycle + 1 : Math.max(1, cycle);
  return `[${round}/${Math.max(round, cyclesMax)}] `;
}

const begins: Record<StepName, string> = {
  plan: 'Planning...',
  explore: 'Exploring...',
  implement: 'Implementing...',
  review: 'Running review...',
  improve: 'Improving...',
};

const ends: Record<StepName, string> = {
  plan: 'Plan written',
  explore: 'Exploration written',
  implement: 'Implementation complete',
  review: 'Review',
  improve: 'Improvement complete',
};

export function beginText(turn: Turn): string {
  return `${roundOf(turn)}${begins[turn.step]}`;
}

export function endText(turn: Turn): string {
  return `${roundOf(turn)}${ends[turn.step]}`;
}

export function reviewText(turn: Turn, verdict: string, gist: string): string {
  return `${roundOf(turn)}Review: ${verdict}${gist ? ` - ${gist}` : ''}`;
}

export function completedText(view: TaskView, style: Style): string {
  const { final_verdict: verdict, review_cycle: cycles = 0 } = view.record ?? {};
  const how = verdict ? ` (${verdict} after ${cycles} ${cycles === 1 ? 'cycle' : 'cycles'})` : '';
  return `${mark(view, style)} Task #${view.id} completed${how}`;
}
