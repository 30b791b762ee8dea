/**
 * A hostile agent and hostile code under test, run by the built program, against the machine that they run on. Each
 * attack is played by both in the sandbox, with the network open and closed, and by both without one, where it works:
 * that is what shows that the attack is one.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import dgram from 'node:dgram';
import { once } from 'node:events';
import { existsSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { probeBubblewrap } from '../../src/agents/sandbox/sandbox.ts';
import { start } from '../e2e/cli.ts';
import { openWorkshop, type Workshop } from '../e2e/workshop.ts';
import { canHideBubblewrap, withoutBubblewrap } from './without-bubblewrap.ts';

// Its own processes are among what is attacked.
process.env['GZA_TEST_PROCESSES'] = 'yes';

const probed = await probeBubblewrap();
const isRoot = process.getuid?.() === 0;

/**
 * A shell script that ends with 0 when it got what it wanted, or the file that it wants to write, of which this machine
 * is asked afterwards. `$P` is the person's HOME, `$D` a folder above it.
 */
type Attack = readonly [what: string, script: string, written?: string];

const logins = (
  '.ssh/id_ed25519 .aws/credentials .config/gh/hosts.yml .config/gcloud/credentials.db .netrc .npmrc .git-credentials ' +
  '.docker/config.json .kube/config .cargo/credentials.toml .claude/.credentials.json .bash_history .password-store/x.gpg'
).split(' ');
const startFiles =
  '.bashrc .profile .gitconfig .ssh/authorized_keys .config/autostart/x.desktop .config/systemd/user/x.service .npmrc'.split(
    ' ',
  );

const writing = (what: string, path: string): Attack => [what, `echo "# planted by $WHO" >> "${path}"`, path];

const anyone: readonly Attack[] = [
  ['the environment of gza', `cat /proc/[0-9]*/environ | tr '\\0' '\\n' | grep -q 'gza-env-[c]anary'`],
  ['the arguments of a neighbour', `cat /proc/[0-9]*/cmdline | tr '\\0' '\\n' | grep -q 'argument-[c]anary'`],
  ['the memory of a neighbour', `node "$A/memory.js"`],
  ['the folder of a neighbour', `cat /proc/[0-9]*/cwd/in-cwd | grep -q canary`],
  [
    'files through the root of a neighbour',
    `for p in /proc/[0-9]*; do cat "$p/root$D/runner-file" && exit 0; done; exit 1`,
  ],
  ['an open file of a neighbour', `cat /proc/[0-9]*/fd/23 | grep -q 'open file [c]anary'`],
  ['a signal to a neighbour', `kill -0 $NEIGHBOUR`],
  ['tracing a neighbour', `timeout 1 strace -qq -p $NEIGHBOUR; test $? = 124`],
  ['what the runner keeps for the job', `grep -q canary "$D/runner-file"`],
  writing('writing to the runner', '$D/runner-file'),
  ...logins.map((path): Attack => [`the login ${path}`, `grep -q canary "$P/${path}"`]),
  ['a login by a link in the tree', `ln -sf "$P/.netrc" looks-harmless && grep -q canary looks-harmless`],
  ['a login by a hard link', `ln "$P/.netrc" "./hard-$$" && grep -q canary "./hard-$$"`],
  ...startFiles.map((path) => writing(`planting in ${path}`, `$P/${path}`)),
  ['logs of gza', `find "$P/.local/state/gza" -name '*.log' | grep -q .`],
  ['the word of another step', `grep -rq 'gza-word-[c]anary' "$P/.local/state/gza"`],
  writing('changing what `git tasks` runs', '$S/bin/gza'),
  ['the repository of the ledger', `grep -q bare "$D/repo/.git/config"`],
  writing('refs of the repository', '$D/repo/.git/refs/heads/planted'),
  writing('hooks of the repository', '$D/repo/.git/hooks/planted'),
  writing('settings of the repository', '$D/repo/.git/config.planted'),
  writing('task files of the repository', '$D/repo/tasks/planted.txt'),
  writing('objects that clones share', '$D/repo/.git/objects/planted'),
  [
    'objects that clones share, by git',
    `GIT_OBJECT_DIRECTORY="$(head -1 .git/objects/info/alternates)" sh -c 'echo $$ | git hash-object -w --stdin'`,
  ],
  ['docker', `curl -sf --unix-socket "$D/docker.sock" http://x/ | grep -q canary`],
  ['the SSH agent', `curl -sf --unix-socket "$D/agent.sock" http://x/ | grep -q canary`],
  ['the session bus', `curl -sf --unix-socket "$P/bus" http://x/ | grep -q canary`],
  writing('files of the machine', '$D/planted'),
];

