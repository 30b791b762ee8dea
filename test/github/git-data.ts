/**
 * What the fake knows of commits and refs: always asked of the bare repository. Only what git says of commits that are
 * named by their hashes is remembered, since it cannot change; and refs are read from their files, as they are asked for
 * at every request.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Git, type GitResult, gitFailure, openGit } from '../../src/git/git.ts';

export interface CommitData {
  readonly sha: string;
  readonly tree: string;
  readonly parents: readonly string[];
  readonly message: string;
  readonly author: { readonly name: string; readonly email: string; readonly date: string };
  readonly committer: { readonly name: string; readonly email: string; readonly date: string };
}

interface FileData {
  readonly path: string;
  readonly from: string | null;
  readonly status: string;
  readonly additions: number;
  readonly deletions: number;
  readonly sha: string;
}

export interface GitData {
  readonly git: Git;
  refs(): Promise<Map<string, string>>;
  /** The commit a branch, tag, ref or sha names, or null. */
  commit(name: string): Promise<string | null>;
  exists(sha: string): Promise<boolean>;
  log(range: string, limit?: number): Promise<CommitData[]>;
  mergeBase(a: string, b: string): Promise<string | null>;
  contains(tip: string, commit: string): Promise<boolean>;
  files(from: string, to: string): Promise<FileData[]>;
  patch(from: string, to: string, path: string): Promise<string>;
  file(commit: string, path: string): Promise<Buffer | null>;
  list(commit: string, folder: string): Promise<{ mode: string; type: string; sha: string; name: string }[]>;
  mergeTree(base: string, head: string): Promise<string | null>;
}

const statusWords: Readonly<Record<string, string>> = {
  A: 'added',
  D: 'removed',
  M: 'modified',
  R: 'renamed',
  T: 'changed',
};

