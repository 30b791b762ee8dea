/** Checks untrusted paths: which are unsafe, which collide on some machines, and which match a glob. */
import { hiddenCharacter, mixesAlphabets } from '../markdown/neutralise.ts';

export const pathLengthMax = 1024;
const nameLengthMax = 255;

/**
 * Why a path may not be touched at all: on some machine it could reach git's own files or leave the
 * repository, or it looks to people like another path. Null when it is fine.
 */
export function whyUnsafePath(path: string): string | null {
  if (path === '' || path.length > pathLengthMax) return `a path must have 1 to ${pathLengthMax} characters`;
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path)) return 'the path is absolute';
  if (path.includes('\\')) return 'a backslash separates folders on Windows';
  if (hiddenCharacter(path)) return 'the path has control or invisible characters in it';
  for (const name of path.split('/')) {
    if (name === '' || name === '.' || name === '..') return 'the path leaves or repeats a folder';
    if (name.length > nameLengthMax) return `a name is longer than ${nameLengthMax} characters`;
    if (isGitFolder(name)) return "the path means git's own folder on some machine";
  }
  return null;
}

/** Matches `.git` in any case, with endings that Windows drops, and as a short name such as `GIT~1`. */
function isGitFolder(name: string): boolean {
  const bare = name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/:.*$/, '')
    .replace(/[. ]+$/, '');
  return bare === '.git' || /^git~\d+$/.test(bare);
}

