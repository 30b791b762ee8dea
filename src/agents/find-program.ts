import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, resolve } from 'node:path';

/**
 * The file that a name stands for, as a shell would find it, without one. Relative folders on PATH are left
 * out: the work tree is not a place to find programs in by accident. A name with a slash is a path.
 */
export function findProgram(program: string, path: string | undefined, cwd: string): string | undefined {
  if (/[\\/]/.test(program)) {
    const file = resolve(cwd, program);
    return isProgram(file) ? file : undefined;
  }
  const folders = (path ?? '').split(delimiter).filter((folder) => isAbsolute(folder));
  const endings = process.platform === 'win32' ? ['.exe', '.cmd', '.bat', ''] : [''];
  const files = folders.flatMap((folder) => endings.map((ending) => join(folder, program + ending)));
  return files.find(isProgram);
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
