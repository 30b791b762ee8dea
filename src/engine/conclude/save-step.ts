/** Turns what an agent left in its clone into one commit that no ref names yet. */

import { checkedFiles } from '../../core/checks/verification.ts';
import type { Config, Settings } from '../../core/config/config.ts';
import type { FileRow } from '../../core/guard/file-classes.ts';
import { type GuardPolicy, guardPolicy, type Objection } from '../../core/guard/guard-patch.ts';
import { type TaskRecord, type WaitingFile, waitsMax } from '../../core/ledger/record/record.ts';
import { type CommitPurpose, commitMessage } from '../../core/markdown/neutralise.ts';
import { gzaIdentity } from '../../git/git.ts';
import type { Repository } from '../../git/repository.ts';
import { type CollectedPatch, collectPatch } from '../../workspace/patch/collect-patch.ts';
import { importPatch } from '../../workspace/patch/import-patch.ts';
import { diffId, mergeBase } from '../../workspace/patch/lane-diff.ts';
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
  /** The commit that the lane's diff is computed against. */
  readonly compareWith: string;
  /** Files that waited for a person before this step, and those that a person allowed. */
  readonly record?: Pick<TaskRecord, 'waits' | 'allowed'> | null | undefined;
}

export type Saved =
  | {
      readonly kind: 'saved';
      readonly commit: string;
      readonly diff: string;
      readonly named: readonly string[];
      /** Files that a person must allow before the task can go on. */
      readonly waits: readonly WaitingFile[];
      readonly remarkable: readonly Objection[];
    }
  | { readonly kind: 'nothing'; readonly named: readonly string[] }
  /** It stays where it is, and a person must look at it. */
  | { readonly kind: 'refused'; readonly why: string; readonly named: readonly string[] };

/** What a task may change: its own `allow`, the built-in table of files, and gza.yaml. */
export function policyOf(
  settings: Pick<Settings, 'allow' | 'verify'>,
  { protected: { paths, wait, name, except }, ...config }: PolicyConfig,
): GuardPolicy {
  const own = (action: FileRow['action'], globs: readonly string[]): FileRow[] =>
    globs.length > 0 ? [{ action, kind: 'configured', source: 'gza.yaml', globs }] : [];
  const rows = [...own('refuse', paths), ...own('wait', wait), ...own('name', name), ...guardPolicy.rows];
  const commands = [settings.verify ?? config.verify, config.test_command, config.build_verify];
  const checked = commands.flatMap((one) => (one === undefined ? [] : [one].flat().join(' ')));
  return { ...guardPolicy, allow: settings.allow ?? null, permit: except, rows, checked };
}

type PolicyConfig = Pick<Config, 'protected' | 'verify' | 'test_command' | 'build_verify'>;

/** Collects the agent's current files as one patch. */
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
  const scripts = await repository.bareGit.run(['cat-file', 'blob', `${onto}:package.json`]);
  const checked = checkedFiles(policy.checked, scripts.code === 0 ? scripts.stdout.toString('utf8') : null);
  const imported = await importPatch(repository, {
    patch,
    onto,
    message,
    policy: { ...policy, checked },
    date,
    author: gzaIdentity,
  });
  const dropped = 'dropped' in imported ? imported.dropped : [];
  const named = [...skipped, ...dropped.map(({ path, why }) => `${path}: ${why}`)];
  switch (imported.kind) {
    case 'committed': {
      const { commit } = imported;
      const diff = await diffId(repository, { base: input.compareWith, head: commit });
      const waits = await waitingFiles(input, imported.waits, { commit, diff });
      if (waits.length > waitsMax) {
        const why = `${waits.length} files would wait for a person: ${reasonsText(imported.waits)}`;
        return { kind: 'refused', why, named };
      }
      return { kind: 'saved', commit, diff, named, waits, remarkable: imported.named };
    }
    case 'empty':
      return { kind: 'nothing', named };
    case 'refused':
      return { kind: 'refused', why: reasonsText(imported.reasons), named };
    case 'unreadable':
    case 'conflict':
      return { kind: 'refused', why: imported.why, named };
  }
}

/**
 * Files of this step and earlier ones that a person must allow, each with its content. A file that is as on
 * the base again is left out, and so is a file whose content a person has allowed.
 */
async function waitingFiles(
  { repository, compareWith, record }: SaveInput,
  fresh: readonly Objection[],
  { commit, diff }: { readonly commit: string; readonly diff: string },
): Promise<WaitingFile[]> {
  const whys = new Map((record?.waits ?? []).map(({ path, why }) => [path, why]));
  for (const { path, why } of fresh) whys.set(path, why);
  if (whys.size === 0) return [];
  const paths = [...whys.keys()].filter((path) => path !== '.');
  const from = (await mergeBase(repository, { base: compareWith, head: commit })) ?? compareWith;
  const [before, now] = [await contents(repository, from, paths), await contents(repository, commit, paths)];
  const allowed = new Set((record?.allowed ?? []).map(({ path, content }) => `${content} ${path}`));
  return [...whys].flatMap(([path, why]) => {
    const content = path === '.' ? diff : (now.get(path) ?? 'deleted');
    const isAsBefore = path !== '.' && content === (before.get(path) ?? 'deleted');
    return isAsBefore || allowed.has(`${content} ${path}`) ? [] : [{ path, why, content }];
  });
}

async function contents(repository: Repository, commit: string, paths: readonly string[]) {
  const found = new Map<string, string>();
  if (paths.length === 0) return found;
  const listed = await repository.bareGit.text([
    'ls-tree',
    '-r',
    '-z',
    '--full-tree',
    commit,
    '--',
    ...paths,
  ]);
  for (const entry of listed.split('\0')) {
    const [, mode = '', oid = '', path = ''] = /^(\d+) \w+ (\w+)\t([^]+)$/.exec(entry) ?? [];
    if (path !== '') found.set(path, `${mode} ${oid}`);
  }
  return found;
}

const reasonsMax = 20;

function reasonsText(reasons: readonly Objection[]): string {
  const lines = reasons.slice(0, reasonsMax).map(({ path, why }) => `${path}: ${why}`);
  return [...lines, ...(reasons.length > reasonsMax ? [`and ${reasons.length - reasonsMax} more`] : [])].join(
    '\n',
  );
}
