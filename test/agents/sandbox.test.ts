/** What others wrote, attacking this machine from a check; each attack once more without the sandbox, where it works. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { startProcess } from '../../src/agents/run-process.ts';
import { openSandbox, probeBubblewrap, type SandboxSettings } from '../../src/agents/sandbox/sandbox.ts';
import { probeUnshare } from '../../src/agents/sandbox/unshare.ts';
import type { Check } from '../../src/core/checks/verification.ts';
import { builtInConfig } from '../../src/core/config/config.ts';
import { type VerifyOptions, verify } from '../../src/engine/checks/verify.ts';

/** Each way to a sandbox that a machine may have; what is said of one holds for all. */
const rungs = await Promise.all(
  [['bubblewrap', probeBubblewrap] as const, ['unshare', probeUnshare] as const].map(
    async ([name, probe]) => {
      const probed = await probe();
      const isHere = 'file' in probed;
      const why = isHere ? '' : ` (not played: ${probed.why.split('\n')[0]})`;
      return { title: `in the sandbox of ${name}${why}`, probe, isHere };
    },
  ),
);
const has = (program: string) => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;

let probe: SandboxSettings['probe'];
let folder: string;
let tree: string;
let person: string;
const servers: Server[] = [];
const children: ChildProcess[] = [];

beforeEach(() => {
  // Not in memory, where other suites are: the sandbox has a /dev of its own.
  folder = mkdtempSync('/tmp/gza-sandbox-');
  tree = join(folder, 'tree');
  person = join(folder, 'person');
  mkdirSync(tree);
  mkdirSync(join(person, '.ssh'), { recursive: true });
  writeFileSync(join(person, '.ssh', 'id_ed25519'), 'the private key\n');
});

afterEach(() => {
  for (const server of servers.splice(0)) server.close();
  for (const child of children.splice(0)) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

type Settings = Partial<SandboxSettings>;
const sandboxOf = (settings: Settings): SandboxSettings => ({
  ...builtInConfig,
  caller: { ...process.env, HOME: person, GZA_ISOLATION: undefined },
  ...(probe ? { probe } : {}),
  ...settings,
});

async function check(
  script: string,
  settings: Settings = {},
  limits: Partial<VerifyOptions['limits']> = {},
): Promise<Check & { readonly log: string }> {
  const logPath = join(folder, 'verify.log');
  rmSync(logPath, { force: true });
  const { checks } = await verify({
    treeDir: tree,
    task: {},
    commands: { verify: script },
    limits: { timeoutMs: 60_000, idleMs: 30_000, graceMs: 1000, ...limits },
    logPath,
    env: {
      ...process.env,
      RUSTUP_HOME: process.env['RUSTUP_HOME'] ?? join(homedir(), '.rustup'),
      HOME: person,
      ANTHROPIC_API_KEY: 'sk-ant-canary',
    },
    sandbox: sandboxOf(settings),
  });
  return { ...(checks[0] as Check), log: readFileSync(logPath, 'utf8') };
}

const off = { isolation: 'off' } as const;
const words = async (script: string, settings?: Settings) => (await check(script, settings)).output;

/** A process of this user's that holds a secret, as gza itself is one. */
function victim(): number {
  const child = spawn('sleep', ['600'], {
    env: { PATH: process.env['PATH'], TOKEN: 'token-canary' },
    stdio: 'ignore',
  });
  children.push(child);
  return child.pid ?? 0;
}

const isAlive = (child: number) => {
  const stat = `/proc/${child}/stat`;
  return existsSync(stat) && !/\) [ZX] /.test(readFileSync(stat, 'latin1'));
};

/** Gives its port; `at` a path for a Unix socket. */
const listening = (answer: string, at?: string): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer((_, response) => response.end(answer));
    servers.push(server);
    const done = () => resolve((server.address() as AddressInfo).port ?? 0);
    if (at === undefined) server.listen(0, '127.0.0.1', done);
    else server.listen(at, done);
  });

const isRunning = (mark: string) =>
  spawnSync('pgrep', ['-f', mark], { encoding: 'utf8' }).stdout.trim() !== '';