export function openGitData(gitDir: string): GitData {
  const git = openGit(gitDir, { isolated: true });
  const of = remembering(git);
  const quiet = async (args: readonly string[]) => {
    const result = await of.run(args);
    return result.code === 0 ? result.stdout.toString('utf8').trim() : null;
  };
  return {
    git,
    refs: async () => refsIn(gitDir),
    async commit(name) {
      const refs = refsIn(gitDir);
      if (name.startsWith('refs/heads/')) return refs.get(name) ?? null;
      const branch = refs.has(`refs/tags/${name}`) ? undefined : refs.get(`refs/heads/${name}`);
      if (branch !== undefined) return branch;
      return quiet(['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`]);
    },
    exists: async (sha) => (await of.run(['cat-file', '-e', `${sha}^{commit}`])).code === 0,
    log: (range, limit = 250) => readLog(of, range, limit),
    mergeBase: (a, b) => quiet(['merge-base', a, b]),
    contains: async (tip, commit) => (await of.run(['merge-base', '--is-ancestor', commit, tip])).code === 0,
    files: (from, to) => readFiles(of, from, to),
    patch: async (from, to, path) => {
      const text = await of.text(['diff', '-M', from, to, '--', path]);
      const at = text.indexOf('\n@@');
      return at < 0 ? '' : text.slice(at + 1);
    },
    async file(commit, path) {
      const result = await of.run(['cat-file', 'blob', `${commit}:${path}`]);
      return result.code === 0 ? result.stdout : null;
    },
    async list(commit, folder) {
      const text = (await quiet(['ls-tree', '-z', folder ? `${commit}:${folder}` : commit])) ?? '';
      return text
        .split('\0')
        .filter(Boolean)
        .map((line) => {
          const [meta = '', name = ''] = line.split('\t');
          const [mode = '', type = '', sha = ''] = meta.split(' ');
          return { mode, type, sha, name };
        });
    },
    async mergeTree(base, head) {
      const result = await of.run(['merge-tree', '--write-tree', base, head]);
      return result.code === 0 ? (result.stdout.toString('utf8').split('\n')[0] ?? null) : null;
    },
  };
}

type Asked = Pick<Git, 'run' | 'text'>;

/** Nothing but hashes, and what is below them. */
const fixed = /^[0-9a-f]{40}(?:\.\.[0-9a-f]{40}|:.*|\^\{commit\})?$/s;

function remembering(git: Git): Asked {
  const known = new Map<string, GitResult>();
  const run = async (args: readonly string[]) => {
    const paths = args.indexOf('--');
    const names = args
      .slice(1, paths < 0 ? undefined : paths)
      .filter((arg) => !arg.startsWith('-') && arg !== 'blob');
    const key = args.join('\0');
    const result = known.get(key) ?? (await git.run(args));
    if (result.code === 0 && names.length > 0 && names.every((name) => fixed.test(name)))
      known.set(key, result);
    return result;
  };
  const text = async (args: readonly string[]) => {
    const result = await run(args);
    if (result.code !== 0) throw gitFailure(args, result);
    return result.stdout.toString('utf8').replace(/\n$/, '');
  };
  return { run, text };
}

/** Sorted by name, as git lists them. */
function refsIn(gitDir: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const line of readIfThere(join(gitDir, 'packed-refs')).split('\n')) {
    const [, sha = '', name = ''] = /^([0-9a-f]{40}) (\S+)$/.exec(line) ?? [];
    if (name !== '') found.set(name, sha);
  }
  for (const { name, parentPath } of readdirSync(join(gitDir, 'refs'), {
    recursive: true,
    withFileTypes: true,
  })) {
    const file = join(parentPath, name);
    const sha = file.endsWith('.lock') ? '' : readIfThere(file).trim();
    if (/^[0-9a-f]{40}$/.test(sha)) found.set(file.slice(gitDir.length + 1), sha);
  }
  return new Map([...found].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

async function readLog(git: Asked, range: string, limit: number): Promise<CommitData[]> {
  const format = ['%H', '%T', '%P', '%an', '%ae', '%aI', '%cn', '%ce', '%cI', '%B'].join('%x1f');
  const result = await git.run([
    'log',
    '-z',
    '--topo-order',
    `--max-count=${limit}`,
    `--format=${format}`,
    range,
    '--',
  ]);
  if (result.code !== 0) return [];
  return result.stdout
    .toString('utf8')
    .split('\0')
    .filter(Boolean)
    .map((record) => {
      const [
        sha = '',
        tree = '',
        parents = '',
        an = '',
        ae = '',
        ad = '',
        cn = '',
        ce = '',
        cd = '',
        body = '',
      ] = record.split('\x1f');
      return {
        sha,
        tree,
        parents: parents.split(' ').filter(Boolean),
        message: body.trimEnd(),
        author: { name: an, email: ae, date: utc(ad) },
        committer: { name: cn, email: ce, date: utc(cd) },
      };
    });
}

function utc(date: string): string {
  return new Date(date).toISOString().replace(/\.\d+Z$/, 'Z');
}

async function readFiles(git: Asked, from: string, to: string): Promise<FileData[]> {
  // All that is raw, then all counts.
  const shown = ['diff', '--raw', '--numstat', '-z', '-M', '--no-abbrev', from, to];
  const fields = (await git.text(shown)).split('\0');
  const changes: Omit<FileData, 'additions' | 'deletions'>[] = [];
  let at = 0;
  while (fields[at]?.startsWith(':')) {
    const [, , , sha = '', letter = 'M'] = (fields[at] ?? '').split(' ');
    const isRenamed = letter.startsWith('R') || letter.startsWith('C');
    const from = isRenamed ? (fields[at + 1] ?? null) : null;
    const path = fields[at + (isRenamed ? 2 : 1)] ?? '';
    changes.push({ path, from, status: statusWords[letter[0] ?? 'M'] ?? 'modified', sha });
    at += isRenamed ? 3 : 2;
  }
  return changes.map((change) => {
    const [added = '0', deleted = '0'] = (fields[at] ?? '').split('\t');
    at += change.from === null ? 1 : 3;
    return { ...change, additions: Number(added) || 0, deletions: Number(deleted) || 0 };
  });
}
