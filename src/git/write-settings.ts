/**
 * Who writes and for whom, and some more settings of git. Starting git takes longer than the rest of a write, so its
 * answer is kept for as long as the files that it comes from say the same.
 */
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Repository } from './open-repository.ts';

export interface WriteSettings {
  readonly name: string;
  readonly email: string;
  /** `core.sharedRepository`: others write here too. */
  readonly shared: 'group' | 'all' | undefined;
  /** Nothing asks for more than git does by itself when a ref moves: a reflog, a wait for the disk, other modes. */
  readonly plainRefs: boolean;
  /** Those that have an address. */
  readonly remotes: readonly string[];
  /** The user's own rules of what git ignores; null where git's usual file has them. */
  readonly excludesFile: string | null;
}

/** A cache of the machine's, where whoever calls has one. */
interface Kept {
  get(name: string, key: string): string | null;
  put(name: string, key: string, text: string): void;
}

const ofCore = 'sharedrepository|logallrefupdates|fsync.*|filesreflocktimeout|excludesfile';
const names = `^(user\\.(name|email)|core\\.(${ofCore})|remote\\..*\\.url)$`;

export async function readWriteSettings(
  { git, commonDir }: Pick<Repository, 'git' | 'commonDir'>,
  cache: Kept,
  env: NodeJS.ProcessEnv,
): Promise<WriteSettings> {
  const key = sourcesKey(commonDir, env);
  const known = key === null ? null : cache.get('settings', key);
  if (known !== null) return JSON.parse(known) as WriteSettings;
  const asked = await git.run(['config', '-z', '--get-regexp', names]);
  const values = new Map<string, string>();
  for (const row of asked.stdout.toString('utf8').split('\0')) {
    const end = row.indexOf('\n');
    if (row) values.set(end < 0 ? row : row.slice(0, end), end < 0 ? 'true' : row.slice(end + 1));
  }
  const isUnusual = (name: string) => /^core.*(fsync|timeout)/.test(name) || values.get(name) === 'always';
  const shared = sharing(values.get('core.sharedrepository')?.toLowerCase());
  const settings: WriteSettings = {
    name: clean(env['GIT_COMMITTER_NAME'] || values.get('user.name') || 'gza'),
    email: clean(env['GIT_COMMITTER_EMAIL'] || values.get('user.email') || 'gza@localhost'),
    shared,
    plainRefs: shared === undefined && isOwn(commonDir) && ![...values.keys()].some(isUnusual),
    remotes: [...values.keys()].flatMap((name) => /^remote\.(.*)\.url$/s.exec(name)?.[1] ?? []),
    excludesFile: values.get('core.excludesfile') || null,
  };
  // 1: there are none. What was cut off is no answer to keep.
  const isWhole = asked.code === 1 || (asked.code === 0 && asked.stdout.at(-1) === 0);
  if (key !== null && isWhole) cache.put('settings', key, JSON.stringify(settings));
  return settings;
}

/** Null where the answer also comes from elsewhere: the environment, files that others include. */
function sourcesKey(commonDir: string, env: NodeJS.ProcessEnv): string | null {
  if (env['GIT_CONFIG_COUNT'] || env['GIT_CONFIG_PARAMETERS']) return null;
  const home = env['HOME'] || homedir();
  const ofUser = env['GIT_CONFIG_GLOBAL'];
  const files = [
    ...(env['GIT_CONFIG_NOSYSTEM'] ? [] : [env['GIT_CONFIG_SYSTEM'] ?? '/etc/gitconfig']),
    ...(ofUser === undefined
      ? [join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'git', 'config'), join(home, '.gitconfig')]
      : [ofUser]),
    join(commonDir, 'config'),
  ];
  const texts = files.map(textOf);
  if (texts.some((text) => /\[\s*include|worktreeconfig/i.test(text))) return null;
  const sources = [names, texts, env['GIT_COMMITTER_NAME'], env['GIT_COMMITTER_EMAIL'], process.getuid?.()];
  return createHash('sha256').update(JSON.stringify(sources)).digest('hex');
}

/** git does not write into what belongs to another user, unless it was told to. */
function isOwn(commonDir: string): boolean {
  return process.getuid === undefined || statSync(commonDir).uid === process.getuid();
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function sharing(value: string | undefined): WriteSettings['shared'] {
  if (value === undefined || ['umask', 'false', '0', 'no', 'off'].includes(value)) return undefined;
  if (['all', 'world', 'everybody', '2'].includes(value)) return 'all';
  return /^0\d{3}$/.test(value) && (Number.parseInt(value, 8) & 0o004) !== 0 ? 'all' : 'group';
}

/** What may stand in a commit's header. */
function clean(text: string): string {
  const plain = text.replace(/[<>\p{Cc}\s]+/gu, ' ').trim();
  return plain.slice(0, 200) || 'gza';
}
