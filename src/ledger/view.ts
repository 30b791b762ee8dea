/** One consistent view of all ledgers: the refs as they were when it was opened. */
import {
  emptyState,
  isArtifactPath,
  type LedgerMeta,
  type LedgerState,
  parseShard,
  shardCount,
  shardNames,
  shardOf,
} from '../core/ledger/ledger-state.ts';
import type { StepRecord, TaskRecord } from '../core/ledger/record/record.ts';
import { isChangedSince } from '../core/policy/steps-so-far.ts';
import { longFields } from '../core/task/task-fields.ts';
import type { LedgerProblem, LedgerView, Located } from './ledger.ts';
import {
  damageOf,
  fileOf,
  laneShard,
  ledgerAt,
  readArtifacts,
  readShard,
  readShards,
  remember,
  type Store,
  type StoredLedger,
} from './store/store.ts';

interface ViewInput {
  readonly base: string;
  readonly tips: ReadonlyMap<string, string>;
  readonly problems: readonly LedgerProblem[];
  /** Branches that have a ledger, but no known commit of it. */
  readonly unread: readonly string[];
}

export class GitView implements LedgerView {
  readonly base: string;
  readonly branches: readonly string[];
  readonly problems: LedgerProblem[];
  readonly unread: Set<string>;
  readonly #store: Store;
  readonly #cache: Rows;
  readonly #tips: ReadonlyMap<string, string>;
  #rows: Promise<Located[]> | undefined;

  constructor(store: Store, rows: Rows, { base, tips, problems, unread }: ViewInput) {
    this.#store = store;
    this.#cache = rows;
    this.#tips = tips;
    this.base = base;
    const others = [...tips.keys()].filter((branch) => branch !== base);
    this.branches = tips.has(base) ? [base, ...others] : others;
    this.problems = [...problems];
    this.unread = new Set(unread);
  }

  tip(branch: string): string | null {
    return this.#tips.get(branch) ?? null;
  }

  /**
   * The ledger of a branch; null if there is none. If it cannot be read, it is null and a problem of this
   * view.
   */
  async stored(branch: string): Promise<StoredLedger | null> {
    const commit = this.#tips.get(branch);
    if (!commit) return null;
    const ledger = await ledgerAt(this.#store, commit);
    if (!('why' in ledger)) {
      const { meta } = ledger;
      if (meta.branch !== branch)
        this.#report(branch, [`it calls itself the ledger of ${meta.branch}: a copy?`]);
      return ledger;
    }
    this.#report(branch, [ledger.why]);
    this.unread.add(branch);
    return null;
  }

  async meta(branch: string): Promise<LedgerMeta | null> {
    return (await this.stored(branch))?.meta ?? null;
  }

  async state(branch: string): Promise<LedgerState> {
    const ledger = await this.stored(branch);
    if (!ledger)
      return emptyState({ v: 1, branch, lane: '', ...(branch === this.base ? { base: true } : {}) });
    const shards = [...ledger.shards.keys()];
    const texts = await readShards(this.#store, ledger, shards);
    const tasks = new Map<string, TaskRecord>();
    for (const [n, text] of texts.entries()) {
      if (typeof text !== 'string') throw text;
      const shard = parseShard(text);
      this.#reportLines(branch, shards[n] as string, shard.problems);
      for (const [id, record] of shard.records) tasks.set(id, record);
    }
    return { meta: ledger.meta, tasks, artifacts: await readArtifacts(this.#store, ledger) };
  }

  rows(): Promise<Located[]> {
    return (this.#rows ??= this.#allRows());
  }

  async #allRows(): Promise<Located[]> {
    this.#cache.load();
    const ledgers = await Promise.all(this.branches.map((branch) => this.stored(branch)));
    const located = new Map<string, Located>();
    for (const [n, branch] of this.branches.entries()) {
      const ledger = ledgers[n];
      if (!ledger) continue;
      const { records, problems, isWhole } = await this.#cache.of(ledger);
      this.#report(branch, problems);
      if (!isWhole) this.unread.add(branch);
      for (const record of records) this.#place(located, branch, ledger.meta.lane, record);
    }
    this.#cache.save(ledgers.filter((ledger) => ledger !== null));
    return [...located.values()];
  }

  /** The base ledger, too, has a record of a task that entered a live lane; the lane's record counts. */
  #place(located: Map<string, Located>, branch: string, lane: string, record: TaskRecord): void {
    const other = located.get(record.id);
    if (!other || (other.branch === this.base && isInLane(other.record, lane))) {
      located.set(record.id, { branch, record });
    } else if (other.branch !== branch && !isStaleCopy(other.record, record)) {
      this.#report(branch, [`${record.id} is also a task of ${other.branch}; that one counts`]);
    }
  }

  async task(id: string): Promise<Located | null> {
    const home = await this.#recordIn(this.base, id);
    if (home?.lane && !home.lane.folded_at) {
      const ledger = await this.stored(home.lane.branch);
      if (ledger?.meta.lane === home.lane.id) {
        const record = await this.#recordIn(home.lane.branch, id);
        if (record) return { branch: home.lane.branch, record };
      }
    }
    if (home) return { branch: this.base, record: home };
    const branch = await this.#laneWith(id);
    const record = branch === null ? null : await this.#recordIn(branch, id);
    return branch !== null && record ? { branch, record } : null;
  }

  /** The lane that has a task which the base ledger does not know. */
  async #laneWith(id: string): Promise<string | null> {
    const lanes = this.branches.filter((branch) => branch !== this.base);
    if (lanes.length === 0) return null;
    this.#cache.load();
    const ledgers = await Promise.all(lanes.map((branch) => this.stored(branch)));
    for (const [n, ledger] of ledgers.entries()) {
      const rows = ledger ? await this.#cache.of(ledger) : null;
      if (rows?.records.some((record) => record.id === id)) return lanes[n] as string;
    }
    return null;
  }

  async #recordIn(branch: string, id: string): Promise<TaskRecord | null> {
    const ledger = await this.stored(branch);
    const name = ledger?.meta.base ? shardOf(id) : laneShard;
    const text = await readShard(this.#store, ledger, name).catch((error) => {
      this.#report(branch, [damageOf(error)]);
      this.unread.add(branch);
      return '';
    });
    const shard = parseShard(text, new Set([id]));
    this.#reportLines(branch, name, shard.problems);
    return shard.records.get(id) ?? null;
  }

