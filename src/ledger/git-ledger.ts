/**
 * Ledgers in git refs. A write reads the refs, asks the plan, applies its events, writes objects, and then
 * moves every ref in one transaction, each only from the value that was read. If another writer was faster,
 * it starts again.
 */
import { GzaError, isGzaError } from '../core/errors.ts';
import type { Refusal } from '../core/ledger/ledger-state.ts';
import { printTime } from '../core/time.ts';
import { readRef } from '../git/refs.ts';
import type { Repository } from '../git/repository.ts';
import { foldAbandoned } from './fold.ts';
import { type Healed, heal, howLost, isHealthy, type LostLedger, lostLedgers } from './heal.ts';
import type { Ledger, LedgerProblem, LedgerView, Plan, Written } from './ledger.ts';
import { takeTurn } from './store/locks.ts';
import {
  holds,
  localMirror,
  type Moved,
  moveRefFiles,
  moveRefs,
  type RefMove,
  type Refs,
  readRefs,
} from './store/refs.ts';
import { type LedgerOptions, ledgerAt, openStore, type Store } from './store/store.ts';
import { type Prepared, prepare } from './sync/replay.ts';
import { GitView, Rows } from './view.ts';

export type { LedgerOptions } from './store/store.ts';

/** A view together with the ref values that it was made from, which a write must name. */
export interface Look {
  readonly view: GitView;
  readonly refs: Refs;
  readonly ghosts: readonly RefMove[];
  /** Ledgers whose refs are gone although nothing says that they ended. */
  readonly lost: ReadonlyMap<string, LostLedger>;
}

export interface GitLedger extends Ledger {
  readonly store: Store;
  readonly rows: Rows;
  look(): Promise<Look>;
  view(): Promise<GitView>;
  /** Ends the process that reads objects. The program can end without this, too. */
  close(): void;
}

const writeMs = 30_000;

export function openLedger(repository: Repository, options: LedgerOptions = {}): GitLedger {
  const store = openStore(repository, options);
  const rows = new Rows(store);
  const look = () => lookAt(store, rows, { toWrite: false });
  const ledger: GitLedger = {
    store,
    rows,
    look,
    view: async () => (await look()).view,
    write: (plan) =>
      makingRoom(ledger, () => write(store, () => lookAt(store, rows, { toWrite: true }), plan)),
    close: () => store.reader.close(),
  };
  return ledger;
}

const inTheWayMax = 20;

/** If a ledger whose branch is gone blocks the name of another (`a` blocks `a/b`), it is folded first. */
async function makingRoom(ledger: GitLedger, attempt: () => Promise<Written>): Promise<Written> {
  for (let tries = 0; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      const there = isGzaError(error) ? error.data['inTheWay'] : undefined;
      if (typeof there !== 'string' || tries >= inTheWayMax) throw error;
      const branch = there.slice(ledger.store.namespace.length + 1);
      if (!(await foldAbandoned(ledger, branch, printTime(ledger.store.clock())))) throw error;
    }
  }
}

const looksMax = 4;

/**
 * Listing a folder while refs in it move may miss one, so a ledger that seems lost is looked up by its name.
 */
async function lookAt(store: Store, rows: Rows, options: { toWrite: boolean }): Promise<Look> {
  let look = await lookOnce(store, rows, options);
  for (let n = 1; n < looksMax && (await isAnyThere(store, look.lost.keys())); n++)
    look = await lookOnce(store, rows, options);
  return look;
}

async function isAnyThere(store: Store, branches: Iterable<string>): Promise<boolean> {
  for (const branch of branches)
    if ((await readRef(store.repository, `${store.namespace}/${branch}`)) !== null) return true;
  return false;
}

async function lookOnce(store: Store, rows: Rows, { toWrite }: { toWrite: boolean }): Promise<Look> {
  const read = () => readRefs(store.repository, store.namespace, store.options.base);
  let refs = await read();
  // Refs of one transaction appear one after the other, so most differences are gone at the second reading.
  if (!isHealthy(refs)) refs = await read();
  let healed: Healed = { tips: refs.tips, problems: [], ghosts: [], moved: false };
  const told: LedgerProblem[] = [];
  for (let n = 0; n < looksMax && !isHealthy(refs); n++) {
    healed = await heal(store, rows, refs);
    told.push(...healed.problems);
    // A write must expect the ref values that its view was made from, so two readings are never mixed.
    if (!healed.moved) break;
    refs = await read();
    healed = { tips: refs.tips, problems: [], ghosts: [], moved: false };
  }
  const broken = brokenRefs(store, refs);
  told.push(...broken);
  const { tips, ghosts } = healed;
  const base = refs.guessed ? await knownBase(store, toWrite ? null : rows, tips, refs.base) : refs.base;
  const lost = await lostLedgers(store, rows, { ...refs, tips, base });
  told.push(...[...lost].map(([branch, tip]) => ({ branch, detail: howLost(store, branch, tip) })));
  const unread = [...broken.map(({ branch }) => branch), ...lost.keys()].filter((one) => !tips.has(one));
  const view = new GitView(store, rows, { base, tips, problems: told, unread });
  return { view, refs: { ...refs, base }, ghosts, lost };
}

