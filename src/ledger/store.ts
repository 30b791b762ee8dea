/** What every part of this room works with: one repository, one namespace, one reader, one writer. */
import type { Cache } from '../cache.ts';
import { openCache } from '../cache.ts';
import type { Git } from '../git.ts';
import { namespaceOf } from './namespace-of.ts';
import { type ObjectReader, openObjectReader } from './object-reader.ts';
import { type ObjectWriter, openObjectWriter } from './object-writer.ts';
import type { Repository } from './repository.ts';
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
  /** Asked once, when something is written. */
  settings(): Promise<WriteSettings>;
  writer(): Promise<ObjectWriter>;
}

interface WriteSettings {
  readonly name: string;
  readonly email: string;
  readonly shared: 'group' | 'all' | undefined;
}

export function openStore(repository: Repository, options: LedgerOptions = {}): Store {
  let settings: Promise<WriteSettings> | undefined;
  const ask = () => (settings ??= readSettings(repository.git));
  return {
    repository,
    git: repository.git,
    namespace: namespaceOf(options.stateRef),
    options,
    reader: openObjectReader(repository.git.cwd),
    cache: openCache(repository.commonDir),
    clock: options.clock ?? Date.now,
    ledgers: new Map(),
    settings: ask,
    async writer() {
      const { objectsDir, objectFormat } = repository;
      return openObjectWriter({ objectsDir, objectFormat, shared: (await ask()).shared });
    },
  };
}

async function readSettings(git: Git): Promise<WriteSettings> {
  const asked = await git.run([
    'config',
    '-z',
    '--get-regexp',
    '^(user\\.(name|email)|core\\.sharedrepository)$',
  ]);
  const values = new Map<string, string>();
  for (const row of asked.stdout.toString('utf8').split('\0')) {
    const end = row.indexOf('\n');
    if (row) values.set(end < 0 ? row : row.slice(0, end), end < 0 ? 'true' : row.slice(end + 1));
  }
  const env = process.env;
  return {
    name: clean(env['GIT_COMMITTER_NAME'] || values.get('user.name') || 'gza'),
    email: clean(env['GIT_COMMITTER_EMAIL'] || values.get('user.email') || 'gza@localhost'),
    shared: sharing(values.get('core.sharedrepository')?.toLowerCase()),
  };
}

function sharing(value: string | undefined): WriteSettings['shared'] {
  if (value === undefined || ['umask', 'false', '0', 'no', 'off'].includes(value)) return undefined;
  if (['all', 'world', 'everybody', '2'].includes(value)) return 'all';
  return /^0\d{3}$/.test(value) && (Number.parseInt(value, 8) & 0o004) !== 0 ? 'all' : 'group';
}

/** What may stand in a commit's header. */
function clean(text: string): string {
  return (
    text
      .replace(/[<>\p{Cc}\s]+/gu, ' ')
      .trim()
      .slice(0, 200) || 'gza'
  );
}
