/**
 * Reads what `git diff-index -p --binary --full-index --no-renames` writes, and nothing else. Why not leave it to
 * `git apply`: git accepts links, submodules, newlines and right-to-left marks in names, and believes declared
 * sizes (a 6 MB patch took 2 GB). So the patch is understood completely here, before git sees it: a line that has
 * no place in this grammar makes the whole patch unreadable. One pass, no backtracking.
 */
import type { AddedLine, BinaryChange, BinaryHunk, FileChange, ParsedPatch, PatchLimits } from './patch.ts';
import { patchLimits } from './patch.ts';

class Unreadable extends Error {}

interface Header {
  path: string;
  oldMode: string | null;
  newMode: string | null;
  oldOid: string | null;
  newOid: string | null;
  isAdd: boolean;
  isDelete: boolean;
}

interface Body {
  addedLines: AddedLine[];
  addedBytes: number;
  binary: BinaryChange | null;
}

/** `patch` is bytes, one a character. */
export function parsePatch(patch: string, limits: PatchLimits = patchLimits): ParsedPatch {
  if (patch.length > limits.patchBytesMax) {
    const why = `the patch has ${patch.length} bytes, more than ${limits.patchBytesMax}`;
    return { kind: 'unreadable', why, line: 1 };
  }
  const lines = new Lines(patch);
  try {
    const changes: FileChange[] = [];
    while (!lines.isAtEnd()) {
      if (changes.length === limits.filesMax) throw new Unreadable(`more than ${limits.filesMax} files`);
      changes.push(readFile(lines));
    }
    return { kind: 'parsed', changes };
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    return { kind: 'unreadable', why: error.message, line: lines.number };
  }
}

class Lines {
  readonly patch: string;
  at = 0;
  number = 1;
  constructor(patch: string) {
    this.patch = patch;
  }

  isAtEnd(): boolean {
    return this.at >= this.patch.length;
  }

  startsWith(text: string): boolean {
    return this.patch.startsWith(text, this.at);
  }

  next(): string {
    const end = this.patch.indexOf('\n', this.at);
    if (end < 0) throw new Unreadable('the patch ends in the middle of a line');
    const line = this.patch.slice(this.at, end);
    this.at = end + 1;
    this.number += 1;
    return line;
  }

  /** The rest of the next line when it starts so. */
  take(start: string): string | null {
    return this.startsWith(start) ? this.next().slice(start.length) : null;
  }

  expect(start: string): string {
    const rest = this.take(start);
    if (rest === null) throw new Unreadable(`expected a line that starts with "${start.trim()}"`);
    return rest;
  }
}

function readFile(lines: Lines): FileChange {
  const start = lines.at;
  const header = readHeader(lines);
  const body: Body = { addedLines: [], addedBytes: 0, binary: null };
  if (lines.take('GIT binary patch') === '') body.binary = readBinary(lines);
  else if (lines.startsWith('--- ')) readText(lines, header, body);
  else if (header.newOid !== null && !hasEmptySide(header)) {
    throw new Unreadable(`no content for ${JSON.stringify(header.path)}`);
  }
  const { path, oldMode, newMode, oldOid, newOid } = header;
  return { path, kind: kindOf(header), oldMode, newMode, oldOid, newOid, ...body, start, end: lines.at };
}

function kindOf(header: Header): FileChange['kind'] {
  if (header.isAdd) return 'add';
  if (header.isDelete) return 'delete';
  return header.newOid === null ? 'mode' : 'modify';
}

function readHeader(lines: Lines): Header {
  const path = readNames(lines.expect('diff --git '));
  const header: Header = {
    path,
    oldMode: null,
    newMode: null,
    oldOid: null,
    newOid: null,
    isAdd: false,
    isDelete: false,
  };
  const old = lines.take('old mode ');
  if (old !== null) {
    header.oldMode = readMode(old);
    header.newMode = readMode(lines.expect('new mode '));
  } else readExistence(lines, header);
  const index = lines.take('index ');
  if (index !== null) readIndex(index, header);
  else if (old === null) throw new Unreadable('a file without an index line');
  return header;
}

