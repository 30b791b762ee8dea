/**
 * A ledger as its commit's tree says it, read as little as possible and believed as little as possible. What is
 * named there and cannot be read is never taken for empty: the next write would make it so.
 */

import { GzaError, isGzaError } from '../core/errors.ts';
import type { LedgerMeta } from '../core/ledger-state.ts';
import { parseMeta } from '../core/parse-meta.ts';
import { shardNames } from '../core/shard.ts';
import { parseTree, type TreeEntry } from './object-writer.ts';
import type { Store } from './store.ts';

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

export type ReadLedger = { readonly kind: 'ledger'; readonly ledger: StoredLedger } | Unreadable;

export interface Unreadable {
  readonly kind: 'bad';
  readonly why: string;
  /** A newer gza wrote it: nothing is wrong with it. */
  readonly isNewer?: boolean;
}

const ledgersKeptMax = 4_000;

export async function readLedger(store: Store, commit: string): Promise<ReadLedger> {
  const known = store.ledgers.get(commit);
  if (known) return { kind: 'ledger', ledger: known };
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
  if (!shards && named('tasks')) return { kind: 'bad', why: 'its folder of tasks is missing' };
  const meta = parseMeta(about.data.toString('utf8'));
  if (meta.kind === 'bad') return meta;
  const inShards =
    shards?.type === 'tree' ? (parseTree(shards.data, store.repository.objectFormat) ?? []) : [];
  const ledger: StoredLedger = {
    commit,
    meta: meta.meta,
    shards: shardsOf(entries, inShards),
    folders: foldersOf(entries),
    problems: meta.problems,
  };
  remember(store, ledger);
  return { kind: 'ledger', ledger };
}

/** Asked in one go, answered in order. */
async function partsOf(store: Store, commit: string) {
  try {
    const names = [commit, `${commit}^{tree}`, `${commit}:tasks`, `${commit}:ledger.json`];
    return await Promise.all(names.map((name) => store.reader.read(name)));
  } catch (error) {
    return { why: damageOf(error) };
  }
}

/** What is damaged, in a few words; any other error is thrown on. */
export function damageOf(error: unknown): string {
  const damaged = isGzaError(error) ? error.data['damaged'] : undefined;
  if (typeof damaged !== 'string') throw error;
  return `the object ${damaged} is missing or damaged`;
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

/** Text of a shard; empty when the tree names none. */
export async function readShard(store: Store, blob: string | undefined): Promise<string> {
  if (!blob) return '';
  const object = await store.reader.read(blob);
  if (object?.type !== 'blob') throw lost(blob);
  return object.data.toString('utf8');
}

function lost(damaged: string): GzaError {
  return new GzaError('world', `the object ${damaged} of this repository is missing`, {
    hint: 'gza fsck tells what it belongs to, and what to do.',
    data: { damaged },
  });
}

/** `plans/x.md` → blob, of every artifact. */
export async function readArtifacts(store: Store, ledger: StoredLedger): Promise<Map<string, string>> {
  const artifacts = new Map<string, string>();
  for (const [folder, tree] of ledger.folders) {
    const object = await store.reader.read(tree);
    if (object?.type !== 'tree') throw lost(tree);
    const entries = parseTree(object.data, store.repository.objectFormat);
    for (const entry of entries ?? []) if (isFile(entry)) artifacts.set(`${folder}/${entry.name}`, entry.oid);
  }
  return artifacts;
}
