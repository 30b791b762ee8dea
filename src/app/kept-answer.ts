/**
 * Caches the answer to a question about all tasks until something it depends on changes: a ledger, a task
 * file, the configuration, the words of the question, this program, or the end of a claim. An agent asks
 * what is ready far more often than the answer changes, and checking for changes takes a tenth of the time.
 */
import type { BacklogRead } from '../backlog/backlog.ts';
import { openFileIndex } from '../backlog/file-index.ts';
import { notedBacklog, type Unchanged, unchangedBacklog } from '../backlog/work-tree-backlog.ts';
import { version } from '../core/version.ts';
import { openRepository, type Repository } from '../git/repository.ts';
import { namespaceOf, type Refs, readRefs } from '../ledger/store/refs.ts';
import { type Cache, openCache } from '../system/cache.ts';

/** Until when an answer is valid. */
export interface Holds {
  readonly repository: Repository;
  /** What the answer depends on; see `stateOf`. */
  readonly state: string;
  /** When the first live claim ends; null when there is none. */
  readonly until: string | null;
}

interface Kept {
  readonly until: string | null;
  readonly text: string;
}

/** Increase it when the same state must get another answer. */
const format = 3;

/** Verbs whose answers are cached, each in a file of its own. */
const verbs: readonly string[] = ['ready', 'next'];

/** Everything that an answer depends on, except the question and the time. */
export function stateOf(
  { workTree, head }: Repository,
  { config, identity }: Pick<BacklogRead, 'config' | 'identity'>,
  refs: Refs,
): string {
  const { tips, mirrors, base, guessed } = refs;
  const ledgers = [config.state_ref, guessed ? null : base, [...tips], [...mirrors]];
  return JSON.stringify([format, version, workTree, head.branch, identity, ledgers]);
}

/** The cached output, or null when it must be computed. Never throws: computing it will report the error. */
export async function keptAnswer(
  words: readonly string[],
  { cwd, now }: { readonly cwd: string; readonly now: string },
): Promise<string | null> {
  const [verb = ''] = words;
  if (!verbs.includes(verb)) return null;
  try {
    const repository = await openRepository(cwd);
    if (repository.workTree === null) return null;
    const cache = openCache(repository.commonDir);
    const index = openFileIndex(repository.workTree, cache.dir);
    const options = { root: repository.workTree, cache, index };
    const textFor = (read: Unchanged) => textOf(words, now, { repository, cache, read });
    const noted = notedBacklog(options);
    if (noted) {
      // The cached answer is read while git checks for changes.
      const [isSame, text] = await Promise.all([index.unchanged(noted.name ?? ''), textFor(noted)]);
      if (isSame) return text;
    }
    const read = await unchangedBacklog(options);
    return read && (await textFor(read));
  } catch {
    return null;
  }
}

interface Found {
  readonly repository: Repository;
  readonly cache: Cache;
  readonly read: Unchanged;
}

async function textOf(
  words: readonly string[],
  now: string,
  { repository, cache, read }: Found,
): Promise<string | null> {
  const { state_ref, base } = read.config;
  const refs = await readRefs(repository, namespaceOf(state_ref), base);
  const text = cache.get(nameOf(words[0] ?? ''), keyOf(words, stateOf(repository, read, refs)));
  const kept = text === null ? null : (JSON.parse(text) as Kept);
  const isOver = kept?.until != null && kept.until <= now;
  return kept === null || isOver ? null : kept.text;
}

export function keepAnswer(
  words: readonly string[],
  { repository, state, until }: Holds,
  text: string,
): void {
  const [verb = ''] = words;
  if (!verbs.includes(verb)) return;
  const kept: Kept = { until, text };
  openCache(repository.commonDir).put(nameOf(verb), keyOf(words, state), JSON.stringify(kept));
}

function nameOf(verb: string): string {
  return `answer-${verb}`;
}

function keyOf(words: readonly string[], state: string): string {
  return JSON.stringify([words, state]);
}
