/** All refs that a view needs, read at once. */
import type { Repository } from '../../git/open-repository.ts';
import { listRefs } from '../../git/refs.ts';

export const localMirror = 'refs/gza/local/';
export const backups = 'refs/gza/backup/';

export interface Refs {
  /** branch → commit, in the order of names. */
  readonly tips: ReadonlyMap<string, string>;
  /** What gza itself last wrote there. */
  readonly mirrors: ReadonlyMap<string, string>;
  readonly base: string;
  /** Whole names of ledger refs and mirrors whose file is damaged; git neither reads nor writes them. */
  readonly broken: readonly string[];
  /** True when the base is only a guess: neither configured nor named by the remote or by custom. */
  readonly guessed: boolean;
}

export async function readRefs(repository: Repository, namespace: string, base?: string): Promise<Refs> {
  const folders = [namespace, localMirror.slice(0, -1)];
  const names = ['refs/remotes/origin/HEAD', 'refs/heads/main', 'refs/heads/master'];
  const rows = await listRefs(repository, [...folders, ...names], { withBroken: true });
  const tips = new Map<string, string>();
  const mirrors = new Map<string, string>();
  const broken: string[] = [];
  let originHead: string | undefined;
  const heads = new Set<string>();
  for (const { ref, oid, target } of rows) {
    if (oid === '' && target === '') {
      if (folders.some((folder) => ref.startsWith(`${folder}/`))) broken.push(ref);
    } else if (ref.startsWith(`${namespace}/`)) tips.set(ref.slice(namespace.length + 1), oid);
    else if (ref.startsWith(localMirror)) mirrors.set(ref.slice(localMirror.length), oid);
    else if (ref === 'refs/remotes/origin/HEAD') originHead = target.replace(/^refs\/remotes\/origin\//, '');
    else heads.add(ref.replace('refs/heads/', ''));
  }
  const custom = heads.has('main') ? 'main' : heads.has('master') ? 'master' : undefined;
  const known = base ?? (originHead || undefined) ?? custom;
  const guess = repository.head.branch ?? 'main';
  return { tips, mirrors, broken, base: known ?? guess, guessed: known === undefined };
}

/** A name that git takes for a branch. Stricter than git where a name could be mistaken for something else. */
export function isBranchName(name: string): boolean {
  if (name.length === 0 || Buffer.byteLength(name) > 240 || name.startsWith('-') || name === 'HEAD')
    return false;
  if (/[\p{Cc}\u2028\u2029 ~^:?*[\\]|\.\.|@\{|\/\/|\.$|^\/|\/$/u.test(name) || name === '@') return false;
  return name.split('/').every((part) => !part.startsWith('.') && !part.endsWith('.lock') && part !== '');
}

/** The ref that keeps another from existing: `a` and `a/b` cannot both be. */
export function refInTheWay(name: string, existing: Iterable<string>): string | null {
  for (const other of existing) {
    if (other !== name && (other.startsWith(`${name}/`) || name.startsWith(`${other}/`))) return other;
  }
  return null;
}

/** `state_ref` → the folder of refs in which ledgers live. */
export function namespaceOf(stateRef = 'refs/tasks'): string {
  return stateRef.replace(/\/+$/, '');
}
