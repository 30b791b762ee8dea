/**
 * `<git dir>/gza/tips` remembers which ledgers this repository has held, so that one whose refs are lost (a
 * deletion, an emptied packed-refs file) is missed, and not taken for one that never was. One line a move, only
 * ever appended: a crash tears at most its own line, and writers beside each other need no lock.
 */
import {
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { printTime, toSecond } from '../core/time.ts';
import { foldedLanes } from './heal.ts';
import { ledgerMoves, moveRefs, type RefMove } from './store/move-refs.ts';
import { backups, isBranchName, localMirror, type Refs, refInTheWay } from './store/read-refs.ts';
import { type Rows } from './store/rows.ts';
import type { Store } from './store/store.ts';
import { ledgerAt } from './store/stored-ledger.ts';

export interface KnownTip {
  readonly oid: string;
  /** When it was written there. */
  readonly at: string;
}

/** Beyond it, and beyond three times what it held then, the file is written again without what no longer counts. */
const compactBytes = 16 << 10;
/** A file of this size was not written by gza. */
const bytesMax = 32 << 20;
const staleMs = 60_000;
const lineShape = /^(\d{4}-\d\d-\d\dT[\d:.]+Z) ([0-9a-f]{40}|[0-9a-f]{64}|-) (\S+) \.$/;

/** branch → the last commit that its ledger was seen at, without those that were taken away on purpose. */
export function readTips(commonDir: string): Map<string, KnownTip> {
  const path = pathOf(commonDir);
  const { size } = statSync(path, { throwIfNoEntry: false }) ?? { size: 0 };
  if (size === 0 || size > bytesMax) return new Map();
  try {
    return parseTips(readFileSync(path, 'utf8'));
  } catch {
    return new Map();
  }
}

/** Best effort: what was moved counts, whether or not it can be remembered here. */
export function rememberTips(commonDir: string, moves: readonly RefMove[]): void {
  const at = printTime(Date.now());
  // A ledger's mirror moves with it, whatever the namespace is called.
  const lines = moves
    .filter(({ ref }) => ref.startsWith(localMirror))
    .map(({ ref, to }) => printLine(ref.slice(localMirror.length), at, to ?? '-'));
  if (lines.length === 0) return;
  // What was torn before is ended first, so that it takes nothing with it.
  const text = `\n${lines.join('')}`;
  try {
    append(commonDir, text);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') return;
    try {
      mkdirSync(join(commonDir, 'gza'), { recursive: true });
      append(commonDir, text);
    } catch {
      // A disk that is full or read-only.
    }
  }
}

function append(commonDir: string, text: string): void {
  const path = pathOf(commonDir);
  const file = openSync(path, 'a+');
  try {
    writeFileSync(file, text);
    const { size, ino } = fstatSync(file);
    // Another process wrote the file again in between, and may have read it before this line was there.
    if (statSync(path, { throwIfNoEntry: false })?.ino !== ino) writeFileSync(path, text, { flag: 'a' });
    else if (size > Math.max(compactBytes, 3 * keptBytes(file))) compact(path, file);
  } finally {
    closeSync(file);
  }
}

/** The new file is its own lock: of two that compact at once, one would lose what was appended between them. */
function compact(path: string, file: number): void {
  const scratch = `${path}.lock`;
  const held = statSync(scratch, { throwIfNoEntry: false });
  if (held && Date.now() - held.mtimeMs > staleMs) rmSync(scratch, { force: true });
  writeFileSync(scratch, '', { flag: 'wx' });
  let isMine = true;
  try {
    if (statSync(path).ino !== fstatSync(file).ino) return;
    const known = readFrom(file, 0);
    const tips = [...parseTips(known.toString('utf8'))];
    const kept = tips.map(([branch, { at, oid }]) => printLine(branch, at, oid)).join('');
    writeFileSync(scratch, `# ${kept.length}\n${kept}`);
    renameSync(scratch, path);
    isMine = false;
    // Who appended to the old file meanwhile saw no other file yet.
    const late = readFrom(file, known.length);
    if (late.length > 0) writeFileSync(path, late, { flag: 'a' });
  } finally {
    if (isMine) rmSync(scratch, { force: true });
  }
}

/** What the file held when it was last written again. */
function keptBytes(file: number): number {
  return Number(/^# (\d+)\n/.exec(readFrom(file, 0, 20).toString('latin1'))?.[1] ?? 0);
}

function readFrom(file: number, start: number, max = bytesMax): Buffer {
  const bytes = Buffer.alloc(Math.min(max, Math.max(0, fstatSync(file).size - start)));
  return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, start));
}

