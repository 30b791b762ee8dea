/** What lies beside the spool of a step, left by the engine for the agent's commands. */
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isRecord } from '../../core/review/find-json.ts';

export function stepFiles(spool: string): { readonly context: string; readonly tasks: string } {
  const folder = dirname(spool);
  return { context: join(folder, 'context.md'), tasks: join(folder, 'tasks.json') };
}

export async function readStepContext(spool: string): Promise<string | null> {
  return readFile(stepFiles(spool).context, 'utf8').catch(() => null);
}

/** The texts of the tasks that this step may look at, by id; empty when there are none. */
export async function readStepTasks(spool: string): Promise<ReadonlyMap<string, string>> {
  const text = await readFile(stepFiles(spool).tasks, 'utf8').catch(() => '{}');
  try {
    const value: unknown = JSON.parse(text);
    if (!isRecord(value)) return new Map();
    return new Map(
      Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
    );
  } catch {
    return new Map();
  }
}
