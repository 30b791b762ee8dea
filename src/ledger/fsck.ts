/**
 * Replaying the messages of a ledger must give its tree. A difference means that somebody wrote the ref by
 * hand or that gza has a bug. `repair` writes the replayed tree on top, so nothing is lost either way.
 */
import { isGzaError } from '../core/errors.ts';
import type { LedgerEntry } from '../core/ledger/event.ts';
import type { LedgerState } from '../core/ledger/ledger-state.ts';
import { compareStates, replayEvents } from '../core/ledger/replay-events.ts';
import { oneLine } from '../core/markdown/neutralise.ts';
import { unreadableRepository } from '../git/git.ts';
import { Draft } from './draft.ts';
import type { GitLedger } from './git-ledger.ts';
import { bringBack } from './heal.ts';
import { ledgerMoves, moveRefs } from './store/refs.ts';
import { damageOf, type HistoryCommit, readHistory } from './store/store.ts';
import { newId } from './sync/replay.ts';
import type { GitView } from './view.ts';

export interface FsckFinding {
  readonly branch: string;
  /**
   * `state`: the tree is not what the events give. `history`: a commit or event cannot be replayed.
   * `damaged`: git cannot read the history or the ref. `lost`: the refs are gone.
   */
  readonly kind: 'state' | 'history' | 'unreadable' | 'damaged' | 'incomplete' | 'lost';
  readonly detail: string;
}

export interface Fsck {
  readonly checked: number;
  readonly findings: readonly FsckFinding[];
  /** Branches whose ledger was rebuilt. */
  readonly repaired: readonly string[];
}

const findingsMax = 200;

export async function fsckLedgers(ledger: GitLedger, { repair = false } = {}): Promise<Fsck> {
  const before = await ledger.look();
  const there = new Set(before.refs.tips.keys());
  const repaired = repair ? await bringBack(ledger.store, before.lost, there) : [];
  const look = repaired.length > 0 ? await ledger.look() : before;
  const findings = look.view.problems.map(({ branch, detail }): FsckFinding => {
    const isBroken = look.refs.broken.some((ref) => ref.endsWith(`/${branch}`));
    return { branch, kind: look.lost.has(branch) ? 'lost' : isBroken ? 'damaged' : 'unreadable', detail };
  });
  /** Thousands of refs may be pushed that lead to one commit and are no ledgers: it is read only once. */
  const noLedgers = new Map<string, Replayed>();
  for (const branch of look.view.branches) {
    const tip = look.view.tip(branch) as string;
    const told = noLedgers.get(tip) ?? (await historyOf(ledger, branch, tip));
    if (told.state === null) noLedgers.set(tip, told);
    const found = told.findings.map((one) => ({ ...one, branch }));
    const isDamaged = found.some(({ kind }) => kind === 'damaged');
    if (!isDamaged) found.push(...(await compare(look.view, branch, told.state)));
    const fresh = found.filter(({ detail }) => !look.view.problems.some((one) => one.detail === detail));
    findings.push(...fresh.slice(0, findingsMax));
    const isWrong = found.some(({ kind }) => kind === 'state' || kind === 'unreadable' || kind === 'history');
    if (repair && told.state && isWrong && (await rebuild(ledger, branch, tip, told.state))) {
      repaired.push(branch);
    }
  }
  return { checked: look.view.branches.length, findings, repaired };
}

interface Replayed {
  readonly state: LedgerState | null;
  readonly findings: readonly FsckFinding[];
}

/** A damaged history must not stop the check of the other ledgers. */
async function historyOf({ store }: GitLedger, branch: string, tip: string): Promise<Replayed> {
  try {
    return tellAgain(branch, await readHistory(store.git, { tip }));
  } catch (error) {
    if (!isGzaError(error)) throw error;
    const why = unreadableRepository(error.message)?.message ?? oneLine(error.message, 300);
    const finding: FsckFinding = { branch, kind: 'damaged', detail: `its history: ${why}` };
    return { state: null, findings: [finding] };
  }
}

function tellAgain(branch: string, commits: readonly HistoryCommit[]): Replayed {
  const findings: FsckFinding[] = [];
  const opens = commits[0]?.entry?.opens;
  if (!opens) {
    const detail = commits[0]?.entry
      ? `its history begins in the middle (a shallow fetch?), so it cannot be checked`
      : `its first commit is no beginning of a ledger: ${commits[0]?.why ?? 'there is none'}`;
    return { state: null, findings: [{ branch, kind: 'incomplete', detail }] };
  }
  const readable: HistoryCommit[] = [];
  // A commit without events repairs what came before it, so earlier problems are settled.
  const settled = commits.findLastIndex(({ entry }) => entry?.events.length === 0);
  for (const [n, one] of commits.entries()) {
    if (one.entry) readable.push(one);
    else if (n > settled)
      findings.push({ branch, kind: 'history', detail: `${one.commit.slice(0, 12)}: ${one.why}` });
  }
  const entries = readable.map((one) => one.entry as LedgerEntry);
  const told = replayEvents({ v: 1, ...opens }, entries);
  for (const { entry, detail } of told.refused) {
    const commit = readable[entry] as HistoryCommit;
    if (commits.indexOf(commit) < settled) continue;
    const where = commit.commit.slice(0, 12);
    findings.push({ branch, kind: 'history', detail: `${where}: refused when told again: ${detail}` });
  }
  return { state: told.state, findings };
}

async function compare(view: GitView, branch: string, told: LedgerState | null): Promise<FsckFinding[]> {
  if ((await view.meta(branch)) === null) {
    const why = view.problems.find((problem) => problem.branch === branch)?.detail ?? 'unknown';
    return [{ branch, kind: 'unreadable', detail: why }];
  }
  const kept = await stateOf(view, branch);
  if (typeof kept === 'string') return [{ branch, kind: 'unreadable', detail: kept }];
  const lines = view.problems.filter((problem) => problem.branch === branch);
  return [
    ...lines.map(({ detail }): FsckFinding => ({ branch, kind: 'unreadable', detail })),
    ...(told ? compareStates(told, kept) : []).map(
      (detail): FsckFinding => ({ branch, kind: 'state', detail }),
    ),
  ];
}

async function stateOf(view: GitView, branch: string): Promise<LedgerState | string> {
  try {
    return await view.state(branch);
  } catch (error) {
    return damageOf(error);
  }
}

/** Writes one commit without events on top, whose tree is what the events give. */
async function rebuild(ledger: GitLedger, branch: string, tip: string, state: LedgerState): Promise<boolean> {
  const { store } = ledger;
  const { refs } = await ledger.look();
  const writing = { ...store, writer: () => store.writer({ replaces: true }) };
  const draft = Draft.of(writing, tip, state);
  const to = await draft.write({ nonce: newId(), events: [] });
  const moves = ledgerMoves(store.namespace, branch, to, { tip, mirror: refs.mirrors.get(branch) });
  return (await moveRefs(store.repository, moves)) === 'moved';
}
