/**
 * The slim rows of ledgers, kept between runs. The cache is one text: an index of one line, then a slice for
 * every shard, known by the id of its blob, so that a shard that did not change is neither read nor checked
 * again, and what a commit's tree says is not asked a second time.
 */
import type { LedgerMeta } from '../../core/ledger/ledger-state.ts';
import type { TaskRecord } from '../../core/ledger/record/record.ts';
import { slimRecord } from '../../core/ledger/record/slim-record.ts';
import { parseShard } from '../../core/ledger/shard-text.ts';
import type { Store } from './store.ts';
import { damageOf, fileOf, readShards, remember, type StoredLedger } from './stored-ledger.ts';

interface Slice {
  readonly text: string;
  readonly problems: readonly string[];
}

interface Index {
  /** [commit, meta, shards, folders, problems] */
  heads: [string, LedgerMeta, [string, string][], [string, string][], string[]][];
  /** [blob, length of the slice, problems] */
  slices: [string, number, string[]][];
}

const name = 'rows';
const version = '4';

export interface LedgerRows {
  readonly records: readonly TaskRecord[];
  readonly problems: readonly string[];
  /** False when a part of it is missing or damaged. */
  readonly isWhole: boolean;
}

export class Rows {
  readonly #store: Store;
  #slices = new Map<string, Slice>();
  #parsed = new Map<string, readonly TaskRecord[]>();
  #loaded = false;
  #dirty = false;
  /** Commits that the kept text knows. */
  #saved = new Set<string>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** Fills the store's known ledgers, so that unchanged ones need no reading. */
  load(): void {
    if (this.#loaded) return;
    this.#loaded = true;
    const text = this.#store.cache.get(name, this.#key());
    const end = text?.indexOf('\n') ?? -1;
    if (text === null || end < 0) return;
    const index = JSON.parse(text.slice(0, end)) as Index;
    for (const [commit, meta, shards, folders, problems] of index.heads) {
      const ledger = { commit, meta, shards: new Map(shards), folders: new Map(folders), problems };
      remember(this.#store, ledger);
      this.#saved.add(commit);
    }
    let at = end + 1;
    for (const [blob, length, problems] of index.slices) {
      this.#slices.set(blob, { text: text.slice(at, at + length), problems });
      at += length;
    }
  }

  async of(ledger: StoredLedger): Promise<LedgerRows> {
    this.load();
    const missing = [...ledger.shards].filter(([, blob]) => !this.#slices.has(blob));
    const problems = [...ledger.problems];
    const shards = missing.map(([shard]) => shard);
    const texts = missing.length > 0 ? await readShards(this.#store, ledger, shards) : [];
    for (const [n, [, blob]] of missing.entries()) {
      const text = texts[n];
      if (typeof text === 'string') this.#add(blob, text);
      else problems.push(damageOf(text));
    }
    const records: TaskRecord[] = [];
    for (const [shard, blob] of ledger.shards) {
      const lines = this.#slices.get(blob)?.problems ?? [];
      for (const line of lines) problems.push(`${fileOf(shard)}: ${line}`);
      for (const record of this.#recordsOf(blob)) records.push(record);
    }
    return { records, problems, isWhole: texts.every((text) => typeof text === 'string') };
  }

  /** Keeps what these ledgers need for the next run; called when all of them were asked for. */
  save(ledgers: readonly StoredLedger[]): void {
    if (!this.#dirty && ledgers.every((ledger) => this.#saved.has(ledger.commit))) return;
    const blobs = new Set(ledgers.flatMap((ledger) => [...ledger.shards.values()]));
    // One that could not be read is looked for each time.
    const kept = [...blobs].flatMap((blob) => {
      const slice = this.#slices.get(blob);
      return slice ? [[blob, slice] as const] : [];
    });
    const index: Index = {
      heads: ledgers.map((one) => [
        one.commit,
        one.meta,
        [...one.shards],
        [...one.folders],
        [...one.problems],
      ]),
      slices: kept.map(([blob, slice]) => [blob, slice.text.length, [...slice.problems]]),
    };
    const text = `${JSON.stringify(index)}\n${kept.map(([, slice]) => slice.text).join('')}`;
    this.#store.cache.put(name, this.#key(), text);
    this.#dirty = false;
    for (const ledger of ledgers) this.#saved.add(ledger.commit);
  }

  #add(blob: string, text: string): void {
    const { records, problems } = parseShard(text);
    const slim = [...records.values()].map(slimRecord);
    this.#slices.set(blob, { text: JSON.stringify(slim), problems: problems.slice(0, 100) });
    this.#parsed.set(blob, slim);
    this.#dirty = true;
  }

  #recordsOf(blob: string): readonly TaskRecord[] {
    const known = this.#parsed.get(blob);
    if (known) return known;
    const records = JSON.parse(this.#slices.get(blob)?.text ?? '[]') as TaskRecord[];
    this.#parsed.set(blob, records);
    return records;
  }

  #key(): string {
    return `${version} ${this.#store.repository.objectFormat} ${this.#store.namespace}`;
  }
}
