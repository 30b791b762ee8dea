/**
 * Asks git whether any of thousands of task files changed: git checks ten thousand files in the time that
 * Node needs for two thousand. The index is gza's own, in a repository without objects, refs or
 * configuration, so that the user's index, settings, attributes and filters have no influence. Like all of
 * the cache it is derived data: without it the files are checked one by one.
 */
import { closeSync, mkdirSync, openSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Git, openGit } from '../git/git.ts';
import { tasksFolder } from './backlog.ts';

export interface FileIndex {
  /** Records every file as it is now. Returns the name to ask by; null if git sees more than files there. */
  keep(): Promise<string | null>;
  /** True only if no file was changed, added or removed since then. */
  unchanged(name: string): Promise<boolean>;
}

/** Below this number, starting git takes longer than checking the files. */
export const worthwhileFiles = 500;

const watched = [tasksFolder, 'gza.yaml', 'gza.yml', '.project-config.json'];
const differing = ['ls-files', '-z', '--modified', '--deleted', '--others', '--', ...watched];

export function openFileIndex(root: string, cacheDir: string): FileIndex {
  const home = join(cacheDir, 'files.git');
  const git = openGit(root, { isolated: true });
  const environment = (name: string) => ({
    GIT_DIR: home,
    GIT_WORK_TREE: root,
    GIT_INDEX_FILE: join(home, name),
  });
  const unchanged = async (name: string) => {
    const file = unnamedFile(home);
    if (file === null) return false;
    try {
      return await git.isSilent(differing, file, environment(name));
    } finally {
      closeSync(file);
    }
  };
  return {
    async keep() {
      prepareHome(home);
      const name = uniqueName();
      const { code, stdout } = await git.run(differing, { env: environment(name) });
      const added = code === 0 && (await noteFiles(git, stdout, environment(name)));
      return added && (await unchanged(name)) ? name : null;
    },
    unchanged,
  };
}

function uniqueName(): string {
  return `index-${process.pid}-${Math.random().toString(36).slice(2)}`;
}

function unnamedFile(folder: string): number | null {
  const path = join(folder, uniqueName());
  try {
    const file = openSync(path, 'wx+');
    rmSync(path);
    return file;
  } catch {
    return null;
  }
}

async function noteFiles(git: Git, stdin: Buffer, env: Record<string, string>): Promise<boolean> {
  const { code } = await git.run(['update-index', '--add', '--info-only', '-z', '--stdin'], { stdin, env });
  return code === 0;
}

/** The least that git accepts as a repository. Indexes that were recorded before are of no use any more. */
function prepareHome(home: string): void {
  for (const folder of ['objects', 'refs', 'info']) mkdirSync(join(home, folder), { recursive: true });
  writeFileSync(join(home, 'HEAD'), 'ref: refs/heads/none\n');
  writeFileSync(join(home, 'info', 'attributes'), '* -text -eol -ident -filter -working-tree-encoding\n');
  for (const file of readdirSync(home)) {
    if (file.startsWith('index-')) rmSync(join(home, file), { force: true });
  }
}
