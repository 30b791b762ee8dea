/**
 * Runs one process with everything it starts, and makes sure that it ends. Output, time and silence have
 * limits. The process is ended in steps: SIGTERM, a grace period, then SIGKILL for every process with its
 * mark. What survives a normal exit is ended too. In a sandbox, the kernel ends all of it with the first
 * process. The first reason to end the process is the one that is reported.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { statfsSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import type { KilledBy } from './agents.ts';
import {
  anonymousBytes,
  type MarkedProcess,
  markedProcesses,
  markedProcessesNow,
  sharedBytes,
} from './marked-processes.ts';
import type { Sandbox, Wrapped } from './sandbox/sandbox.ts';

const markName = 'GZA_RUN_ID';

export interface ProcessLimits {
  readonly timeoutMs: number;
  /** How long it may produce no output and use no processor time. */
  readonly idleMs: number;
  readonly outputBytesMax: number;
  /** Time between SIGTERM and SIGKILL. Default 8 s. */
  readonly graceMs?: number | undefined;
}

export interface ProcessOptions {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: string;
  /** Unique for this run. */
  readonly mark: string;
  readonly limits: ProcessLimits;
  readonly sandbox?: Sandbox | undefined;
  readonly onStdout: (text: string) => void;
  readonly onStderr: (text: string) => void;
  /** Called about once a second; true counts as activity. */
  readonly onPoll?: (() => boolean) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface ProcessResult {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly killedBy: KilledBy | undefined;
  /** For `resources`: which limit was exceeded, in words. */
  readonly used?: string | undefined;
  readonly durationMs: number;
  /** How many processes were left when it exited, and had to be ended. */
  readonly swept: number;
  /** Why it could not be started. */
  readonly spawnError?: string | undefined;
}

export interface RunningProcess {
  stop(reason: KilledBy): void;
  readonly ended: Promise<ProcessResult>;
}

const graceMsDefault = 8000;
const timerMsMax = 2 ** 31 - 1;
/** The share of one processor below which a process counts as waiting: timers and spinners use that much. */
const busyShare = 0.05;
const killRoundsMax = 40;
const filesFreeMin = 100_000;

interface Run {
  readonly child: ChildProcess;
  readonly options: ProcessOptions;
  readonly sessions: Set<number>;
  readonly startedMs: number;
  activeMs: number;
  outputBytes: number;
  killedBy: KilledBy | undefined;
  used: string | undefined;
  /** How much must stay free on the disk; less if the disk was nearly full at the start. */
  readonly diskFloor: Free;
  /** Shared memory of the machine when the run began. */
  readonly sharedBytes: number;
  killedMs: number;
  hasExited: boolean;
  cpu: Map<number, number>;
  timers: Set<NodeJS.Timeout>;
}

export function startProcess(options: ProcessOptions): RunningProcess {
  const { file, args, cwd, env, mark, limits, sandbox, signal } = options;
  const outer = process.env[markName];
  // Inside another gza run, its mark is kept too, so that ending the outer run ends this one.
  const marked = { ...env, [markName]: outer ? `${outer}:${mark}` : mark };
  const command = { file, args, cwd, env: marked };
  const wrapped = sandbox?.wrap(command) ?? command;
  const child = startWrapped(wrapped);
  const now = performance.now();
  const free = freeIn(cwd);
  const run: Run = {
    child,
    options,
    // The child is detached, so it leads a session of its own.
    sessions: new Set(child.pid === undefined ? [] : [child.pid]),
    startedMs: now,
    activeMs: now,
    outputBytes: 0,
    killedBy: undefined,
    used: undefined,
    diskFloor: {
      bytes: Math.min(sandbox?.limits.diskFreeBytes ?? 0, free.bytes / 2),
      files: Math.min(filesFreeMin, free.files / 2),
    },
    sharedBytes: sharedBytes(),
    killedMs: 0,
    hasExited: false,
    cpu: new Map(),
    timers: new Set(),
  };
  const stop = (reason: KilledBy) => stopRun(run, reason);
  const cancel = () => stop('cancelled');
  const lastWord = () => killNow(run);
  process.once('exit', lastWord);
  after(run, limits.timeoutMs, () => stop('timeout'));
  poll(run);
  if (signal?.aborted) cancel();
  signal?.addEventListener('abort', cancel);
  const ended = conclude(run).finally(() => {
    process.removeListener('exit', lastWord);
    signal?.removeEventListener('abort', cancel);
  });
  return { stop, ended };
}

function startWrapped({ file, args, cwd, env, options }: Wrapped): ChildProcess {
  const stdio: 'pipe'[] = ['pipe', 'pipe', 'pipe', ...(options === undefined ? [] : (['pipe'] as const))];
  const child = spawn(file, [...args], { cwd, env: { ...env }, detached: true, stdio });
  const more = child.stdio[3] as Writable | undefined;
  // A child that exits early may never read them. Its exit says enough.
  more?.on('error', () => {});
  more?.end(options);
  return child;
}

async function conclude(run: Run): Promise<ProcessResult> {
  const { child } = run;
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  listen(run);
  const exit = await exited(child);
  run.hasExited = true;
  const durationMs = Math.round(performance.now() - run.startedMs);
  for (const timer of run.timers) clearTimeout(timer);
  const swept = exit.spawnError === undefined ? await sweep(run) : 0;
  // Everything that could hold the pipes open is gone now. Do not wait for a process that escaped.
  await closedOrLate(closed);
  child.stdout?.destroy();
  child.stderr?.destroy();
  return { ...exit, killedBy: run.killedBy, used: run.used, durationMs, swept };
}

/** Waits for output that may still be in the pipes. */
async function closedOrLate(closed: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, 2000);
  });
  await Promise.race([closed, late]);
  clearTimeout(timer);
}

