/** What happened, read back from the messages of a ledger's commits. */

import { GzaError } from '../../core/errors.ts';
import type { LedgerEntry } from '../../core/ledger/event.ts';
import { type ParsedEntry, parseEntry } from '../../core/ledger/event.ts';
import { type Git, type GitResult, gitFailure } from '../../git/git.ts';
import { objectBytesMax } from '../store/loose-objects.ts';
import { megabytes } from '../store/object-reader.ts';

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
/** What is read in one go. A history that is longer, or was made long by a few messages, is measured first. */
const goBytesMax = 32 << 20;
const historyBytesMax = 1 << 30;
const listed = { timeoutMs: 600_000, outputBytesMax: goBytesMax } as const;

/** Oldest first, along first parents (a fold's second parent is another ledger's history). */
export async function readHistory(
  git: Git,
  { tip, since, max = historyMax }: { tip: string; since?: string | undefined; max?: number },
): Promise<HistoryCommit[]> {
  const which = ['--first-parent', `--max-count=${max}`, tip, ...(since ? [`^${since}`] : []), '--'];
  const args = ['log', ...form, `--format=${whole}`, ...which];
  const result = await git.run(args, listed);
  if (result.code === 0) return parseCommits(result).reverse();
  if (!isTooMuch(result)) throw gitFailure(args, result);
  return (await readLong(git, which)).reverse();
}

const form = ['-z', '--no-show-signature', '--encoding=UTF-8'];
const head = '%H%n%T%n%P%n%cI%n%an%n';
const whole = `${head}%B`;

function isTooMuch({ code, stderr }: GitResult): boolean {
  return code < 0 && stderr.includes('printed more than');
}

/** Part by part, without the messages that are too long to be an event. */
async function readLong(git: Git, which: readonly string[]): Promise<HistoryCommit[]> {
  const ids = await git.text(['rev-list', ...which], listed);
  const asked = await git.text(['cat-file', '--batch-check=%(objectname) %(objectsize)'], {
    ...listed,
    stdin: `${ids}\n`,
  });
  const sizes = asked.split('\n').map((row) => row.split(' ') as [string, string]);
  const small = sizes.filter(([, size]) => Number(size) <= objectBytesMax);
  const total = small.reduce((sum, [, size]) => sum + Number(size), 0);
  if (total > historyBytesMax) {
    const text = `${megabytes(total)} MB, and ${megabytes(historyBytesMax)} MB is the most that is read`;
    throw new GzaError('world', `the history of a ledger has ${text}`, { data: { tooLong: true } });
  }
  const found = new Map<string, HistoryCommit>();
  for (const part of partsOf(small)) {
    for (const one of await shown(git, whole, part)) found.set(one.commit, one);
  }
  const large = sizes.filter(([, size]) => Number(size) > objectBytesMax);
  for (const one of await shown(
    git,
    head,
    large.map(([id]) => id),
  ))
    found.set(one.commit, one);
  return sizes.flatMap(([id, size]) => {
    const one = found.get(id);
    if (!one || Number(size) <= objectBytesMax) return one ?? [];
    const why = `its message has ${megabytes(Number(size))} MB, and ${megabytes(objectBytesMax)} MB is the most that is read`;
    return { ...one, entry: null, why };
  });
}

function* partsOf(sizes: readonly (readonly [string, string])[]): Generator<string[]> {
  let part: string[] = [];
  let bytes = 0;
  for (const [id, size] of sizes) {
    // git prints a few words of its own for each.
    bytes += Number(size) + 500;
    if (part.length > 0 && bytes > goBytesMax) {
      yield part;
      [part, bytes] = [[], Number(size) + 500];
    }
    part.push(id);
  }
  yield part;
}

async function shown(git: Git, format: string, ids: readonly string[]): Promise<HistoryCommit[]> {
  if (ids.length === 0) return [];
  const args = ['log', ...form, '--no-walk=unsorted', '--stdin', `--format=${format}`];
  const options = { ...listed, outputBytesMax: 2 * goBytesMax };
  const result = await git.run(args, { ...options, stdin: `${ids.join('\n')}\n` });
  if (result.code !== 0) throw gitFailure(args, result);
  return parseCommits(result);
}

function parseCommits({ stdout }: GitResult): HistoryCommit[] {
  const texts = stdout.toString('utf8').split('\0');
  return texts.filter((text) => text !== '').map(parseCommit);
}

function parseCommit(text: string): HistoryCommit {
  const [commit = '', tree = '', parents = '', at = '', author = '', ...rest] = text.split('\n');
  const message = rest.join('\n');
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
    subject: rest[0] ?? '',
    ...(parsed.kind === 'entry'
      ? { entry: parsed.entry }
      : { entry: null, why: parsed.why, isNewer: parsed.isNewer === true }),
  };
}
