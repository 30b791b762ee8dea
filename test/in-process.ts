/**
 * A built program, run in this process as if it were one of its own: all of it is evaluated anew, with a `process` that
 * has its arguments, signals, streams and exit code, in its folder and its environment. Starting node and reading two
 * megabytes of program takes longer than most of what is asked of it. One at a time; and what is about being a process
 * (kills, pipes, limits, start-up) is tested with one.
 */
import type { ChildProcess } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { Script } from 'node:vm';

export interface Program {
  /** The entry; its last act is to export the promise `ended`. */
  readonly file: string;
  readonly args?: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin?: string;
  readonly print: (stream: 'stdout' | 'stderr', chunk: Buffer) => void;
}

export interface Running {
  /** The exit code. */
  readonly ended: Promise<number>;
  readonly signal: (name: 'SIGINT' | 'SIGTERM') => void;
}

let isBusy = false;

/** False while another program has the environment and the folder, and where everything shall be a process. */
export const isFree = (): boolean => !isBusy && !process.env['GZA_TEST_PROCESSES'];

/** The process that runs the tests, as it is outside of jest's realm. */
const real = new Script('process').runInThisContext() as NodeJS.Process;
const realInterval = new Script('setInterval').runInThisContext() as typeof setInterval;
const load = createRequire(import.meta.url);
const runFolder = real.env['GZA_TEST_RUN'];

export function runInProcess(program: Program): Running {
  if (isBusy) throw new Error('another program runs in this process');
  isBusy = true;
  const events = new EventEmitter();
  const children = new Set<ChildProcess>();
  const intervals = new Set<NodeJS.Timeout>();
  const [folder, env] = [real.cwd(), { ...real.env }];
  const end = () => {
    events.emit('exit');
    // As the end of a process would.
    for (const { stdio } of children) for (const stream of stdio ?? []) stream?.destroy();
    for (const interval of intervals) clearInterval(interval);
    if (real.cwd() !== folder) real.chdir(folder);
    replaceEnvironment(env);
    keepCompiled();
    isBusy = false;
  };
  replaceEnvironment(program.env);
  real.chdir(program.cwd);
  const own = processOf(program, events);
  const noted = (...given: Parameters<typeof realInterval>) => {
    const interval = realInterval(...given);
    intervals.add(interval);
    return interval;
  };
  const ended = evaluate(program.file, own, noted, modulesOf(program, own, children))
    .then(
      () => Number(own.exitCode ?? 0),
      (error: unknown) => {
        program.print('stderr', Buffer.from(`${(error as Error).stack ?? String(error)}\n`));
        return 1;
      },
    )
    .finally(end);
  return { ended, signal: (name) => void events.emit(name, name) };
}

function replaceEnvironment(env: Program['env']): void {
  for (const name of Object.keys(real.env)) if (env[name] === undefined) delete real.env[name];
  for (const [name, value] of Object.entries(env)) if (value !== undefined) real.env[name] = value;
}

function processOf({ file, args = [], stdin = '', print }: Program, events: EventEmitter): NodeJS.Process {
  const writable = (stream: 'stdout' | 'stderr') =>
    new Writable({
      decodeStrings: true,
      write(chunk: Buffer, _encoding, done) {
        print(stream, chunk);
        done();
      },
    });
  const values: Record<string | symbol, unknown> = {
    argv: [real.execPath, file, ...args],
    exitCode: undefined,
    stdin: Readable.from(stdin === '' ? [] : [Buffer.from(stdin)]),
    stdout: writable('stdout'),
    stderr: writable('stderr'),
    exit() {
      throw new Error('a program that calls process.exit cannot be run in the process of others');
    },
  };
  for (const name of ['on', 'once', 'off', 'emit', 'addListener', 'removeListener', 'listenerCount'] as const)
    values[name] = events[name].bind(events);
  return new Proxy(real, {
    get: (target, name): unknown => (name in values ? values[name] : Reflect.get(target, name)),
    set(_target, name, value) {
      values[name] = value;
      return true;
    },
  });
}

