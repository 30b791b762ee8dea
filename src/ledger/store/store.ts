/** What all modules of the ledger share: one repository, one namespace, one reader, one writer. */
import { GzaError, isGzaError } from '../../core/errors.ts';
import { type LedgerEntry, type ParsedEntry, parseEntry } from '../../core/ledger/event.ts';
import { isArtifactPath, type LedgerMeta, parseMeta, shardNames } from '../../core/ledger/ledger-state.ts';
import { type Git, type GitResult, gitFailure } from '../../git/git.ts';
import {
  megabytes,
  type ObjectReader,
  type ObjectWriter,
  objectBytesMax,
  openObjectWriter,
  parseTree,
  type TreeEntry,
} from '../../git/objects.ts';
import { type Repository, readWriteSettings, type WriteSettings } from '../../git/repository.ts';
import { type Cache, openCache } from '../../system/cache.ts';
import { namespaceOf } from './refs.ts';

export interface LedgerOptions {
  /** The base branch; else the remote's default, else main, else master, else the current one. */
  readonly base?: string | undefined;
  /** `state_ref`: where ledgers live. Default `refs/tasks`. */
  readonly stateRef?: string | undefined;
  /** Milliseconds since 1970. */
  readonly clock?: () => number;
  /** How long a write is retried. Default 30 s. */
  readonly writeMs?: number;
}

export interface Store {
  readonly repository: Repository;
  readonly git: Git;
  readonly namespace: string;
  readonly options: LedgerOptions;
  readonly reader: ObjectReader;
  readonly cache: Cache;
  readonly clock: () => number;
  /** Ledgers by commit, which stay valid because a commit never changes. */
  readonly ledgers: Map<string, StoredLedger>;
  /** Read only once. */
  settings(): Promise<WriteSettings>;
  writer(how?: { readonly replaces: boolean }): Promise<ObjectWriter>;
}

export function openStore(repository: Repository, options: LedgerOptions = {}): Store {
  let settings: Promise<WriteSettings> | undefined;
  const cache = openCache(repository.commonDir);
  const ask = () => (settings ??= readWriteSettings(repository, cache, process.env));
  return {
    repository,
    git: repository.git,
    namespace: namespaceOf(options.stateRef),
    options,
    reader: repository.objects,
    cache,
    clock: options.clock ?? Date.now,
    ledgers: new Map(),
    settings: ask,
    async writer(how) {
      const { objectsDir, objectFormat } = repository;
      return openObjectWriter({ objectsDir, objectFormat, shared: (await ask()).shared, ...how });
    },
  };
}

/**
 * Reads a ledger from the tree of its commit, as little of it as possible and trusting it as little as
 * possible. A part that the tree names and that cannot be read is never taken for empty, because the next
 * write would make it so.
 */

/** Folders of a ledger's tree that hold artifacts. */
const artifactFolders = ['plans', 'explorations', 'reviews'] as const;

/** A lane keeps its tasks in one file; this is the name of that one shard. */
export const laneShard = 'all';

export interface StoredLedger {
  readonly commit: string;
  readonly meta: LedgerMeta;
  /** shard → blob */
  readonly shards: ReadonlyMap<string, string>;
  /** folder → tree, of the folders above that exist */
  readonly folders: ReadonlyMap<string, string>;
  readonly problems: readonly string[];
}

interface Unreadable {
  readonly kind: 'bad';
  readonly why: string;
  /** A newer gza wrote it, so nothing is wrong with it. */
  readonly isNewer?: boolean;
}

const ledgersKeptMax = 4_000;
/** For all tasks of one ledger together. */
const ledgerBytesMax = 256 << 20;

/** The ledger at a commit, or why it cannot be read. */
export async function ledgerAt(store: Store, commit: string): Promise<StoredLedger | Unreadable> {
  const known = store.ledgers.get(commit);
  if (known) return known;
  const parts = await partsOf(store, commit);
  if ('why' in parts) return { kind: 'bad', why: parts.why };
  const [self, root, shards, about] = parts;
  if (self?.type !== 'commit')
    return { kind: 'bad', why: self ? `it is a ${self.type}, not a commit` : 'its commit is missing' };
  const entries = root?.type === 'tree' ? parseTree(root.data, store.repository.objectFormat) : null;
  if (!entries) return { kind: 'bad', why: 'its commit has no readable tree' };
  const named = (name: string) => entries.some((entry) => entry.name === name);
  if (about?.type !== 'blob' && named('ledger.json'))
    return { kind: 'bad', why: 'its ledger.json is missing' };
  if (about?.type !== 'blob') return { kind: 'bad', why: 'its tree has no ledger.json: it is not a ledger' };
  const inShards = shards?.type === 'tree' ? parseTree(shards.data, store.repository.objectFormat) : null;
  if (!inShards && named('tasks'))
    return { kind: 'bad', why: `its folder of tasks is ${shards ? 'no folder' : 'missing'}` };
  const meta = parseMeta(about.data.toString('utf8'));
  if (meta.kind === 'bad') return meta;
  const ledger: StoredLedger = {
    commit,
    meta: meta.meta,
    shards: shardsOf(entries, inShards ?? []),
    folders: foldersOf(entries),
    problems: meta.problems,
  };
  remember(store, ledger);
  return ledger;
}

