import { randomUUID } from 'node:crypto';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import type { AgentAdapter } from './agents.ts';
import { startProcess } from './run-process.ts';
import type { Sandbox } from './sandbox/sandbox.ts';

export interface Probe {
  readonly file: string;
  /** The first line that it prints when asked; undefined when it does not say. */
  readonly version: string | undefined;
}

interface ProbeOptions {
  readonly env: Readonly<Record<string, string>>;
  /** Where the program is looked for when its name is a relative path. */
  readonly cwd: string;
  /** Where it is asked for its version: not the work tree, whose settings it would read. */
  readonly home: string;
  readonly sandbox?: Sandbox | undefined;
}

// Asked once for each file: some need two seconds for the answer.
const versions = new Map<string, string | undefined>();

/** The program and its version for the run's record; undefined when it is not installed. */
export async function probeAgent(adapter: AgentAdapter, options: ProbeOptions): Promise<Probe | undefined> {
  const { env, cwd } = options;
  const file = findProgram(adapter.program, env['PATH'], cwd);
  if (file === undefined) return undefined;
  if (!adapter.tellsVersion) return { file, version: undefined };
  const key = `${file} ${statSync(file).mtimeMs}`;
  if (!versions.has(key)) versions.set(key, await askVersion(file, env, options));
  return { file, version: versions.get(key) };
}

/** It runs with settings that an earlier run may have left in HOME, so with the same care as the run itself. */
async function askVersion(file: string, env: Readonly<Record<string, string>>, options: ProbeOptions) {
  let text = '';
  const { exitCode } = await startProcess({
    file,
    args: ['--version'],
    cwd: options.home,
    env,
    stdin: '',
    mark: randomUUID(),
    limits: { timeoutMs: 30_000, idleMs: 30_000, outputBytesMax: 1 << 20, graceMs: 0 },
    sandbox: options.sandbox,
    onStdout: (more) => {
      text += more;
    },
    onStderr: () => {},
  }).ended;
  const line = text.trim().split('\n')[0]?.trim().slice(0, 100);
  return exitCode !== 0 || !line ? undefined : line;
}

/**
 * The file that a name stands for, as a shell would find it, without one. Relative folders on PATH are left
 * out: the work tree is not a place to find programs in by accident. A name with a slash is a path.
 */
export function findProgram(program: string, path: string | undefined, cwd: string): string | undefined {
  if (/[\\/]/.test(program)) {
    const file = resolve(cwd, program);
    return isProgram(file) ? file : undefined;
  }
  const folders = (path ?? '').split(delimiter).filter((folder) => isAbsolute(folder));
  const endings = process.platform === 'win32' ? ['.exe', '.cmd', '.bat', ''] : [''];
  const files = folders.flatMap((folder) => endings.map((ending) => join(folder, program + ending)));
  return files.find(isProgram);
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
