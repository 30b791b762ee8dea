import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import type { AgentAdapter } from './agents.ts';
import { findProgram } from './find-program.ts';

export interface Probe {
  readonly file: string;
  /** The first line that it prints when asked; undefined when it does not say. */
  readonly version: string | undefined;
}

export interface ProbeOptions {
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
  if (adapter.versionArgs.length === 0) return { file, version: undefined };
  const key = `${file} ${statSync(file).mtimeMs}`;
  if (!versions.has(key)) versions.set(key, await askVersion(file, adapter.versionArgs, env, home));
  return { file, version: versions.get(key) };
}

function askVersion(
  file: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  cwd: string,
) {
  return new Promise<string | undefined>((resolve) => {
    const options = {
      cwd,
      env: { ...env },
      timeout: 30_000,
      killSignal: 'SIGKILL',
      maxBuffer: 1 << 20,
    } as const;
    execFile(file, [...args], options, (error, stdout) => {
      const line = stdout.trim().split('\n')[0]?.trim().slice(0, 100);
      resolve(error || !line ? undefined : line);
    }).stdin?.end();
  });
}
