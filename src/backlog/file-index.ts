/**
 * Whether any of thousands of task files changed, asked of git: it looks at ten thousand files in the time that Node
 * needs for two thousand. The index is one of gza's own, in a repository of its own without objects, refs or
 * configuration, so that neither the user's index nor their settings, attributes and filters have a part in it. It is
 * derived data like all of the cache: without it the files are looked at one by one.
 */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Git, openGit } from '../git.ts';
import { tasksFolder } from './backlog.ts';

export interface FileIndex {
  /** Takes note of every file as it is now. The name to ask by; null where git sees more than files there. */
  keep(): Promise<string | null>;
  /** True only when no file changed, came or went since then. */
  unchanged(name: string): Promise<boolean>;
}

/** Below this, starting git takes longer than looking. */
export const worthwhileFiles = 500;

const watched = [tasksFolder, 'gza.yaml', 'gza.yml', '.project-config.json'];

export function openFileIndex(root: string, cacheDir: string): FileIndex {
  const home = join(cacheDir, 'files.git');
  const git = openGit(root, { isolated: true });
  const environment = (name: string) => ({
    GIT_DIR: home,
    GIT_WORK_TREE: root,
    GIT_INDEX_FILE: join(home, name),
  });
  const differing = async (name: string) => {
    const args = ['ls-files', '-z', '--modified', '--deleted', '--others', '--', ...watched];
    const { code, stdout } = await git.run(args, { env: environment(name) });
    return code === 0 ? stdout : null;
  };
  return {
    async keep() {
      prepareHome(home);
      const name = `index-${process.pid}-${Math.random().toString(36).slice(2)}`;
      const files = await differing(name);
      const added = files && (await noteFiles(git, files, environment(name)));
      return added && (await differing(name))?.length === 0 ? name : null;
    },
    unchanged: async (name) => (await differing(name))?.length === 0,
  };
}

async function noteFiles(git: Git, stdin: Buffer, env: Record<string, string>): Promise<boolean> {
  const { code } = await git.run(['update-index', '--add', '--info-only', '-z', '--stdin'], { stdin, env });
  return code === 0;
}

/** The least that git takes for a repository. What was noted before is of no use any more. */
function prepareHome(home: string): void {
  for (const folder of ['objects', 'refs', 'info']) mkdirSync(join(home, folder), { recursive: true });
  writeFileSync(join(home, 'HEAD'), 'ref: refs/heads/none\n');
  writeFileSync(join(home, 'info', 'attributes'), '* -text -eol -ident -filter -working-tree-encoding\n');
  for (const file of readdirSync(home)) {
    if (file.startsWith('index-')) rmSync(join(home, file), { force: true });
  }
}
