/**
 * The sandbox for untrusted programs: an agent with everything it starts, and every check. Where the
 * machine has bubblewrap or allows `unshare`, they get their own processes, HOME and temporary folder, and
 * see only what they need to read. One line reports what the machine cannot provide; `isolation: required`
 * makes that an error.
 */

import { realpathSync } from 'node:fs';
import { homedir, release, totalmem } from 'node:os';
import { constrainedMemory } from 'node:process';
import type { Config } from '../../core/config/config.ts';
import { GzaError } from '../../core/errors.ts';
import { findProgram } from '../agent-environment.ts';
import {
  allowedHosts,
  type Gate,
  gatePort,
  hostsIn,
  openGate,
  proxyVariables,
  type Relayed,
  relayProgram,
} from './network.ts';
import {
  isRoot,
  type Placed,
  type Probed,
  placesOf,
  probing,
  type Rung,
  readableFor,
  saidBy,
  tmpInside,
  trial,
  type View,
} from './places.ts';
import { probeUnshare, quote } from './unshare.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface SandboxSettings extends Pick<Config, 'isolation' | 'network' | 'docker' | 'sandbox'> {
  /** This program's environment. */
  readonly caller: Environment;
  /** By default, probes this machine. */
  readonly probe?: () => Promise<Probed>;
}

/** What one run may use. Nothing else exists inside. */
export interface SandboxPlace {
  readonly tree: string;
  readonly home: string;
  /** PATH and the toolchain variables decide what is readable. */
  readonly env: Environment;
  readonly write?: readonly string[];
  readonly read?: readonly string[] | undefined;
  /** Programs given by path instead of by name. */
  readonly programs?: readonly string[];
  /** It calls a model directly, not through gza's model proxy. */
  readonly asksModels?: boolean;
  /** Loopback ports of this machine to offer inside, such as the model proxy's. */
  readonly ports?: readonly number[];
}

export interface SandboxLimits {
  readonly memoryBytes: number;
  readonly processes: number;
  /** How much must stay free on the disk of the tree. A run that goes below is ended. */
  readonly diskFreeBytes: number;
}

export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Environment;
}

export interface Wrapped extends Command {
  /** Goes to file descriptor 3, because every user of the machine can read arguments. */
  readonly options?: string | undefined;
}

export interface Sandbox {
  readonly isOn: boolean;
  readonly limits: SandboxLimits;
  wrap(command: Command): Wrapped;
  /** One line: the kind of sandbox, and what it lacks. */
  describe(): string;
  close(): void;
}

const gb = 1 << 30;
const processesMax = 4096;
const diskFreeBytes = 2 * gb;

export async function openSandbox(settings: SandboxSettings, place: SandboxPlace): Promise<Sandbox> {
  const limits = limitsOf(settings);
  const found = await findSandbox(settings);
  if ('why' in found) {
    const wrap = (command: Command): Wrapped => command;
    return {
      isOn: false,
      limits,
      wrap,
      describe: () => describeNone(settings, found.why, limits),
      close: () => {},
    };
  }
  const models = place.asksModels === true ? hostsIn(place.env) : null;
  const hosts = allowedHosts(settings.network, models);
  const gate = hosts === null ? null : await openGate(hosts, place.ports ?? [], proxyOf(settings.caller));
  const relays = gate?.relays ?? [];
  const view = viewOf(settings, place, relays);
  return {
    isOn: true,
    limits,
    wrap: ({ file, args, cwd, env }) => {
      const script = ['/bin/sh', '-c', prelude(limits, relays), 'sh', file, ...args];
      const set = definedIn({ ...env, ...variables(settings, gate) });
      // The sandbox starts with an empty environment, because it can be read inside as /proc/1/environ.
      return { file: found.file, cwd: '/', env: {}, ...found.wrap(view, { env: set, cwd, script }) };
    },
    describe: () => describeBox(found, settings, view, limits),
    close: () => gate?.close(),
  };
}

const systems: Readonly<Record<string, string>> = { darwin: 'macOS', win32: 'Windows' };

/** Finds the best sandbox that this machine supports. */
const probeSandbox = probing(async (): Promise<Probed> => {
  const { platform } = process;
  if (platform !== 'linux') return { why: `gza has none for ${systems[platform] ?? platform}` };
  const first = await probeBubblewrap();
  if ('file' in first) return first;
  const second = await probeUnshare();
  return 'file' in second ? second : { why: `${first.why}; and ${second.why}` };
});

