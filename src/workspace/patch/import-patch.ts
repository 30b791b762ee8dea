import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { inflateSync } from 'node:zlib';
import {
  type GuardPolicy,
  guardPatch,
  guardPolicy,
  type MeasuredBinary,
  type Objection,
} from '../../core/guard/guard-patch.ts';
import { isManifest, judgeManifest, manifestBytesMax } from '../../core/guard/judge-manifest.ts';
import {
  type BinaryHunk,
  type FileChange,
  keepChanges,
  type PatchLimits,
  parsePatch,
} from '../../core/guard/parse-patch.ts';
import { compileGlobs, findCollisions } from '../../core/guard/paths.ts';
import type { GitOptions, Identity } from '../../git/git.ts';
import type { Repository } from '../../git/repository.ts';

interface ImportOptions extends CommitOptions {
  /** A patch against `onto`. It is not trusted, wherever it comes from. */
  readonly patch: Buffer;
  readonly policy?: GuardPolicy;
}

export type ImportResult =
  | {
      readonly kind: 'committed';
      readonly commit: string;
      readonly tree: string;
      readonly changes: readonly FileChange[];
      readonly dropped: readonly Objection[];
      readonly waits: readonly Objection[];
      readonly named: readonly Objection[];
    }
  | { readonly kind: 'empty'; readonly dropped: readonly Objection[] }
  | { readonly kind: 'refused'; readonly reasons: readonly Objection[] }
  /** The patch is not in the form that gza writes. */
  | { readonly kind: 'unreadable'; readonly why: string }
  /** The patch was made against another commit than `onto`. */
  | { readonly kind: 'conflict'; readonly why: string };

/** Turns a patch into one commit, adding only objects: no ref, index or work tree changes. */
export async function importPatch(repository: Repository, options: ImportOptions): Promise<ImportResult> {
  const { policy = guardPolicy } = options;
  const patch = options.patch.toString('latin1');
  const parsed = parsePatch(patch, policy.limits);
  if (parsed.kind === 'unreadable') return { kind: 'unreadable', why: `line ${parsed.line}: ${parsed.why}` };
  const measured = measureBinaries(patch, parsed.changes, policy.limits);
  if (measured.kind === 'refused') {
    const { path: file, why } = measured;
    return { kind: 'refused', reasons: [{ path: file, rule: 'oversized', action: 'refuse', why }] };
  }
  const guarded = guardPatch(parsed.changes, policy, measured.files);
  if (guarded.kind !== 'accepted') return guarded;
  const { changes, dropped } = guarded;
  if (changes.length === 0) return { kind: 'empty', dropped };
  return withScratchIndex(repository, async (index) => {
    const tree = await applyTo(index, keepChanges(patch, changes), changes, options.onto);
    if (typeof tree !== 'string') return tree;
    const inside = await judgeManifests(index, changes, policy);
    const waits = [...guarded.waits, ...inside.filter(({ action }) => action === 'wait')];
    const named = [...guarded.named, ...inside.filter(({ action }) => action === 'name')];
    return {
      kind: 'committed',
      commit: await index.commit(tree, options),
      tree,
      changes,
      dropped,
      waits,
      named,
    };
  });
}

/** Judges package manifests by their whole text, which is among the objects by now. */
async function judgeManifests(
  index: ScratchIndex,
  changes: readonly FileChange[],
  { permit }: GuardPolicy,
): Promise<Objection[]> {
  const isPermitted = compileGlobs(permit);
  const all: Objection[] = [];
  for (const { path, oldOid, newOid } of changes) {
    if (newOid === null || !isManifest(path) || isPermitted(path)) continue;
    const [before, after] = [await textOf(index, oldOid), await textOf(index, newOid)];
    if (before !== undefined && after !== undefined) all.push(...judgeManifest({ path, before, after }));
    else all.push({ path, rule: 'large', action: 'wait', why: 'it is too large to be judged' });
  }
  return all;
}

/** Undefined when the file is too large. */
async function textOf(index: ScratchIndex, oid: string | null): Promise<string | null | undefined> {
  if (oid === null) return null;
  const read = await index.run(['cat-file', 'blob', oid], { outputBytesMax: manifestBytesMax });
  return read.code === 0 ? read.stdout.toString('utf8') : undefined;
}