function brokenRefs({ namespace }: Store, { broken }: Refs): LedgerProblem[] {
  return broken.map((ref) => {
    const branch = ref.replace(`${namespace}/`, '').replace(localMirror, '');
    return { branch, detail: `the file of ${ref} is damaged` };
  });
}

/** If the base is a guess (no main, no master, no remote), the ledger that calls itself the base decides. */
async function knownBase(
  store: Store,
  rows: Rows | null,
  tips: ReadonlyMap<string, string>,
  guess: string,
): Promise<string> {
  // A reader will need all rows anyway, and the cached ones show which ledger is the base, too.
  rows?.load();
  for (const [branch, tip] of tips) {
    const ledger = await ledgerAt(store, tip);
    if (!('why' in ledger) && ledger.meta.base) return branch;
  }
  return guess;
}

async function write(
  store: Store,
  look: () => Promise<Look>,
  plan: (view: LedgerView) => Promise<Plan | Refusal | null>,
): Promise<Written> {
  void store.settings().catch(() => {});
  const limit = store.options.writeMs ?? writeMs;
  // The first use of `performance` loads a module, so `process.uptime` is used.
  const started = process.uptime();
  for (let tries = 1; ; tries++) {
    const giveBack = tries === 1 ? () => {} : await takeTurn(store.repository.commonDir);
    let written: Written | 'lost' | 'busy';
    try {
      written = await tryWrite(store, await look(), plan);
    } finally {
      giveBack();
    }
    if (typeof written !== 'string') return written;
    if ((process.uptime() - started) * 1000 > limit) throw tooBusy(store, tries, limit, written);
    await pause(tries);
  }
}

async function tryWrite(
  store: Store,
  seen: Look,
  plan: (view: LedgerView) => Promise<Plan | Refusal | null>,
): Promise<Written | 'lost' | 'busy'> {
  const wanted = await plan(seen.view);
  if (wanted === null) return { kind: 'nothing' };
  if ('kind' in wanted) return wanted;
  const prepared = await prepare(store, seen, wanted);
  if ('kind' in prepared) return prepared;
  if (prepared.moves.length === 0) return { kind: 'nothing' };
  const moved = await move(store, [...prepared.moves, ...otherGhosts(seen, prepared)]);
  if (moved === 'moved') return { kind: 'written', tips: prepared.tips };
  if (moved !== 'unclear') return moved;
  return (await isMine(store, prepared)) ? { kind: 'written', tips: prepared.tips } : 'lost';
}

async function move(store: Store, moves: readonly RefMove[]): Promise<Moved> {
  const { plainRefs } = await store.settings();
  return (plainRefs ? moveRefFiles(store.repository, moves) : null) ?? moveRefs(store.repository, moves);
}

/** Folded ledgers that reappeared are removed with the next write, unless it moves the same refs. */
function otherGhosts({ ghosts }: Look, { moves }: Prepared): RefMove[] {
  const taken = new Set(moves.map((move) => move.ref));
  return ghosts.filter((ghost) => !taken.has(ghost.ref));
}

/** Every commit carries a nonce, so only this very write can have put the commit there. */
async function isMine(store: Store, { tips }: Prepared): Promise<boolean> {
  for (const [branch, tip] of tips) return holds(store.git, `${store.namespace}/${branch}`, tip);
  return false;
}

function pause(tries: number): Promise<void> {
  // After the first losses writers take turns; only those who lose again wait longer.
  const ms = tries < 3 ? Math.random() * 5 : Math.random() * Math.min(1_000, 4 * 2 ** Math.min(tries, 8));
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function tooBusy(store: Store, tries: number, limitMs: number, last: string): GzaError {
  const why = last === 'busy' ? 'a lock under refs/ was held all the time' : 'others were always faster';
  return new GzaError('world', `nothing was recorded: ${tries} tries in ${limitMs / 1000} s failed, ${why}`, {
    hint: `Try again. If no other git process runs, look for *.lock files in ${store.repository.commonDir}.`,
    data: { tries, last },
  });
}