describe.each(rungs)('$title', ({ isHere, probe: probeOf }) => {
  const boxed = isHere ? test : test.skip;
  /** A test of a program that is not everywhere. */
  const withProgram = (program: string, works: boolean = has(program)) =>
    isHere && works ? test : test.skip;
  beforeEach(() => {
    probe = probeOf;
  });

  boxed('it reads no file of the person, and none of the machine beside what programs need', async () => {
    writeFileSync(join(folder, 'runner-file'), 'job canary');
    const script = `cat ${join(person, '.ssh/id_ed25519')} ${join(folder, 'runner-file')}; cat /etc/shadow; ls -A ~; true`;
    expect(await words(script, off)).toMatch(/the private key\n[^]*job canary/);
    const output = await words(script);
    expect(output).not.toMatch(/private key|canary|root:/);
    expect(output).toContain('No such file');
  });

  boxed('it sees no other process: neither what one was started with, nor can it end one', async () => {
    const pid = victim();
    const script = `cat /proc/*/environ 2>/dev/null | tr '\\0' '\\n' | grep canary; kill -KILL ${pid} && echo killed; true`;
    expect(await words(script)).not.toMatch(/canary|killed/);
    expect(isAlive(pid)).toBe(true);
    expect(await words(script, off)).toMatch(/token-canary[^]*killed/);
    expect(isAlive(pid)).toBe(false);
  });

  boxed('nothing that it starts outlives it', async () => {
    const script = (mark: string) => `(env -i setsid sleep ${mark} >/dev/null 2>&1 &); sleep 0.2`;
    await check(script('600.7301'));
    expect(isRunning('600.7301')).toBe(false);
    await check(script('600.7302'), off);
    expect(isRunning('600.7302')).toBe(true);
    spawnSync('pkill', ['-f', '600.7302']);
  });

  boxed('it writes its tree, its HOME and its /tmp, and nothing else', async () => {
    const outside = join(folder, 'outside');
    const script = `echo x > in-tree; echo x > ~/in-home; echo x > /tmp/in-tmp-7303; cat in-tree ~/in-home /tmp/in-tmp-7303; echo x > ${outside}; echo x > /etc/in-etc-7303; echo x > /in-top-7303; true`;
    const { output } = await check(script);
    expect(output).toMatch(/^x\nx\nx\n/);
    expect(existsSync(join(tree, 'in-tree'))).toBe(true);
    const written = [outside, '/etc/in-etc-7303', '/in-top-7303', '/tmp/in-tmp-7303'];
    expect(written.filter((path) => existsSync(path))).toEqual([]);
    await check(`echo x > ${outside}`, off);
    expect(existsSync(outside)).toBe(true);
  });

  boxed('settings of the machine stay as they are, also for root and in a namespace of its own', async () => {
    const look = `for path in /proc/sys/kernel/core_pattern /proc/sys/vm/swappiness /proc/sysrq-trigger; do test -w $path && echo "may write $path"; done`;
    const script = `${look}
unshare -Urm sh -c 'umount -l /etc/shadow /tmp; mount -o remount,rw /etc; echo x > /etc/in-etc-7304 && echo wrote' 2>/dev/null; true`;
    expect(await words(script)).toBe('');
    expect(existsSync('/etc/in-etc-7304')).toBe(false);
    if (process.getuid?.() === 0)
      expect(await words(look, off)).toContain('may write /proc/sys/kernel/core_pattern');
  });

  boxed('a fork bomb is ended, and why is said', async () => {
    const bomb =
      'i=0; while [ $i -lt 300 ]; do sleep 20 & i=$((i+1)); done; sleep 1.5; echo all; kill $(jobs -p)';
    const { ok, reason, output } = await check(bomb, { sandbox: { read: [], processes: 100 } });
    expect(ok).toBe(false);
    // Root has no limit in the kernel, so its processes are counted; for others the kernel refuses.
    if (process.getuid?.() === 0)
      expect(reason).toContain('it started more than 100 processes (sandbox.processes');
    else expect(output).toMatch(/fork/);
    expect((await check(bomb)).output).toContain('all');
  });

  boxed('one that takes too much memory is ended, and why is said', async () => {
    writeFileSync(
      join(tree, 'eat.js'),
      'const all = []; const eat = () => { if (all.length < 40) { all.push(Buffer.alloc(20 << 20, 1)); setTimeout(eat, 40); } else { console.log("ate"); } }; eat();',
    );
    const { reason, endedBy } = await check('node eat.js', { sandbox: { read: [], memory_gb: 0.3 } });
    expect(endedBy).toBe('resources');
    expect(reason).toMatch(
      /it used 0\.\d GB of memory; its limit is 0\.3 GB \(sandbox\.memory_gb in gza\.yaml\)/,
    );
    expect(await words('node eat.js')).toContain('ate');
  });

  boxed('a full /tmp is its own affair', async () => {
    const script =
      'head -c 60000000 /dev/zero > /tmp/full-7305 && ls -l /tmp/full-7305; rm -f /tmp/full-7305';
    const small = { sandbox: { read: [], tmp_gb: 0.02 } };
    expect(await words(script, small)).toMatch(/No space left/);
    expect(await words(script, { ...small, ...off })).toContain('60000000');
  });

  const canMount = process.getuid?.() === 0;
  (isHere && canMount ? test : test.skip)('a full disk is not waited for', async () => {
    spawnSync('sh', ['-c', `mount -t tmpfs -o size=40m tmpfs ${tree}`]);
    try {
      const { endedBy, reason } = await check('head -c 30000000 /dev/zero > big; sleep 20');
      expect(endedBy).toBe('resources');
      expect(reason).toContain('it filled the disk');
    } finally {
      spawnSync('sh', ['-c', `umount -l ${tree}`]);
    }
  });

  boxed('output without end is ended, with all that prints it', async () => {
    const { endedBy } = await check('yes 7306-flood & yes 7306-flood', {}, { outputBytesMax: 1 << 20 });
    expect(endedBy).toBe('output_limit');
    expect(isRunning('7306-flood')).toBe(false);
  });

  boxed('it is asked to end before it is ended', async () => {
    const script = "trap 'echo tidied; exit 0' TERM; sleep 30 & wait";
    const { output, endedBy } = await check(script, {}, { timeoutMs: 2500 });
    expect({ output, endedBy }).toEqual({ output: 'tidied', endedBy: 'timeout' });
    const deaf = await check("trap '' TERM; sleep 600.7307", {}, { timeoutMs: 2000, graceMs: 300 });
    expect(deaf.endedBy).toBe('timeout');
    expect(isRunning('600.7307')).toBe(false);
  });

  boxed('it gets its own variables and no others, not even as those of its first process', async () => {
    process.env['GZA_TEST_CANARY'] = 'environment-canary';
    const script = 'env; cat /proc/1/environ /proc/1/cmdline; readlink /proc/$$/fd/3; true';
    expect(await words(script)).not.toMatch(/canary|pipe:|socket:/);
    delete process.env['GZA_TEST_CANARY'];
  });

  boxed('hosts that network does not name are out of reach; loopback inside is not', async () => {
    const [named, other] = [await listening('named answer'), await listening('other answer')];
    const network = [`*.0.0.1:${named}`];
    const ask = (port: number, how = '') => `curl -sS -m 10 ${how} http://127.0.0.1:${port}/ 2>&1; echo;`;
    const through = "--noproxy '' --proxytunnel";
    const direct = ask(named) + ask(other);
    expect(await words(direct)).toMatch(/named answer[^]*other answer/);
    expect(await words(direct, { network })).not.toContain('answer');
    const output = await words(ask(named, through) + ask(other, through), { network });
    expect(output).toContain('named answer');
    expect(output).not.toContain('other answer');
    expect(output).toContain('403');
    writeFileSync(
      join(tree, 'loop.js'),
      "const s = require('http').createServer((_, r) => r.end('inside')); s.listen(0, '127.0.0.1', async () => { console.log(await (await fetch('http://127.0.0.1:' + s.address().port)).text()); s.close(); });",
    );
    expect(await words('node loop.js', { network: ['model-only'] })).toContain('inside');
  });

  boxed(
    'a port of this machine is there inside too when gza offers it, as that of the model proxy',
    async () => {
      const [port, other] = [await listening('model answer'), await listening('other answer')];
      mkdirSync(join(folder, 'home'));
      const place = { tree, home: join(folder, 'home'), env: process.env, ports: [port] };
      for (const network of [['model-only'], ['open']]) {
        const sandbox = await openSandbox(sandboxOf({ network }), place);
        let output = '';
        await startProcess({
          file: '/bin/sh',
          args: ['-c', `for port in ${port} ${other}; do curl -sS -m 10 http://127.0.0.1:$port/; done`],
          cwd: tree,
          env: { PATH: process.env['PATH'] },
          stdin: '',
          mark: 'relay-test',
          limits: { timeoutMs: 30_000, idleMs: 30_000, outputBytesMax: 1 << 20 },
          sandbox,
          onStdout: (text) => (output += text),
          onStderr: () => {},
        }).ended;
        sandbox.close();
        expect(output).toBe(network[0] === 'open' ? 'model answerother answer' : 'model answer');
      }
    },
  );

  boxed('docker is out of reach unless `docker: host` asks for it, which is said', async () => {
    const path = join(folder, 'docker.sock');
    await listening('docker answer', path);
    const caller = { ...process.env, DOCKER_HOST: `unix://${path}` };
    const script = `for path in ${path} /run/docker.sock; do curl -sS -m 5 --unix-socket $path http://docker/_ping; done; echo; echo $DOCKER_HOST`;
    expect(await words(script, { caller, ...off })).toContain('docker answer');
    expect(await words(script, { caller })).not.toContain('docker answer');
    const given = await check(script, { caller, docker: 'host' });
    expect(given.output).toMatch(/docker answer[^]*unix:\/\/\/run\/docker\.sock/);
    expect(given.log).toContain('docker: host is set, which defeats it');
  });

  boxed('`sandbox.read` shows more, and only to read', async () => {
    const settings = { sandbox: { read: ['~/.ssh'] } };
    const output = await words(`cat ${person}/.ssh/id_ed25519; echo x > ${person}/.ssh/id_ed25519`, settings);
    expect(output).toMatch(/the private key\n.*Read-only/);
  });

  boxed(
    'folders of programs below a HOME are there with what their links lead to, and no logins',
    async () => {
      const write = (path: string, text: string) => {
        mkdirSync(join(person, path, '..'), { recursive: true });
        writeFileSync(join(person, path), text, { mode: 0o755 });
      };
      write('.tool/bin/tool', '#!/bin/sh\ncat "$(dirname "$0")/../lib/part"\n');
      write('.tool/lib/part', 'part of the tool\n');
      write('.tool/credentials.toml', 'login canary\n');
      write('.local/share/agent/1.0/agent', '#!/bin/sh\necho agent runs\n');
      write('.local/share/keyrings/login', 'keyring canary\n');
      mkdirSync(join(person, '.local/bin'));
      spawnSync('ln', ['-s', '../share/agent/1.0/agent', join(person, '.local/bin/agent')]);
      const PATH = `${join(person, '.tool/bin')}:${join(person, '.local/bin')}:${process.env['PATH']}`;
      const before = process.env['PATH'];
      process.env['PATH'] = PATH;
      const output = await words(
        `tool; agent; cd ${person}; cat .tool/credentials.toml .local/share/keyrings/*`,
      ).finally(() => {
        process.env['PATH'] = before;
      });
      expect(output).toMatch(/part of the tool\nagent runs/);
      expect(output).not.toContain('canary');
    },
  );

  withProgram('npm')('npm installs and tests', async () => {
    mkdirSync(join(tree, 'dep'));
    writeFileSync(join(tree, 'dep/package.json'), '{"name": "dep", "version": "1.0.0", "main": "dep.js"}');
    writeFileSync(join(tree, 'dep/dep.js'), 'module.exports = 42;');
    writeFileSync(
      join(tree, 'package.json'),
      '{"name": "top", "version": "1.0.0", "scripts": {"test": "node --test"}}',
    );
    writeFileSync(
      join(tree, 'top.test.js'),
      "require('node:test')('adds', () => require('node:assert').equal(require('dep'), 42));",
    );
    const script =
      '(cd dep && npm pack --silent) && npm install --no-audit --no-fund --silent ./dep/dep-1.0.0.tgz && npm test';
    const { ok, output, results } = await check(script, {}, { timeoutMs: 120_000, idleMs: 120_000 });
    expect({ ok, output, passed: results?.passed }).toEqual({ ok: true, output, passed: 1 });
  });

  withProgram('cargo')(
    'cargo builds and tests',
    async () => {
      mkdirSync(join(tree, 'src'));
      writeFileSync(
        join(tree, 'Cargo.toml'),
        '[package]\nname = "top"\nversion = "0.1.0"\nedition = "2021"\n',
      );
      writeFileSync(join(tree, 'src/lib.rs'), '#[test]\nfn adds() { assert_eq!(1 + 1, 2); }\n');
      const { ok, output } = await check('cargo test --offline', {}, { timeoutMs: 240_000, idleMs: 240_000 });
      expect({ ok, output }).toEqual({ ok: true, output });
    },
    300_000,
  );

  withProgram('chromium')(
    'a browser shows a page that is served inside',
    async () => {
      writeFileSync(
        join(tree, 'page.js'),
        `const s = require('http').createServer((_, r) => r.setHeader('content-type', 'text/html').end('<body><script>document.body.textContent = "6 x 7 = " + 6 * 7</script>'));
s.listen(0, '127.0.0.1', () => require('child_process').execFile('chromium', ['--headless', '--disable-gpu', '--no-sandbox', '--dump-dom', 'http://127.0.0.1:' + s.address().port], (error, out) => { console.log(error ? String(error) : out); s.close(); }));`,
      );
      const { output } = await check('node page.js', {}, { timeoutMs: 100_000, idleMs: 60_000 });
      expect(output).toContain('6 x 7 = 42');
    },
    120_000,
  );

  withProgram('bwrap')('an agent may bring a sandbox of its own', async () => {
    // As root there is no new /proc in it: the kernel wants to see all of the old one.
    const proc = process.getuid?.() === 0 ? '' : '--proc /proc';
    const script = `bwrap --unshare-user --unshare-pid --unshare-net --ro-bind / / ${proc} --dev /dev --tmpfs /tmp -- echo nested`;
    expect(await words(script)).toContain('nested');
  });

  withProgram('docker', spawnSync('docker', ['info']).status === 0)(
    '`docker: host` runs containers',
    async () => {
      expect((await check('docker ps', { docker: 'host', caller: process.env })).ok).toBe(true);
      expect((await check('docker ps', { caller: process.env })).ok).toBe(false);
    },
  );
});

