/** What the fake knows of commits and refs: always asked of the bare repository, never remembered. */
import { type Git, openGit } from '../../src/git/git.ts';

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
  const quiet = async (args: readonly string[]) => {
    const result = await git.run(args);
    return result.code === 0 ? result.stdout.toString('utf8').trim() : null;
  };
  return {
    git,
    async refs() {
      const text = await git.text(['for-each-ref', '--format=%(refname) %(objectname)']);
      return new Map(
        text
          .split('\n')
          .filter(Boolean)
          .map((line) => line.split(' ') as [string, string]),
      );
    },
    commit: (name) => quiet(['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`]),
    exists: async (sha) => (await git.run(['cat-file', '-e', `${sha}^{commit}`])).code === 0,
    log: (range, limit = 250) => readLog(git, range, limit),
    mergeBase: (a, b) => quiet(['merge-base', a, b]),
    contains: async (tip, commit) => (await git.run(['merge-base', '--is-ancestor', commit, tip])).code === 0,
    files: (from, to) => readFiles(git, from, to),
    patch: async (from, to, path) => {
      const text = await git.text(['diff', '-M', from, to, '--', path]);
      const at = text.indexOf('\n@@');
      return at < 0 ? '' : text.slice(at + 1);
    },
    async file(commit, path) {
      const result = await git.run(['cat-file', 'blob', `${commit}:${path}`]);
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
      const result = await git.run(['merge-tree', '--write-tree', base, head]);
      return result.code === 0 ? (result.stdout.toString('utf8').split('\n')[0] ?? null) : null;
    },
  };
}

async function readLog(git: Git, range: string, limit: number): Promise<CommitData[]> {
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

async function readFiles(git: Git, from: string, to: string): Promise<FileData[]> {
  const raw = (await git.text(['diff', '--raw', '-z', '-M', '--no-abbrev', from, to])).split('\0');
  const counts = (await git.text(['diff', '--numstat', '-z', '-M', from, to])).split('\0');
  const files: FileData[] = [];
  let count = 0;
  for (let at = 0; at < raw.length && raw[at]; ) {
    const [, , , sha = '', letter = 'M'] = (raw[at] ?? '').split(' ');
    const renamed = letter.startsWith('R') || letter.startsWith('C');
    const from = renamed ? (raw[at + 1] ?? null) : null;
    const path = raw[at + (renamed ? 2 : 1)] ?? '';
    const [added = '0', deleted = '0'] = (counts[count] ?? '').split('\t');
    count += renamed ? 3 : 1;
    at += renamed ? 3 : 2;
    const status = statusWords[letter[0] ?? 'M'] ?? 'modified';
    files.push({ path, from, status, additions: Number(added) || 0, deletions: Number(deleted) || 0, sha });
  }
  return files;
}
