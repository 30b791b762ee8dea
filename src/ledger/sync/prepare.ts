/** A plan → commits that nothing points to yet, and the moves of refs that would make them count. */
import { GzaError } from '../../core/errors.ts';
import type { Event } from '../../core/ledger/event.ts';
import type { LedgerMeta, Refusal } from '../../core/ledger/ledger-state.ts';
import { printTime } from '../../core/time.ts';
import { Draft, idsOf } from '../draft.ts';
import type { Look } from '../git-ledger.ts';
import type { Change, Plan } from '../ledger.ts';
import { ledgerMoves, type RefMove } from '../store/move-refs.ts';
import { isBranchName, localMirror, type Refs, refInTheWay } from '../store/read-refs.ts';
import type { Store } from '../store/store.ts';
import { damageOf } from '../store/stored-ledger.ts';
import { newId } from './replay.ts';

export interface Prepared {
  readonly moves: readonly RefMove[];
  readonly tips: ReadonlyMap<string, string>;
}

const eventsPerCommitMax = 5_000;
/** One event may go beyond it: its texts are bounded themselves. */
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
    // A commit message has a limit; the transaction is still one.
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
    // What it holds may be known from an earlier look: what is built on it must be there all the same.
    if (stored && (await isThere(store, stored.commit))) return new Draft(store, stored, opens);
    const why = view.problems.find((problem) => problem.branch === branch)?.detail;
    throw unwritable(branch, `cannot be read: ${why ?? 'its commit is missing or damaged'}`);
  }
  // Begun again it would stand in the way of what was lost.
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

/** git would refuse, and who does not know why would try for as long as a write may take. */
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
