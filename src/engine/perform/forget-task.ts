/** What agents kept for a task that is done: their HOMEs, which can be large, and sessions nobody goes on with. */
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { removeHome } from './remove-home.ts';

/** `agents`: all that may have worked on it. Names of tasks may be beginnings of one another. */
export async function forgetTask(stateDir: string, id: string, agents: readonly string[]): Promise<void> {
  const names = new Set(agents.map((agent) => `${id}-${agent}`));
  for (const name of await readdir(join(stateDir, 'homes')).catch(() => [])) {
    if (names.has(name)) removeHome(join(stateDir, 'homes', name));
  }
  for (const name of names) await rm(join(stateDir, 'sessions', `${name}.json`), { force: true });
}
