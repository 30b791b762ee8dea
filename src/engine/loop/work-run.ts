/**
 * One run of `gza work`: its request, its ports, its state, and what it prints. Everything that must
 * survive the run is kept in the ledgers.
 */

import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { AgentEvent } from '../../agents/agents.ts';
import type { Ports } from '../../app/command.ts';
import {
  type OpenedProject,
  openProject,
  type Project,
  refuseBrokenConfig,
  scorer,
} from '../../app/project.ts';
import type { TaskView } from '../../core/board/board.ts';
import {
  beginText,
  completedText,
  endText,
  outcomeWords,
  reviewText,
  type Turn,
} from '../../core/text/terminal/work-summary.ts';
import { keepGitFromInterrupts } from '../../git/git.ts';
import { openWorkspace, type Workspace } from '../../workspace/workspace.ts';
import type { StepReport } from '../conclude/step-report.ts';
import type { RunChoice, StepJob } from '../engine.ts';
import type { Integrated } from './integrate.ts';
import { openArtifacts, openStateDir } from './state-dir.ts';

export interface WorkRequest {
  /** `next` takes the first ready task through its whole loop. */
  readonly scope: 'next' | 'all' | readonly string[];
  readonly group?: string;
  readonly choice: RunChoice;
  readonly offline: boolean;
  readonly push: boolean;
  /** Ends the run instead of waiting for the end of a usage limit. */
  readonly noWait?: boolean;
  /** Integrates each finished branch into the current one before the next task starts. */
  readonly integrate?: boolean;
}

export interface WorkPorts extends Ports {
  readonly say: (line: string) => void;
  /** Sets the line that shows what a task is doing now; null removes it. */
  readonly live: (id: string, line: string | null) => void;
  /** Aborted when running agents must stop at once. `signal` only keeps new steps from starting. */
  readonly stopNow: AbortSignal;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Pushes what was recorded for a branch, or only the ledgers for null. Absent where nothing is pushed. */
  readonly pushState?: (branch: string | null) => Promise<void>;
}

export interface Worked {
  readonly id: string;
  readonly step: string;
  readonly agent: string;
  readonly outcome: string;
  readonly seconds: number;
  readonly reserved_usd: number;
  readonly cost_usd: number;
  /** Tokens that the cost does not cover. */
  readonly unpriced_tokens: number;
}

type Stopped = 'done' | 'interrupted' | 'limit';

export interface WorkResult {
  readonly steps: readonly Worked[];
  readonly tasks: readonly string[];
  readonly project: Project;
  /** Tasks that could not start, each with the reason. */
  readonly refused: ReadonlyMap<string, string>;
  /** Tasks that only wait for a limit: time, money, agents, or files of other tasks. */
  readonly waits: ReadonlyMap<string, string>;
  /** Whether a task waits because the checks fail on the base: a person must repair it. */
  readonly isBaseRed: boolean;
  /** When the first of them may continue, if known. */
  readonly nextAt: string | null;
  readonly stopped: Stopped;
  readonly integrated: Integrated;
}

export interface Loop {
  readonly request: WorkRequest;
  readonly ports: WorkPorts;
  readonly workspace: Workspace;
  readonly reporter: Reporter;
  readonly running: Map<string, Promise<void>>;
  /** Clone removals that run in the background. */
  readonly tidying: Promise<void>[];
  readonly tasks: Set<string>;
  /** Tasks that ended in this run without a step. */
  readonly ended: Set<string>;
  readonly steps: Worked[];
  readonly refused: Map<string, string>;
  /** Agents that cannot run here, each with the reason. No task is blamed for that. */
  readonly unusable: Map<string, string>;
  /** See `Front.acted`. */
  readonly acted: Map<string, number>;
  readonly integrated: Integrated;
  scope: Set<string> | null;
  failure: unknown;
  project: Project;
}

/** How many dollars this run has cost so far. */
export function spentBy({ steps }: Pick<Loop, 'steps'>): number {
  return steps.reduce((sum, { cost_usd }) => sum + cost_usd, 0);
}

/** Whether a task is in the scope of this run, or is a review that such a task asked for. */
export function isWanted(loop: Loop, view: TaskView): boolean {
  const { scope, request, tasks } = loop;
  if (request.group !== undefined && view.task.group !== request.group) return false;
  if (scope === null) return request.scope === 'all' || tasks.size === 0;
  const of = reviewedBy(view);
  return scope.has(view.id) || (of !== undefined && scope.has(of));
}

/** The task that filed this review when it was done. */
export function reviewedBy({ record, task }: TaskView): string | undefined {
  return record?.key?.startsWith('review of ') ? task.depends_on?.[0] : undefined;
}

/** Prints the progress of `work`. When tasks run in parallel, each line names its task. */
interface Reporter {
  /** Prints a line under its task. */
  readonly line: (id: string, line: string) => void;
  /** `beside` are the tasks that already run. */
  readonly task: (project: Project, view: TaskView, beside: readonly string[]) => void;
  readonly begin: (view: TaskView, turn: Turn) => void;
  readonly end: (view: TaskView, turn: Turn, report: StepReport) => void;
  /** Prints `✓ Task #29 completed (APPROVED after 3 cycles)` once for each task. */
  readonly ends: (project: Project, ids: readonly string[]) => void;
}

