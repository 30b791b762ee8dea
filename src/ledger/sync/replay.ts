/**
 * Replays events that only one side has on top of the other side's ledger. Entries keep their nonces, so one
 * that already arrived another way is recognised and left out. Events that are no longer possible are left
 * out, reported, and kept in the messages of the join, where they change nothing.
 */
import { randomBytes } from 'node:crypto';
import { GzaError } from '../../core/errors.ts';
import type { Event, LedgerEntry } from '../../core/ledger/event.ts';
import type { DroppedEvent } from '../../core/ledger/joined.ts';
import type { LedgerMeta, Refusal } from '../../core/ledger/ledger-state.ts';
import { printRecord, type TaskRecord } from '../../core/ledger/record/record.ts';
import { renameInEvent } from '../../core/ledger/rename-event.ts';
import { printTime } from '../../core/time.ts';
import { Draft, idsOf } from '../draft.ts';
import type { Look } from '../git-ledger.ts';
import type { Change, Plan } from '../ledger.ts';
import {
  isBranchName,
  ledgerMoves,
  localMirror,
  type RefMove,
  type Refs,
  refInTheWay,
} from '../store/refs.ts';
import { damageOf, type HistoryCommit, readHistory, type Store, type StoredLedger } from '../store/store.ts';

export interface Replay {
  readonly tip: string | null;
  readonly dropped: readonly DroppedEvent[];
  /** For each commit whose message holds no event, the reason; it is left out. */
  readonly unread: readonly string[];
}

interface ReplayInput {
  readonly onto: StoredLedger | null;
  /** For a ledger that does not exist yet. */
  readonly opens: LedgerMeta;
  readonly commits: readonly HistoryCommit[];
  /** Nonces that the other side has. */
  readonly known: ReadonlySet<string>;
  /** Old id → new id, shared by all ledgers of one sync; this function adds to it. */
  readonly renames: Map<string, string>;
}

export function newId(bytes = 16): string {
  return randomBytes(bytes).toString('hex');
}

export async function replay(store: Store, input: ReplayInput): Promise<Replay> {
  const { onto, opens, commits, known, renames } = input;
  const draft = new Draft(store, onto, opens);
  const { branch } = draft.meta;
  const dropped: DroppedEvent[] = [];
  const unread: string[] = [];
  for (const { entry, parents, author, commit, why } of commits) {
    if (!entry) unread.push(`${commit.slice(0, 12)} could not be joined: ${why}`);
    if (!entry || known.has(entry.nonce)) continue;
    const by = (event: Event) => event.by ?? author.slice(0, byMax);
    const { kept, lost, follows } = await replayEntry(store, draft, entry, renames);
    dropped.push(...lost.map((one) => ({ branch, by: by(one.event), ...one })));
    const told = [
      ...(entry.dropped ?? []),
      ...lost.map(({ event, refusal }) => ({
        event,
        why: refusal.detail.slice(0, whyMax),
        by: by(event),
      })),
      ...follows.map((event) => ({ event, why: voidWithClaim, by: by(event) })),
    ];
    if (kept.length + told.length === 0) continue;
    // Keeps its nonce, so that a copy of this clone neither replays nor reports it again.
    const written = { nonce: entry.nonce, events: kept, ...(told.length > 0 ? { dropped: told } : {}) };
    await draft.write(written, kept.length > 0 ? parents[1] : undefined);
  }
  return { tip: draft.commit, dropped, unread };
}

/**
 * Replays what only `other` has on top of `onto`. Entries that are there already, by their nonce, are left
 * out.
 */
export async function joinOnto(
  store: Store,
  onto: StoredLedger,
  other: StoredLedger,
  told: Pick<ReplayInput, 'commits' | 'renames'>,
): Promise<Replay> {
  const theirs = await readHistory(store.git, { tip: onto.commit, since: other.commit });
  const known = new Set(theirs.map((one) => one.entry?.nonce ?? ''));
  return replay(store, { onto, opens: other.meta, known, ...told });
}

