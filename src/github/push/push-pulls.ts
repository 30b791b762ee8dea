/** `--push` with a remote on GitHub: opens a pull request for each branch, as the workflow would. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Ports } from '../../app/command.ts';
import { localFacts } from '../../app/facts/facts.ts';
import { loadProject, type Project } from '../../app/project.ts';
import { githubApiUrl, githubToken } from '../../app/share/github-access.ts';
import { writeToTask } from '../../app/tasks/change-task.ts';
import { repositoryOfUrl } from '../../core/doctor/repository-of-url.ts';
import { isGzaError } from '../../core/errors.ts';
import { blockOf } from '../../core/markdown/body-block.ts';
import { decide } from '../../core/policy/decide.ts';
import type { Repository } from '../../git/repository.ts';
import { type Asked, type GithubClient, githubClient } from '../api/client/client.ts';
import type { Forge, PullFacts } from '../api/forge.ts';
import { githubForge } from '../api/write.ts';
import { type LaneWorld, lanesOf } from '../pick/lane-world.ts';
import { updatePull } from '../publish/update-pull.ts';

export interface PullPlace {
  readonly forge: Forge;
  /** Web address of the repository. */
  readonly url: string;
}

/** Short, because a person is waiting. */
const waitMsMax = 60_000;

/** Where pull requests can be opened, or the reason why they cannot. */
export async function pullPlace(
  { repository }: Pick<Project, 'repository'>,
  { env, now, progress, signal }: Ports,
  remote: string,
): Promise<PullPlace | string> {
  const url = await repository.git.run(['remote', 'get-url', '--push', remote]);
  const address = repositoryOfUrl(url.stdout.toString('utf8').trim());
  const apiUrl = address && githubApiUrl(address.host, env);
  if (!address || !apiUrl) return `${remote} is not on GitHub`;
  const token = githubToken(env);
  if (token === null) return 'there is no token: set GH_TOKEN or GITHUB_TOKEN';
  const options = {
    token,
    repository: address.repository,
    apiUrl,
    sleep: (milliseconds: number) => wait(milliseconds, undefined, { signal }),
    now,
    log: progress,
    limits: { waitMsMax },
  };
  try {
    const login = await tokenLogin(githubClient(options));
    const { read, write } = githubForge({ ...options, login: login ?? undefined });
    const isOurs = ours(login);
    const pull: Forge['pull'] = async (number) => {
      const found = await read.pull(number);
      return found && isOurs(found);
    };
    const pullsOfBranches: Forge['pullsOfBranches'] = async (branches) =>
      (await read.pullsOfBranches(branches)).map(isOurs);
    const web = `https://${address.host}/${address.repository}`;
    return { forge: { ...read, ...write, pull, pullsOfBranches }, url: web };
  } catch (error) {
    if (!isGzaError(error)) throw error;
    return error.message;
  }
}

/** The login of the token's account, as REST writes it. Null for a job's token, which may not ask for it. */
async function tokenLogin(client: GithubClient): Promise<string | null> {
  const asked = {
    operation: 'read whose token it is',
    send: (rest, { request }) => rest.users.getAuthenticated({ request }),
  } satisfies Asked<{ login: string }>;
  const answer = await client.ask(asked);
  if (answer.status === 403 || answer.status === 404) return null;
  if (answer.status >= 300) throw client.refused(asked, answer);
  return answer.data.login;
}

/** Safe to repeat: existing pull requests are found, and unchanged ones are left alone. */
export async function pushPulls(
  place: PullPlace,
  given: Project,
  repository: Repository,
  branches: readonly string[],
  ports: Ports,
): Promise<Map<string, PullFacts | string>> {
  const told = new Map<string, PullFacts | string>();
  const project = await loadProject(ports, given);
  const live = branches.filter((branch) => project.view.tip(branch) !== null);
  if (live.length === 0) return told;
  const found = await place.forge.pullsOfBranches(live);
  const worlds = await lanesOf(project, repository, found);
  for (const branch of live) {
    const lane = worlds.get(branch);
    if (!lane || lane.head === null) continue;
    try {
      const answer = await pushPull(place, project, lane, ports);
      if (answer) told.set(branch, answer);
    } catch (error) {
      if (!isGzaError(error)) throw error;
      told.set(branch, error.message);
    }
  }
  return told;
}

const workflowLogin = 'github-actions[bot]';

/**
 * Counts a pull request as gza's if the token's owner or the workflow opened it and it has gza's block. One
 * that a person opened by hand with the same account stays theirs: gza does not change its title or state.
 */
function ours(login: string | null): (pull: PullFacts) => PullFacts {
  return (pull) => {
    const isKnown = pull.author === login || pull.author === workflowLogin;
    return { ...pull, isOurs: isKnown && blockOf(pull.body) !== '' };
  };
}

async function pushPull(
  { forge, url }: PullPlace,
  project: Project,
  { branch, tasks, head, diff, pull: before }: LaneWorld,
  ports: Ports,
): Promise<PullFacts | string | null> {
  let warning: string | null = null;
  const teller = {
    forge: () => forge,
    run: { url },
    say: () => {},
    warn: (line: string) => {
      warning = line;
    },
  };
  const decisions = decide(await localFacts(project));
  const input = {
    project,
    decisions,
    branch,
    tasks,
    head: head ?? '',
    diff,
    pull: before,
    noStatuses: true,
    isAtRest: true,
  };
  const pull = await updatePull(teller, input);
  if (!pull) return warning;
  if (pull.state !== 'merged' && pull.state !== 'closed') await notePull(project, tasks, pull, ports);
  return pull;
}

async function notePull(
  project: Project,
  tasks: LaneWorld['tasks'],
  { number, url }: PullFacts,
  ports: Ports,
): Promise<void> {
  for (const { id, record } of tasks) {
    if (record?.pull_request?.number === number) continue;
    await writeToTask(project, id, ports, (_record, stamp) => [
      { kind: 'pull-request', ...stamp, id, pull_request: { number, url, state: 'open' } },
    ]);
  }
}
