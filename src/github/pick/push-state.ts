/**
 * Pushes what this job wrote: ledgers and branches in one atomic push, each only if the remote still has the
 * value that was fetched. If others were faster, this job fetches, reapplies its events, and pushes again.
 */

import { setTimeout as wait } from 'node:timers/promises';
import * as z from 'zod';
import { GzaError } from '../../core/errors.ts';
import type { Event } from '../../core/ledger/event.ts';
import { isLoss, type Joined } from '../../core/ledger/joined.ts';
import type { LedgerMeta } from '../../core/ledger/ledger-state.ts';
import { parseJson } from '../../core/shape.ts';
import { joinedItem, joinedLines, notKeptTitle } from '../../core/text/terminal/joined.ts';
import { addSeconds } from '../../core/time.ts';
import { porcelain } from '../../git/porcelain.ts';
import { listRefs } from '../../git/refs.ts';
import type { GitLedger } from '../../ledger/git-ledger.ts';
import { moveRefs, type RefMove } from '../../ledger/store/refs.ts';
import type { Reconciled } from '../../ledger/sync/reconcile.ts';
import { type PushedRefs, pushRefs, trackedTips, trackingPrefix } from '../../ledger/sync/remote-refs.ts';
import { type JoinOptions, receiveLedgers } from '../../ledger/sync/sync.ts';
import { type JobContext, remote } from '../jobs/job-context.ts';

export type StatePushed =
  | { readonly kind: 'nothing' }
  /** `isJoined`: others pushed first, and their changes were merged in. */
  | { readonly kind: 'shared'; readonly isJoined: boolean }
  /** The host refuses these branches; nothing was pushed. */
  | { readonly kind: 'refused'; readonly refs: readonly string[]; readonly why: string }
  /** Someone else moved these branches in the meantime; nothing was pushed. */
  | { readonly kind: 'moved'; readonly refs: readonly string[] };

const triesMax = 12;
/** Random, so that lanes that land at once do not meet again. GitHub wants at most six pushes a minute. */
const waitMsMax = 10_000;

/** Reports what the joins dropped after a successful push. If a branch is refused, the caller undoes them. */
export async function pushState(
  ci: LoggingContext,
  ledger: GitLedger,
  branches: readonly RefMove[],
): Promise<StatePushed> {
  const joins: Joined[] = [];
  const shared = await pushAll(ci, ledger, branches, joins);
  if (!('refs' in shared)) sayJoined(ci, ledger, joins);
  return shared;
}

async function pushAll(
  ci: LoggingContext,
  ledger: GitLedger,
  branches: readonly RefMove[],
  joins: Joined[],
): Promise<StatePushed> {
  const { store } = ledger;
  let left = branches;
  for (let tries = 1; tries <= triesMax; tries += 1) {
    const ledgers = await ledgerMoves(ledger);
    if (ledgers.length + left.length === 0) return { kind: 'nothing' };
    const pushed = await pushRefs(store, { remote }, [...ledgers, ...left]);
    switch (pushed.kind) {
      case 'pushed':
        await noteTracked(ledger, ledgers);
        return { kind: 'shared', isJoined: tries > 1 };
      case 'refused':
        return refusedOf(pushed, left);
      case 'unclear':
      case 'lost': {
        await wait(Math.random() * Math.min(waitMsMax, 250 * 2 ** tries));
        await receiveToTell(ci, ledger, joins);
        const there = await branchesThere(ledger, left);
        left = left.filter(({ ref, to }) => there.get(ref) !== to);
        const moved = left.filter(({ ref, from }) => (there.get(ref) ?? null) !== from);
        if (moved.length > 0) return { kind: 'moved', refs: moved.map(({ ref }) => ref) };
      }
    }
  }
  throw new GzaError('world', `${remote} was changed by others at every one of ${triesMax} tries`, {
    hint: 'The next pick finds that this job died, and the task goes on.',
  });
}

type Refused = Extract<PushedRefs, { kind: 'refused' }>;

/**
 * Throws when only ledgers were refused. If a branch was refused, the caller can push the others without it.
 */
function refusedOf({ refs, why: reason, said }: Refused, branches: readonly RefMove[]): StatePushed {
  const why = `${reason}${said ? `\n${said}` : ''}`;
  const all = branches.map(({ ref }) => ref);
  const own = refs.includes('') ? all : all.filter((ref) => refs.includes(ref));
  if (own.length > 0) return { kind: 'refused', refs: own, why };
  throw new GzaError('world', `${remote} does not take ${refs.join(', ')}: ${why}`, {
    hint: 'gza keeps its state under refs/tasks; some rulesets forbid refs of one’s own. See state_ref.',
  });
}

async function ledgerMoves(ledger: GitLedger): Promise<RefMove[]> {
  const { store } = ledger;
  const [{ refs }, there] = await Promise.all([ledger.look(), trackedTips(store, remote)]);
  const moves: RefMove[] = [];
  for (const name of new Set([...refs.tips.keys(), ...there.keys()])) {
    const [to, from] = [refs.tips.get(name) ?? null, there.get(name) ?? null];
    if (to !== from) moves.push({ ref: `${store.namespace}/${name}`, to, from });
  }
  return moves;
}

async function noteTracked({ store }: GitLedger, moves: readonly RefMove[]): Promise<void> {
  const prefix = trackingPrefix(remote);
  const notes = moves.map((move) => ({ ...move, ref: prefix + move.ref.slice(store.namespace.length + 1) }));
  await moveRefs(store.repository, notes);
}