export function openReporter({ say, style }: Pick<WorkPorts, 'say' | 'style'>): Reporter {
  /** Tasks that ran in parallel with others, so their lines must name them. */
  const crowded = new Set<string>();
  const finished = new Set<string>();
  const line = (id: string, text: string) => say(crowded.has(id) ? `  ${id}: ${text}` : `  ${text}`);
  return {
    line,
    task: (project, { id, task }, beside) => {
      if (beside.length > 0) for (const one of [id, ...beside]) crowded.add(one);
      say(task.type === 'review' ? `Running review task #${id}...` : `Running task #${id}: ${task.title}`);
      // Size warnings are only advice, so the task starts anyway.
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
        line(
          id,
          `${turn.step} ${outcomeWords[record.outcome]}: ${judged.error?.split('\n')[0] ?? record.outcome}`,
        );
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

/** When checks failed, their own log explains it, not the agent's. */
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

/** Call it before any git process starts, so that git ignores Ctrl-C and the run can still save its work. */
export async function openToWork(ports: Ports): Promise<OpenedProject> {
  keepGitFromInterrupts();
  const opened = await openProject(ports, { warns: false });
  refuseBrokenConfig(opened);
  return opened;
}

/** Opens the workspace for a run, and prepares `.gza/` in the work tree. */
export async function openWork(opened: OpenedProject): Promise<Workspace> {
  await openArtifacts(opened);
  return openClones(opened);
}

/** Opens the workspace only to read clones: nothing is written to the work tree. */
export async function openClones(opened: OpenedProject): Promise<Workspace> {
  return openWorkspace(opened.repository, { workRoot: join(await openStateDir(opened), 'clones') });
}

const endSignals = ['SIGTERM', 'SIGHUP'] as const;

interface RunningPorts extends WorkPorts {
  /** Whether a signal asked the run to end. A closed output pipe does not count. */
  readonly wasInterrupted: () => boolean;
  readonly close: () => void;
}

export function workPorts(ports: Ports, quiet: boolean): RunningPorts {
  const stop = new AbortController();
  const soft = new AbortController();
  const isApart = (line: string) => ports.columns === null && line.startsWith('warning: ');
  let asked = 0;
  const end = () => {
    soft.abort();
    stop.abort();
  };
  const ended = () => {
    asked += 1;
    end();
  };
  // A closed pipe, as in `gza work | head`, ends the run like SIGTERM, because nobody reads on.
  const lines = openLiveLines(quiet ? null : process.stdout, ports.columns, { onClosed: end });
  const interrupted = () => {
    asked += 1;
    soft.abort();
    if (asked === 1)
      lines.say('Stopping: nothing new is started. Once more stops the running steps, and saves.');
    else stop.abort();
  };
  process.on('SIGINT', interrupted);
  for (const name of endSignals) process.on(name, ended);
  return {
    ...ports,
    signal: soft.signal,
    stopNow: stop.signal,
    say: (line) => lines.say(line),
    live: (id, line) => lines.live(id, line),
    // On a terminal, warnings would break the lines that are redrawn, so they are printed as normal lines.
    progress: (line) => (quiet || isApart(line) ? ports.progress(line) : lines.say(line)),
    sleep: async (ms, signal) => {
      await wait(ms, undefined, { signal }).catch(() => {});
    },
    wasInterrupted: () => asked > 0,
    close: () => {
      process.off('SIGINT', interrupted);
      for (const name of endSignals) process.off(name, ended);
      lines.close();
    },
  };
}

/**
 * Prints permanent lines, and below them one line for each running task, which is redrawn. A pipe gets only
 * permanent lines. There, running tasks are listed now and then, which also detects a closed pipe.
 */
interface LiveLines {
  say(line: string): void;
  live(id: string, line: string | null): void;
  close(): void;
}

const drawMs = 120;

interface LiveOptions {
  /** Called once, when the output is closed. */
  readonly onClosed?: () => void;
  /** In a pipe, the time until running tasks are first listed. It doubles each time. */
  readonly aliveMs?: number;
}

const aliveMsMax = 300_000;

export function openLiveLines(
  stream: NodeJS.WriteStream | null,
  columns: number | null,
  { onClosed = () => {}, aliveMs = 30_000 }: LiveOptions = {},
): LiveLines {
  if (stream === null) return { say: () => {}, live: () => {}, close: () => {} };
  let isClosed = false;
  stream.on('error', () => {
    if (!isClosed) onClosed();
    isClosed = true;
  });
  const write = (text: string) => {
    if (!isClosed) stream.write(text);
  };
  return columns === null ? inPipe(write, aliveMs) : onTerminal(write, columns);
}

function inPipe(write: (text: string) => void, aliveMs: number): LiveLines {
  const lines = new Map<string, string>();
  let timer: NodeJS.Timeout | undefined;
  const wait = (ms: number) => {
    timer = setTimeout(() => {
      for (const [id, line] of lines) write(`  … ${id} ${line}\n`);
      wait(Math.min(ms * 2, aliveMsMax));
    }, ms);
  };
  const stop = () => {
    clearTimeout(timer);
    timer = undefined;
  };
  return {
    say: (line) => write(`${line}\n`),
    live(id, line) {
      if (line === null) lines.delete(id);
      else lines.set(id, line);
      if (lines.size === 0) stop();
      else if (timer === undefined) wait(aliveMs);
    },
    close: stop,
  };
}

function onTerminal(write: (text: string) => void, columns: number): LiveLines {
  const lines = new Map<string, string>();
  let drawn = 0;
  let timer: NodeJS.Timeout | undefined;
  const clear = () => {
    if (drawn > 0) write(`\u001b[${drawn}F\u001b[J`);
    drawn = 0;
  };
  const draw = () => {
    timer = undefined;
    clear();
    for (const [id, line] of lines) write(`${`  … ${id} ${line}`.slice(0, columns - 1)}\n`);
    drawn = lines.size;
  };
  return {
    say(line) {
      clear();
      write(`${line}\n`);
      draw();
    },
    live(id, line) {
      if (line === null) lines.delete(id);
      else lines.set(id, line);
      timer ??= setTimeout(draw, drawMs);
    },
    close() {
      clearTimeout(timer);
      lines.clear();
      clear();
    },
  };
}