/** Finds the sandbox without opening it. Throws if one is required and there is none. */
export async function findSandbox(
  settings: Pick<SandboxSettings, 'isolation' | 'caller' | 'probe'>,
): Promise<Probed> {
  const { isolation, caller, probe = probeSandbox } = settings;
  if (isolation === 'off') return { why: '`isolation: off` in gza.yaml' };
  if (isolation === 'auto' && caller['GZA_ISOLATION'] === 'off')
    return { why: 'GZA_ISOLATION=off in the environment' };
  const found = await probe();
  if ('file' in found || isolation === 'auto') return found;
  throw new GzaError(
    'world',
    `gza.yaml says \`isolation: required\`, and there is no sandbox: ${found.why}`,
    {
      hint: 'Set it up on this machine, or write `isolation: auto` to run without one where there is none.',
    },
  );
}

function limitsOf({ sandbox }: SandboxSettings): SandboxLimits {
  const bounded = constrainedMemory() || Number.POSITIVE_INFINITY;
  const usual = Math.floor(Math.min(totalmem(), bounded) * 0.8);
  return {
    memoryBytes: sandbox.memory_gb === undefined ? usual : Math.floor(sandbox.memory_gb * gb),
    processes: sandbox.processes ?? processesMax,
    diskFreeBytes,
  };
}

function viewOf(
  settings: SandboxSettings,
  { tree, home, env, write = [], read = [], programs = [] }: SandboxPlace,
  relays: readonly Relayed[],
): View {
  const { caller, sandbox, docker } = settings;
  const own = [tree, home, ...write];
  const node = relays.length > 0 ? [process.execPath] : [];
  const more = sandbox.read.map((path) => path.replace(/^~(?=\/|$)/, caller['HOME'] ?? homedir()));
  const socket = docker === 'host' ? dockerSocket(caller) : null;
  return {
    readable: readableFor(env, [...programs, ...node], own),
    read: [...read, ...more],
    write: own,
    bound: [
      ...relays.map(({ path, port }) => ({ from: path, to: `/run/gza-${port}` })),
      ...(socket === null ? [] : [{ from: realpathSync(socket), to: dockerInside }]),
    ],
    tmpBytes: Math.floor(
      sandbox.tmp_gb === undefined ? limitsOf(settings).memoryBytes / 4 : sandbox.tmp_gb * gb,
    ),
    ownNetwork: relays.length > 0,
  };
}

const dockerInside = '/run/docker.sock';

/** Null when docker is not on a local socket, or not there. */
function dockerSocket(caller: Environment): string | null {
  const [, path = '/var/run/docker.sock'] = /^unix:\/\/(.+)$/.exec(caller['DOCKER_HOST'] ?? '') ?? [];
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}

function variables({ docker }: SandboxSettings, gate: Gate | null): Environment {
  return {
    TMPDIR: tmpInside,
    TEMP: undefined,
    TMP: undefined,
    ...(docker === 'host' ? { DOCKER_HOST: `unix://${dockerInside}` } : {}),
    ...(gate ? proxyVariables(gatePort) : {}),
  };
}

/** Older kernels would count all processes of this user on the machine. */
const countsByNamespace = /^(?:5\.(?:1[4-9]|[2-9]\d)|[6-9]|\d\d)/.test(release());

/**
 * A shell script that runs inside before the command. It sets limits, makes this process the first to be
 * killed when memory runs out, and starts the relay.
 */
function prelude({ processes }: SandboxLimits, relays: readonly Relayed[]): string {
  const lines = [
    'ulimit -c 0',
    countsByNamespace ? `ulimit -u ${processes} 2>/dev/null || ulimit -p ${processes} 2>/dev/null` : ':',
    'echo 1000 2>/dev/null >/proc/self/oom_score_adj',
  ];
  if (relays.length > 0) {
    const pairs = relays.map(({ port }) => `${port} /run/gza-${port}`).join(' ');
    const start = `${quote(process.execPath)} -e ${quote(relayProgram)} ${pairs}`;
    lines.push(
      'mkfifo /tmp/.gza-relay || exit 126',
      `${start} >/tmp/.gza-relay 2>/dev/null &`,
      'read -r _ </tmp/.gza-relay || { echo "gza: the relay of the sandbox could not be started" >&2; exit 126; }',
      'rm -f /tmp/.gza-relay',
    );
  }
  return [...lines, 'exec "$@"'].join('\n');
}