async function branchesThere(
  { store }: GitLedger,
  branches: readonly RefMove[],
): Promise<Map<string, string>> {
  if (branches.length === 0) return new Map();
  const names = branches.map(({ ref }) => ref);
  const answer = await porcelain(store.git.cwd, (git) => git.listRemote(['--', remote, ...names]), {
    timeoutMs: 60_000,
  });
  return new Map(
    answer.split('\n').flatMap((line) => {
      const [oid = '', ref = ''] = line.split('\t');
      return names.includes(ref) ? [[ref, oid] as const] : [];
    }),
  );
}

/** Branches that this job moved, created or removed. */
export async function branchMoves(
  { store }: GitLedger,
  before: ReadonlyMap<string, string>,
  stays: ReadonlyMap<string, string> | null,
): Promise<RefMove[]> {
  const now = await branchesHere(store);
  return [...new Set([...before.keys(), ...now.keys()])].flatMap((ref): RefMove[] => {
    const [to, from] = [now.get(ref) ?? null, before.get(ref) ?? null];
    return to === from || stays === null || stays.has(ref) ? [] : [{ ref, to, from }];
  });
}

export async function branchesHere({ repository }: GitLedger['store']): Promise<Map<string, string>> {
  return new Map((await listRefs(repository, ['refs/heads'])).map(({ ref, oid }) => [ref, oid]));
}

/** Remembers all refs. The returned function restores them when the remote refused what was made of them. */
export async function rememberRefs({ store }: GitLedger): Promise<() => Promise<void>> {
  const folders = [store.namespace, 'refs/gza', 'refs/heads'];
  const rows = await listRefs(store.repository, folders);
  const before = new Map(rows.filter(({ target }) => target === '').map(({ ref, oid }) => [ref, oid]));
  return async () => {
    const now = await listRefs(store.repository, folders);
    const after = new Map(now.filter(({ target }) => target === '').map(({ ref, oid }) => [ref, oid]));
    const moves = [...new Set([...before.keys(), ...after.keys()])].flatMap((ref): RefMove[] => {
      const [to, from] = [before.get(ref) ?? null, after.get(ref) ?? null];
      return to === from ? [] : [{ ref, to, from }];
    });
    if (moves.length > 0) await moveRefs(store.repository, moves);
  };
}

export type LoggingContext = Pick<JobContext, 'warn' | 'summary' | 'ports'>;

/**
 * Joins the remote's ledgers in a job. What was lost is reported in the log and the summary. If it was more
 * than a race between two jobs, it also stays on the board for a week, since nobody reads the log of a
 * successful run.
 */
export async function receive(
  ci: LoggingContext,
  ledger: GitLedger,
  options: Pick<JoinOptions, 'shallow' | 'isFetched'> = {},
): Promise<Reconciled> {
  const joins: Joined[] = [];
  const received = await receiveToTell(ci, ledger, joins, options);
  sayJoined(ci, ledger, joins);
  return received;
}

/** Collects reports in `joins` instead of printing them, for callers that may still undo the join. */
async function receiveToTell(
  ci: LoggingContext,
  ledger: GitLedger,
  joins: Joined[],
  options: Pick<JoinOptions, 'shallow' | 'isFetched'> = {},
): Promise<Reconciled> {
  const fresh: Joined[] = [];
  const tell = (joined: Joined) => void fresh.push(joined);
  const received = await receiveLedgers(ledger, { remote, shallow: true, ...options, tell });
  await keepForBoard(ci, ledger, fresh);
  joins.push(...fresh);
  return received;
}

function sayJoined(ci: LoggingContext, { store }: GitLedger, joins: readonly Joined[]): void {
  const lines = joins.flatMap((joined) => joinedLines(joined, store.namespace));
  const problems = new Set(
    joins.flatMap((one) => one.problems.map(({ branch, detail }) => `The ledger of ${branch}: ${detail}`)),
  );
  for (const { said, next } of lines) ci.warn(`${said}. ${next}`);
  for (const one of problems) ci.warn(one);
  if (lines.length > 0) ci.summary(`### ${notKeptTitle}\n\n${lines.map(joinedItem).join('\n')}\n`);
}

const prefix = 'not-kept:';
const keptSeconds = 7 * 86_400;
const keptMax = 20;

async function keepForBoard(
  { ports }: LoggingContext,
  ledger: GitLedger,
  joins: readonly Joined[],
): Promise<void> {
  const lines = joins.flatMap(({ dropped }) =>
    joinedLines({ dropped: dropped.filter(isLoss), renamed: new Map() }, ledger.store.namespace),
  );
  if (lines.length === 0) return;
  const at = ports.now();
  const events = lines.slice(0, keptMax).map((line): Event => {
    return { kind: 'mark', at, name: `${prefix}${at}:${ports.random()}`, value: JSON.stringify(line) };
  });
  await ledger.write(async ({ base }) => ({ changes: [{ branch: base, events }] }));
}

/** Lines for the board, newest first. */
export function notKept({ marks = {} }: Pick<LedgerMeta, 'marks'>): string[] {
  const names = Object.keys(marks).filter((name) => name.startsWith(prefix));
  return names
    .sort()
    .reverse()
    .flatMap((name) => lineShape.safeParse(parseJson(marks[name] ?? '')).data ?? [])
    .slice(0, keptMax)
    .map(joinedItem);
}

/** Validates marks, since everybody who can push can write them. */
const lineShape = z.object({ said: z.string(), next: z.string() });

/** Removes lines that were on the board for long enough. */
export function oldNotKept({ marks = {} }: Pick<LedgerMeta, 'marks'>, at: string): Event[] {
  const names = Object.keys(marks).filter((name) => name.startsWith(prefix));
  const old = names.filter((name) => name < `${prefix}${addSeconds(at, -keptSeconds)}`);
  return old.map((name): Event => ({ kind: 'mark', at, name, value: null }));
}