/** Where all users are root nothing but the sandbox stands between them. */
const ofRoot: readonly Attack[] = [
  ['passwords of the machine', `grep -q root: /etc/shadow`],
  writing('a job of cron', '/etc/cron.d/gza-planted'),
  writing('a program for all', '/usr/local/bin/gza-planted'),
  ['a device', `mknod "./device-$$" c 1 3`],
  [
    'the disk itself',
    `for disk in /dev/[vsn]*; do test -b "$disk" && head -c 1 "$disk" && exit 0; done; exit 1`,
  ],
  ['the log of the kernel as a device', `test -r /dev/kmsg`],
  ['mounts of the machine', `unshare -m true`],
  ['another user', `setpriv --reuid 4711 --clear-groups true`],
  ['settings of the kernel', `test -w /proc/sys/kernel/core_pattern`],
  [
    'groups of processes',
    `mkdir /sys/fs/cgroup/*/gza-planted && rmdir /sys/fs/cgroup/*/gza-planted || mkdir /sys/fs/cgroup/gza-planted && rmdir /sys/fs/cgroup/gza-planted`,
  ],
];

/** Only a closed network stands before these. */
const byNetwork: readonly Attack[] = [
  ['a server of this machine', `curl -sf -m 5 http://127.0.0.1:$PORT/ | grep -q canary`],
  ['the same by IPv6', `curl -sf -m 5 'http://[::1]:'$PORT6/ | grep -q canary`],
  [
    'the same through whatever proxy there is',
    `curl -sf -m 5 --noproxy '' -p http://127.0.0.1:$PORT/ | grep -q canary`,
  ],
  [
    'the same as a plain request to a proxy',
    `curl -sf -m 5 --noproxy '' http://127.0.0.1:$PORT/ | grep -q canary`,
  ],
  ['a name that is no file: an abstract socket', `node "$A/abstract.js"`],
  ['a packet to a name server', `node "$A/dns.js"`],
];

/** Programs of the attacks; they lie in the tree, as whatever an agent writes does. */
const programs = {
  // Above the end of the stack lies what a process was started with.
  'memory.js': `const fs = require('fs'); const mark = 'memory-' + 'canary'; let found = false;
for (const pid of fs.readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name) && Number(name) !== process.pid)) try {
  const [, from, to] = /^([0-9a-f]+)-([0-9a-f]+) .*\\[stack\\]/m.exec(fs.readFileSync('/proc/' + pid + '/maps', 'latin1'));
  const bytes = Buffer.alloc(Math.min(parseInt(to, 16) - parseInt(from, 16), 1 << 20));
  fs.readSync(fs.openSync('/proc/' + pid + '/mem'), bytes, 0, bytes.length, parseInt(to, 16) - bytes.length);
  found ||= bytes.includes(mark);
} catch {}
process.exit(found ? 0 : 1);`,
  'abstract.js': `const http = require('http');
http.get({ socketPath: '\\0' + process.env.ABSTRACT, path: '/' }, (r) => r.on('data', (b) => process.exit(String(b).includes('canary') ? 0 : 1))).on('error', () => process.exit(1));`,
  'dns.js': `const socket = require('dgram').createSocket('udp4');
socket.on('message', () => process.exit(0)); socket.on('error', () => process.exit(1));
socket.send('stolen.example', Number(process.env.UDP), '127.0.0.1', () => setTimeout(() => process.exit(1), 1500));`,
};

