/** How new tasks come into a ledger: with ids that are free, on the branch they are filed from. */
import { createHash } from 'node:crypto';
import { GzaError } from '../core/errors.ts';
import type { Event } from '../core/event.ts';
import type { LaneLink, TaskRecord } from '../core/record.ts';
import type { Task } from '../core/task.ts';
import type { LedgerView, Plan } from '../ledger/ledger.ts';
import { type Stamp, refusalError, stampOf } from './change-task.ts';
import type { Ports } from './command.ts';
import { type Opened, homeBranch } from './project.ts';

export type Fields = Omit<Task, 'id'>;

export async function fileRecord(
  opened: Pick<Opened, 'ledger' | 'repository'>,
  fields: Fields,
  ports: Ports,
): Promise<TaskRecord> {
  const stamp = stampOf(ports);
  const salt = ports.random();
  let filed: TaskRecord | undefined;
  const written = await opened.ledger.write(async (view) => {
    const ids = await freeIds(view, [fields.content], `${stamp.at}\n${salt}`);
    const parent = fields.parent === undefined ? null : await view.task(fields.parent);
    const own = inheritedFrom(fields, parent?.record ?? null);
    filed = { id: ids[0] as string, ...own, ...filing(stamp) };
    return filePlan(view, homeBranch(opened.repository, view), [filed], stamp, salt);
  });
  if (written.kind === 'refused') throw refusalError(written);
  return filed as TaskRecord;
}

export function filing({ at, by }: Stamp): Pick<TaskRecord, 'created_at' | 'created_by'> {
  return by ? { created_at: at, created_by: by } : { created_at: at };
}

/** In a lane's ledger the first event opens the lane. */
export async function filePlan(
  view: LedgerView,
  branch: string,
  records: readonly TaskRecord[],
  stamp: Stamp,
  salt: string,
): Promise<Plan> {
  if (branch === view.base)
    return { changes: [{ branch, events: records.map((task) => ({ kind: 'add', ...stamp, task })) }] };
  const meta = await view.meta(branch);
  const lane: LaneLink = { id: meta?.lane ?? salt, branch };
  const events: Event[] = meta ? [] : [{ kind: 'open-lane', ...stamp, lane, tasks: [] }];
  for (const task of records) events.push({ kind: 'add', ...stamp, task: { ...task, lane } });
  return { changes: [{ branch, events }] };
}

/** A part belongs to what its whole belongs to. */
export function inheritedFrom(fields: Fields, parent: Task | null): Fields {
  if (!parent) return fields;
  const { branch, plan_file, project, group, milestone } = parent;
  return { ...set({ branch, plan_file, project, group, milestone }), ...fields };
}

/** Without what is undefined or null. */
export function set<T extends Record<string, unknown>>(
  fields: T,
): { [K in keyof T]: Exclude<T[K], undefined | null> } {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null),
  ) as never;
}

const idTriesMax = 200;

/** `task-` and 4 hex digits, more as the ledger grows, so that ids stay short and rarely meet. */
export async function freeIds(
  view: LedgerView,
  contents: readonly string[],
  seed: string,
): Promise<string[]> {
  const size = (await view.size(view.base)) + contents.length;
  let digits = 4;
  while (16 ** digits < size * 64) digits += 1;
  const taken = new Set<string>();
  for (const [at, content] of contents.entries()) {
    taken.add(await freeId(view, `${content}\n${seed}\n${at}`, digits, taken));
  }
  return [...taken];
}

async function freeId(
  view: LedgerView,
  seed: string,
  digits: number,
  taken: ReadonlySet<string>,
): Promise<string> {
  for (let n = 0; n < idTriesMax; n += 1) {
    const hash = createHash('sha1').update(`${seed}\n${n}`).digest('hex');
    const id = `task-${hash.slice(0, digits + Math.floor(n / 20))}`;
    if (!taken.has(id) && !(await view.task(id))) return id;
  }
  throw new GzaError('world', `no free id was found in ${idTriesMax} tries`);
}