describe('where there is no sandbox', () => {
  const probe: SandboxSettings['probe'] = async () => ({ why: 'bubblewrap is not installed' });

  test('it is said, with what is not enforced; the limits that do not need it hold', async () => {
    const { log, ok } = await check('echo fine', { probe, network: ['registries'] });
    expect(ok).toBe(true);
    expect(log).toContain(
      'sandbox: none, it can read and write what this user can: bubblewrap is not installed; `network: registries` is not enforced',
    );
    const { reason } = await check('for i in $(seq 40); do sleep 20 & done; wait', {
      probe,
      sandbox: { read: [], processes: 20 },
    });
    expect(reason).toContain('it started more than 20 processes');
  });

  test('`isolation: required` runs nothing', async () => {
    const ran = join(tree, 'ran');
    await expect(check(`touch ${ran}`, { probe, isolation: 'required' })).rejects.toThrow(
      'gza.yaml says `isolation: required`, and there is no sandbox: bubblewrap is not installed',
    );
    const without = { GZA_ISOLATION: 'off' };
    await expect(check(`touch ${ran}`, { probe, isolation: 'required', caller: without })).rejects.toThrow();
    expect(existsSync(ran)).toBe(false);
  });

  test.each([
    ['darwin', 'macOS'],
    ['win32', 'Windows'],
  ] as const)('on %s there is none, which is said', async (platform, name) => {
    const is = Object.getOwnPropertyDescriptor(process, 'platform') as PropertyDescriptor;
    Object.defineProperty(process, 'platform', { ...is, value: platform });
    try {
      // What one machine has is asked once.
      await jest.isolateModulesAsync(async () => {
        const { findSandbox } = await import('../../src/agents/sandbox/sandbox.ts');
        const found = await findSandbox({ isolation: 'auto', caller: {} });
        expect(found).toEqual({ why: `gza has none for ${name}` });
        await expect(findSandbox({ isolation: 'required', caller: {} })).rejects.toThrow(
          `there is no sandbox: gza has none for ${name}`,
        );
      });
    } finally {
      Object.defineProperty(process, 'platform', is);
    }
  });

  test('whoever turned it off is named', async () => {
    expect((await check('true', off)).log).toContain('`isolation: off` in gza.yaml');
    const caller = { GZA_ISOLATION: 'off' };
    expect((await check('true', { caller })).log).toContain('GZA_ISOLATION=off in the environment');
  });
});
