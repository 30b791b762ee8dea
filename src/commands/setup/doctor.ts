import type { Command, Outcome, Ports } from '../../app/command.ts';
import { type OpenedProject, openProject } from '../../app/project.ts';
import { findGithub, openGithub } from '../../app/share/github-access.ts';
import { builtInSettings, type Config } from '../../core/config/config.ts';
import { judgeRepository } from '../../core/doctor/judge-repository.ts';
import { type Judged, worstOf, wrong } from '../../core/doctor/judged.ts';
import type { AgentKeys } from '../../core/doctor/repository-seen.ts';
import { isGzaError } from '../../core/errors.ts';
import { agentLines } from '../../core/text/doctor/caller-workflow.ts';
import { printDoctor } from '../../core/text/doctor/doctor.ts';
import { agentSecretsFor } from '../../engine/perform/ask-agent.ts';
import { openGit } from '../../git/git.ts';
import { inspectRepository } from '../../github/api/inspect-repository.ts';
import { shippedWorkflow } from './init-github.ts';
import { machineJudged } from './machine.ts';

/** Short, because a person is waiting. */
const waitMsMax = 60_000;

export const command: Command = {
  spec: {
    name: 'doctor',
    summary: 'check a GitHub repository for all that would keep gza from working in it, and this machine',
    arguments: [],
    options: [
      { name: 'repo', type: 'text', value: '<owner/name>', help: 'instead of that of the remote `origin`' },
      {
        name: 'machine',
        type: 'flag',
        help: 'only this machine: git, agents and their logins, sandbox, disk',
      },
    ],
    details:
      'Without a remote only this machine is looked at. Reads only, through the API, with the token in GITHUB_TOKEN or GH_TOKEN. The token of someone who administers the repository sees the most.',
    examples: [
      {
        command: 'GH_TOKEN="$(gh auth token)" gza doctor',
        shows: 'problem  Actions may not open pull requests (off is the default) …',
      },
    ],
  },
  run: async ({ options }, ports) => {
    const isNamed = options['repo'] !== undefined;
    const here = await openHere(ports);
    const isKnown = !('says' in here);
    const machine = await machineJudged(isKnown ? here : null, ports);
    if (options['machine']) return outcomeOf(null, machine, ports);
    const asked = { verb: 'doctor', repo: options['repo'] };
    if (!isNamed && !isKnown) return outcomeOf(null, [...machine, here], ports);
    if (!isNamed && !(await hasRemote(ports))) return outcomeOf(null, machine, ports);
    const found = await findGithub(asked, ports);
    const { defaultBranchHere } = found;
    const client = openGithub(found, 'doctor', ports, waitMsMax);
    const seen = await inspectRepository(client, {
      now: ports.now(),
      defaultBranchHere,
      agentKeys,
      shipped: shippedWorkflow,
    });
    // When GitHub's machines do the work, problems of this machine are only warnings.
    const less = machine.map((one): Judged => (one.level === 'problem' ? { ...one, level: 'warning' } : one));
    return outcomeOf(seen.repository, [...judgeRepository(seen), ...less], ports);
  },
};

/** Outside a usable repository the machine is still checked. */
export async function openHere(ports: Ports): Promise<OpenedProject | Judged> {
  try {
    return await openProject(ports, { warns: false });
  } catch (error) {
    if (!isGzaError(error)) throw error;
    return wrong('machine', 'problem', `${error.message}.`, error.hint ?? '');
  }
}

/** Findings that a push cannot fix: the repository's settings, and what its host may refuse. */
const ofSettings = [
  'archived',
  'issues',
  'actions',
  'pulls-by-actions',
  'default-branch',
  'lane-rules',
  'push-rulesets',
];

/** For `gza init`: problems that would stop the first run, found before anything is spent. */
export async function findingsBeforePush(ports: Ports, onGithub: boolean): Promise<string[]> {
  const judged = await machineJudged(await openProject(ports, { warns: false }), ports);
  const hasToken = Boolean(ports.env['GITHUB_TOKEN'] ?? ports.env['GH_TOKEN']);
  if (onGithub && hasToken && (await hasRemote(ports))) {
    const found = await findGithub({ verb: 'init', repo: undefined }, ports);
    const client = openGithub(found, 'init', ports, waitMsMax);
    const { defaultBranchHere } = found;
    const seen = await inspectRepository(client, {
      now: ports.now(),
      defaultBranchHere,
      agentKeys,
      shipped: shippedWorkflow,
    });
    judged.push(...judgeRepository(seen).filter(({ kind }) => ofSettings.includes(kind)));
  }
  const wrong = judged.filter(({ level }) => level !== 'ok');
  if (wrong.length === 0) return ['', 'Nothing was found that would keep a first run from working.'];
  return [
    '',
    'Before the first run:',
    ...wrong.map(({ says, todo }) => `- ${says}${todo ? ` ${todo}` : ''}`),
  ];
}

function outcomeOf(repository: string | null, judged: readonly Judged[], { style }: Ports): Outcome {
  const level = worstOf(judged);
  return {
    exit: level === 'problem' ? 1 : 0,
    json: { repository, level, checks: judged },
    text: printDoctor(repository, judged, style),
  };
}

async function hasRemote({ cwd }: Ports): Promise<boolean> {
  return (await openGit(cwd).run(['remote', 'get-url', 'origin'])).code === 0;
}

/** The secrets of each configured agent. Leaves out agents that need none. */
function agentKeys(config: Config): AgentKeys[] {
  const { defaults, task_types: types } = config;
  const usual = defaults.agents ?? builtInSettings.agents ?? [];
  const named = new Set([...usual, ...Object.values(types).flatMap((one) => one.agents ?? [])]);
  return [...named].flatMap((agent) => {
    const { given, others } = agentSecretsFor(agent, config);
    const own = given.filter((name) => name !== agentLines);
    const names = own.length > 0 ? own : others;
    return names.length === 0 ? [] : [{ agent, names, isGiven: own.length > 0 }];
  });
}
