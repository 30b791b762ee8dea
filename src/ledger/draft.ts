/** A ledger being changed: loads the records that events touch, applies the events and writes one commit. */

import { GzaError } from '../core/errors.ts';
import { apply, touches } from '../core/ledger/apply.ts';
import type { Event, LedgerEntry } from '../core/ledger/event.ts';
import { printEntry } from '../core/ledger/event.ts';
import {
  editShard,
  type LedgerMeta,
  type LedgerState,
  parseShard,
  printMeta,
  type Refusal,
  shardNames,
  shardOf,
} from '../core/ledger/ledger-state.ts';
import { printRecord, type TaskRecord } from '../core/ledger/record/record.ts';
import { type ObjectWriter, objectBytesMax, type TreeEntry } from '../git/objects.ts';
import {
  fileOf,
  laneShard,
  readArtifacts,
  readShard,
  remember,
  type Store,
  type StoredLedger,
} from './store/store.ts';

export class Draft {
  readonly #store: Store;
  #stored: StoredLedger | null;
  #meta: LedgerMeta;
  /** Changed in place, because a copy for each of ten thousand events would be quadratic. */
  readonly #tasks = new Map<string, TaskRecord>();
  #texts = new Map<string, string>();
  #known = new Set<string>();
  #changed = new Map<string, TaskRecord | null>();
  #artifacts = new Map<string, string>();

  constructor(store: Store, stored: StoredLedger | null, opens: LedgerMeta) {
    this.#store = store;
    this.#stored = stored;
    this.#meta = stored?.meta ?? opens;
  }

  /** Rewrites a ledger from its whole state, on top of a commit whose tree is ignored. */
  static of(store: Store, commit: string, state: LedgerState): Draft {
    const nothing = { commit, meta: state.meta, shards: new Map(), folders: new Map(), problems: [] };
    const draft = new Draft(store, nothing, state.meta);
    for (const [id, record] of state.tasks) draft.#put(id, record);
    for (const [path, blob] of state.artifacts) draft.#artifacts.set(path, blob);
    return draft;
  }

  get commit(): string | null {
    return this.#stored?.commit ?? null;
  }

  get meta(): LedgerMeta {
    return this.#meta;
  }

  /** The records loaded so far: those that events named. */
  get tasks(): ReadonlyMap<string, TaskRecord> {
    return this.#tasks;
  }