/** Why a new file of this name could not be checked out on every machine, or null. */
export function whyUnportablePath(path: string): string | null {
  for (const name of path.split('/')) {
    if (/[<>:"|?*]/.test(name)) return `Windows cannot hold the name ${JSON.stringify(name)}`;
    if (/^[^.~]{1,8}~\d+(?:\.[^.]{0,3})?$/.test(name))
      return `on Windows ${JSON.stringify(name)} can be the short name of another file`;
    if (/[. ]$/.test(name)) return `Windows drops the end of the name ${JSON.stringify(name)}`;
    if (/^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(\.|$)/i.test(name)) {
      return `the name ${JSON.stringify(name)} is reserved on Windows`;
    }
  }
  return null;
}

/** Why a person or a command could take the name of a new file for something else, or null. */
export function whyOddPath(path: string): string | null {
  for (const name of path.split('/')) {
    const shown = JSON.stringify(name);
    if (name.startsWith('-')) return `a command could take ${shown} for an option`;
    if (/^[ ~]|[`;]|\$\(|  /.test(name)) return `a shell could read ${shown} as something else`;
    if (name.normalize('NFKC') !== name.normalize('NFC')) return `${shown} looks like another name`;
    if (mixesAlphabets(name)) return `${shown} has letters of another alphabet that look like Latin ones`;
  }
  return null;
}

/** Two paths with the same folded form are one file where case and Unicode form do not matter. */
export function foldPath(path: string): string {
  // oxlint-disable-next-line no-control-regex
  if (/^[\u0000-\u007f]*$/.test(path)) return path.toLowerCase();
  return path.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC');
}

interface Collision {
  readonly path: string;
  readonly with: string;
}

/**
 * Files or folders of `changed` that collide with another spelling in `all` (the final tree, with `changed`)
 * on a machine that ignores case. Collisions among unchanged paths are not reported.
 */
export function findCollisions(changed: readonly string[], all: Iterable<string>): Collision[] {
  const changedPaths = new Set(changed);
  const spellings = new Map<string, string>();
  for (const path of all) if (!changedPaths.has(path)) addSpellings(spellings, path);
  const found: Collision[] = [];
  for (const path of changedPaths) {
    const other = otherSpelling(spellings, path);
    if (other !== null) found.push({ path, with: other });
    addSpellings(spellings, path);
  }
  return found;
}

function addSpellings(spellings: Map<string, string>, path: string): void {
  let at = path.length;
  // Longest first: when a folder is known, its parents are known too.
  while (at > 0) {
    const prefix = path.slice(0, at);
    const folded = foldPath(prefix);
    if (spellings.has(folded)) return;
    spellings.set(folded, prefix);
    at = path.lastIndexOf('/', at - 1);
  }
}

function otherSpelling(spellings: ReadonlyMap<string, string>, path: string): string | null {
  for (let at = path.length; at > 0; at = path.lastIndexOf('/', at - 1)) {
    const prefix = path.slice(0, at);
    const other = spellings.get(foldPath(prefix));
    if (other !== undefined && other !== prefix) return other;
  }
  return null;
}

/**
 * Globs over whole paths: `*` and `?` stay inside one folder, `**` crosses folders, `{a,b}` is a choice, a
 * pattern that ends in `/` means everything below. No library, because a pattern may come from a stranger's
 * task file, and libraries build regular expressions that can take exponential time. This takes at most path
 * length × pattern length steps.
 */
const globLengthMax = 1000;
const choicesMax = 64;
const matchedLengthMax = 8192;

export type Matcher = (path: string) => boolean;

/**
 * Throws a plain Error on a pattern that cannot be read; check patterns from outside with `globProblem`
 * first.
 */
export function compileGlobs(patterns: readonly string[]): Matcher {
  const parsed = patterns.flatMap(partsOf);
  // Most patterns are `**/name` or `**/name/**`. Sets of their names make each check a lookup.
  const ofFile = parsed.filter((parts) => parts.length === 2 && parts[0] === '**' && parts[1] !== '**');
  const isFolder = (parts: readonly string[]) =>
    parts.length === 3 && parts[0] === '**' && parts[2] === '**' && !/[*?]/.test(parts[1] ?? '');
  const isPlain = (name: string) => !/[*?]/.test(name);
  const names = ofFile.map(([, name = '']) => name);
  const files = new Set(names.filter(isPlain));
  const starred = names.filter((name) => !isPlain(name));
  const folders = new Set(parsed.filter(isFolder).map(([, name]) => name));
  const rest = parsed.filter((parts) => !ofFile.includes(parts) && !isFolder(parts));
  return (path) => {
    if (path.length > matchedLengthMax) return false;
    const on = path.split('/');
    const last = on.at(-1) ?? '';
    if (files.has(last) || starred.some((name) => matchName(name, last))) return true;
    if (folders.size > 0 && on.slice(0, -1).some((name) => folders.has(name))) return true;
    return rest.some((parts) => matchParts(parts, on));
  };
}

function partsOf(pattern: string): string[][] {
  const problem = globProblem(pattern);
  if (problem) throw new Error(problem);
  return (expandChoices(pattern) ?? []).map((one) => (one.endsWith('/') ? `${one}**` : one).split('/'));
}

export function matchGlob(pattern: string, path: string): boolean {
  return compileGlobs([pattern])(path);
}

/** Why this pattern cannot be used, or null. */
export function globProblem(pattern: string): string | null {
  const quoted = JSON.stringify(pattern.slice(0, 80));
  if (pattern === '') return 'the pattern is empty';
  if (pattern.length > globLengthMax)
    return `the pattern ${quoted} is longer than ${globLengthMax} characters`;
  if (pattern.startsWith('/'))
    return `the pattern ${quoted} starts with "/"; paths are relative to the repository`;
  if (expandChoices(pattern) === null) {
    return `the braces of the pattern ${quoted} do not match, or mean more than ${choicesMax} choices`;
  }
  return null;
}

function expandChoices(pattern: string): string[] | null {
  const done: string[] = [];
  const queue = [pattern];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    const open = next.lastIndexOf('{');
    if (open < 0) {
      if (next.includes('}')) return null;
      done.push(next);
      continue;
    }
    const close = next.indexOf('}', open);
    if (close < 0) return null;
    // The last `{` contains no other braces, so splitting at commas is correct.
    const choices = next.slice(open + 1, close).split(',');
    if (queue.length + done.length + choices.length > choicesMax) return null;
    for (const choice of choices) queue.push(next.slice(0, open) + choice + next.slice(close + 1));
  }
  return done;
}

/** Matches the pattern's parts against the path's names. A final `**` needs at least one name. */
function matchParts(parts: readonly string[], names: readonly string[]): boolean {
  const last = parts.length - 1;
  if (parts[0] !== '**' && !matchName(parts[0] ?? '', names[0] ?? '')) return false;
  // The first i parts can match the names so far.
  let reached = new Set<number>();
  const reach = (into: Set<number>, at: number) => {
    for (let i = at; ; i += 1) {
      into.add(i);
      if (parts[i] !== '**' || i === last) return;
    }
  };
  reach(reached, 0);
  for (const name of names) {
    const next = new Set<number>();
    for (const i of reached) {
      const part = parts[i];
      if (part === '**') {
        reach(next, i);
        if (i === last) next.add(parts.length);
      } else if (part !== undefined && matchName(part, name)) reach(next, i + 1);
    }
    reached = next;
  }
  return reached.has(parts.length);
}

/**
 * `*` matches any characters, `?` exactly one. Only the last `*` is retried, so the time is not exponential.
 */
export function matchName(pattern: string, name: string): boolean {
  let [at, star, retry] = [0, -1, 0];
  for (let read = 0; read < name.length; ) {
    if (pattern[at] === '*') {
      star = at;
      retry = read;
      at += 1;
    } else if (pattern[at] === '?' || pattern[at] === name[read]) {
      at += 1;
      read += 1;
    } else if (star >= 0) {
      at = star + 1;
      retry += 1;
      read = retry;
    } else return false;
  }
  return /^\**$/.test(pattern.slice(at));
}