/** Applies a patch exactly, whatever is configured, and refuses names that some system cannot store. */
const exactly = [
  'apply.whitespace=nowarn',
  'apply.ignoreWhitespace=no',
  'core.autocrlf=false',
  'core.protectHFS=true',
  'core.protectNTFS=true',
].flatMap((setting) => ['-c', setting]);

/** Returns the new tree, or the reason why there is none. */
async function applyTo(
  index: ScratchIndex,
  patch: string,
  changes: readonly FileChange[],
  onto: string,
): Promise<string | Extract<ImportResult, { kind: 'conflict' | 'refused' }>> {
  await index.text(['read-tree', onto]);
  const stdin = Buffer.from(patch, 'latin1');
  const result = await index.run([...exactly, 'apply', '--cached', '--whitespace=nowarn', '-'], { stdin });
  if (result.code !== 0)
    return { kind: 'conflict', why: result.stderr.trim().split('\n').slice(0, 5).join('\n') };
  const tree = await index.text(['write-tree']);
  const why = misread(await index.text([...rawDiff, onto, tree]), changes);
  if (why !== null) return { kind: 'conflict', why };
  const added = changes.filter(({ kind }) => kind === 'add').map((change) => change.path);
  const all = added.length > 0 ? await index.text(['ls-tree', '-r', '-z', '--name-only', tree]) : '';
  const collisions = findCollisions(added, all.split('\0').filter(Boolean));
  if (collisions.length === 0) return tree;
  const reasons = collisions.map((one): Objection => {
    const told = `where case does not count, it is the same as ${JSON.stringify(one.with)}`;
    return { path: one.path, rule: 'duplicate', action: 'refuse', why: told };
  });
  return { kind: 'refused', reasons };
}

const rawDiff = ['diff-tree', '-r', '-z', '--raw', '--no-renames', '--no-abbrev'];

/** Checks that git changed exactly the files that gza read in the headers of the patch, and nothing else. */
function misread(diff: string, changes: readonly FileChange[]): string | null {
  const made = new Map<string, string>();
  const fields = diff.split('\0');
  for (let n = 0; n + 1 < fields.length; n += 2) made.set(fields[n + 1] ?? '', fields[n] ?? '');
  for (const { path, newMode, newOid, kind } of changes) {
    const [, mode, , oid] = (made.get(path) ?? '').split(' ');
    const isRight =
      kind === 'delete' ? mode === '000000' : mode === newMode && (newOid === null || newOid === oid);
    if (!isRight) return `${JSON.stringify(path)} did not become what the patch says`;
    made.delete(path);
  }
  const [more] = made.keys();
  return more === undefined ? null : `${JSON.stringify(more)} changed, and no header of the patch says so`;
}

type MeasuredBinaries =
  | { readonly kind: 'measured'; readonly files: ReadonlyMap<string, MeasuredBinary> }
  | { readonly kind: 'refused'; readonly path: string; readonly why: string };

/**
 * Inflates the binary parts of a patch under a limit, because git would do it without one. The declared
 * size must be the true size. A delta's result counts like a literal, because a few bytes of delta can
 * produce gigabytes.
 */
export function measureBinaries(
  patch: string,
  changes: readonly FileChange[],
  limits: PatchLimits,
): MeasuredBinaries {
  const files = new Map<string, MeasuredBinary>();
  let total = 0;
  for (const change of changes) {
    for (const hunk of change.binary ? [change.binary.forward, change.binary.reverse] : []) {
      if (!hunk) continue;
      total += hunk.declaredBytes;
      const measured = total > limits.inflatedBytesMax ? null : measure(patch, hunk, limits);
      if (!measured) {
        const why = 'its binary content is damaged, lies about its size, or is over the limit';
        return { kind: 'refused', path: change.path, why };
      }
      total += hunk.method === 'delta' ? measured.bytes : 0;
      if (hunk === change.binary?.forward)
        files.set(change.path, { bytes: measured.bytes, text: measured.data.toString('latin1') });
    }
  }
  return { kind: 'measured', files };
}

