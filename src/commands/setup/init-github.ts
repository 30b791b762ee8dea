/** The workflow that `gza init --github` writes: a caller, and with `--inline` also what it calls. */
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Ports } from '../../app/command.ts';
import { GzaError } from '../../core/errors.ts';
import { branchNameFault } from '../../core/task/task.ts';
import { agentSetup, calledBy, callerPath, callerWorkflow } from '../../core/text/doctor/caller-workflow.ts';
import { type Home, home } from '../../core/text/doctor/home.ts';
import { inlinePaths, inlineWorkflow } from '../../core/text/doctor/inline-workflows.ts';
import { updateCaller } from '../../core/text/doctor/update-caller.ts';
import { version } from '../../core/version.ts';
import { porcelain } from '../../git/porcelain.ts';
import type { Repository } from '../../git/repository.ts';
import { type Did, type Written, writeFile } from './written.ts';

export interface GithubChoice {
  /** The repository whose gza is called; null when none was given. */
  readonly from: Home | null;
  readonly inline: boolean;
  readonly update: boolean;
  readonly branch: DefaultBranch;
  /** The command that installs a tool of the project. */
  readonly tool: string | undefined;
  /** The command that installs the agent. By default it installs claude. */
  readonly setup?: string | undefined;
  readonly hourly?: boolean | undefined;
}

const shippedFolder = join(import.meta.dirname, ...(version === 'source' ? ['..', '..', '..'] : ['..']));

export function shippedWorkflow(name: string): string {
  return readFileSync(join(shippedFolder, '.github/workflows', name), 'utf8');
}

export async function writeWorkflow(
  workTree: string,
  { from, inline, update, branch, tool, setup = agentSetup, hourly }: GithubChoice,
  ports: Pick<Ports, 'env'>,
): Promise<Written[]> {
  const file = join(workTree, callerPath);
  const before = existsSync(file) ? readFileSync(file, 'utf8') : null;
  const local = calledBy(home, true);
  const isInline = inline || (update && before?.includes(`uses: ${local}`) === true);
  const text = callerWorkflow({
    minute: minuteOf(workTree),
    branch: branch.name,
    setup: [setup, tool].filter(Boolean).join(' && '),
    isInline,
    ...(hourly === undefined ? {} : { hourly }),
    ...(from ? { from } : {}),
  });
  const written: Written[] = [];
  if (isInline) {
    const whose = from ?? home;
    const commit = await commitOf(workTree, whose, ports);
    for (const [name, path] of Object.entries(inlinePaths)) {
      written.push({
        path,
        did: writeFile(workTree, path, inlineWorkflow(shippedWorkflow(name), whose, commit), update),
      });
    }
  }
  const uses = isInline ? local : from && calledBy(from);
  return [{ path: callerPath, ...writeCaller(workTree, { before, text, update, uses }) }, ...written];
}

function writeCaller(
  workTree: string,
  {
    before,
    text,
    update,
    uses,
  }: { before: string | null; text: string; update: boolean; uses: string | null },
): { readonly did: Did; readonly what?: readonly string[] } {
  if (before === null || !update) return { did: writeFile(workTree, callerPath, text, false) };
  const updated = updateCaller(before, text, uses);
  if (updated === null)
    throw new GzaError('input', `${callerPath} has no job that calls gza, so nothing in it can be renewed`, {
      hint: `Such a job says \`uses: ${uses ?? calledBy()}\`. Move the file away, and \`gza init --github\` writes one.`,
    });
  return { did: writeFile(workTree, callerPath, updated.text, true), what: updated.added };
}

/** Names actions by commit, because a tag can be moved later. */
async function commitOf(
  workTree: string,
  { repository, ref }: Home,
  { env }: Pick<Ports, 'env'>,
): Promise<string> {
  if (/^[0-9a-f]{40}$/.test(ref)) return ref;
  const url = `${env['GITHUB_SERVER_URL'] ?? 'https://github.com'}/${repository}`;
  const listed = await porcelain(workTree, (git) => git.listRemote(['--', url, ref, `${ref}^{}`]), {
    timeoutMs: askMs,
  }).catch(() => '');
  const commits = new Map(
    [...listed.matchAll(/^([0-9a-f]{40})\t(\S+)$/gm)].map(([, oid = '', name]) => [name, oid]),
  );
  const found = [`refs/tags/${ref}^{}`, `refs/tags/${ref}`, `refs/heads/${ref}`].find((name) =>
    commits.has(name),
  );
  if (found !== undefined) return commits.get(found) as string;
  throw new GzaError('world', `which commit ${ref} of ${url} is could not be asked`, {
    hint: `With --inline every action is named by its commit. Name it: --from ${repository}@<40 hex digits>`,
  });
}

/** A minute that is fixed for a repository but differs between repositories, to spread their schedules. */
function minuteOf(workTree: string): number {
  let sum = 0;
  for (const character of basename(workTree)) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 53;
  return 3 + sum;
}

export interface DefaultBranch {
  readonly name: string;
  /** `origin`: the remote reports it. `custom`: main or master, by custom. `current`: nothing names one. */
  readonly from: 'origin' | 'custom' | 'current';
}

/** Short, because a person is waiting. */
const askMs = 5_000;

export async function findDefaultBranch({ git, head }: Repository): Promise<DefaultBranch> {
  const known = await git.run(['symbolic-ref', '--quiet', 'refs/remotes/origin/HEAD']);
  const name = known.stdout
    .toString('utf8')
    .trim()
    .replace(/^refs\/remotes\/origin\//, '');
  if (known.code === 0 && name !== '') return { name, from: 'origin' };
  const asked = await porcelain(git.cwd, (there) => there.listRemote(['--symref', '--', 'origin', 'HEAD']), {
    timeoutMs: askMs,
  }).catch(() => '');
  const [, told] = /^ref: refs\/heads\/(\S+)\tHEAD$/m.exec(asked) ?? [];
  if (told !== undefined && branchNameFault(told) === null) return { name: told, from: 'origin' };
  for (const custom of ['main', 'master']) {
    const ref = await git.run(['show-ref', '--verify', '--quiet', `refs/heads/${custom}`]);
    if (ref.code === 0) return { name: custom, from: 'custom' };
  }
  return head.branch === null ? { name: 'main', from: 'custom' } : { name: head.branch, from: 'current' };
}
