/** Finds the repository on GitHub that a verb asks about, and the token to use. */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  isRepository,
  type RepositoryAddress,
  repositoryOfUrl,
} from '../../core/doctor/repository-of-url.ts';
import { GzaError } from '../../core/errors.ts';
import { openGit } from '../../git/git.ts';
import { type GithubClient, githubClient } from '../../github/api/client/client.ts';
import type { Ports } from '../command.ts';

export interface FoundRepository {
  readonly address: RepositoryAddress;
  readonly defaultBranchHere: string | null;
}

export interface GithubAsked {
  /** `owner/name`, used instead of the remote `origin`. */
  readonly repo?: unknown;
  /** The verb that asks, for messages. */
  readonly verb: string;
}

export async function findGithub({ repo, verb }: GithubAsked, { cwd, env }: Ports): Promise<FoundRepository> {
  const host = hostOf(env['GITHUB_SERVER_URL']) ?? env['GH_HOST'] ?? 'github.com';
  if (typeof repo === 'string') {
    if (!isRepository(repo))
      throw new GzaError('usage', `--repo wants owner/name, not ${JSON.stringify(repo.slice(0, 100))}`);
    return { address: { host, repository: repo }, defaultBranchHere: null };
  }
  const git = openGit(cwd);
  const url = await git.run(['remote', 'get-url', 'origin']);
  const address = url.code === 0 ? repositoryOfUrl(url.stdout.toString('utf8').trim()) : null;
  if (!address)
    throw new GzaError(
      'input',
      url.code === 0 ? 'The remote origin is no repository on GitHub.' : 'There is no remote origin here.',
      { hint: `Name the repository: gza ${verb} --repo owner/name` },
    );
  const head = await git.run(['symbolic-ref', '--short', 'refs/remotes/origin/HEAD']);
  const branch = head.stdout
    .toString('utf8')
    .trim()
    .replace(/^origin\//, '');
  return { address, defaultBranchHere: head.code === 0 && branch !== '' ? branch : null };
}

export function openGithub(
  { address }: FoundRepository,
  verb: string,
  ports: Ports,
  waitMsMax: number,
): GithubClient {
  return githubClient({
    token: tokenIn(ports.env, verb),
    repository: address.repository,
    apiUrl: apiUrlOf(address.host, verb, ports.env),
    sleep: (milliseconds) => sleep(milliseconds, undefined, { signal: ports.signal }),
    now: ports.now,
    log: ports.progress,
    job: ports.env['GITHUB_JOB'],
    limits: { waitMsMax },
  });
}

export function hasGithubToken(env: Ports['env']): boolean {
  return githubToken(env) !== null;
}

export function githubToken(env: Ports['env']): string | null {
  return env['GITHUB_TOKEN'] || env['GH_TOKEN'] || null;
}

function tokenIn(env: Ports['env'], verb: string): string {
  const token = githubToken(env);
  if (token !== null) return token;
  throw new GzaError('input', `gza ${verb} asks GitHub and needs a token.`, {
    hint: `Set GITHUB_TOKEN or GH_TOKEN, as in: GH_TOKEN="$(gh auth token)" gza ${verb}`,
  });
}

function hostOf(url: string | undefined): string | null {
  return url && URL.canParse(url) ? new URL(url).host : null;
}

function apiUrlOf(host: string, verb: string, env: Ports['env']): string {
  const url = githubApiUrl(host, env);
  if (url !== null) return url;
  throw new GzaError('input', `The remote origin is on ${host}, and whether that is a GitHub is not known.`, {
    hint: `If it is: GITHUB_API_URL=https://${host}/api/v3 gza ${verb}. If not: gza ${verb} --repo owner/name`,
  });
}

/** Null for a host that only the remote's address names: the token must not be sent to an unknown host. */
export function githubApiUrl(host: string, env: Ports['env']): string | null {
  const given = env['GITHUB_API_URL'];
  if (given) return given;
  if (host === 'github.com' || host === 'ssh.github.com') return 'https://api.github.com';
  if (/^[a-z0-9-]+\.ghe\.com$/.test(host)) return `https://api.${host}`;
  const isTold = host === hostOf(env['GITHUB_SERVER_URL']) || host === env['GH_HOST'];
  return isTold ? `https://${host}/api/v3` : null;
}