function readExistence(lines: Lines, header: Header): void {
  const added = lines.take('new file mode ');
  const deleted = added === null ? lines.take('deleted file mode ') : null;
  if (added !== null) header.newMode = readMode(added);
  if (deleted !== null) header.oldMode = readMode(deleted);
  header.isAdd = added !== null;
  header.isDelete = deleted !== null;
}

/** gza writes a move as a delete and an add, so both names on the line are the same: no guess where one ends. */
function readNames(rest: string): string {
  const half = (rest.length - 1) / 2;
  const [from, to] = [rest.slice(0, half), rest.slice(half + 1)];
  if (!Number.isInteger(half) || rest[half] !== ' ')
    throw new Unreadable('two different names in one change');
  const path = unquoteSide(from, 'a/');
  if (path === null || path !== unquoteSide(to, 'b/')) throw new Unreadable('names that cannot be read');
  return path;
}

function unquoteSide(text: string, side: 'a/' | 'b/'): string | null {
  const path = unquotePath(text);
  return path?.startsWith(side) && path.length > 2 ? path.slice(2) : null;
}

function readMode(text: string): string {
  if (!/^[0-7]{6}$/.test(text)) throw new Unreadable('a file mode that cannot be read');
  return text;
}

function readIndex(text: string, header: Header): void {
  const found = /^([0-9a-f]{40}|[0-9a-f]{64})\.\.([0-9a-f]{40}|[0-9a-f]{64})(?: ([0-7]{6}))?$/.exec(text);
  const [, oldOid = '', newOid = '', mode] = found ?? [];
  if (!found || oldOid.length !== newOid.length)
    throw new Unreadable('an index line without full object ids');
  const hasModes = header.oldMode !== null || header.newMode !== null;
  if (hasModes === (mode !== undefined)) throw new Unreadable('modes that contradict each other');
  if (isZero(oldOid) !== header.isAdd || isZero(newOid) !== header.isDelete) {
    throw new Unreadable('object ids that contradict the kind of change');
  }
  if (mode !== undefined) header.oldMode = header.newMode = mode;
  header.oldOid = header.isAdd ? null : oldOid;
  header.newOid = header.isDelete ? null : newOid;
}

function isZero(oid: string): boolean {
  return /^0+$/.test(oid);
}

const emptyBlobs = new Set([
  'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391',
  '473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813',
]);

/** An empty file that comes or goes has no content to show. */
function hasEmptySide(header: Header): boolean {
  return (header.isAdd || header.isDelete) && emptyBlobs.has(header.newOid ?? header.oldOid ?? '');
}

function readText(lines: Lines, header: Header, body: Body): void {
  checkSide(lines.expect('--- '), header, 'a/', header.isAdd);
  checkSide(lines.expect('+++ '), header, 'b/', header.isDelete);
  if (!lines.startsWith('@@ -')) throw new Unreadable('a text change without a hunk');
  while (lines.startsWith('@@ -')) readHunk(lines, body);
}

function checkSide(text: string, header: Header, side: 'a/' | 'b/', isMissing: boolean): void {
  // git ends a name that has a space in it with a tab.
  const name = text.endsWith('\t') ? text.slice(0, -1) : text;
  const matches = isMissing ? name === '/dev/null' : unquoteSide(name, side) === header.path;
  if (!matches) throw new Unreadable(`names that differ inside the change of ${JSON.stringify(header.path)}`);
}

function readHunk(lines: Lines, body: Body): void {
  const found = /^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@/.exec(lines.next());
  if (!found) throw new Unreadable('a hunk header that cannot be read');
  let oldLeft = Number(found[2] ?? 1);
  let newLeft = Number(found[4] ?? 1);
  let line = Number(found[3]);
  while (oldLeft > 0 || newLeft > 0) {
    const text = lines.next();
    const mark = text[0];
    if (mark !== ' ' && mark !== '-' && mark !== '+') throw new Unreadable('a hunk shorter than it says');
    if (mark !== '+') oldLeft -= 1;
    if (mark !== '-') newLeft -= 1;
    if (oldLeft < 0 || newLeft < 0) throw new Unreadable('a hunk longer than it says');
    if (mark === '+') {
      body.addedLines.push({ line, text: text.slice(1) });
      body.addedBytes += text.length;
    }
    if (mark !== '-') line += 1;
    lines.take('\\ No newline at end of file');
  }
}

