/** Reads events back from the messages of a ledger's commits. */

import { GzaError } from '../core/errors.ts';
import type { LedgerEntry } from '../core/ledger/event.ts';
import { type ParsedEntry, parseEntry } from '../core/ledger/event.ts';
import { type Git, type GitResult, gitFailure } from '../git/git.ts';
import { megabytes, objectBytesMax } from '../git/objects.ts';

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
  /** It has an event of a kind that only a newer gza may know. */
  readonly isNewer?: boolean;
}

/** A longer history is not read, because it takes several times its size in memory. */
const historyBytesMax = 128 << 20;

/** Oldest first, along first parents (a fold's second parent is another ledger's history). */
export async function readHistory(
  git: Git,
  { tip, since }: { tip: string; since?: string | undefined },
): Promise<HistoryCommit[]> {
  const form = ['-z', '--no-show-signature', '--encoding=UTF-8', '--format=%H%n%T%n%P%n%cI%n%an%n%B'];
  const args = ['log', ...form, '--first-parent', tip, ...(since ? [`^${since}`] : []), '--'];
  const result = await git.run(args, { timeoutMs: 600_000, outputBytesMax: historyBytesMax });
  if (result.code < 0 && result.stderr.includes('printed more than')) {
    const why = `the history of a ledger has more than ${megabytes(historyBytesMax)} MB`;
    throw new GzaError('world', why, { data: { tooLong: true } });
  }
  if (result.code !== 0) throw gitFailure(args, result);
  return parseCommits(result).reverse();
}

function parseCommits({ stdout }: GitResult): HistoryCommit[] {
  const texts = stdout.toString('utf8').split('\0');
  return texts.filter((text) => text !== '').map(parseCommit);
}

function parseCommit(text: string): HistoryCommit {
  const head = text.split('\n', 5);
  const [commit = '', tree = '', parents = '', at = '', author = ''] = head;
  // A part of the text and not a copy, because it may be very long.
  const message = text.slice(head.join('\n').length + 1);
  const parsed: ParsedEntry =
    message.length > objectBytesMax
      ? { kind: 'bad', why: `its message is longer than ${megabytes(objectBytesMax)} MB` }
      : parseEntry(message);
  return {
    commit,
    tree,
    parents: parents.split(' ').filter(Boolean),
    at,
    author,
    subject: message.split('\n', 1)[0] ?? '',
    ...(parsed.kind === 'entry'
      ? { entry: parsed.entry }
      : { entry: null, why: parsed.why, isNewer: parsed.isNewer === true }),
  };
}
