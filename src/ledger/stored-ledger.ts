/** A ledger as its commit's tree says it, read as little as possible and believed as little as possible. */

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

export type ReadLedger =
  | { readonly kind: 'ledger'; readonly ledger: StoredLedger }
  | { readonly kind: 'bad'; readonly why: string };

const ledgersKeptMax = 4_000;

export async function readLedger(store: Store, commit: string): Promise<ReadLedger> {
  const known = store.ledgers.get(commit);
  if (known) return { kind: 'ledger', ledger: known };
  // Asked in one go, answered in order.
  const [self, root, shards, about] = await Promise.all([
    store.reader.read(commit),
    store.reader.read(`${commit}^{tree}`),
    store.reader.read(`${commit}:tasks`),
    store.reader.read(`${commit}:ledger.json`),
  ]);
  if (self?.type !== 'commit')
    return { kind: 'bad', why: `it is ${self ? `a ${self.type}` : 'missing'}, not a commit` };
  const entries = root?.type === 'tree' ? parseTree(root.data, store.repository.objectFormat) : null;
  if (!entries) return { kind: 'bad', why: 'its commit has no readable tree' };
  if (about?.type !== 'blob') return { kind: 'bad', why: 'its tree has no ledger.json: it is not a ledger' };
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

/** Text of a shard; empty when it is missing. */
export async function readShard(store: Store, blob: string | undefined): Promise<string> {
  if (!blob) return '';
  const object = await store.reader.read(blob);
  return object?.type === 'blob' ? object.data.toString('utf8') : '';
}

/** `plans/x.md` → blob, of every artifact. */
export async function readArtifacts(store: Store, ledger: StoredLedger): Promise<Map<string, string>> {
  const artifacts = new Map<string, string>();
  for (const [folder, tree] of ledger.folders) {
    const object = await store.reader.read(tree);
    const entries = object?.type === 'tree' ? parseTree(object.data, store.repository.objectFormat) : null;
    for (const entry of entries ?? []) if (isFile(entry)) artifacts.set(`${folder}/${entry.name}`, entry.oid);
  }
  return artifacts;
}
