import { existsSync, mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { GzaError } from '../core/errors.ts';
import type { AgentAdapter, LaunchFile } from './agents.ts';

/**
 * Files that an agent is given under its HOME. An earlier run may have left links there that lead elsewhere,
 * so a file is made anew instead of written through, and only inside.
 */
export function writeHomeFiles(home: string, files: readonly LaunchFile[]): void {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  for (const { path, text } of files) {
    const file = insideHome(home, path);
    rmSync(file, { force: true, recursive: true });
    writeFileSync(file, text, { mode: 0o600, flag: 'wx' });
  }
}

/** Lends the person's login to the agent, where it has no key. Says whether there is one. */
export function linkLogins(adapter: AgentAdapter, home: string, userHome: string | undefined): boolean {
  if (userHome === undefined || userHome === home)
    return adapter.logins.some((path) => existsSync(join(home, path)));
  const found = adapter.logins.filter((path) => existsSync(join(userHome, path)));
  for (const path of found) {
    const file = insideHome(home, path);
    rmSync(file, { force: true });
    symlinkSync(join(userHome, path), file);
  }
  return found.length > 0;
}

/** The person's own files that an agent without a key logs in with. */
export function loginFiles(
  { logins, secretNames }: AgentAdapter,
  keys: Readonly<Record<string, string>>,
  home: string | undefined,
): string[] {
  if (home === undefined || secretNames.some((name) => keys[name])) return [];
  return logins.map((path) => join(home, path)).filter((path) => existsSync(path));
}

const turns = new Map<string, Promise<unknown>>();

/**
 * One run at a time with one login: a run may renew it, and what another one still holds of it may then be taken for
 * stolen. Runs of other gza processes are not seen.
 */
export async function inTurn<T>(login: string, waiting: () => void, run: () => Promise<T>): Promise<T> {
  const before = turns.get(login);
  if (before) waiting();
  const mine = (async () => {
    await before?.catch(() => {});
    return run();
  })();
  turns.set(login, mine);
  try {
    return await mine;
  } finally {
    if (turns.get(login) === mine) turns.delete(login);
  }
}

function insideHome(home: string, path: string): string {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const file = join(home, path);
  mkdirSync(dirname(file), { recursive: true });
  const folder = realpathSync(dirname(file));
  if (`${folder}${sep}`.startsWith(`${realpathSync(home)}${sep}`)) return file;
  throw new GzaError('world', `${dirname(file)} leads out of the agent's HOME, to ${folder}`, {
    hint: 'An earlier run left a link there. Remove the folder and run again.',
  });
}
