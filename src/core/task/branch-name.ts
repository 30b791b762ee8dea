import { hiddenCharacter } from '../markdown/neutralise.ts';

/**
 * The rules of `git check-ref-format --branch`, so that a bad name is refused where it is written and not where
 * git meets it. Stricter in one point: a name that begins with `-` or is `HEAD`, which git's own commands misread.
 */
export function branchNameFault(name: string, charsMax = 200): string | null {
  if (name.length === 0) return 'is empty';
  if (name.length > charsMax) return `is longer than ${charsMax} characters`;
  // git takes what looks like a commit for one.
  if (/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i.test(name)) return 'reads like the id of a commit';
  if (name === 'HEAD' || name === '@') return `may not be ${name}`;
  if (name.startsWith('-')) return 'begins with -';
  if (name.startsWith('refs/')) return 'begins with refs/; write the branch name alone';
  if (name.startsWith('/') || name.endsWith('/') || name.includes('//'))
    return 'has an empty part between slashes';
  if (name.endsWith('.')) return 'ends with a dot';
  if (name.includes('..')) return 'has two dots in a row';
  if (name.includes('@{')) return 'has @{';
  if (hiddenCharacter(name)) return 'has a hidden character';
  const wrong = /[\p{Cc} ~^:?*[\\]/u.exec(name);
  if (wrong) return `has ${JSON.stringify(wrong[0])}`;
  for (const part of name.split('/')) {
    if (part.startsWith('.')) return 'has a part that begins with a dot';
    if (part.endsWith('.lock')) return 'has a part that ends with .lock';
  }
  return null;
}

/** A task's id is part of branch names, file names and command lines, so it is kept to what is safe in all. */
export const taskIdPattern = /^(?![-.])(?!.*\.\.)(?!.*\.lock$)[A-Za-z0-9._-]{0,63}[A-Za-z0-9_-]$/;

/** Names that Windows keeps for devices, and the one that objects of JavaScript keep. */
export function isReservedName(name: string): boolean {
  return /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)|^__proto__$/i.test(name);
}

/** A task's id in a ledger: one that another clone had taken was made longer. */
export const ledgerIdPattern = /^(?![-.])(?!.*\.\.)(?!.*\.lock$)[A-Za-z0-9._-]{0,127}[A-Za-z0-9_-]$/;

/** An allowed id made from any text (a file name, a title), or null when nothing is left of it. */
export function idFrom(text: string): string | null {
  const id = text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
    .replaceAll(/\.{2,}/g, '.')
    .slice(0, 64)
    .replace(/^[-.]+/, '')
    .replace(/[-.]+$/, '');
  return taskIdPattern.test(id) && !isReservedName(id) ? id : null;
}
