import { GzaError } from '../../core/errors.ts';
import { findCollisions } from '../../core/guard/fold-path.ts';
import type { GuardPolicy, Objection } from '../../core/guard/guard-patch.ts';
import { guardPatch, guardPolicy } from '../../core/guard/guard-patch.ts';
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
    }
  | { readonly kind: 'empty'; readonly dropped: readonly Objection[] }
  | { readonly kind: 'refused'; readonly reasons: readonly Objection[] }
  | { readonly kind: 'ask'; readonly reasons: readonly Objection[]; readonly dropped: readonly Objection[] }
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
    const applied = await applyTo(index, keepChanges(patch, changes), changes, options.onto);
    if (applied.kind !== 'applied') return applied;
    const tree = await index.text(['write-tree']);
    return { kind: 'committed', commit: await index.commit(tree, options), tree, changes, dropped };
  });
}

type Applied = { kind: 'applied' } | Extract<ImportResult, { kind: 'conflict' | 'refused' }>;

async function applyTo(
  index: ScratchIndex,
  patch: string,
  changes: readonly FileChange[],
  onto: string,
): Promise<Applied> {
  await index.text(['read-tree', onto]);
  const settings = [
    '-c',
    'apply.whitespace=nowarn',
    '-c',
    'apply.ignoreWhitespace=no',
    '-c',
    'core.autocrlf=false',
  ];
  const apply = [
    ...settings,
    '-c',
    'core.protectHFS=true',
    '-c',
    'core.protectNTFS=true',
    'apply',
    '--cached',
    '--whitespace=nowarn',
    '-',
  ];
  const result = await index.run(apply, { stdin: Buffer.from(patch, 'latin1') });
  if (result.code !== 0)
    return { kind: 'conflict', why: result.stderr.trim().split('\n').slice(0, 5).join('\n') };
  const listed = await index.run(['ls-files', '-s', '-z']);
  if (listed.code !== 0) throw new GzaError('world', `git ls-files failed: ${listed.stderr.trim()}`);
  const entries = new Map<string, string>();
  for (const line of listed.stdout.toString('utf8').split('\0')) {
    const tab = line.indexOf('\t');
    if (tab > 0) entries.set(line.slice(tab + 1), line.slice(0, tab));
  }
  return misread(entries, changes) ?? collided(entries, changes) ?? { kind: 'applied' };
}

/** What git made of the patch must be what gza read in it. */
function misread(entries: ReadonlyMap<string, string>, changes: readonly FileChange[]): Applied | null {
  for (const { path: file, kind, newMode, newOid } of changes) {
    const entry = entries.get(file);
    const [mode, oid, stage] = entry?.split(' ') ?? [];
    const isRight =
      kind === 'delete'
        ? entry === undefined
        : mode === newMode && stage === '0' && (newOid === null || newOid === oid);
    if (!isRight)
      return { kind: 'conflict', why: `${JSON.stringify(file)} did not become what the patch says` };
  }
  return null;
}

function collided(entries: ReadonlyMap<string, string>, changes: readonly FileChange[]): Applied | null {
  const added = changes.filter(({ kind }) => kind === 'add').map((change) => change.path);
  const collisions = added.length > 0 ? findCollisions(added, entries.keys()) : [];
  if (collisions.length === 0) return null;
  const reasons = collisions.map((one): Objection => {
    const why = `where case does not count, it is the same as ${JSON.stringify(one.with)}`;
    return { path: one.path, rule: 'duplicate', action: 'refuse', why };
  });
  return { kind: 'refused', reasons };
}
