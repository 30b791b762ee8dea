/** What an agent left in its clone, as one commit that no ref names yet. */

import type { Config } from '../../core/config/config.ts';
import type { CommitPurpose } from '../../core/guard/commit-message.ts';
import { commitMessage } from '../../core/guard/commit-message.ts';
import { type GuardPolicy, guardPolicy, type Objection } from '../../core/guard/guard-patch.ts';
import type { ProtectedPaths } from '../../core/guard/protected-paths.ts';
import type { Settings } from '../../core/task/settings.ts';
import type { Identity } from '../../workspace/git-folder.ts';
import { type CollectedPatch, collectPatch } from '../../workspace/patch/collect-patch.ts';
import { type ImportResult, importPatch } from '../../workspace/patch/import-patch.ts';
import { diffId } from '../../workspace/patch/lane-diff.ts';
import { markSaved } from '../../workspace/remove-clone.ts';
import type { SharedClone } from '../../workspace/shared-clone.ts';

export interface SaveInput {
  readonly clone: SharedClone;
  readonly purpose: CommitPurpose;
  readonly title: string;
  readonly taskId: string;
  readonly summary?: string;
  readonly policy: GuardPolicy;
  readonly author: Identity;
  readonly date: Date;
  /** What the lane's diff is compared with. */
  readonly compareWith: string;
  /** Where what is refused can be found; default the clone. */
  readonly kept?: string;
}

export type Saved =
  | {
      readonly kind: 'saved';
      readonly commit: string;
      readonly diff: string;
      readonly named: readonly string[];
      /** Marked as saved; removed when the commit is on record. */
      readonly clone: SharedClone;
    }
  | { readonly kind: 'nothing'; readonly named: readonly string[]; readonly clone: SharedClone }
  /** It stays in the clone; a person must look. */
  | {
      readonly kind: 'refused';
      readonly why: string;
      readonly named: readonly string[];
      readonly kept: string;
    };

/** What a task may touch: its own allowance, less what is protected by rule or by gza.yaml. */
export function policyOf(
  settings: Pick<Settings, 'allow'>,
  { paths, except }: Config['protected'],
): GuardPolicy {
  const why = 'gza.yaml protects it';
  const own: ProtectedPaths[] =
    paths.length > 0 ? [{ rule: 'configured', action: 'refuse', why, globs: paths }] : [];
  const protectedPaths = [...guardPolicy.protectedPaths, ...own];
  return { ...guardPolicy, allow: settings.allow ?? null, permit: except, protectedPaths };
}

export async function saveStep(input: SaveInput): Promise<Saved> {
  return importStep(input, await collectStep(input.clone, input.policy));
}

/** The agent's files as one patch, as they are now. */
export async function collectStep(clone: SharedClone, { limits }: GuardPolicy): Promise<CollectedPatch> {
  return collectPatch(clone, limits);
}

export async function importStep(input: SaveInput, collected: CollectedPatch): Promise<Saved> {
  const { clone } = input;
  const onto = clone.record.start;
  const kept = input.kept ?? clone.dir;
  const skipped = collected.skipped
    .filter(({ why }) => why !== 'ignored')
    .map(({ path, why }) => `${path}: ${why}`);
  if (collected.kind === 'too-large') return { kind: 'refused', why: collected.why, named: skipped, kept };
  if (collected.kind === 'empty') {
    return { kind: 'nothing', named: skipped, clone: await markSaved(clone, onto) };
  }
  const message = commitMessage(input);
  const imported = await importPatch(clone.repository, { ...input, patch: collected.patch, onto, message });
  const named = [...skipped, ...droppedOf(imported).map(({ path, why }) => `${path}: ${why}`)];
  switch (imported.kind) {
    case 'committed': {
      const { commit } = imported;
      const diff = await diffId(clone.repository, { base: input.compareWith, head: commit });
      return { kind: 'saved', commit, diff, named, clone: await markSaved(clone, commit) };
    }
    case 'empty':
      return { kind: 'nothing', named, clone: await markSaved(clone, onto) };
    case 'refused':
    case 'ask':
      return { kind: 'refused', why: reasonsText(imported.reasons), named, kept };
    case 'unreadable':
    case 'conflict':
      return { kind: 'refused', why: imported.why, named, kept };
  }
}

function droppedOf(imported: ImportResult): readonly Objection[] {
  return 'dropped' in imported ? imported.dropped : [];
}

const reasonsMax = 20;

function reasonsText(reasons: readonly Objection[]): string {
  const lines = reasons.slice(0, reasonsMax).map(({ path, why }) => `${path}: ${why}`);
  return [...lines, ...(reasons.length > reasonsMax ? [`and ${reasons.length - reasonsMax} more`] : [])].join(
    '\n',
  );
}
