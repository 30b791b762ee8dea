/** What `work` says while it works. With one task these are the lines of the specification; side by side each names its task. */
import type { AgentEvent } from '../../agents/agents.ts';
import { scorer } from '../../app/facts/scorer.ts';
import type { TaskView } from '../../core/board/board.ts';
import { beginText, completedText, endText, reviewText, type Turn } from '../../core/text/terminal/work.ts';
import type { StepReport } from '../conclude/step-report.ts';
import type { StepJob } from '../engine.ts';
import type { Loop } from './loop.ts';

/** A line under its task. */
export function sayOf({ ports, crowded }: Pick<Loop, 'ports' | 'crowded'>, id: string, line: string): void {
  ports.say(crowded.has(id) ? `  ${id}: ${line}` : `  ${line}`);
}

export function sayTask(loop: Loop, { id, task }: TaskView): void {
  if (loop.running.size > 0) for (const one of [id, ...loop.running.keys()]) loop.crowded.add(one);
  const isReview = task.type === 'review';
  loop.ports.say(isReview ? `Running review task #${id}...` : `Running task #${id}: ${task.title}`);
  // Guidance: it starts all the same.
  for (const { message } of scorer(loop.project, [task])(task).warnings)
    sayOf(loop, id, `warning: ${message}`);
}

export function sayBegin(loop: Loop, { id, task }: TaskView, turn: Turn): void {
  if (task.type !== 'review') sayOf(loop, id, beginText(turn));
}

export function sayEnd(loop: Loop, { id, task }: TaskView, turn: Turn, report: StepReport): void {
  const { record, gist, log, judged, notes } = report;
  const isReview = task.type === 'review';
  if (record.verdict) {
    const gistShown = record.verdict === 'APPROVED' ? '' : gist;
    sayOf(loop, id, reviewText(isReview ? { ...turn, cyclesMax: null } : turn, record.verdict, gistShown));
    if (isReview) loop.ports.say(`${loop.ports.style.green('✓')} Review completed`);
  } else if (record.outcome === 'ok') {
    if (record.step !== 'improve') sayOf(loop, id, endText(turn));
  } else {
    const why = judged.error?.split('\n')[0] ?? record.outcome;
    sayOf(loop, id, `${turn.step} ended ${record.outcome}: ${why}`);
    sayOf(loop, id, `log: ${log}`);
  }
  for (const note of notes) sayOf(loop, id, note.replaceAll('\n', '\n  '));
}

/** `✓ Task #29 completed (APPROVED after 3 cycles)`, once a task. */
export function announceEnds({ project, tasks, ended, finished, ports }: Loop): void {
  for (const id of new Set([...tasks, ...ended])) {
    const view = project.board.views.get(id);
    if (!view?.record?.closed_at || finished.has(id)) continue;
    finished.add(id);
    const { closed_as, closed_reason = '', final_verdict, review_cycle = 0 } = view.record;
    if (closed_as === 'failed') ports.say(`${ports.style.red('✗')} Task #${id} failed: ${closed_reason}`);
    else if (view.task.type !== 'review') {
      if (final_verdict === 'MAX_CYCLES_REACHED') {
        ports.say(`  Max review cycles (${review_cycle}) reached without approval`);
      } else if (closed_reason) ports.say(`  ${closed_reason}`);
      ports.say(completedText(id, final_verdict, review_cycle, ports.style));
    }
  }
}

const liveMax = 120;

export function liveText(job: StepJob, event: AgentEvent): string {
  const doing =
    event.kind === 'tool'
      ? `${event.name}${event.detail ? ` ${event.detail}` : ''}`
      : event.kind === 'text'
        ? event.text
        : event.kind;
  return `${job.step}: ${doing.replaceAll(/\s+/g, ' ').slice(0, liveMax)}`;
}
