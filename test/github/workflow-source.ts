/** Where a workflow file or an action comes from: a commit of the repository, or a folder that stands for another. */
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openGit } from '../../src/git.ts';
import type { Github } from './github.ts';
import type { WorkflowOptions } from './workflow-types.ts';

export interface Source {
  readonly label: string;
  read(path: string): Promise<string | null>;
  /** The files on disk, for an action that is run from them. */
  folder(): Promise<string>;
}

export function commitSource(github: Github, sha: string, temp: string): Source {
  let folder: Promise<string> | undefined;
  const checkOut = async () => {
    const target = mkdtempSync(join(temp, 'source-'));
    const git = openGit(target, { isolated: true });
    await git.text(['clone', '--quiet', '--shared', '--no-checkout', github.gitDir, '.']);
    await git.text(['checkout', '--quiet', '--detach', sha]);
    return target;
  };
  return {
    label: `${github.state.owner}/${github.state.repo}@${sha}`,
    read: async (path) => (await github.data.file(sha, path))?.toString('utf8') ?? null,
    folder: () => {
      folder ??= checkOut();
      return folder;
    },
  };
}

export function folderSource(label: string, folder: string): Source {
  return {
    label,
    read: async (path) => (existsSync(join(folder, path)) ? readFileSync(join(folder, path), 'utf8') : null),
    folder: async () => folder,
  };
}

export interface Located {
  readonly source: Source;
  readonly path: string;
}

/** `./x` and `$/x` are of the file that says so, `owner/name/x@ref` of that repository. */
export function locate(uses: string, from: Source, options: WorkflowOptions): Located | string {
  if (uses.startsWith('./') || uses.startsWith('$/')) return { source: from, path: uses.slice(2) };
  const [, name = '', path = '', ref] = /^([^/]+\/[^/@]+)\/?([^@]*)@(.+)$/.exec(uses) ?? [];
  const folder = options.repositories?.[name];
  if (!ref) return `"${uses}" names no version`;
  return folder
    ? { source: folderSource(`${name}@${ref}`, folder), path }
    : `the harness knows no repository ${name}`;
}
