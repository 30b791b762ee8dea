/** What happened, read back from the messages of a ledger's commits. */
import type { LedgerEntry } from '../core/event.ts';
import { parseEntry } from '../core/parse-entry.ts';
import { type Git, gitFailure } from '../git.ts';

export interface HistoryCommit {
  readonly commit: string;
  readonly tree: string;
  readonly parents: readonly string[];
  /** ISO time of the commit. */
  readonly at: string;
  readonly author: string;
  readonly subject: string;
  readonly entry: LedgerEntry | null;
  /** Why there is no entry. */
  readonly why?: string;
  /** An event of a kind that only a newer gza may know. */
  readonly isNewer?: boolean;
}

const historyMax = 1_000_000;

/** Oldest first, along first parents (a fold's second parent is another ledger's history). */
export async function readHistory(
  git: Git,
  { tip, since, max = historyMax }: { tip: string; since?: string | undefined; max?: number },
): Promise<HistoryCommit[]> {
  const args = [
    'log',
    '-z',
    '--first-parent',
    '--no-show-signature',
    '--encoding=UTF-8',
    '--format=%H%n%T%n%P%n%cI%n%an%n%B',
    `--max-count=${max}`,
    tip,
    ...(since ? [`^${since}`] : []),
    '--',
  ];
  const result = await git.run(args, { outputBytesMax: 1 << 30, timeoutMs: 600_000 });
  if (result.code !== 0) throw gitFailure(args, result);
  const texts = result.stdout.toString('utf8').split('\0');
  return texts
    .filter((text) => text !== '')
    .map(parseCommit)
    .reverse();
}

function parseCommit(text: string): HistoryCommit {
  const [commit = '', tree = '', parents = '', at = '', author = '', ...rest] = text.split('\n');
  const message = rest.join('\n');
  const parsed = parseEntry(message);
  return {
    commit,
    tree,
    parents: parents.split(' ').filter(Boolean),
    at,
    author,
    subject: rest[0] ?? '',
    ...(parsed.kind === 'entry'
      ? { entry: parsed.entry }
      : { entry: null, why: parsed.why, isNewer: parsed.isNewer === true }),
  };
}