function exited(child: ChildProcess): Promise<Pick<ProcessResult, 'exitCode' | 'signal' | 'spawnError'>> {
  return new Promise((resolve) => {
    child.once('error', (error) => {
      if (child.pid === undefined) resolve({ exitCode: null, signal: null, spawnError: error.message });
    });
    child.once('exit', (exitCode, signal) => resolve({ exitCode, signal }));
  });
}

function listen(run: Run): void {
  const { child, options } = run;
  const read = (stream: NodeJS.ReadableStream | null, give: (text: string) => void) => {
    const decoder = new StringDecoder('utf8');
    stream?.on('data', (chunk: Buffer) => {
      run.activeMs = performance.now();
      run.outputBytes += chunk.length;
      if (run.outputBytes > options.limits.outputBytesMax) stopRun(run, 'output_limit');
      else give(decoder.write(chunk));
    });
  };
  read(child.stdout, options.onStdout);
  read(child.stderr, options.onStderr);
  // The child may not read its input. Its exit says enough.
  child.stdin?.on('error', () => {});
  child.stdin?.end(options.stdin);
}

function stopRun(run: Run, reason: KilledBy): void {
  if (run.killedBy !== undefined || run.hasExited || run.child.pid === undefined) return;
  run.killedBy = reason;
  run.killedMs = performance.now();
  if (run.options.sandbox?.isOn) void askInside(run);
  else signalGroup(run.child.pid, 'SIGTERM');
  after(run, run.options.limits.graceMs ?? graceMsDefault, () => void killMarked(run));
}

/** Sends SIGTERM only to those inside. Signalling the sandbox process would kill everything at once. */
async function askInside(run: Run): Promise<void> {
  for (const { pid } of await markedProcesses(run.options.mark, run.sessions))
    if (pid !== run.child.pid) signalOne(pid, 'SIGTERM');
}

function poll(run: Run): void {
  const pollMs = Math.min(1000, Math.max(50, run.options.limits.idleMs / 4));
  after(run, pollMs, () => {
    void checkActivity(run, pollMs).finally(() => {
      if (!run.hasExited) poll(run);
    });
  });
}

async function checkActivity(run: Run, pollMs: number): Promise<void> {
  const { options } = run;
  const hasNews = options.onPoll?.() ?? false;
  const processes = await markedProcesses(options.mark, run.sessions);
  const now = performance.now();
  if (hasNews || usedCpuMs(run, processes) >= pollMs * busyShare) run.activeMs = now;
  if (now - run.activeMs >= options.limits.idleMs) stopRun(run, 'idle');
  const used = usedTooMuch(run, processes);
  if (used === null || run.killedBy !== undefined) return;
  run.used = used;
  stopRun(run, 'resources');
  // A process that uses up the machine gets no grace period.
  await killMarked(run);
}