/** Modules of node: those that would speak for the whole process do so for this program alone. */
function modulesOf(
  { print }: Program,
  own: NodeJS.Process,
  children: Set<ChildProcess>,
): (name: string) => unknown {
  const loaded = new Map<string, unknown>([['process', own]]);
  const make = (name: string): unknown => {
    const found = load(`node:${name}`) as Record<string, (...args: never[]) => unknown>;
    if (name === 'fs') return { ...found, writeSync: writeSyncOf(found, print) };
    if (name !== 'child_process') return found;
    const noted =
      (start: (...args: never[]) => unknown) =>
      (...args: never[]) => {
        const child = start(...args) as ChildProcess;
        children.add(child);
        child.once('close', () => children.delete(child));
        return child;
      };
    return { ...found, spawn: noted(found['spawn'] as never), execFile: noted(found['execFile'] as never) };
  };
  return (given) => {
    const name = given.replace('node:', '');
    if (!loaded.has(name)) loaded.set(name, make(name));
    return loaded.get(name);
  };
}

function writeSyncOf(fs: Record<string, unknown>, print: Program['print']) {
  const write = fs['writeSync'] as (...args: unknown[]) => number;
  return (descriptor: number, ...args: unknown[]): number => {
    if (descriptor !== 1 && descriptor !== 2) return write(descriptor, ...args);
    const [data, at = 0] = args as [Buffer | string, number?];
    const bytes = Buffer.from(data as string).subarray(at);
    print(descriptor === 1 ? 'stdout' : 'stderr', bytes);
    return bytes.length;
  };
}

async function evaluate(
  entry: string,
  own: NodeJS.Process,
  interval: (...given: Parameters<typeof realInterval>) => NodeJS.Timeout,
  builtin: (name: string) => unknown,
): Promise<void> {
  const modules = new Map<string, { exports: unknown }>();
  const requireFile = (file: string): unknown => {
    const known = modules.get(file);
    if (known) return known.exports;
    const module = { exports: {} as unknown };
    modules.set(file, module);
    const require = (name: string) =>
      isBuiltin(name) ? builtin(name) : requireFile(join(dirname(file), name));
    const run = scriptOf(file).runInThisContext() as (...args: unknown[]) => void;
    run.call(module.exports, module.exports, require, module, file, dirname(file), own, interval);
    return module.exports;
  };
  const { ended } = requireFile(entry) as { ended?: Promise<void> };
  if (ended === undefined) throw new Error(`${entry} does not say when it ends: npm run build`);
  await ended;
}

const scripts = new Map<string, Script>();
const fresh = new Map<string, Script>();

/** Compiled once in a process; what V8 compiled of it is kept for the other processes of this run of jest. */
function scriptOf(file: string): Script {
  const { size, mtimeMs } = statSync(file);
  const key = `${basename(file)}-${size}-${mtimeMs}`;
  const known = scripts.get(key);
  if (known) return known;
  const text = readFileSync(file, 'utf8').replace(/^#!.*/, '');
  const wrapped = `(function (exports, require, module, __filename, __dirname, process, setInterval) {${text}\n})`;
  const kept = join(runFolder ?? '', key);
  const isKept = runFolder !== undefined && existsSync(kept);
  const script = new Script(wrapped, {
    filename: file,
    ...(isKept ? { cachedData: readFileSync(kept) } : {}),
  });
  scripts.set(key, script);
  if (runFolder !== undefined && !isKept) fresh.set(kept, script);
  return script;
}

/** Functions that were called are in it. */
function keepCompiled(): void {
  for (const [file, script] of fresh) {
    writeFileSync(`${file}.${real.pid}`, script.createCachedData());
    renameSync(`${file}.${real.pid}`, file);
  }
  fresh.clear();
}
