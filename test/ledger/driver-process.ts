/** driver.ts, bundled once and run as processes of their own. */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';

export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface Driver {
  readonly start: (...args: string[]) => { child: ChildProcess; ended: Promise<Ran> };
  readonly startWith: (
    options: SpawnOptions,
    ...args: string[]
  ) => { child: ChildProcess; ended: Promise<Ran> };
  /** For afterAll. */
  readonly remove: () => void;
}

export function buildDriver(): Driver {
  const cache = join(import.meta.dirname, '../../node_modules/.cache');
  const outfile = join(cache, `ledger-driver-${process.pid}-${Math.random().toString(36).slice(2)}.mjs`);
  mkdirSync(cache, { recursive: true });
  const entryPoints = [join(import.meta.dirname, 'driver.ts')];
  const options = { bundle: true, packages: 'external', platform: 'node', format: 'esm' } as const;
  buildSync({ ...options, entryPoints, outfile, logLevel: 'error' });
  const startWith: Driver['startWith'] = (options, ...args) => {
    const child = spawn(process.execPath, [outfile, ...args], {
      ...options,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [out, err] = ['', ''];
    child.stdout?.on('data', (chunk) => (out += chunk));
    child.stderr?.on('data', (chunk) => (err += chunk));
    return {
      child,
      ended: new Promise((resolve) => child.on('close', (code) => resolve({ code, out, err }))),
    };
  };
  return {
    start: (...args) => startWith({}, ...args),
    startWith,
    remove: () => rmSync(outfile, { force: true }),
  };
}
