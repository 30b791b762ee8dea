import { readFile, rename, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import * as z from 'zod';
import { readPlainFile } from '../system/plain-file.ts';

/** What is remembered of a clone, beside it, where the agent does not work. */
const recordSchema = z.object({
  version: z.literal(2),
  name: z.string(),
  /** The repository's common git folder, without links. */
  repository: z.string(),
  branch: z.string(),
  /** The commit the step starts from. */
  start: z.string(),
  /** The tree the agent was shown: that of `start`, with the base branch's instruction files; null until it is. */
  shown: z.string().nullable(),
  /** Folders of submodules: empty here, and not asked of git, which would look into them. */
  submodules: z.array(z.string()),
  purpose: z.enum(['change', 'review']),
  owner: z.object({ pid: z.number(), host: z.string(), since: z.string() }),
  createdAt: z.string(),
  /** The commit that holds what was left here; null until it is imported. */
  saved: z.string().nullable(),
});

/** Begins the names of folders that are being made or removed. */
export const asideMark = '.gza-';
const newMark = `${asideMark}new-`;

/** What a folder in the making is called at first: whose it is stands in its name, as it has no record yet. */
export function makingName({ host, pid, since }: CloneRecord['owner']): string {
  return `${newMark}${host.replaceAll(/[^\w.]/g, '_')}-${pid}-${since}-`;
}

/** Null where the name does not tell: another version made it. */
export function makerOf(name: string): CloneRecord['owner'] | null {
  const [, host = '', pid = '', since = ''] = /^\.gza-new-([\w.]+)-(\d+)-(\d*)-\w+$/.exec(name) ?? [];
  const here = hostname().replaceAll(/[^\w.]/g, '_');
  return pid === '' ? null : { host: host === here ? hostname() : host, pid: Number(pid), since };
}

export type CloneRecord = z.infer<typeof recordSchema>;

const recordBytesMax = 16 << 20;

export async function writeRecord(cloneDir: string, record: CloneRecord): Promise<void> {
  const file = path.join(cloneDir, 'record.json');
  await writeFile(`${file}.new`, `${JSON.stringify(record, null, 2)}\n`);
  await rename(`${file}.new`, file);
}

/** Null when there is none, or none that can be read: a clone whose making was cut short. */
export async function readRecord(cloneDir: string): Promise<CloneRecord | null> {
  try {
    const parsed = recordSchema.safeParse(
      JSON.parse(
        (await readPlainFile(path.join(cloneDir, 'record.json'), recordBytesMax))?.toString('utf8') ?? '',
      ),
    );
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

export async function thisProcess(): Promise<CloneRecord['owner']> {
  return { pid: process.pid, host: hostname(), since: await processStart(process.pid) };
}

/** A clone of another machine counts as alive: nothing is known of it from here. */
export async function isOwnerAlive({ pid, host, since }: CloneRecord['owner']): Promise<boolean> {
  if (host !== hostname()) return true;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  // The number may have gone to another process since.
  const start = await processStart(pid);
  return since === '' || start === '' || since === start;
}

/** Linux says when a process started; elsewhere the number has to do. */
async function processStart(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}
