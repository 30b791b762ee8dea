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
import { printTime } from '../core/time.ts';
import type { RefMove } from './store/move-refs.ts';
import { localMirror } from './store/read-refs.ts';

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

/** One at a time: of two that compact at once, one would lose what was appended between them. */
function compact(path: string, file: number): void {
  const lock = `${path}.lock`;
  const held = statSync(lock, { throwIfNoEntry: false });
  if (held && Date.now() - held.mtimeMs > staleMs) rmSync(lock, { force: true });
  writeFileSync(lock, '', { flag: 'wx' });
  try {
    if (statSync(path).ino !== fstatSync(file).ino) return;
    const known = readFrom(file, 0);
    const tips = [...parseTips(known.toString('utf8'))];
    const kept = tips.map(([branch, { at, oid }]) => printLine(branch, at, oid)).join('');
    writeFileSync(`${path}.new`, `# ${kept.length}\n${kept}`);
    renameSync(`${path}.new`, path);
    // Who appended to the old file meanwhile saw no other file yet.
    const late = readFrom(file, known.length);
    if (late.length > 0) writeFileSync(path, late, { flag: 'a' });
  } finally {
    rmSync(lock, { force: true });
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

/** What a compaction appends late may stand behind what is newer; a clock that was set back makes nothing late. */
function isLate(at: string, known: KnownTip | undefined): boolean {
  return known !== undefined && at < known.at && Date.parse(known.at) - Date.parse(at) < staleMs;
}

function parseTips(text: string): Map<string, KnownTip> {
  const tips = new Map<string, KnownTip>();
  for (const line of text.split('\n')) {
    const [, at = '', oid = '', branch = ''] = lineShape.exec(line) ?? [];
    if (branch !== '' && !isLate(at, tips.get(branch))) tips.set(branch, { at, oid });
  }
  return new Map([...tips].filter(([, { oid }]) => oid !== '-'));
}

function pathOf(commonDir: string): string {
  return join(commonDir, 'gza', 'tips');
}
