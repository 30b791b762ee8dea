import type { DiffResult } from 'simple-git';
import { GzaError } from '../../core/errors.ts';
import { gitFailure } from '../../git/git.ts';
import { porcelain } from '../../git/porcelain.ts';
import { bareOptions, type Repository } from '../../git/repository.ts';

export const plainDiff = [
  '--full-index',
  '--no-renames',
  '--no-ext-diff',
  '--no-textconv',
  '--no-color',
  '--src-prefix=a/',
  '--dst-prefix=b/',
];
const diffBytesMax = 256 << 20;

export interface Range {
  /** The branch that the lane is compared with. */
  readonly base: string;
  readonly head: string;
}

/** Where the lane left its base; null when they share no history, or a shallow clone does not reach it. */
export async function mergeBase(repository: Repository, { base, head }: Range): Promise<string | null> {
  if (base === head || (await isJustBelow(repository, { base, head }))) return base;
  const result = await repository.bareGit.run(['merge-base', base, head]);
  return result.code === 0 ? result.stdout.toString('utf8').trim() : null;
}

const commitsBelow = 20;

/** Whether `head` is a few commits on top of `base`, as most lanes are. This check needs no git process. */
async function isJustBelow({ objects }: Repository, { base, head }: Range): Promise<boolean> {
  let at: string | undefined = head;
  for (let count = 0; at !== undefined && count < commitsBelow; count += 1) {
    const commit = await objects.read(at);
    if (commit?.type !== 'commit') return false;
    const [header = ''] = commit.data.toString('latin1').split('\n\n', 1);
    const parents = [...header.matchAll(/^parent (\S+)$/gm)].map(([, parent]) => parent);
    if (parents.includes(base)) return true;
    at = parents[0];
  }
  return false;
}

/**
 * The id of the lane's diff, which a verdict is tied to. It includes whitespace and stays the same after a
 * clean rebase. Empty when the lane changes nothing.
 */
export async function diffId(repository: Repository, range: Range): Promise<string> {
  const from = (await mergeBase(repository, range)) ?? range.base;
  const diff = await repository.bareGit.run(
    ['diff-tree', '-p', '--binary', '--unified=3', ...plainDiff, from, range.head],
    {
      outputBytesMax: diffBytesMax,
    },
  );
  if (diff.code !== 0) throw gitFailure(['diff-tree'], diff);
  const id = await repository.bareGit.run(['patch-id', '--verbatim'], { stdin: diff.stdout });
  if (id.code !== 0) {
    const hint =
      'A verdict holds for one diff, told by `git patch-id --verbatim`: install git 2.39 or newer.';
    throw new GzaError('world', `git patch-id failed: ${id.stderr.trim().split('\n')[0]}`, { hint });
  }
  return id.stdout.toString('utf8').split(' ')[0]?.trim() ?? '';
}

export interface FileSummary {
  readonly path: string;
  /** Null for a binary file. */
  readonly added: number | null;
  readonly removed: number | null;
}

export interface LaneDiff {
  readonly files: readonly FileSummary[];
  readonly text: string;
  /** Whether the text was cut at the limit; `files` is complete. */
  readonly isCut: boolean;
}

/** The lane's diff for a prompt or a person: line counts of each file, and the text up to a limit. */
export async function laneDiff(
  repository: Repository,
  range: Range,
  textBytesMax: number,
): Promise<LaneDiff> {
  const from = (await mergeBase(repository, range)) ?? range.base;
  const { files } = await porcelain(
    repository.commonDir,
    (git) => git.diffSummary(['--numstat', ...plainDiff, from, range.head]),
    bareOptions(repository.commonDir),
  );
  const diff = await repository.bareGit.run(
    ['diff-tree', '-p', '--unified=3', ...plainDiff, from, range.head],
    {
      outputBytesMax: textBytesMax + (64 << 10),
    },
  );
  // git is stopped at the limit, and its output so far is used.
  const isCut = diff.code === -1 || diff.stdout.length > textBytesMax;
  if (diff.code !== 0 && !isCut) throw gitFailure(['diff-tree'], diff);
  const text = diff.stdout.subarray(0, textBytesMax).toString('utf8');
  return {
    files: files.map(fileSummary),
    text: isCut ? text.slice(0, text.lastIndexOf('\n') + 1) : text,
    isCut,
  };
}

function fileSummary(one: DiffResult['files'][number]): FileSummary {
  if (!('insertions' in one)) return { path: one.file, added: null, removed: null };
  return { path: one.file, added: one.insertions, removed: one.deletions };
}
