/** Where a workflow file or an action comes from: a commit of the repository, or a folder that stands for another. */
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openGit } from '../../src/git/git.ts';
import type { Github } from './github.ts';
import type { WorkflowOptions } from './workflow-types.ts';

export interface Source {
  readonly label: string;
  readonly owner: string;
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
    owner: github.state.owner,
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
    owner: label.split('/')[0] ?? '',
    read: async (path) => (existsSync(join(folder, path)) ? readFileSync(join(folder, path), 'utf8') : null),
    folder: async () => folder,
  };
}

export interface Located {
  readonly source: Source;
  readonly path: string;
}

/**
 * What GitHub cannot parse. A `$/` needs a path behind it: actions/runner, PipelineConstants.TryParseSelfRepository and
 * PipelineTemplateConverter.
 */
export function usesFault(uses: string): string | null {
  if (/^(docker:\/\/|\.[/\\]|\$\/+[^/])/.test(uses)) return null;
  const [name = '', ref = '', ...more] = uses.split('@');
  const parts = name.split(/[/\\]/).filter(Boolean);
  if (ref !== '' && more.length === 0 && parts.length >= 2) return null;
  return `Expected format {org}/{repo}[/path]@ref. Actual '${uses}'`;
}

/** `./x` and `$/x` are of the file that says so, `owner/name/x@ref` of that repository. */
export function locate(uses: string, from: Source, options: WorkflowOptions): Located | string {
  const fault = usesFault(uses);
  if (fault) return fault;
  if (uses.startsWith('./') || uses.startsWith('$/')) return { source: from, path: uses.slice(2) };
  const [, name = '', path = '', ref = ''] = /^([^/]+\/[^/@]+)\/?([^@]*)@(.+)$/.exec(uses) ?? [];
  const folder = options.repositories?.[name];
  if (!folder) return `Unable to resolve action \`${uses}\`, repository not found`;
  const isKnown = /^[0-9a-f]{40}$/.test(ref) || (options.refs ?? ['v1']).includes(ref);
  if (!isKnown) return `Unable to resolve action \`${uses}\`, unable to find version \`${ref}\``;
  return { source: folderSource(`${name}@${ref}`, folder), path };
}