function usedTooMuch(run: Run, processes: readonly MarkedProcess[]): string | null {
  const { options, diskFloor } = run;
  if (!options.sandbox) return null;
  const { limits } = options.sandbox;
  if (processes.length > limits.processes)
    return `it started more than ${limits.processes} processes (sandbox.processes in gza.yaml)`;
  // Files in memory belong to no process, so the growth of the whole machine is counted.
  const shared = Math.max(0, sharedBytes() - run.sharedBytes);
  const bytes = processes.reduce((sum, { pid }) => sum + anonymousBytes(pid), shared);
  if (bytes > limits.memoryBytes)
    return `it used ${inGb(bytes)} of memory; its limit is ${inGb(limits.memoryBytes)} (sandbox.memory_gb in gza.yaml)`;
  const free = freeIn(options.cwd);
  if (free.bytes < diskFloor.bytes)
    return `it filled the disk: less than ${inGb(diskFloor.bytes)} is free where it works`;
  return free.files < diskFloor.files ? 'it filled the disk with files: few more can be made there' : null;
}

function inGb(bytes: number): string {
  return `${(bytes / 2 ** 30).toFixed(1)} GB`;
}

interface Free {
  readonly bytes: number;
  readonly files: number;
}

function freeIn(folder: string): Free {
  const unknown = Number.POSITIVE_INFINITY;
  try {
    const { bavail, bsize, files, ffree } = statfsSync(folder);
    return { bytes: bavail * bsize, files: files > 0 ? ffree : unknown };
  } catch {
    return { bytes: unknown, files: unknown }; // removed, or the system does not report it
  }
}

function usedCpuMs(run: Run, processes: readonly MarkedProcess[]): number {
  const used = processes.reduce(
    (sum, { pid, cpuMs }) => sum + Math.max(0, cpuMs - (run.cpu.get(pid) ?? 0)),
    0,
  );
  run.cpu = new Map(processes.map(({ pid, cpuMs }) => [pid, cpuMs]));
  return used;
}

/** Ends what the process left behind. After our own SIGTERM, the rest of the grace period still applies. */
async function sweep(run: Run): Promise<number> {
  const grace = run.options.limits.graceMs ?? graceMsDefault;
  const left = await markedProcesses(run.options.mark, run.sessions);
  if (left.length === 0) return 0;
  const until = run.killedBy === undefined ? performance.now() + Math.min(500, grace) : run.killedMs + grace;
  if (run.killedBy === undefined) for (const { pid } of left) signalOne(pid, 'SIGTERM');
  while (performance.now() < until) {
    await sleep(50);
    if ((await markedProcesses(run.options.mark, run.sessions)).length === 0) return left.length;
  }
  await killMarked(run);
  return left.length;
}

/** Repeats, because a process may start another while it is being killed. The number of rounds is limited. */
async function killMarked(run: Run): Promise<void> {
  for (let round = 0; round < killRoundsMax; round += 1) {
    // In a sandbox, this kills everything at once.
    if (!run.hasExited && run.child.pid !== undefined) signalGroup(run.child.pid, 'SIGKILL');
    const processes = await markedProcesses(run.options.mark, run.sessions);
    for (const { pid } of processes) signalOne(pid, 'SIGKILL');
    if (processes.length === 0) return;
    await sleep(50);
  }
}

/** For the moment this program exits, when there is no time for a grace period. */
function killNow(run: Run): void {
  if (run.child.pid !== undefined && !run.hasExited) signalGroup(run.child.pid, 'SIGKILL');
  for (const { pid } of markedProcessesNow(run.options.mark, run.sessions)) signalOne(pid, 'SIGKILL');
}

function signalGroup(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(-pid, name);
  } catch {
    signalOne(pid, name); // no groups here, or the group is gone
  }
}

function signalOne(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // gone already
  }
}

function after(run: Run, ms: number, act: () => void): void {
  const timer = setTimeout(
    () => {
      run.timers.delete(timer);
      act();
    },
    Math.min(ms, timerMsMax),
  );
  run.timers.add(timer);
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
