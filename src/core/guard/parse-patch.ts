/**
 * Reads a patch before git applies it, because git accepts links, submodules, and newlines and right-to-left
 * marks in names, and trusts declared sizes (a 6 MB patch took 2 GB). Accepts only what `git diff-index -p
 * --binary --full-index --no-renames` writes, and reads the headers, the declared sizes and the added lines:
 * any other line makes the whole patch unreadable. Git decides whether the hunks apply, and afterwards its
 * result is compared with these headers. One pass, no backtracking.
 *
 * A patch is kept as a string of bytes (one character per byte, `latin1`), so that offsets are exact and a
 * hostile encoding cannot shift them; paths are decoded strictly.
 */
export interface FileChange {
  readonly path: string;
  readonly kind: 'add' | 'modify' | 'delete' | 'mode';
  /** As git prints it, `100644`; null on the side where there is no file. */
  readonly oldMode: string | null;
  readonly newMode: string | null;
  /** Null when only the mode changes. */
  readonly oldOid: string | null;
  readonly newOid: string | null;
  readonly addedLines: readonly AddedLine[];
  readonly binary: BinaryChange | null;
  /** Where this file's part of the patch begins and ends. */
  readonly start: number;
  readonly end: number;
}

interface AddedLine {
  /** Counted from 1 in the new file. */
  readonly line: number;
  /** One character per byte. */
  readonly text: string;
}

interface BinaryChange {
  readonly forward: BinaryHunk;
  readonly reverse: BinaryHunk | null;
}

export interface BinaryHunk {
  readonly method: 'literal' | 'delta';
  /** The inflated size that the patch claims. Do not trust it before it is measured. */
  readonly declaredBytes: number;
  /** Where the base85 lines begin and end. */
  readonly start: number;
  readonly end: number;
}

export interface PatchLimits {
  readonly patchBytesMax: number;
  readonly filesMax: number;
  /** Limits on the inflated size of one binary file, and of all together. */
  readonly fileBytesMax: number;
  readonly inflatedBytesMax: number;
}

export const patchLimits: PatchLimits = {
  patchBytesMax: 20 << 20,
  filesMax: 3000,
  fileBytesMax: 5 << 20,
  inflatedBytesMax: 60 << 20,
};

type ParsedPatch =
  | { readonly kind: 'parsed'; readonly changes: readonly FileChange[] }
  | { readonly kind: 'unreadable'; readonly why: string; readonly line: number };

/** The same patch with only these changes in it. */
export function keepChanges(patch: string, changes: readonly FileChange[]): string {
  return changes.map((change) => patch.slice(change.start, change.end)).join('');
}

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

/** `patch` holds one byte per character. */
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

  /** Takes the next line if it begins with `start`, and returns the rest of it. */
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
  const binary = lines.take('GIT binary patch') === '' ? readBinary(lines) : null;
  const addedLines = !binary && lines.startsWith('--- ') ? readText(lines) : [];
  const { path, oldMode, newMode, oldOid, newOid } = header;
  const kind = kindOf(header);
  return { path, kind, oldMode, newMode, oldOid, newOid, addedLines, binary, start, end: lines.at };
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

/** gza writes a move as a delete and an add. So both names on the line are equal, and each is half of it. */
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

/** Reads up to the next file. Every line inside a hunk has a prefix, so none can be mistaken for a header. */
function readText(lines: Lines): AddedLine[] {
  lines.expect('--- ');
  lines.expect('+++ ');
  const added: AddedLine[] = [];
  let line = 0;
  while (!lines.isAtEnd() && !lines.startsWith('diff --git ')) {
    const text = lines.next();
    const mark = text[0] ?? '';
    if (mark === '@') line = Number(/^@@ -[\d,]{1,20} \+(\d{1,9})/.exec(text)?.[1] ?? line);
    else if (mark === '+') added.push({ line: line++, text: text.slice(1) });
    else if (mark === ' ') line++;
    else if (mark !== '-' && mark !== '\\') throw new Unreadable('a line that belongs to no hunk');
  }
  return added;
}

function readBinary(lines: Lines): BinaryChange {
  const forward = readBinaryHunk(lines);
  const hasReverse = lines.startsWith('literal ') || lines.startsWith('delta ');
  return { forward, reverse: hasReverse ? readBinaryHunk(lines) : null };
}

function readBinaryHunk(lines: Lines): BinaryHunk {
  const [, method, declared] = /^(literal|delta) (\d{1,10})$/.exec(lines.next()) ?? [];
  if (declared === undefined) throw new Unreadable('a binary change that cannot be read');
  const start = lines.at;
  while (lines.next() !== '');
  const end = lines.at - 1;
  return { method: method === 'literal' ? 'literal' : 'delta', declaredBytes: Number(declared), start, end };
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
 * Decodes a path as git writes it in a patch, quoted or not. Null for bad quoting or bytes that are not
 * UTF-8. This is strict, so that no two programs can read the same path as different names.
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

/** Decodes a string of one byte per character; null when it is not UTF-8. */
export function decodeUtf8(bytes: string): string | null {
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
