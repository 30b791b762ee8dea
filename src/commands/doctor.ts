import { setTimeout as sleep } from 'node:timers/promises';
import { GzaError } from '../core/errors.ts';
import { judgeRepository, worstOf } from '../core/judge-repository.ts';
import { isRepository, type RepositoryAddress, repositoryOfUrl } from '../core/repository-of-url.ts';
import { printDoctor, sayOf } from '../core/text/doctor.ts';
import { githubClient } from '../forge/github/client.ts';
import { inspectRepository } from '../forge/github/inspect-repository.ts';
import { openGit } from '../git.ts';
import type { Command, Ports } from './command.ts';
import { githubApiUrl, githubToken, hostOf } from './github-access.ts';

/** It is a person that waits. */
const waitMsMax = 60_000;

export const command: Command = {
  spec: {
    name: 'doctor',
    summary: 'check a GitHub repository for all that would keep gza from working in it',
    arguments: [],
    options: [
      { name: 'repo', type: 'text', value: '<owner/name>', help: 'instead of that of the remote `origin`' },
    ],
    details:
      'Reads only, through the API, with the token in GITHUB_TOKEN or GH_TOKEN. The token of someone who administers the repository sees the most.',
    examples: [
      {
        command: 'GH_TOKEN="$(gh auth token)" gza doctor',
        shows: 'problem  Actions may not open pull requests (off is the default) …',
      },
    ],
  },
  run: async ({ options }, ports) => {
    const { address, defaultBranchHere } = await findRepository(options['repo'], ports);
    const client = githubClient({
      token: tokenIn(ports.env),
      repository: address.repository,
      apiUrl: apiUrlOf(address.host, ports.env),
      sleep: (milliseconds) => sleep(milliseconds, undefined, { signal: ports.signal }),
      now: ports.now,
      log: ports.progress,
      limits: { waitMsMax },
    });
    const seen = await inspectRepository(client, { now: ports.now(), defaultBranchHere });
    const judged = judgeRepository(seen);
    const checks = judged.map((one) => ({ ...one, ...sayOf(one) }));
    const level = worstOf(judged);
    return {
      exit: level === 'problem' ? 1 : 0,
      json: { repository: seen.repository, level, checks },
      text: printDoctor(seen.repository, judged, ports.style),
    };
  },
};

interface Found {
  readonly address: RepositoryAddress;
  readonly defaultBranchHere: string | null;
}

async function findRepository(wanted: unknown, { cwd, env }: Ports): Promise<Found> {
  const host = hostOf(env['GITHUB_SERVER_URL']) ?? env['GH_HOST'] ?? 'github.com';
  if (typeof wanted === 'string') {
    if (!isRepository(wanted))
      throw new GzaError('usage', `--repo wants owner/name, not ${JSON.stringify(wanted.slice(0, 100))}`);
    return { address: { host, repository: wanted }, defaultBranchHere: null };
  }
  const git = openGit(cwd);
  const url = await git.run(['remote', 'get-url', 'origin']);
  const address = url.code === 0 ? repositoryOfUrl(url.stdout.toString('utf8').trim()) : null;
  if (!address)
    throw new GzaError(
      'input',
      url.code === 0 ? 'The remote origin is no repository on GitHub.' : 'There is no remote origin here.',
      { hint: 'Name the repository: gza doctor --repo owner/name' },
    );
  const head = await git.run(['symbolic-ref', '--short', 'refs/remotes/origin/HEAD']);
  const branch = head.stdout
    .toString('utf8')
    .trim()
    .replace(/^origin\//, '');
  return { address, defaultBranchHere: head.code === 0 && branch !== '' ? branch : null };
}

function tokenIn(env: Ports['env']): string {
  const token = githubToken(env);
  if (token) return token;
  throw new GzaError('input', 'gza doctor asks GitHub and needs a token.', {
    hint: 'Set GITHUB_TOKEN or GH_TOKEN, as in: GH_TOKEN="$(gh auth token)" gza doctor',
  });
}

function apiUrlOf(host: string, env: Ports['env']): string {
  const url = githubApiUrl(host, env);
  if (url !== null) return url;
  throw new GzaError('input', `The remote origin is on ${host}, and whether that is a GitHub is not known.`, {
    hint: `If it is: GITHUB_API_URL=https://${host}/api/v3 gza doctor. If not: gza doctor --repo owner/name`,
  });
}