const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** Prints a line for each attack that worked. */
function scriptOf(attacks: readonly Attack[], set: Readonly<Record<string, string | number>>): string {
  const lines = attacks.map(
    ([what, script]) => `timeout 10 sh -c ${quote(script)} > /dev/null 2>&1 && echo ${quote(`got: ${what}`)}`,
  );
  const names = Object.entries(set).map(([name, value]) => `export ${name}=${quote(String(value))}`);
  return `${[...names, 'export A="$PWD/attack" S="$(ls -d "$P"/.local/state/gza/repo-* | head -1)"', ...lines].join('\n')}\necho played\n`;
}

interface Played {
  readonly agent: readonly string[];
  readonly check: readonly string[];
}

const closing: (() => unknown)[] = [];
const servers: Server[] = [];

async function listen(...where: readonly (string | number)[]): Promise<number> {
  const server = createServer((_, response) => response.end('canary'));
  servers.push(server);
  server.listen(...(where as [number]));
  await once(server, 'listening');
  return (server.address() as AddressInfo).port ?? 0;
}

function neighbour(shop: Workshop): ChildProcess {
  const folder = join(shop.dir, 'elsewhere');
  mkdirSync(folder);
  writeFileSync(join(folder, 'in-cwd'), 'canary');
  writeFileSync(join(folder, 'open'), 'open file canary');
  const child = spawn('sleep', ['600.5501'], {
    argv0: 'argument-canary',
    cwd: folder,
    env: { PATH: process.env['PATH'], WORD: 'memory-canary' },
    stdio: [...Array<'ignore'>(23).fill('ignore'), openSync(join(folder, 'open'), 'r')],
  });
  closing.push(() => child.kill('SIGKILL'));
  return child;
}

const asItIs = (words: readonly string[]) => [...words];

async function play(
  attacks: readonly Attack[],
  settings: string,
  env: object,
  on: (words: readonly string[]) => string[] = asItIs,
): Promise<Played> {
  const shop = openWorkshop({
    tasks: 'tasks:\n  - { id: one, type: implement, title: One, prompt: Do it., max_attempts: 1 }\n',
    config: `verify: WHO=check sh attack/all.sh\nagents: { a: { command: [sh, attack/agent.sh], prompt_via: stdin } }\ndefaults: { agents: [a] }\n${settings}`,
  });
  closing.push(() => shop[Symbol.asyncDispose]());
  const person = join(shop.dir, 'home');
  const put = (path: string, text: string) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };
  for (const path of logins) put(join(person, path), 'canary\n');
  for (const path of startFiles) put(join(person, path), 'canary\n');
  put(join(person, '.local/state/gza/another/homes/x/settings.json'), 'gza-word-canary');
  put(join(shop.dir, 'runner-file'), 'canary\n');
  for (const name of ['docker.sock', 'agent.sock', 'home/bus']) await listen(join(shop.dir, name));
  const abstract = `gza-abstract-${process.pid}-${servers.length}`;
  await listen(`\0${abstract}`);
  const udp = dgram.createSocket('udp4', (_, from) => udp.send('canary', from.port, from.address));
  closing.push(() => udp.close());
  udp.bind(0, '127.0.0.1');
  await once(udp, 'listening');
  const script = scriptOf(attacks, {
    D: shop.dir,
    P: person,
    NEIGHBOUR: neighbour(shop).pid ?? 0,
    PORT: await listen(0, '127.0.0.1'),
    PORT6: await listen(0, '::1'),
    UDP: udp.address().port,
    ABSTRACT: abstract,
  });
  for (const [name, text] of Object.entries(programs)) shop.write(`attack/${name}`, text);
  shop.write('attack/all.sh', script);
  shop.write(
    'attack/agent.sh',
    'cat > prompt.txt; WHO=agent sh attack/all.sh > found.txt; rm -rf hard-* device-* looks-harmless; echo done',
  );
  shop.commit('Attacks', 'attack');
  const gza = [process.execPath, join(import.meta.dirname, '../../dist/cli.js'), 'work', 'one']
    .map(quote)
    .join(' ');
  // Not waited for by blocking: the servers are in this process.
  const ran = await start(on(['sh', '-c', `exec ${gza} 9< ${quote(join(shop.dir, 'runner-file'))}`]), {
    cwd: shop.repo,
    env: { ...shop.env, ...env, DEPLOY_TOKEN: 'gza-env-canary' },
  });
  const log = readdirSync(shop.state('logs')).find((name) => name.endsWith('verify.log')) ?? '';
  const check = readFileSync(shop.state('logs', log), 'utf8');
  const found = spawnSync('git', ['show', 'gza/one:found.txt'], { cwd: shop.repo, encoding: 'utf8' }).stdout;
  if (on !== asItIs) expect(check).toMatch(/^# sandbox: unshare, with /m);
  // Without this, nothing was played.
  if (!/played/.test(check) || !/played/.test(found))
    throw new Error(`${ran.stdout}${ran.stderr}${check}${found}`);
  const written = (path: string) => {
    const at = path.replace('$P', person).replace('$D', shop.dir).replace('$S', shop.state());
    return existsSync(at) ? readFileSync(at, 'utf8') : '';
  };
  const texts = new Map(attacks.map(([, , path = '']) => [path, path && written(path)]));
  const got = (who: string, text: string) =>
    attacks.flatMap(([what, , path]) => {
      const isGot = path ? texts.get(path)?.includes(`planted by ${who}`) : text.includes(`got: ${what}\n`);
      return isGot ? [what] : [];
    });
  for (const path of ['/etc/cron.d/gza-planted', '/usr/local/bin/gza-planted']) rmSync(path, { force: true });
  return { agent: got('agent', found), check: got('check', check) };
}