function definedIn(env: Environment): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter((one): one is [string, string] => one[1] !== undefined),
  );
}

function proxyOf(caller: Environment): string | undefined {
  const url = caller['HTTPS_PROXY'] ?? caller['https_proxy'];
  return url?.startsWith('http://') ? url : undefined;
}

function describeBox(
  { name }: Rung,
  { network, docker }: SandboxSettings,
  view: View,
  limits: SandboxLimits,
): string {
  const reach = view.ownNetwork
    ? `only ${network.join(', ')}`
    : 'open, so it reaches this machine’s own ports';
  const hasDocker = view.bound.some(({ to }) => to === dockerInside);
  const outside =
    docker === 'host' ? `; docker: host is set, ${hasDocker ? defeat : 'but docker has no socket here'}` : '';
  return `sandbox: ${name}, with processes, HOME and /tmp of its own; network ${reach}; ${describeLimits(limits)}${outside}`;
}

const defeat = 'which defeats it: docker can start anything as root';

function describeNone({ network }: SandboxSettings, why: string, limits: SandboxLimits): string {
  const open = network.includes('open') ? '' : `; \`network: ${network.join(', ')}\` is not enforced`;
  return `sandbox: none, it can read and write what this user can: ${why}${open}; ${describeLimits(limits)}`;
}

function describeLimits({ memoryBytes, processes }: SandboxLimits): string {
  return `at most ${(memoryBytes / gb).toFixed(1)} GB of memory and ${processes} processes`;
}

/**
 * Everything ends with the first process, in whatever session it is. User namespaces stay allowed inside,
 * because some agents and browsers bring a sandbox of their own. That is safe: the kernel lets nobody undo
 * inherited mounts, so what is hidden stays hidden.
 */
const bubblewrap = (file: string): Rung => ({
  name: 'bubblewrap',
  file,
  wrap: (view, { env, cwd, script }) => {
    const set = Object.entries(env).flatMap(([name, value]) => ['--setenv', name, value]);
    const words = [
      '--unshare-user --unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup-try --die-with-parent'.split(
        ' ',
      ),
      view.ownNetwork ? ['--unshare-net'] : [],
      ['--cap-drop', 'ALL'],
      placesOf(view).flatMap(wordsOf),
      // Root must become `nobody`, or it could not create user namespaces inside.
      isRoot ? ['--uid', '65534', '--gid', '65534'] : [],
      ['--clearenv', ...set, '--chdir', cwd],
    ].flat();
    return { args: ['--args', '3', '--', ...script], options: words.map((word) => `${word}\0`).join('') };
  },
});

const binds = { ro: '--ro-bind-try', rw: '--bind-try', dev: '--dev-bind-try' } as const;

function wordsOf(place: Placed): string[] {
  switch (place.put) {
    case 'folder':
      return ['--dir', place.at];
    case 'proc':
      return ['--proc', place.at];
    case 'devices':
      return ['--dev', place.at];
    case 'memory':
      return ['--size', String(place.bytes), '--tmpfs', place.at];
    case 'link':
      return ['--symlink', place.to, place.at];
    case 'closed':
      return ['--remount-ro', place.at];
    default:
      return [binds[place.put], place.from, place.at];
  }
}

export const probeBubblewrap = probing(async (): Promise<Probed> => {
  const file = findProgram('bwrap', `/usr/bin:/usr/local/bin:${process.env['PATH'] ?? ''}`, '/');
  if (file === undefined)
    return { why: 'bubblewrap is not installed (for example: sudo apt-get install bubblewrap)' };
  const options = '--unshare-user --unshare-pid --unshare-net --cap-drop ALL --ro-bind / /';
  const places = '--proc /proc --dev /dev --size 65536 --tmpfs /tmp --remount-ro / -- /bin/sh -c :';
  const failed = await trial(file, `${options} ${places}`.split(' '));
  return failed === null ? bubblewrap(file) : { why: whyNot(failed) };
});

function whyNot(stderr: string): string {
  const said = saidBy(stderr);
  const isRefused = /uid map|new namespace|Operation not permitted|Permission denied/i.test(said);
  return isRefused
    ? `bubblewrap may not make a user namespace here (${said}). On Ubuntu 24.04: an AppArmor profile for /usr/bin/bwrap with \`userns,\`, or sysctl kernel.apparmor_restrict_unprivileged_userns=0`
    : `bubblewrap does not work here (${said})`;
}
