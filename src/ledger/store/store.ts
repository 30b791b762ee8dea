/** What every part of this room works with: one repository, one namespace, one reader, one writer. */

import type { Git } from '../../git/git.ts';
import { type Repository, readWriteSettings, type WriteSettings } from '../../git/open-repository.ts';
import type { ObjectReader } from '../../git/read-objects.ts';
import { type ObjectWriter, openObjectWriter } from '../../git/write-objects.ts';
import { type Cache, openCache } from '../../system/cache.ts';
import { namespaceOf } from './read-refs.ts';
import type { StoredLedger } from './stored-ledger.ts';

export interface LedgerOptions {
  /** The base branch; else the remote's default, else main, else master, else the current one. */
  readonly base?: string | undefined;
  /** `state_ref`: where ledgers live. Default `refs/tasks`. */
  readonly stateRef?: string | undefined;
  /** Milliseconds since 1970. */
  readonly clock?: () => number;
  /** How long a write is tried. Default 30 s. */
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
  /** Ledgers by commit: what a commit holds never changes. */
  readonly ledgers: Map<string, StoredLedger>;
  /** Asked once. */
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