function measure(
  patch: string,
  hunk: BinaryHunk,
  limits: PatchLimits,
): { bytes: number; data: Buffer } | null {
  // The old side of a large file may be large, so only the sum is limited.
  const declared = hunk.declaredBytes;
  const data = inflate(decodeBase85(patch.slice(hunk.start, hunk.end)), declared);
  if (data?.length !== declared) return null;
  const bytes = hunk.method === 'delta' ? deltaResultBytes(data) : declared;
  return bytes === null || bytes > limits.inflatedBytesMax ? null : { bytes, data };
}

function inflate(compressed: Buffer | null, bytesMax: number): Buffer | null {
  if (!compressed) return null;
  try {
    return inflateSync(compressed, { maxOutputLength: Math.max(1, bytesMax) });
  } catch {
    return null;
  }
}

/** Reads the result size of a delta. A delta starts with two sizes, seven bits per byte. */
function deltaResultBytes(delta: Buffer): number | null {
  let at = 0;
  let size = 0;
  for (let field = 0; field < 2; field += 1) {
    size = 0;
    for (let shift = 1; ; shift *= 128) {
      const byte = delta[at];
      if (byte === undefined || shift > 2 ** 42) return null;
      at += 1;
      size += (byte & 127) * shift;
      if (byte < 128) break;
    }
  }
  return size;
}

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~';
const digits = new Map(alphabet.split('').map((char, value) => [char.charCodeAt(0), value]));

/** git's own base85: the first letter of each line gives the line's length. */
function decodeBase85(text: string): Buffer | null {
  const parts: Buffer[] = [];
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const code = line.charCodeAt(0);
    const length = code >= 97 ? code - 97 + 27 : code - 65 + 1;
    const bytes = Buffer.alloc(Math.ceil(length / 4) * 4);
    for (let at = 1, to = 0; at + 5 <= line.length; at += 5, to += 4) {
      let value = 0;
      for (let i = at; i < at + 5; i += 1)
        value = value * 85 + (digits.get(line.charCodeAt(i)) ?? Number.NaN);
      if (!(value <= 0xffffffff)) return null;
      bytes.writeUInt32BE(value, to);
    }
    parts.push(bytes.subarray(0, length));
  }
  return Buffer.concat(parts);
}

export interface CommitOptions {
  /** The parent of the new commit. */
  readonly onto: string;
  readonly message: string;
  readonly author: Identity;
  readonly committer?: Identity;
  readonly date: Date;
}

/** A temporary index, so that a tree can be made without using anyone's index or work tree. */
class ScratchIndex {
  readonly #repository: Repository;
  readonly #env: Readonly<Record<string, string>>;
  constructor(repository: Repository, file: string) {
    this.#repository = repository;
    this.#env = { GIT_INDEX_FILE: file };
  }

  run(args: readonly string[], options: GitOptions = {}) {
    return this.#repository.bareGit.run(args, { ...options, env: { ...this.#env, ...options.env } });
  }

  text(args: readonly string[], options: GitOptions = {}) {
    return this.#repository.bareGit.text(args, { ...options, env: { ...this.#env, ...options.env } });
  }

  commit(tree: string, options: CommitOptions): Promise<string> {
    const { author, committer = author, date, onto, message } = options;
    const when = `${Math.floor(date.getTime() / 1000)} +0000`;
    return this.text(['-c', 'i18n.commitEncoding=UTF-8', 'commit-tree', tree, '-p', onto, '-F', '-'], {
      stdin: message,
      env: {
        GIT_AUTHOR_NAME: author.name,
        GIT_AUTHOR_EMAIL: author.email,
        GIT_AUTHOR_DATE: when,
        GIT_COMMITTER_NAME: committer.name,
        GIT_COMMITTER_EMAIL: committer.email,
        GIT_COMMITTER_DATE: when,
      },
    });
  }
}

export async function withScratchIndex<T>(
  repository: Repository,
  use: (index: ScratchIndex) => Promise<T>,
): Promise<T> {
  const scratch = await mkdtemp(path.join(tmpdir(), 'gza-index-'));
  try {
    const file = path.join(scratch, `index-${randomBytes(4).toString('hex')}`);
    return await use(new ScratchIndex(repository, file));
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