function readBinary(lines: Lines): BinaryChange {
  const forward = readBinaryHunk(lines);
  const hasReverse = lines.startsWith('literal ') || lines.startsWith('delta ');
  return { forward, reverse: hasReverse ? readBinaryHunk(lines) : null };
}

function readBinaryHunk(lines: Lines): BinaryHunk {
  const found = /^(literal|delta) (\d{1,10})$/.exec(lines.next());
  if (!found) throw new Unreadable('a binary change that cannot be read');
  const start = lines.at;
  let compressedBytes = 0;
  for (let text = lines.next(); text !== ''; text = lines.next()) compressedBytes += base85Bytes(text);
  const declaredBytes = Number(found[2]);
  // zlib cannot pack more than 1,032 bytes into one.
  if (declaredBytes > compressedBytes * 1032)
    throw new Unreadable('a binary change that lies about its size');
  const method = found[1] === 'literal' ? 'literal' : 'delta';
  return { method, declaredBytes, start, end: lines.at - 1 };
}

function base85Bytes(line: string): number {
  const code = line.charCodeAt(0);
  const bytes = code >= 97 ? code - 97 + 27 : code - 65 + 1;
  const isWhole = line.length === 1 + Math.ceil(bytes / 4) * 5;
  if (!isWhole || !/^[A-Za-z][0-9A-Za-z!#$%&()*+;<=>?@^_`{|}~-]+$/.test(line)) {
    throw new Unreadable('a binary line that cannot be read');
  }
  return bytes;
}

const simpleEscapes: Readonly<Record<string, number>> = {
  a: 7,
  b: 8,
  t: 9,
  n: 10,
  v: 11,
  f: 12,
  r: 13,
  '"': 34,
  '\\': 92,
};

/**
 * Reads a path as git writes it in a patch, quoted or not, from bytes. Null when it is not one: bad quoting, bytes
 * that are not UTF-8. The strict decoding is the point: two programs must not read two names out of one.
 */
export function unquotePath(text: string): string | null {
  if (!text.startsWith('"')) return text.includes('"') || text.includes('\\') ? null : decodeUtf8(text);
  if (text.length < 2 || !text.endsWith('"')) return null;
  const bytes: string[] = [];
  let at = 1;
  while (at < text.length - 1) {
    const char = text[at] ?? '';
    if (char === '"') return null;
    if (char !== '\\') {
      bytes.push(char);
      at += 1;
      continue;
    }
    const escape = readEscape(text, at + 1);
    if (!escape || escape.next > text.length - 1) return null;
    bytes.push(String.fromCharCode(escape.byte));
    at = escape.next;
  }
  return decodeUtf8(bytes.join(''));
}

function readEscape(text: string, at: number): { byte: number; next: number } | null {
  const char = text[at] ?? '';
  const known = Object.hasOwn(simpleEscapes, char) ? simpleEscapes[char] : undefined;
  if (known !== undefined) return { byte: known, next: at + 1 };
  const octal = text.slice(at, at + 3);
  return /^[0-3][0-7]{2}$/.test(octal) ? { byte: Number.parseInt(octal, 8), next: at + 3 } : null;
}

/** Bytes, one a character, as text; null when they are not UTF-8. */
function decodeUtf8(bytes: string): string | null {
  let escaped = '';
  for (const char of bytes) {
    const code = char.charCodeAt(0);
    if (code > 255) return null;
    escaped += `%${code.toString(16).padStart(2, '0')}`;
  }
  try {
    return decodeURIComponent(escaped);
  } catch {
    return null;
  }
}
