/**
 * Puts events that only one side has on top of the other side's ledger. Entries keep their nonces, so one that
 * arrived there already by another way is known and left out. What is no longer possible is left out and told.
 */
import { randomBytes } from 'node:crypto';
import { GzaError } from '../core/errors.ts';
import type { Event, LedgerEntry } from '../core/event.ts';
import type { LedgerMeta, Refusal } from '../core/ledger-state.ts';
import { printRecord } from '../core/print-record.ts';
import type { TaskRecord } from '../core/record.ts';
import { renameInEvent } from '../core/rename-event.ts';
import { Draft } from './draft.ts';
import type { HistoryCommit } from './history.ts';
import type { Store } from './store.ts';
import { damageOf, type StoredLedger } from './stored-ledger.ts';

export interface DroppedEvent {
  readonly branch: string;
  readonly event: Event;
  readonly refusal: Refusal;
}

export interface Replay {
  readonly tip: string | null;
  readonly dropped: readonly DroppedEvent[];
}

export interface ReplayInput {
  readonly onto: StoredLedger | null;
  /** For a ledger that has to be begun. */
  readonly opens: LedgerMeta;
  readonly commits: readonly HistoryCommit[];
  /** Nonces that the other side has. */
  readonly known: ReadonlySet<string>;
  /** Old id → new id, shared by all ledgers of one sync; grows here. */
  readonly renames: Map<string, string>;
}

export function newId(bytes = 16): string {
  return randomBytes(bytes).toString('hex');
}

export async function replay(store: Store, input: ReplayInput): Promise<Replay> {
  const { onto, opens, commits, known, renames } = input;
  const draft = new Draft(store, onto, opens);
  const dropped: DroppedEvent[] = [];
  for (const { entry, parents } of commits) {
    if (!entry || known.has(entry.nonce)) continue;
    const events: Event[] = [];
    for (const event of entry.events) {
      // A claim is the first event of its entry; when it is lost, what was meant to follow it is void.
      if (dropped.at(-1)?.event.kind === 'claim' && dropped.at(-1)?.event === entry.events[0]) continue;
      const done = await replayOne(store, draft, renameInEvent(event, renames), entry.nonce, renames);
      if (done.kind === 'applied') events.push(done.event);
      else if (done.kind === 'refused') {
        dropped.push({ branch: draft.meta.branch, event, refusal: done });
      }
    }
    if (events.length > 0) await draft.write(strip(entry, events), parents[1]);
  }
  return { tip: draft.commit, dropped };
}

function strip({ nonce }: LedgerEntry, events: Event[]): LedgerEntry {
  return { nonce, events };
}

type Done = { readonly kind: 'applied'; readonly event: Event } | { readonly kind: 'same' } | Refusal;

async function replayOne(
  store: Store,
  draft: Draft,
  event: Event,
  nonce: string,
  renames: Map<string, string>,
): Promise<Done> {
  if (event.kind === 'artifact' && !(await isText(store, event.blob))) {
    return { kind: 'refused', why: 'unknown', detail: `the text of ${event.path} is not here, or too long` };
  }
  const refusal = await attempt(draft, event);
  if (refusal === null) return { kind: 'applied', event };
  if (refusal.why !== 'exists' || (event.kind !== 'add' && event.kind !== 'adopt')) return refusal;
  const there = draft.tasks.get(event.task.id);
  if (there && isSameTask(there, event.task)) return { kind: 'same' };
  if (event.kind === 'adopt') return refusal;
  return addUnderLongerId(draft, event, nonce, renames);
}

async function addUnderLongerId(
  draft: Draft,
  event: Extract<Event, { kind: 'add' }>,
  nonce: string,
  renames: Map<string, string>,
): Promise<Done> {
  const { id } = event.task;
  for (let more = 4; more <= 32; more += 4) {
    const longer = `${id}${nonce.replace(/[^0-9a-f]/g, '').slice(0, more)}`;
    const renamed: Event = { ...event, task: { ...event.task, id: longer, was: id } };
    const refusal = await attempt(draft, renamed);
    if (refusal?.why === 'exists') continue;
    if (refusal) return refusal;
    renames.set(id, longer);
    return { kind: 'applied', event: renamed };
  }
  return { kind: 'refused', why: 'exists', detail: `no free id was found for ${id}` };
}

/** Whether it can be read as the text of an artifact. */
export async function isText({ reader }: Store, blob: string): Promise<boolean> {
  const object = await reader.read(blob).catch((error) => {
    damageOf(error);
    return null;
  });
  return object?.type === 'blob';
}

export async function attempt(draft: Draft, event: Event): Promise<Refusal | null> {
  try {
    return await draft.apply(event);
  } catch (error) {
    if (error instanceof GzaError && error.code === 'input') {
      return { kind: 'refused', why: 'invalid', detail: error.message };
    }
    throw error;
  }
}

/** Filed twice, not two tasks: the same words from the same file, or the very same record. */
function isSameTask(there: TaskRecord, filed: TaskRecord): boolean {
  if (filed.file !== undefined && there.file === filed.file) return there.content === filed.content;
  if (filed.key !== undefined && there.key === filed.key) return true;
  return there.created_at === filed.created_at &&
    there.content === filed.content &&
    there.title === filed.title
    ? (there.created_by ?? '') === (filed.created_by ?? '') || printRecord(there) === printRecord(filed)
    : false;
}