/** Requests all parts at once and keeps their order. */
async function partsOf(store: Store, commit: string) {
  const parts = [
    ['its commit', commit],
    ['its tree', `${commit}^{tree}`],
    ['its folder of tasks', `${commit}:tasks`],
    ['its ledger.json', `${commit}:ledger.json`],
  ];
  let why = '';
  const read = parts.map(([what = '', name = '']) =>
    store.reader.read(name).catch((error) => {
      why ||= `${what}: ${damageOf(error)}`;
      return null;
    }),
  );
  const objects = await Promise.all(read);
  return why === '' ? objects : { why };
}

/** Says in a few words what is damaged; throws any other error again. */
export function damageOf(error: unknown): string {
  const damaged = isGzaError(error) ? error.data['damaged'] : undefined;
  if (!isGzaError(error) || typeof damaged !== 'string') throw error;
  const { bytes, file } = error.data as { bytes?: number; file?: string };
  const where = file === undefined ? '' : `${file}: `;
  if (bytes !== undefined) {
    const most = megabytes(objectBytesMax);
    return `${where}it has ${megabytes(bytes)} MB, and ${most} MB of a file is the most that is read (${damaged})`;
  }
  return `${where}the object ${damaged} is missing or damaged`;
}

export function remember(store: Store, ledger: StoredLedger): void {
  if (store.ledgers.size >= ledgersKeptMax) store.ledgers.clear();
  store.ledgers.set(ledger.commit, ledger);
}

function shardsOf(root: readonly TreeEntry[], folder: readonly TreeEntry[]): Map<string, string> {
  const shards = new Map<string, string>();
  const single = root.find((entry) => entry.name === 'tasks.jsonl');
  if (single && isFile(single)) shards.set(laneShard, single.oid);
  const names = new Set(shardNames.map((name) => `${name}.jsonl`));
  for (const entry of folder) {
    if (names.has(entry.name) && isFile(entry)) shards.set(entry.name.slice(0, 2), entry.oid);
  }
  return shards;
}

function foldersOf(root: readonly TreeEntry[]): Map<string, string> {
  const wanted = new Set<string>(artifactFolders);
  const folders = root.filter((entry) => entry.mode === '40000' && wanted.has(entry.name));
  return new Map(folders.map((entry) => [entry.name, entry.oid]));
}

function isFile(entry: TreeEntry): boolean {
  return entry.mode === '100644' || entry.mode === '100755';
}

/** The path of a shard in a ledger's tree. */
export function fileOf(shard: string): string {
  return shard === laneShard ? 'tasks.jsonl' : `tasks/${shard}.jsonl`;
}

/** The text of a shard; empty if the tree has none. */
export async function readShard(
  store: Store,
  ledger: Pick<StoredLedger, 'shards'> | null,
  shard: string,
): Promise<string> {
  const blob = ledger?.shards.get(shard);
  if (!blob) return '';
  const object = await store.reader.read(blob).catch((error) => {
    throw isGzaError(error) ? inFile(error, fileOf(shard)) : error;
  });
  if (object?.type !== 'blob') throw inFile(lost(blob), fileOf(shard));
  return object.data.toString('utf8');
}

const atOnce = 16;

/**
 * Reads several shards, a few at a time because their size is not known. One that cannot be read gives an
 * error.
 */
export async function readShards(
  store: Store,
  ledger: StoredLedger,
  shards: readonly string[],
): Promise<(string | Error)[]> {
  const texts: (string | Error)[] = [];
  let bytes = 0;
  for (let start = 0; start < shards.length; start += atOnce) {
    const some = shards.slice(start, start + atOnce);
    const read = some.map(async (shard) => {
      if (bytes > ledgerBytesMax) throw inFile(tooMuch(ledger.shards.get(shard) ?? ''), fileOf(shard));
      return readShard(store, ledger, shard);
    });
    for (const one of await Promise.allSettled(read)) {
      texts.push(one.status === 'fulfilled' ? one.value : (one.reason as Error));
      if (one.status === 'fulfilled') bytes += one.value.length;
    }
  }
  return texts;
}

function lost(damaged: string): GzaError {
  return new GzaError('world', `the object ${damaged} of this repository is missing`, {
    hint: 'gza fsck tells what it belongs to, and what to do.',
    data: { damaged },
  });
}

function tooMuch(damaged: string): GzaError {
  return new GzaError('world', `the tasks of one ledger have more than ${megabytes(ledgerBytesMax)} MB`, {
    data: { damaged, bytes: ledgerBytesMax },
  });
}

function inFile(error: GzaError, file: string): GzaError {
  const { message, hint, data, cause } = error;
  return new GzaError(error.code, message, { ...(hint ? { hint } : {}), data: { ...data, file }, cause });
}

/** `plans/x.md` → blob, for every artifact. */
export async function readArtifacts(store: Store, ledger: StoredLedger): Promise<Map<string, string>> {
  const artifacts = new Map<string, string>();
  for (const [folder, tree] of ledger.folders) {
    const object = await store.reader.read(tree);
    if (object?.type !== 'tree') throw lost(tree);
    const entries = parseTree(object.data, store.repository.objectFormat);
    for (const entry of entries ?? []) {
      const path = `${folder}/${entry.name}`;
      if (isFile(entry) && isArtifactPath(path)) artifacts.set(path, entry.oid);
    }
  }
  return artifacts;
}

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
