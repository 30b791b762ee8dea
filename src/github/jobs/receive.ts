/**
 * Joins in a job. What they could not keep is said in the log and in the summary; where it was more than a race of
 * two jobs, it stays on the board for a week, since nobody reads the log of a run that went well.
 */
import * as z from 'zod';
import type { Event } from '../../core/ledger/event.ts';
import { isLoss, type Joined } from '../../core/ledger/joined.ts';
import type { LedgerMeta } from '../../core/ledger/ledger-state.ts';
import { joinedItem, joinedLines, notKeptTitle } from '../../core/text/terminal/joined.ts';
import { addSeconds } from '../../core/time.ts';
import type { GitLedger } from '../../ledger/git-ledger.ts';
import type { Reconciled } from '../../ledger/sync/reconcile.ts';
import { receiveLedgers } from '../../ledger/sync/sync.ts';
import { type Ci, remote } from './ci.ts';
import { parseJson } from './parse-json.ts';

export type SayingCi = Pick<Ci, 'warn' | 'summary' | 'ports'>;

export async function receive(ci: SayingCi, ledger: GitLedger, { shallow = true } = {}): Promise<Reconciled> {
  const joins: Joined[] = [];
  const received = await receiveToTell(ci, ledger, joins, shallow);
  sayJoined(ci, ledger, joins);
  return received;
}

/** For who may still undo the join: what is in `joins` is to be said when it holds. */
export async function receiveToTell(
  ci: SayingCi,
  ledger: GitLedger,
  joins: Joined[],
  shallow = true,
): Promise<Reconciled> {
  const fresh: Joined[] = [];
  const tell = (joined: Joined) => void fresh.push(joined);
  const received = await receiveLedgers(ledger, { remote, shallow, tell });
  await keepForBoard(ci, ledger, fresh);
  joins.push(...fresh);
  return received;
}

export function sayJoined(ci: SayingCi, { store }: GitLedger, joins: readonly Joined[]): void {
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

async function keepForBoard({ ports }: SayingCi, ledger: GitLedger, joins: readonly Joined[]): Promise<void> {
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

/** List items of the board, the newest first. */
export function notKept({ marks = {} }: Pick<LedgerMeta, 'marks'>): string[] {
  const names = Object.keys(marks).filter((name) => name.startsWith(prefix));
  return names
    .sort()
    .reverse()
    .flatMap((name) => lineShape.safeParse(parseJson(marks[name] ?? '')).data ?? [])
    .slice(0, keptMax)
    .map(joinedItem);
}

/** Whoever can push can write marks. */
const lineShape = z.object({ said: z.string(), next: z.string() });

/** What stood on the board for long enough. */
export function oldNotKept({ marks = {} }: Pick<LedgerMeta, 'marks'>, at: string): Event[] {
  const names = Object.keys(marks).filter((name) => name.startsWith(prefix));
  const old = names.filter((name) => name < `${prefix}${addSeconds(at, -keptSeconds)}`);
  return old.map((name): Event => ({ kind: 'mark', at, name, value: null }));
}
