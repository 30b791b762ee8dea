/**
 * Who writes, and for whom: two settings of git. Where they stand plainly in the files that everyone has, they are
 * read there, since starting git takes longer than the rest of a write; whatever is unusual is git's to answer.
 */
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Repository } from '../../git/open-repository.ts';

export interface WriteSettings {
  readonly name: string;
  readonly email: string;
  /** `core.sharedRepository`: others write here too. */
  readonly shared: 'group' | 'all' | undefined;
  /** Nothing asks for more than git does by itself when a ref moves: a reflog, a wait for the disk, other modes. */
  readonly plainRefs: boolean;
}

export async function readWriteSettings(
  { git, commonDir }: Pick<Repository, 'git' | 'commonDir'>,
  env: NodeJS.ProcessEnv,
): Promise<WriteSettings> {
  const plain = plainSettings(configFiles(commonDir, env), env);
  if (plain) return plain;
  const names = '^(user\\.(name|email)|core\\.sharedrepository)$';
  const asked = await git.run(['config', '-z', '--get-regexp', names]);
  const values = new Map<string, string>();
  for (const row of asked.stdout.toString('utf8').split('\0')) {
    const end = row.indexOf('\n');
    if (row) values.set(end < 0 ? row : row.slice(0, end), end < 0 ? 'true' : row.slice(end + 1));
  }
  return {
    name: clean(env['GIT_COMMITTER_NAME'] || values.get('user.name') || 'gza'),
    email: clean(env['GIT_COMMITTER_EMAIL'] || values.get('user.email') || 'gza@localhost'),
    shared: sharing(values.get('core.sharedrepository')?.toLowerCase()),
    plainRefs: false,
  };
}

/** In git's order: the later one wins. Null when the environment adds settings of its own. */
function configFiles(commonDir: string, env: NodeJS.ProcessEnv): readonly string[] | null {
  if (env['GIT_CONFIG_COUNT'] || env['GIT_CONFIG_PARAMETERS']) return null;
  const home = env['HOME'] || homedir();
  const ofUser = env['GIT_CONFIG_GLOBAL'];
  return [
    ...(env['GIT_CONFIG_NOSYSTEM'] ? [] : [env['GIT_CONFIG_SYSTEM'] ?? '/etc/gitconfig']),
    ...(ofUser === undefined
      ? [join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'git', 'config'), join(home, '.gitconfig')]
      : [ofUser]),
    join(commonDir, 'config'),
  ];
}

const unusual = /\[\s|\[include|sharedrepository|worktreeconfig/i;
const unusualRefs = /logallrefupdates\s*=\s*"?always|fsync|reflocktimeout/i;

function plainSettings(files: readonly string[] | null, env: NodeJS.ProcessEnv): WriteSettings | null {
  if (!files) return null;
  const texts = files.map(textOf);
  if (texts.some((text) => unusual.test(text))) return null;
  const name = env['GIT_COMMITTER_NAME'] || plainValue(texts, 'name');
  const email = env['GIT_COMMITTER_EMAIL'] || plainValue(texts, 'email');
  if (!name || !email) return null;
  const plainRefs = !texts.some((text) => unusualRefs.test(text));
  return { name: clean(name), email: clean(email), shared: undefined, plainRefs };
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** What the last file that has the key says in one line, without quotes, escapes or comments; else null. */
function plainValue(texts: readonly string[], key: string): string | null {
  const inFile = texts.map((text) => userLines(text).filter((line) => hasKey(line, key)));
  const [line, ...more] = inFile.findLast((lines) => lines.length > 0) ?? [];
  if (line === undefined || more.length > 0) return null;
  return /^\s*\w+\s*=\s*([^"\\#;]+?)\s*$/.exec(line)?.[1] ?? null;
}

/** The lines of `[user]`; a line that goes on in the next is one of them, and not plain. */
function userLines(text: string): string[] {
  const sections = text.split(/^[ \t]*(?=\[)/m).filter((section) => /^\[user\]/i.test(section));
  return sections.flatMap((section) => section.replaceAll(/\\\r?\n/g, '\\').split('\n'));
}

function hasKey(line: string, key: string): boolean {
  return new RegExp(`(^|[\\]\\s\\\\])${key}\\s*(=|$)`, 'i').test(line);
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