/** The dot at its end tells that it is whole. */
function printLine(branch: string, at: string, oid: string): string {
  return `${at} ${oid} ${branch} .\n`;
}

function parseTips(text: string): Map<string, KnownTip> {
  const tips = new Map<string, KnownTip>();
  for (const line of text.split('\n')) {
    const [, at = '', oid = '', branch = ''] = lineShape.exec(line) ?? [];
    if (oid === '-') tips.delete(branch);
    else if (branch !== '') tips.set(branch, { at, oid });
  }
  return tips;
}

function pathOf(commonDir: string): string {
  return join(commonDir, 'gza', 'tips');
}

export interface LostLedger extends KnownTip {
  /** Why its commit cannot be read either. */
  readonly why?: string;
}

const none: ReadonlyMap<string, LostLedger> = new Map();

/** Ledgers that this repository has held, and of which no ref is left: lost, unless they were folded elsewhere. */
export async function lostLedgers(
  store: Store,
  rows: Rows,
  { tips, mirrors, broken, base }: Refs,
): Promise<ReadonlyMap<string, LostLedger>> {
  const isKept = (branch: string) => tips.has(branch) || mirrors.has(branch);
  const isBroken = (branch: string) => broken.some((ref) => ref.endsWith(`/${branch}`));
  const { commonDir } = store.repository;
  const missing = [...readTips(commonDir)].filter(
    ([branch]) => !isKept(branch) && !isBroken(branch) && isBranchName(branch),
  );
  if (missing.length === 0) return none;
  const folded = await foldedLanes(store, rows, tips.get(base));
  const lost = new Map<string, LostLedger>();
  for (const [branch, tip] of missing) {
    const ledger = await ledgerAt(store, tip.oid);
    if ('why' in ledger) lost.set(branch, { ...tip, why: ledger.why });
    else if (!folded.has(ledger.meta.lane)) lost.set(branch, tip);
    else rememberTips(commonDir, [{ ref: `${localMirror}${branch}`, to: null, from: null }]);
  }
  return lost;
}

export function howLost({ namespace }: Store, branch: string, { oid, at, why }: LostLedger): string {
  const ref = `${namespace}/${branch}`;
  const was = `${ref} is missing; it was last seen at ${toSecond(at)}, as ${oid.slice(0, 12)}`;
  const back = why === undefined ? 'gza fsck --repair' : `git fetch <remote> ${ref}:${ref}`;
  const gone = why === undefined ? '' : `, and ${why}`;
  return `${was}${gone}. \`${back}\` brings it back, \`gza fsck --forget ${branch}\` gives it up for good`;
}

/** Puts the refs back where the commit is still there; answers the branches. */
export async function bringBack(
  store: Store,
  lost: ReadonlyMap<string, LostLedger>,
  there: ReadonlySet<string>,
): Promise<string[]> {
  const back: string[] = [];
  for (const [branch, { oid, why }] of lost) {
    if (why !== undefined || refInTheWay(branch, [...there, ...back]) !== null) continue;
    const moves = ledgerMoves(store.namespace, branch, oid, { tip: null, mirror: null });
    if ((await moveRefs(store.repository, moves)) === 'moved') back.push(branch);
  }
  return back;
}

/**
 * Gives a ledger up: whatever is left of its refs goes, and nothing misses it. What can be read is kept among the
 * backups. False when there is no trace of it.
 */
export async function forgetLedger(store: Store, refs: Refs, branch: string): Promise<boolean> {
  const names = [`${store.namespace}/${branch}`, `${localMirror}${branch}`];
  const values = [refs.tips.get(branch), refs.mirrors.get(branch)];
  const moves = names.flatMap((ref, n): RefMove[] => {
    const from = values[n];
    return from === undefined && !refs.broken.includes(ref) ? [] : [{ ref, to: null, from: from ?? null }];
  });
  const [tip] = values;
  if (tip !== undefined && !('why' in (await ledgerAt(store, tip))))
    moves.push({ ref: `${backups}${branch}/${tip.slice(0, 12)}`, to: tip, from: null });
  const isKnown = readTips(store.repository.commonDir).has(branch);
  if (moves.length === 0 && !isKnown) return false;
  if (moves.length > 0 && (await moveRefs(store.repository, moves)) !== 'moved') return false;
  rememberTips(store.repository.commonDir, [{ ref: `${localMirror}${branch}`, to: null, from: null }]);
  return true;
}
