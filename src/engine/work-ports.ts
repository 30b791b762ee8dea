/** What a run needs of the outside beside the usual: lines as they come, live lines, two kinds of stop. */
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Ports } from '../app/command.ts';
import { type OpenedProject, openProject, refuseBrokenConfig } from '../app/project.ts';
import { keepGitFromInterrupts } from '../git/git.ts';
import { openWorkspace, type Workspace } from '../workspace/workspace.ts';
import type { WorkPorts } from './loop/loop.ts';
import { openArtifacts, openStateDir } from './loop/state-dir.ts';

/** Before anything starts git: a run must be able to save its work after Ctrl-C. */
export async function openToWork(ports: Ports): Promise<OpenedProject> {
  keepGitFromInterrupts();
  const opened = await openProject(ports, { warns: false });
  refuseBrokenConfig(opened);
  return opened;
}

export async function openWork(opened: OpenedProject): Promise<Workspace> {
  await openArtifacts(opened);
  return openClones(opened);
}

/** For looking at them: nothing is written into the work tree. */
export async function openClones(opened: OpenedProject): Promise<Workspace> {
  return openWorkspace(opened.repository, { workRoot: join(await openStateDir(opened), 'clones') });
}

const endSignals = ['SIGTERM', 'SIGHUP'] as const;

interface RunningPorts extends WorkPorts {
  /** A signal asked it to end. A reader of a pipe that has gone did not. */
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
  // `gza work | head`: as for SIGTERM, since whoever asked has gone.
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
    // On a terminal warnings would tear the lines that are drawn again.
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
 * Lines that stay, and below them one line for each running task that is drawn again and again. In a pipe there
 * are only lines that stay; there a running task is named now and then, which also finds out whether anybody reads.
 */
interface LiveLines {
  say(line: string): void;
  live(id: string, line: string | null): void;
  close(): void;
}

const drawMs = 120;

interface LiveOptions {
  /** Called once, when nothing can be written any more. */
  readonly onClosed?: () => void;
  /** In a pipe, until what runs is named first; then twice as long, and so on. */
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
