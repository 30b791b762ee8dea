/** What an import changes: new items become tasks, boxes ticked since close theirs. */

import type { Stamp } from '../../app/tasks/change-task.ts';
import { type Fields, filePlan, filing, inheritedFrom, set } from '../../app/tasks/file-records.ts';
import { freeIds } from '../../app/tasks/new-id.ts';
import type { Event } from '../../core/ledger/event.ts';
import type { TaskRecord } from '../../core/ledger/record/record.ts';
import type { ChecklistItem } from '../../core/markdown/parse-checklist.ts';
import type { TaskType } from '../../core/task/task.ts';
import { titleOf } from '../../core/task/title.ts';
import { addSeconds } from '../../core/time.ts';
import type { LedgerView, Plan } from '../../ledger/ledger.ts';

export interface Drawn {
  readonly filed: TaskRecord[];
  /** Ids whose box is ticked, of new and of known tasks, with the ledger that has them. */
  readonly ticked: { readonly id: string; readonly branch: string | null }[];
  known: number;
}

export interface ImportSource {
  readonly name: string;
  /** Path in the repository, when it is a file. */
  readonly file?: string;
  readonly items: readonly ChecklistItem[];
}

interface Drawing {
  readonly shared: { readonly type: TaskType; readonly group?: string; readonly plan_file?: string };
  readonly stamp: Stamp;
  readonly salt: string;
}

/** What an import would file and close, by what the ledgers know of this source already. */
export async function drawImport(
  view: LedgerView,
  source: ImportSource,
  { shared, stamp, salt }: Drawing,
): Promise<Drawn> {
  const known = new Map(
    (await view.rows()).flatMap((row) => (row.record.key ? [[row.record.key, row]] : [])),
  );
  const name = source.file ?? shared.plan_file ?? source.name;
  const keys = source.items.map((item) => `${name}#${item.key}`);
  const fresh = source.items.filter((_item, at) => !known.has(keys[at] as string));
  const free = await freeIds(
    view,
    fresh.map((item, at) => `${item.text}\n${stamp.at}\n${salt}\n${at}`),
  );
  const drawn: Drawn = { filed: [], ticked: [], known: source.items.length - fresh.length };
  const ids: string[] = [];
  const byId = new Map([...known.values()].map(({ record }) => [record.id, record]));
  for (const [at, item] of source.items.entries()) {
    const key = keys[at] as string;
    const before = known.get(key);
    const id = before?.record.id ?? free[drawn.filed.length]!;
    ids.push(id);
    if (item.done && !before?.record.closed_at) drawn.ticked.push({ id, branch: before?.branch ?? null });
    if (before) continue;
    const parent = item.parent === null ? undefined : ids[item.parent];
    const fields = inheritedFrom(fieldsOf(item, shared, parent), byId.get(parent ?? '') ?? null);
    const filed = filing({ ...stamp, at: addSeconds(stamp.at, at / 1000) });
    drawn.filed.push({ id, ...fields, ...filed, key });
  }
  return drawn;
}

function fieldsOf(
  { text, body }: ChecklistItem,
  shared: Drawing['shared'],
  parent: string | undefined,
): Fields {
  const content = body ? `${text}\n\n${body}` : text;
  return { ...shared, title: titleOf(text), content, ...set({ parent }) };
}

export async function importPlan(
  view: LedgerView,
  { filed, ticked }: Drawn,
  home: string,
  stamp: Stamp,
  salt: string,
): Promise<Plan | null> {
  const changes = new Map<string, Event[]>();
  if (filed.length > 0) {
    for (const { branch, events } of (await filePlan(view, home, filed, stamp, salt)).changes)
      changes.set(branch, [...events]);
  }
  for (const { id, branch } of ticked) {
    const event: Event = { kind: 'close', ...stamp, id, as: 'done', reason: 'ticked when imported' };
    const at = branch ?? home;
    changes.set(at, [...(changes.get(at) ?? []), event]);
  }
  if (changes.size === 0) return null;
  return { changes: [...changes].map(([branch, events]) => ({ branch, events })) };
}