const whyMax = 1_000;
const byMax = 200;
const voidWithClaim = 'the claim that it came with was not kept';

type Lost = Pick<DroppedEvent, 'event' | 'refusal'>;

interface ReplayedEntry {
  readonly kept: Event[];
  readonly lost: readonly Lost[];
  /** Events that came with a lost claim: void, even if the state allows them. */
  readonly follows: readonly Event[];
}

async function replayEntry(
  store: Store,
  draft: Draft,
  entry: LedgerEntry,
  renames: Map<string, string>,
): Promise<ReplayedEntry> {
  const kept: Event[] = [];
  const lost: Lost[] = [];
  for (const [n, told] of entry.events.entries()) {
    const event = renameInEvent(told, renames);
    const done = await replayOne(store, draft, event, entry.nonce, renames);
    if (done.kind === 'applied') kept.push(done.event);
    if (done.kind !== 'refused') continue;
    lost.push({ event, refusal: done });
    // A claim is the first event of its entry.
    if (n === 0 && event.kind === 'claim') return { kept, lost, follows: entry.events.slice(1) };
  }
  return { kept, lost, follows: [] };
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

/** Whether the blob can be read as the text of an artifact. */
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

/** One task filed twice: the same text from the same file, the same imported line, or the same record. */
function isSameTask(there: TaskRecord, filed: TaskRecord): boolean {
  if (filed.file !== undefined && there.file === filed.file) return there.content === filed.content;
  if (filed.key !== undefined && there.key === filed.key) return true;
  return there.created_at === filed.created_at &&
    there.content === filed.content &&
    there.title === filed.title
    ? (there.created_by ?? '') === (filed.created_by ?? '') || printRecord(there) === printRecord(filed)
    : false;
}

/**
 * Turns a plan into commits that nothing points to yet, and into the moves of refs that put them in force.
 */

export interface Prepared {
  readonly moves: readonly RefMove[];
  readonly tips: ReadonlyMap<string, string>;
}

const eventsPerCommitMax = 5_000;
/** A single event may be larger, because its texts are bounded themselves. */
const bytesPerCommitMax = 4 << 20;

export async function prepare(store: Store, look: Look, plan: Plan): Promise<Prepared | Refusal> {
  const drafts = new Map<string, Draft>();
  const tips = new Map<string, string>();
  for (const change of plan.changes) {
    const events = await withArtifacts(store, change);
    if (events.length === 0) continue;
    const { branch } = change;
    const draft = drafts.get(branch) ?? (await openDraft(store, look, branch));
    drafts.set(branch, draft);
    // A commit message has a limit, so there may be several commits, but there is only one transaction.
    const parts = inCommits(events);
    for (const some of parts) {
      const second = some === parts.at(-1) ? change.secondParent : undefined;
      const written = await writeSome(draft, some, second).catch((error) => {
        throw unwritable(branch, `cannot be read: ${damageOf(error)}`);
      });
      if (typeof written !== 'string') return written;
      tips.set(branch, written);
    }
  }
  const moves = [...tips].flatMap(([branch, to]) => both(store, look, branch, to));
  for (const branch of plan.remove ?? []) moves.push(...removal(store, look, branch));
  return { moves: [...moves, ...(plan.refs ?? [])], tips };
}

function inCommits(events: readonly Event[]): Event[][] {
  const parts: Event[][] = [[]];
  let bytes = 0;
  for (const event of events) {
    const size = events.length === 1 ? 0 : JSON.stringify(event).length;
    const part = parts.at(-1) as Event[];
    if (part.length === 0 || (part.length < eventsPerCommitMax && bytes + size <= bytesPerCommitMax)) {
      part.push(event);
      bytes += size;
    } else {
      parts.push([event]);
      bytes = size;
    }
  }
  return parts;
}

async function writeSome(
  draft: Draft,
  events: readonly Event[],
  second: string | undefined,
): Promise<string | Refusal> {
  const refusal = await applyAll(draft, events);
  return refusal ?? draft.write({ nonce: newId(), events: [...events] }, second);
}

async function applyAll(draft: Draft, events: readonly Event[]): Promise<Refusal | null> {
  const wanted = events.map(idsOf);
  await draft.load(wanted.includes('all') ? 'all' : wanted.flatMap((ids) => ids));
  for (const event of events) {
    const refusal = await draft.apply(event);
    if (refusal) return refusal;
  }
  return null;
}

async function withArtifacts(store: Store, { events, artifacts = [] }: Change): Promise<readonly Event[]> {
  if (artifacts.length === 0) return events;
  const writer = await store.writer();
  const at = events[0]?.at ?? printTime(store.clock());
  const more = artifacts.map(
    ({ path, text }): Event => ({ kind: 'artifact', at, path, blob: writer.blob(text) }),
  );
  return [...events, ...more];
}

async function openDraft(store: Store, look: Look, branch: string): Promise<Draft> {
  const { view, refs } = look;
  refuseBroken(store, refs, branch);
  const opens: LedgerMeta = { v: 1, branch, lane: newId(8), ...(branch === view.base ? { base: true } : {}) };
  if (view.tip(branch) !== null) {
    const stored = await view.stored(branch);
    // The content may be known from an earlier reading, but a commit on top needs the object itself.
    if (stored && (await isThere(store, stored.commit))) return new Draft(store, stored, opens);
    const why = view.problems.find((problem) => problem.branch === branch)?.detail;
    throw unwritable(branch, `cannot be read: ${why ?? 'its commit is missing or damaged'}`);
  }
  // A new ledger would stand in the way of the lost one.
  if (look.lost.has(branch)) throw unwritable(branch, 'is lost');
  if (!isBranchName(branch)) throw new GzaError('input', `${JSON.stringify(branch)} is no name for a branch`);
  const inTheWay = refInTheWay(branch, [...refs.tips.keys(), ...refs.mirrors.keys()]);
  if (inTheWay !== null) {
    const [there, wanted] = [`${store.namespace}/${inTheWay}`, `${store.namespace}/${branch}`];
    throw new GzaError('blocked', `${there} is in the way of ${wanted}: git keeps only one of them`, {
      hint: `Fold or remove the ledger of ${inTheWay} first (\`gza fsck --clean\`), or use another branch name.`,
      data: { inTheWay: there, ref: wanted },
    });
  }
  return new Draft(store, null, opens);
}

async function isThere({ reader }: Store, commit: string): Promise<boolean> {
  return (await reader.read(commit).catch(() => null)) !== null;
}

/** git would refuse, and without this check the write would be retried until its time is up. */
function refuseBroken(store: Store, { broken }: Refs, branch: string): void {
  const ref = [`${store.namespace}/${branch}`, `${localMirror}${branch}`].find((one) => broken.includes(one));
  if (ref !== undefined) throw unwritable(branch, `cannot be written: the file of ${ref} is damaged`);
}

function unwritable(branch: string, why: string): GzaError {
  return new GzaError('world', `nothing was recorded: the ledger of ${branch} ${why}`, {
    hint: 'What it holds was left as it is; the other ledgers go on. `gza fsck` says what to do.',
  });
}

function both(store: Store, { refs }: Look, branch: string, to: string | null): RefMove[] {
  const from = { tip: refs.tips.get(branch), mirror: refs.mirrors.get(branch) };
  const moves = ledgerMoves(store.namespace, branch, to, from);
  return moves.filter((move) => move.to !== null || move.from !== null);
}

function removal(store: Store, look: Look, branch: string): RefMove[] {
  refuseBroken(store, look.refs, branch);
  return both(store, look, branch, null);
}