  async apply(event: Event): Promise<Refusal | null> {
    await this.load(idsOf(event));
    const applied = apply({ meta: this.#meta, tasks: this.#tasks, artifacts: this.#artifacts }, event);
    if (applied.kind === 'refused') return applied;
    const { changes } = applied;
    for (const record of changes.tasks ?? []) printRecord(record);
    for (const [path, blob] of changes.artifacts ?? []) this.#artifacts.set(path, blob);
    for (const id of changes.removed ?? []) this.#put(id, null);
    for (const record of changes.tasks ?? []) this.#put(record.id, record);
    this.#meta = changes.meta ?? this.#meta;
    return null;
  }

  #put(id: string, record: TaskRecord | null): void {
    this.#known.add(id);
    this.#changed.set(id, record);
    if (record) this.#tasks.set(id, record);
    else this.#tasks.delete(id);
  }

  /** Loads the records that the events will read. */
  async load(ids: readonly string[] | 'all'): Promise<void> {
    const shards = ids === 'all' ? this.#allShards() : [...new Set(ids.map((id) => this.#shardOf(id)))];
    const texts = await Promise.all(shards.map((shard) => this.#text(shard)));
    const only = ids === 'all' ? undefined : new Set(ids.filter((id) => !this.#known.has(id)));
    if (only?.size === 0) return;
    for (const text of texts) {
      for (const record of parseShard(text, only).records.values()) {
        if (!this.#known.has(record.id)) this.#tasks.set(record.id, record);
      }
    }
    for (const id of ids === 'all' ? this.#tasks.keys() : ids) this.#known.add(id);
  }

  /** Writes the objects and returns the commit; nothing points to it yet. */
  async write(entry: LedgerEntry, secondParent?: string): Promise<string> {
    const meta = this.#meta;
    const full: LedgerEntry =
      this.#stored === null
        ? { ...entry, opens: { branch: meta.branch, lane: meta.lane, ...(meta.base ? { base: true } : {}) } }
        : entry;
    const message = printEntry(full);
    const { shards, folders } = await this.parts();
    const writer = await this.#store.writer();
    const tree = writer.tree(rootEntries(writer, meta, shards, folders));
    const parents = [this.commit, secondParent].filter((parent) => parent != null);
    const commit = writer.commit(await this.#commitText(tree, parents, message));
    this.#stored = { commit, meta, shards, folders, problems: [] };
    remember(this.#store, this.#stored);
    this.#changed.clear();
    this.#artifacts.clear();
    return commit;
  }

  /** The parts that a commit would hold now; their objects are written. */
  async parts(): Promise<Omit<StoredLedger, 'commit'>> {
    const writer = await this.#store.writer();
    const shards = await this.#writeShards(writer);
    const folders = await this.#writeFolders(writer);
    return { meta: this.#meta, shards, folders, problems: [] };
  }

  async #writeShards(writer: ObjectWriter): Promise<Map<string, string>> {
    const byShard = new Map<string, Map<string, TaskRecord | null>>();
    for (const [id, record] of this.#changed) {
      const shard = this.#shardOf(id);
      const changes = byShard.get(shard) ?? new Map<string, TaskRecord | null>();
      byShard.set(shard, changes.set(id, record));
    }
    const shards = new Map(this.#stored?.shards);
    for (const [shard, changes] of byShard) {
      const text = editShard(await this.#text(shard), changes);
      this.#texts.set(shard, text);
      if (text.length > objectBytesMax) throw tooLarge(this.#meta.branch, shard);
      if (text === '') shards.delete(shard);
      else shards.set(shard, writer.blob(text));
    }
    // Sorted like the tree, so that reading it back from git gives the same order.
    return new Map([...shards].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  async #writeFolders(writer: ObjectWriter): Promise<Map<string, string>> {
    const folders = new Map(this.#stored?.folders);
    if (this.#artifacts.size === 0) return folders;
    const all = this.#stored ? await readArtifacts(this.#store, this.#stored) : new Map<string, string>();
    for (const [path, blob] of this.#artifacts) all.set(path, blob);
    const byFolder = new Map<string, TreeEntry[]>();
    for (const [path, oid] of all) {
      const [folder = '', name = ''] = path.split('/');
      const entries = byFolder.get(folder) ?? [];
      entries.push({ mode: '100644', name, oid });
      byFolder.set(folder, entries);
    }
    for (const [folder, entries] of byFolder) folders.set(folder, writer.tree(entries));
    return folders;
  }

  async #commitText(tree: string, parents: readonly string[], message: string): Promise<string> {
    const { name, email } = await this.#store.settings();
    const who = `${name} <${email}> ${Math.floor(this.#store.clock() / 1000)} +0000`;
    const lines = [`tree ${tree}`, ...parents.map((parent) => `parent ${parent}`)];
    return `${[...lines, `author ${who}`, `committer ${who}`].join('\n')}\n\n${message}`;
  }

  async #text(shard: string): Promise<string> {
    const known = this.#texts.get(shard);
    if (known !== undefined) return known;
    const text = await readShard(this.#store, this.#stored, shard);
    this.#texts.set(shard, text);
    return text;
  }

  #shardOf(id: string): string {
    return this.#meta.base ? shardOf(id) : laneShard;
  }

  #allShards(): readonly string[] {
    return this.#meta.base ? shardNames : [laneShard];
  }
}

/** Opening a lane checks whether there is any task, which only the whole file shows. */
export function idsOf(event: Event): readonly string[] | 'all' {
  return event.kind === 'open-lane' ? 'all' : touches(event).ids;
}

function rootEntries(
  writer: ObjectWriter,
  meta: LedgerMeta,
  shards: ReadonlyMap<string, string>,
  folders: ReadonlyMap<string, string>,
): TreeEntry[] {
  const entries: TreeEntry[] = [{ mode: '100644', name: 'ledger.json', oid: writer.blob(printMeta(meta)) }];
  const single = shards.get(laneShard);
  if (single && !meta.base) entries.push({ mode: '100644', name: 'tasks.jsonl', oid: single });
  const files = [...shards].filter(([shard]) => shard !== laneShard);
  if (meta.base && files.length > 0) {
    const tree = writer.tree(files.map(([shard, oid]) => ({ mode: '100644', name: `${shard}.jsonl`, oid })));
    entries.push({ mode: '40000', name: 'tasks', oid: tree });
  }
  for (const [name, oid] of folders) entries.push({ mode: '40000', name, oid });
  return entries;
}

/** gza would refuse to read such a large file again. */
function tooLarge(branch: string, shard: string): GzaError {
  return new GzaError(
    'input',
    `nothing was recorded: ${fileOf(shard)} of the ledger of ${branch} would have more than ${objectBytesMax >> 20} MB`,
    { hint: 'Keep long texts in files of the repository, and name them in the task.' },
  );
}
