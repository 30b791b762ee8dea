/** How new tasks come into a ledger: with ids that are free, on the branch they are filed from. */
import { createHash } from 'node:crypto';
import { GzaError } from '../../core/errors.ts';
import type { Event } from '../../core/ledger/event.ts';
import type { LaneLink, TaskRecord } from '../../core/ledger/record/record.ts';
import type { Task } from '../../core/task/task.ts';
import type { Change, LedgerView, Plan } from '../../ledger/ledger.ts';
import type { Ports } from '../command.ts';
import { homeBranch, type OpenedProject } from '../project.ts';
import { refusalError, type Stamp, stampOf } from './change-task.ts';

export type Fields = Omit<Task, 'id'>;

export async function fileRecord(
  opened: Pick<OpenedProject, 'ledger' | 'repository'>,
  fields: Fields,
  ports: Ports,
): Promise<Filed> {
  const stamp = stampOf(ports);
  const salt = ports.random();
  let filed: Filed | undefined;
  const written = await opened.ledger.write(async (view) => {
    const id = await freeId(view, `${fields.content}\n${stamp.at}\n${salt}`);
    const parent = fields.parent === undefined ? null : await view.task(fields.parent);
    const own = inheritedFrom(fields, parent?.record ?? null);
    const record = { id, ...own, ...filing(stamp) };
    const { changes } = await filePlan(view, homeBranch(opened.repository, view), [record], stamp, salt);
    const whole = parent && isEndedByParts(parent.record) ? parent : null;
    const wasOver = whole !== null || (parent !== null && (await hasOnlyClosedParts(view, parent.record)));
    filed = { record, reopened: wasOver ? (parent?.record.id ?? null) : null };
    const reopen: Change[] = whole
      ? [{ branch: whole.branch, events: [{ kind: 'reopen', ...stamp, id: whole.record.id }] }]
      : [];
    return { changes: [...reopen, ...changes] };
  });
  if (written.kind === 'refused') throw refusalError(written);
  return filed as Filed;
}

export interface Filed {
  readonly record: TaskRecord;
  /** Its parent, where that was closed: it is open again until this part is closed too. */
  readonly reopened: string | null;
}

/** Its last part was closed, and with it the whole, without a record of its own. */
async function hasOnlyClosedParts(view: LedgerView, whole: TaskRecord): Promise<boolean> {
  if (whole.closed_at !== undefined) return false;
  const parts = (await view.rows()).filter(({ record }) => record.parent === whole.id);
  return parts.length > 0 && parts.every(({ record }) => record.closed_at !== undefined);
}

/** What was worked on itself stays as it was judged. */
function isEndedByParts({ closed_at, closed_as, steps }: TaskRecord): boolean {
  return closed_at !== undefined && closed_as !== 'split' && (steps ?? []).length === 0;
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

const triesMax = 200;

export async function freeId(view: LedgerView, seed: string): Promise<string> {
  const [id] = await freeIds(view, [seed]);
  return id as string;
}

/** As many ids as seeds, all different: those of one batch are not in the ledger yet. */
export async function freeIds(view: LedgerView, seeds: readonly string[]): Promise<string[]> {
  const size = (await view.size(view.base)) + seeds.length;
  let digits = 4;
  while (16 ** digits < size * 64) digits += 1;
  const taken = new Set<string>();
  for (const seed of seeds) taken.add(await newId(view, seed, digits, taken));
  return [...taken];
}

async function newId(
  view: LedgerView,
  seed: string,
  digits: number,
  taken: ReadonlySet<string>,
): Promise<string> {
  for (let n = 0; n < triesMax; n += 1) {
    const hash = createHash('sha1').update(`${seed}\n${n}`).digest('hex');
    const id = `task-${hash.slice(0, digits + Math.floor(n / 20))}`;
    if (!taken.has(id) && !(await view.task(id))) return id;
  }
  throw new GzaError('world', `no free id was found in ${triesMax} tries`);
}