  async size(branch: string): Promise<number> {
    const ledger = await this.stored(branch);
    if (!ledger) return 0;
    const shard = ledger.meta.base ? (shardNames[0] as string) : laneShard;
    const text = await readShard(this.#store, ledger, shard).catch(() => '');
    let lines = 0;
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines++;
    return ledger.meta.base ? Math.max(lines * shardCount, ledger.shards.size) : lines;
  }

  async artifact(branch: string, path: string): Promise<string | null> {
    const commit = this.#tips.get(branch);
    if (!commit || !isArtifactPath(path)) return null;
    const object = await this.#store.reader.read(`${commit}:${path}`).catch((error) => {
      this.#report(branch, [`${path}: ${damageOf(error)}`]);
      return null;
    });
    return object?.type === 'blob' ? object.data.toString('utf8') : null;
  }

  #reportLines(branch: string, shard: string, problems: readonly string[]): void {
    this.#report(
      branch,
      problems.map((problem) => `${fileOf(shard)}: ${problem}`),
    );
  }

  #report(branch: string, details: readonly string[]): void {
    for (const detail of details) {
      const known = this.problems.some((one) => one.branch === branch && one.detail === detail);
      if (!known && this.problems.length < 1_000) this.problems.push({ branch, detail });
    }
  }
}

function isInLane(record: TaskRecord, lane: string): boolean {
  return record.lane?.id === lane && record.lane.folded_at === undefined;
}

/** True for a lane that is being folded: both ledgers have the task, under the same lane id. */
function isStaleCopy(home: TaskRecord, inLane: TaskRecord): boolean {
  return home.lane !== undefined && home.lane.id === inLane.lane?.id;
}

/**
 * The slim rows of ledgers, kept between runs. The cache is one text: one line of index, then a slice for
 * every shard, found by the id of its blob. So a shard that did not change is neither read nor checked again,
 * and the tree of a known commit is not read twice.
 */

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

interface LedgerRows {
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
  /** Commits in the cached text. */
  #saved = new Set<string>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** Fills in the ledgers that the cache knows, so that unchanged ones need no reading. */
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

  /** Caches what these ledgers need in the next run; called when all of them were read. */
  save(ledgers: readonly StoredLedger[]): void {
    if (!this.#dirty && ledgers.every((ledger) => this.#saved.has(ledger.commit))) return;
    const blobs = new Set(ledgers.flatMap((ledger) => [...ledger.shards.values()]));
    // A shard that could not be read is not cached, so it is read again each time.
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

const long = [...longFields, 'notes', 'implementation_notes'] as const;

/**
 * What lists and schedules need of a record: everything except long texts and, once it is closed, its steps.
 * The steps stay if they show that the verdict no longer applies.
 */
export function slimRecord(record: TaskRecord): TaskRecord {
  const slim: TaskRecord = { ...record, content: '' };
  for (const name of long) delete slim[name];
  if (slim.error) slim.error = slim.error.slice(0, 200);
  if (slim.closed_at && !isChangedSince(record)) delete slim.steps;
  else if (slim.steps) slim.steps = slim.steps.map(slimStep);
  return slim;
}

function slimStep(step: StepRecord): StepRecord {
  const slim = { ...step };
  delete slim.error;
  delete slim.session;
  delete slim.said;
  delete slim.checked;
  // The record itself has them.
  delete slim.waits;
  return slim;
}
