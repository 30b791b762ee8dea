/** Rewrites an event after some tasks got other ids. */
import type { Event } from './event.ts';
import type { TaskRecord } from './record/record.ts';

type Renames = ReadonlyMap<string, string>;

export function renameInEvent(event: Event, renames: Renames): Event {
  if (renames.size === 0) return event;
  const to = (id: string) => renames.get(id) ?? id;
  switch (event.kind) {
    case 'add':
    case 'adopt':
      return { ...event, task: renameReferences(event.task, renames) };
    case 'open-lane':
    case 'fold':
      return { ...event, tasks: event.tasks.map((task) => renameRecord(task, renames)) };
    case 'split':
      return {
        ...event,
        id: to(event.id),
        children: event.children.map((task) => renameReferences(task, renames)),
      };
    case 'claim':
      return { ...event, claim: { ...event.claim, task: to(event.claim.task) } };
    case 'edit':
      return { ...event, id: to(event.id), set: renameInFields(event.set, renames) };
    case 'rename':
      return { ...event, from: to(event.from) };
    case 'renew':
    case 'release':
    case 'spend':
    case 'limit':
    case 'artifact':
    case 'mark':
      return event;
    default:
      return { ...event, id: to(event.id) };
  }
}

/** Renames what a record says about other tasks; its own id stays. */
function renameReferences(record: TaskRecord, renames: Renames): TaskRecord {
  return renameInFields(record, renames);
}

function renameRecord(record: TaskRecord, renames: Renames): TaskRecord {
  const to = renames.get(record.id);
  const next = renameReferences(record, renames);
  return to === undefined ? next : { ...next, id: to, was: record.id };
}

function renameInFields<T extends { depends_on?: unknown; parent?: unknown }>(
  fields: T,
  renames: Renames,
): T {
  const next = { ...fields };
  const to = (id: unknown) => (typeof id === 'string' ? (renames.get(id) ?? id) : id);
  if (Array.isArray(fields.depends_on)) next.depends_on = fields.depends_on.map(to);
  if (fields.parent !== undefined) next.parent = to(fields.parent);
  return next;
}
