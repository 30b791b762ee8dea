import { hiddenCharacter, mixesAlphabets } from '../markdown/neutralise.ts';

export const pathLengthMax = 1024;
const nameLengthMax = 255;

/**
 * Why a path may not be touched at all: it could reach git's own files or leave the repository on some machine, or
 * shows people something else than what it is. Null when it is fine.
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

/** `.git` in any case, with what Windows drops at the end of a name, and its short names. */
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