/** Some need a program, or are refused to everyone on some machines. */
const works = (script: string) => spawnSync('sh', ['-c', script]).status === 0;
const needs: Readonly<Record<string, string>> = {
  'tracing a neighbour': 'command -v strace',
  'the disk itself': 'head -c 1 /dev/[vsn]da',
};
const can = ([what]: Attack) => works(needs[what] ?? 'true');
/** In a container root may not do everything. */
const worksHere = ([, script, path]: Attack) =>
  works(path ? `test -w "$(dirname ${path})"` : `cd "$(mktemp -d)" && { ${script}; }`);
const machine = [...anyone, ...(isRoot ? ofRoot.filter(worksHere) : [])].filter(can);
const all = [...machine, ...byNetwork];
let open: Played;
let closed: Played;
let none: Played;
/** The same where the machine has no bubblewrap. */
let second: Played;

('file' in probed ? describe : describe.skip)('what an agent and code under test get of this machine', () => {
  beforeAll(async () => {
    none = await play(all, 'isolation: off\n', {});
    open = await play(all, '', { GZA_ISOLATION: undefined });
    closed = await play(all, 'network: model-only\n', { GZA_ISOLATION: undefined });
    if (canHideBubblewrap)
      second = await play(all, 'network: model-only\n', { GZA_ISOLATION: undefined }, withoutBubblewrap);
    else second = closed;
  }, 240_000);
  afterAll(async () => {
    for (const server of servers) server.close();
    for (const close of closing) await close();
  });

  test.each(machine.map(([what]) => what))('%s: only where there is no sandbox', (what) => {
    const got = ({ agent, check }: Played) => [agent.includes(what), check.includes(what)];
    expect({ open: got(open), closed: got(closed), second: got(second), none: got(none) }).toEqual({
      open: [false, false],
      closed: [false, false],
      second: [false, false],
      none: [true, true],
    });
  });

  test.each(byNetwork.map(([what]) => what))('%s: only where the network is open', (what) => {
    const got = ({ agent, check }: Played) => [agent.includes(what), check.includes(what)];
    expect({ closed: got(closed), second: got(second), none: got(none) }).toEqual({
      closed: [false, false],
      second: [false, false],
      none: [true, true],
    });
  });
});
