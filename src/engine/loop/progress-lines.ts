/** What `work` says while it works. With one task these are the lines of the specification; side by side each names its task. */
import type { AgentEvent } from '../../agents/agents.ts';
import { scorer } from '../../app/facts/scorer.ts';
import type { Project } from '../../app/project.ts';
import type { TaskView } from '../../core/board/board.ts';
import { beginText, completedText, endText, reviewText, type Turn } from '../../core/text/terminal/work.ts';
import type { StepReport } from '../conclude/step-report.ts';
import type { StepJob } from '../engine.ts';
import type { WorkPorts } from './loop.ts';

export interface Teller {
  /** A line under its task. */
  readonly line: (id: string, line: string) => void;
  /** `beside`: the tasks that run now. */
  readonly task: (project: Project, view: TaskView, beside: readonly string[]) => void;
  readonly begin: (view: TaskView, turn: Turn) => void;
  readonly end: (view: TaskView, turn: Turn, report: StepReport) => void;
  /** `✓ Task #29 completed (APPROVED after 3 cycles)`, once a task. */
  readonly ends: (project: Project, ids: readonly string[]) => void;
}

export function openTeller({ say, style }: Pick<WorkPorts, 'say' | 'style'>): Teller {
  /** Tasks that ran beside others: their lines say whose they are. */
  const crowded = new Set<string>();
  const finished = new Set<string>();
  const line = (id: string, text: string) => say(crowded.has(id) ? `  ${id}: ${text}` : `  ${text}`);
  return {
    line,
    task: (project, { id, task }, beside) => {
      if (beside.length > 0) for (const one of [id, ...beside]) crowded.add(one);
      say(task.type === 'review' ? `Running review task #${id}...` : `Running task #${id}: ${task.title}`);
      // Guidance: it starts all the same.
      for (const { message } of scorer(project, [task])(task).warnings) line(id, `warning: ${message}`);
    },
    begin: ({ id, task }, turn) => {
      if (task.type !== 'review') line(id, beginText(turn));
    },
    end: ({ id, task }, turn, { record, gist, log, judged, notes, artifacts }) => {
      const isReview = task.type === 'review';
      if (record.verdict) {
        const gistShown = record.verdict === 'APPROVED' ? '' : gist;
        line(id, reviewText(isReview ? { ...turn, cyclesMax: null } : turn, record.verdict, gistShown));
        const end = record.verdict === 'APPROVED' ? style.green('✓') : style.yellow('!');
        if (isReview) say(`${end} Review completed`);
      } else if (record.outcome === 'ok') {
        const isText = record.step === 'plan' || record.step === 'explore';
        const where = isText && artifacts[0] ? `: .gza/${artifacts[0].path} (gza show ${id} prints it)` : '';
        if (record.step !== 'improve') line(id, `${endText(turn)}${where}`);
      } else {
        line(id, `${turn.step} ended ${record.outcome}: ${judged.error?.split('\n')[0] ?? record.outcome}`);
        line(id, `log: ${record.verified === false ? checksLog(log) : log}`);
      }
      for (const note of notes) line(id, note.replaceAll('\n', '\n  '));
    },
    ends: ({ board }, ids) => {
      for (const id of new Set(ids)) {
        const view = board.views.get(id);
        if (!view?.record?.closed_at || finished.has(id)) continue;
        finished.add(id);
        for (const text of endLines(view, style)) say(text);
      }
    },
  };
}

/** Where checks failed, their log says how, and not the agent's. */
function checksLog(log: string): string {
  return log.replace(/-\w+\.log$/, '-verify.log');
}

function endLines(view: TaskView, style: WorkPorts['style']): string[] {
  const { id, task, record } = view;
  const { closed_as, closed_reason = '', final_verdict, review_cycle = 0 } = record ?? {};
  if (closed_as === 'failed') return [`${style.red('✗')} Task #${id} failed: ${closed_reason}`];
  if (task.type === 'review') return [];
  const isSpent = final_verdict === 'MAX_CYCLES_REACHED';
  const why = isSpent ? `Max review cycles (${review_cycle}) reached without approval` : closed_reason;
  return [...(why ? [`  ${why}`] : []), completedText(view, style)];
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
