/** Checks whether this machine has what a run needs. At most it asks programs for their version. */
import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { probeAgent } from '../../agents/agent-environment.ts';
import type { AgentAdapter } from '../../agents/agents.ts';
import { findSandbox } from '../../agents/sandbox/sandbox.ts';
import type { Ports } from '../../app/command.ts';
import type { OpenedProject } from '../../app/project.ts';
import { builtInSettings, type Config } from '../../core/config/config.ts';
import { fine, type Judged, wrong } from '../../core/doctor/judged.ts';
import { isGzaError } from '../../core/errors.ts';
import { adapterFor } from '../../engine/perform/ask-agent.ts';
import { openGit } from '../../git/git.ts';

const nodeLeast = 20;
const freeLeast = 2 ** 30;
const remoteMs = 15_000;

/** `opened` is null outside a usable repository. */
export async function machineJudged(opened: OpenedProject | null, ports: Ports): Promise<Judged[]> {
  const found = await findSandbox({ isolation: 'auto', caller: ports.env });
  const sandbox =
    'file' in found
      ? fine('sandbox', `This machine has a sandbox for agents and checks (${found.name}).`, { why: null })
      : wrong(
          'sandbox',
          'warning',
          `This machine has no sandbox: ${found.why}.`,
          'Until it has one, agents and checks that run here can read and write what you can; `isolation: required` in gza.yaml refuses that.',
          { why: found.why },
        );
  const tools = [await gitJudged(ports), nodeJudged(), await diskJudged()];
  if (opened === null) return [...tools, sandbox];
  const { config, repository } = opened;
  const place = { env: ports.env, cwd: repository.workTree ?? ports.cwd };
  const agents = await Promise.all(
    agentsOf(config).map((name, at) => agentJudged(name, at === 0, config, place)),
  );
  return [...tools, ...agents, sandbox, checksJudged(config), await remoteJudged(ports)];
}

const ok = (says: string) => fine('machine', says);
const bad = (level: 'warning' | 'problem', says: string, todo: string) => wrong('machine', level, says, todo);

async function gitJudged({ cwd }: Ports): Promise<Judged> {
  const { stdout } = await openGit(cwd).run(['--version']);
  return ok(`${stdout.toString('utf8').trim()} is there.`);
}

function nodeJudged(): Judged {
  const { version } = process;
  return Number.parseInt(version.slice(1), 10) >= nodeLeast
    ? ok(`Node.js ${version} is there.`)
    : bad('problem', `Node.js is ${version}.`, `gza needs ${nodeLeast} or later.`);
}

async function diskJudged(): Promise<Judged> {
  const { bavail, bsize } = await statfs(homedir()).catch(() => statfs(tmpdir()));
  const free = bavail * bsize;
  const says = `${(free / 2 ** 30).toFixed(1)} GB are free where clones and logs are kept.`;
  return free >= freeLeast ? ok(says) : bad('warning', says, 'Each task that runs has a clone: make room.');
}

function agentsOf({ defaults, task_types, agents }: Config): string[] {
  const usual = defaults.agents ?? builtInSettings.agents ?? [];
  const typed = Object.values(task_types).flatMap((one) => one.agents ?? []);
  return [...new Set([...usual, ...typed, ...Object.keys(agents)])];
}

export async function agentJudged(
  name: string,
  isFirst: boolean,
  config: Config,
  { env, cwd }: Pick<Ports, 'env' | 'cwd'>,
): Promise<Judged> {
  try {
    const adapter = adapterFor(name, config, undefined);
    const set = Object.fromEntries(
      Object.entries(env).filter((one): one is [string, string] => one[1] !== undefined),
    );
    const probe = await probeAgent(adapter, { env: set, cwd, home: tmpdir() });
    if (probe === undefined)
      return bad(
        isFirst ? 'problem' : 'warning',
        `The agent ${name} is not installed: there is no program ${adapter.program}.`,
        'Install it, or name another under `defaults: agents:` in gza.yaml.',
      );
    const version = probe.version ? ` (${probe.version})` : '';
    const { secretNames, logins } = adapter;
    if (secretNames.length === 0) return ok(`The agent ${name} is there${version}.`);
    const key = secretNames.find((one) => env[one]);
    const login = logins.find((path) => existsSync(join(env['HOME'] ?? homedir(), path)));
    if (key || login)
      return ok(
        `The agent ${name} is there${version}, with ${key ?? `the login in ~/${login}`}, ${proxied(adapter, set, config)}.`,
      );
    return bad(
      isFirst ? 'problem' : 'warning',
      `The agent ${name} is there${version}, and has neither a key nor a login.`,
      `Set ${secretNames[0]}, or log in with ${adapter.program} itself.`,
    );
  } catch (error) {
    if (!isGzaError(error)) throw error;
    return bad('problem', `${error.message}.`, error.hint ?? 'gza.yaml names it.');
  }
}

/** Whether the model proxy keeps the agent's credentials. */
function proxied(adapter: AgentAdapter, env: Record<string, string>, { agents }: Config): string {
  const held = agents[adapter.name]?.proxy === 'off' ? { why: 'gza.yaml says so' } : adapter.holding(env);
  if (held && 'targets' in held) return 'which the model proxy holds';
  return `which is not proxied: ${held?.why ?? 'it is a login'}`;
}

function checksJudged({ verify, test_command }: Config): Judged {
  const named = [test_command, verify].flatMap((one) => one ?? []).join('; ');
  return named
    ? ok(`Work is checked with: ${named}`)
    : bad('warning', 'Nothing checks what agents leave.', 'Name a command: `verify: npm test` in gza.yaml.');
}

async function remoteJudged({ cwd }: Ports): Promise<Judged> {
  const git = openGit(cwd);
  const url = await git.run(['remote', 'get-url', 'origin']);
  if (url.code !== 0) return ok('There is no remote: gza works in this clone alone.');
  const asked = await git
    .run(['ls-remote', '--heads', 'origin', 'HEAD'], { timeoutMs: remoteMs })
    .catch(() => null);
  return asked?.code === 0
    ? ok('The remote origin answers.')
    : bad(
        'warning',
        'The remote origin does not answer.',
        '`git fetch origin` shows why; gza works without it until then.',
      );
}
