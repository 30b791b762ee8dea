import { execFile } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import type { AgentAdapter } from './agents.ts';

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
}

// Asked once for each file: some need two seconds for the answer.
const versions = new Map<string, string | undefined>();

/** The program and its version for the run's record; undefined when it is not installed. */
export async function probeAgent(
  adapter: AgentAdapter,
  { env, cwd, home }: ProbeOptions,
): Promise<Probe | undefined> {
  const file = findProgram(adapter.program, env['PATH'], cwd);
  if (file === undefined) return undefined;
  if (!adapter.tellsVersion) return { file, version: undefined };
  const key = `${file} ${statSync(file).mtimeMs}`;
  if (!versions.has(key)) versions.set(key, await askVersion(file, env, home));
  return { file, version: versions.get(key) };
}

function askVersion(file: string, env: Readonly<Record<string, string>>, cwd: string) {
  return new Promise<string | undefined>((resolve) => {
    const options = {
      cwd,
      env: { ...env },
      timeout: 30_000,
      killSignal: 'SIGKILL',
      maxBuffer: 1 << 20,
    } as const;
    execFile(file, ['--version'], options, (error, stdout) => {
      const line = stdout.trim().split('\n')[0]?.trim().slice(0, 100);
      resolve(error || !line ? undefined : line);
    }).stdin?.end();
  });
}
