import { findCollisions } from '../../core/guard/fold-path.ts';
import type { GuardPolicy, Objection } from '../../core/guard/guard-patch.ts';
import { guardPatch, guardPolicy } from '../../core/guard/guard-patch.ts';
import { isManifest, judgeManifest, manifestBytesMax } from '../../core/guard/judge-manifest.ts';
import { compileGlobs } from '../../core/guard/match-glob.ts';
import { parsePatch } from '../../core/guard/parse-patch.ts';
import type { FileChange } from '../../core/guard/patch.ts';
import { keepChanges } from '../../core/guard/patch.ts';
import type { Repository } from '../../git/open-repository.ts';
import { measureBinaries } from './measure-binaries.ts';
import { type CommitOptions, type ScratchIndex, withScratchIndex } from './scratch-index.ts';

export interface ImportOptions extends CommitOptions {
  /** From a clone on this machine, or from another machine: it makes no difference. Made against `onto`. */
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
  /** The patch is no patch as gza writes them. */
  | { readonly kind: 'unreadable'; readonly why: string }
  /** It was made against something else than `onto`. */
  | { readonly kind: 'conflict'; readonly why: string };

/** Makes one commit of a patch, in the repository's objects alone: no ref, index or work tree of anyone's moves. */
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

/** By their whole text, which the objects hold by now. */
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

/** Undefined when it is too large. */
async function textOf(index: ScratchIndex, oid: string | null): Promise<string | null | undefined> {
  if (oid === null) return null;
  const read = await index.run(['cat-file', 'blob', oid], { outputBytesMax: manifestBytesMax });
  return read.code === 0 ? read.stdout.toString('utf8') : undefined;
}

/** As it is, whatever the repository's configuration says; names that some machine could not hold are refused. */
const exactly = [
  'apply.whitespace=nowarn',
  'apply.ignoreWhitespace=no',
  'core.autocrlf=false',
  'core.protectHFS=true',
  'core.protectNTFS=true',
].flatMap((setting) => ['-c', setting]);

/** The tree, or why there is none. */
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

/** What git made of the patch must be what gza read in its headers, file by file, and nothing else. */
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
