/** What an agent left in its clone, as one commit that no ref names yet. */

import type { Config } from '../../core/config/config.ts';
import { type CommitPurpose, commitMessage } from '../../core/guard/commit-message.ts';
import { type GuardPolicy, guardPolicy, type Objection } from '../../core/guard/guard-patch.ts';
import type { ProtectedPaths } from '../../core/guard/protected-paths.ts';
import type { Settings } from '../../core/task/settings.ts';
import { gzaIdentity } from '../../git/git.ts';
import type { Repository } from '../../git/open-repository.ts';
import { type CollectedPatch, collectPatch } from '../../workspace/patch/collect-patch.ts';
import { importPatch } from '../../workspace/patch/import-patch.ts';
import { diffId } from '../../workspace/patch/lane-diff.ts';
import type { SharedClone } from '../../workspace/shared-clone.ts';

import type { Left } from '../left.ts';

export interface SaveInput {
  readonly repository: Repository;
  /** The commit that the step began at. */
  readonly onto: string;
  readonly left: Pick<Left, 'patch' | 'too_large' | 'skipped'> & Partial<Pick<Left, 'subjects'>>;
  readonly purpose: CommitPurpose;
  readonly title: string;
  readonly taskId: string;
  readonly summary?: string;
  readonly policy: GuardPolicy;
  readonly date: Date;
  /** What the lane's diff is compared with. */
  readonly compareWith: string;
}

export type Saved =
  | {
      readonly kind: 'saved';
      readonly commit: string;
      readonly diff: string;
      readonly named: readonly string[];
    }
  | { readonly kind: 'nothing'; readonly named: readonly string[] }
  /** It stays where it is; a person must look. */
  | { readonly kind: 'refused'; readonly why: string; readonly named: readonly string[] };

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

/** The agent's files as one patch, as they are now. */
export async function collectStep(clone: SharedClone, { limits }: GuardPolicy): Promise<CollectedPatch> {
  return collectPatch(clone, limits);
}

export async function saveStep(input: SaveInput): Promise<Saved> {
  const { repository, onto, left, policy, date } = input;
  const { patch, too_large: tooLarge } = left;
  const skipped = left.skipped
    .filter(({ why }) => why !== 'ignored')
    .map(({ path, why }) => `${path}: ${why}`);
  if (tooLarge !== undefined) return { kind: 'refused', why: tooLarge, named: skipped };
  if (patch === null) return { kind: 'nothing', named: skipped };
  const message = commitMessage({ ...input, subjects: left.subjects ?? [] });
  const imported = await importPatch(repository, { patch, onto, message, policy, date, author: gzaIdentity });
  const dropped = 'dropped' in imported ? imported.dropped : [];
  const named = [...skipped, ...dropped.map(({ path, why }) => `${path}: ${why}`)];
  switch (imported.kind) {
    case 'committed': {
      const { commit } = imported;
      const diff = await diffId(repository, { base: input.compareWith, head: commit });
      return { kind: 'saved', commit, diff, named };
    }
    case 'empty':
      return { kind: 'nothing', named };
    case 'refused':
    case 'ask':
      return { kind: 'refused', why: reasonsText(imported.reasons), named };
    case 'unreadable':
    case 'conflict':
      return { kind: 'refused', why: imported.why, named };
  }
}

const reasonsMax = 20;

function reasonsText(reasons: readonly Objection[]): string {
  const lines = reasons.slice(0, reasonsMax).map(({ path, why }) => `${path}: ${why}`);
  return [...lines, ...(reasons.length > reasonsMax ? [`and ${reasons.length - reasonsMax} more`] : [])].join(
    '\n',
  );
}
