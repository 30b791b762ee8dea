/** `gza` and `git tasks` for the shells of an agent, whether or not they are installed: two small scripts on PATH. */
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

/** The PATH to give to an agent. */
export async function pathWithShims(
  stateDir: string,
  caller: Readonly<Record<string, string | undefined>>,
  program: string = process.argv[1] ?? '',
): Promise<string> {
  const dir = join(stateDir, 'bin');
  await mkdir(dir, { recursive: true });
  for (const name of ['gza', 'git-tasks']) {
    const file = join(dir, name);
    await writeFile(file, `#!/bin/sh\nexec ${quote(process.execPath)} ${quote(program)} "$@"\n`);
    await chmod(file, 0o755);
  }
  return [dir, caller['PATH'] ?? ''].join(delimiter);
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
