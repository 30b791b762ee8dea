/**
 * The session of a step that was cut short, for `gza resume`. It lives where the agent's HOME does and no agent
 * writes: a session can be gone on with only on the machine, in the HOME and in the folder that it began in.
 */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import type { SessionTotals } from '../../agents/agents.ts';
import { removeAll } from '../../workspace/workspace.ts';

const usage = z.object({
  input: z.number(),
  cachedInput: z.number(),
  output: z.number(),
  reasoning: z.number(),
});

const sessionSchema = z.object({
  step: z.string(),
  id: z.string().min(1).max(500),
  /** Name of the clone: agents look sessions up by folder. */
  clone: z.string(),
  totals: z.object({ usage }).optional(),
});

export interface StoredSession {
  readonly id: string;
  readonly clone: string;
  readonly totals?: SessionTotals | undefined;
}

interface Owner {
  readonly id: string;
  readonly agent: string;
  readonly step: string;
}

/** Null when there is none that this step could go on with. */
export async function readSession(stateDir: string, job: Owner): Promise<StoredSession | null> {
  try {
    const read = sessionSchema.safeParse(JSON.parse(await readFile(fileOf(stateDir, job), 'utf8')));
    return read.success && read.data.step === job.step ? read.data : null;
  } catch {
    return null;
  }
}

/** Null takes it away. */
export async function writeSession(
  stateDir: string,
  job: Owner,
  session: StoredSession | null,
): Promise<void> {
  const file = fileOf(stateDir, job);
  if (session === null) return rm(file, { force: true });
  await mkdir(join(stateDir, 'sessions'), { recursive: true });
  await writeFile(file, JSON.stringify({ ...session, step: job.step }), { mode: 0o600 });
}

function fileOf(stateDir: string, { id, agent }: Pick<Owner, 'id' | 'agent'>): string {
  return join(stateDir, 'sessions', `${id}-${agent}.json`);
}

/** The next try begins afresh. */
export async function forgetSessions(stateDir: string, id: string, agents: readonly string[]): Promise<void> {
  for (const agent of agents) await rm(fileOf(stateDir, { id, agent }), { force: true });
}

/** What agents kept for a task that is done: their HOMEs, which can be large, and sessions nobody goes on with. */
/** `agents`: all that may have worked on it. Names of tasks may be beginnings of one another. */
export async function forgetTask(stateDir: string, id: string, agents: readonly string[]): Promise<void> {
  const names = new Set(agents.map((agent) => `${id}-${agent}`));
  for (const name of await readdir(join(stateDir, 'homes')).catch(() => [])) {
    if (names.has(name)) await removeAll(join(stateDir, 'homes', name)).catch(() => {});
  }
  await forgetSessions(stateDir, id, agents);
}
