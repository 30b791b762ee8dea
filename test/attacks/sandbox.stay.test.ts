/** What wants to stay when its run is over, and what wants to have all of the machine. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { probeBubblewrap } from '../../src/agents/sandbox/sandbox.ts';
import { builtInConfig } from '../../src/core/config/config.ts';
import { verify } from '../../src/engine/checks/verify.ts';
import { cliFile } from '../e2e/cli.ts';
import { openWorkshop } from '../e2e/workshop.ts';
import { canHideBubblewrap, withoutBubblewrap } from './without-bubblewrap.ts';

process.env['GZA_TEST_PROCESSES'] = 'yes';
const here = 'file' in (await probeBubblewrap()) ? describe : describe.skip;
const isRoot = process.getuid?.() === 0;
const isRunning = (mark: string) => spawnSync('pgrep', ['-f', `^[^ ]*sleep ${mark}`]).status === 0;

/** Each starts `sleep <mark>` in its own way, and ends. */
const ways: readonly (readonly [string, string])[] = [
  ['in the background', 'sleep MARK > /dev/null 2>&1 &'],
  ['nohup', 'nohup sleep MARK > /dev/null 2>&1 &'],
  ['deaf to signals', `(trap '' TERM HUP INT QUIT; exec sleep MARK) > /dev/null 2>&1 &`],
  ['a session of its own', 'setsid -f sleep MARK > /dev/null 2>&1'],
  ['a session and no environment', 'setsid -f env -i sleep MARK > /dev/null 2>&1'],
  ['two forks', '(( setsid env -i sleep MARK > /dev/null 2>&1 & ) & )'],
  ['another name', `(exec -a kworker env -i setsid -f sleep MARK) > /dev/null 2>&1`],
  [
    'a child that node lets go',
    `node -e "require('child_process').spawn('sleep', ['MARK'], { detached: true, stdio: 'ignore', env: {} }).unref()"`,
  ],
  ['a process namespace of its own', 'setsid -f unshare -Urpf sleep MARK > /dev/null 2>&1'],
  ['with output that stays open', 'setsid -f env -i sleep MARK'],
];
const markOf = (at: number, by: string) => `6${by}0.88${String(at).padStart(2, '0')}`;
const scriptOf = (by: string) => ways.map(([, way], at) => way.replaceAll('MARK', markOf(at, by))).join('\n');

here('what stays when the run is over', () => {
  const marks = ['1', '2', '3'].map((by) => ways.map((_, at) => markOf(at, by)));
  let after: boolean[][];
  let plain: ChildProcess;

  beforeAll(async () => {
    await using shop = openWorkshop({
      tasks: 'tasks:\n  - { id: one, type: implement, title: One, prompt: Do it., max_attempts: 1 }\n',
      config: `verify: bash check.sh\nagents: { a: { command: [bash, agent.sh], prompt_via: stdin } }\ndefaults: { agents: [a] }\n`,
    });
    shop.write('agent.sh', `${scriptOf('1')}\nsleep 0.3; echo x > x; echo done\n`);
    shop.write('check.sh', `${scriptOf('2')}\nsleep 0.3\n`);
    shop.commit('Attacks', 'agent.sh', 'check.sh');
    const ran = await shop.gza(['work', 'one'], { env: { GZA_ISOLATION: undefined } });
    if (!ran.stdout.includes('✓ Task #one completed')) throw new Error(ran.stdout + ran.stderr);
    plain = spawn('bash', ['-c', scriptOf('3')], { stdio: 'ignore' });
    await new Promise((resolve) => plain.once('exit', resolve));
    await new Promise((resolve) => setTimeout(resolve, 300));
    after = marks.map((of) => of.map(isRunning));
  });
  afterAll(() => {
    for (const mark of marks.flat()) spawnSync('pkill', ['-KILL', '-f', `sleep ${mark}`]);
  });

  test.each(ways.map(([way], at) => ({ way, at })))('$way: only without gza', ({ at }) => {
    const [byAgent, byCheck, byItself] = after.map((of) => of[at]);
    expect({ byAgent, byCheck, byItself }).toEqual({ byAgent: false, byCheck: false, byItself: true });
  });
});

here('what takes all that there is', () => {
  let folder: string;
  let tree: string;
  beforeEach(() => {
    folder = mkdtempSync('/tmp/gza-all-');
    tree = join(folder, 'tree');
    mkdirSync(tree);
  });
  afterEach(() => {
    spawnSync('umount', ['-lq', tree]);
    rmSync(folder, { recursive: true, force: true });
  });
  const check = async (script: string, memory_gb?: number) => {
    const { checks } = await verify({
      treeDir: tree,
      task: {},
      commands: { verify: script },
      limits: { timeoutMs: 60_000, idleMs: 30_000, graceMs: 500 },
      logPath: join(folder, 'verify.log'),
      env: process.env,
      sandbox: {
        ...builtInConfig,
        sandbox: { read: [], ...(memory_gb ? { memory_gb } : {}), tmp_gb: 1 },
        caller: { ...process.env, GZA_ISOLATION: undefined },
      },
    });
    return checks[0];
  };

  /** 600 MB each, then the word. */
  const eaters: readonly (readonly [string, string])[] = [
    [
      'files in memory without a name',
      `python3 -c "import os,time
h = os.memfd_create('x')
for i in range(60): os.write(h, b'x' * (10 << 20)); time.sleep(0.03)
time.sleep(1.5)"`,
    ],
    ['its temporary folder', `head -c 600000000 /dev/zero > /tmp/full; sleep 2; rm /tmp/full`],
    [
      'a temporary folder in a namespace of its own',
      `unshare -Urm sh -c 'mount -t tmpfs -o size=5g x /tmp && head -c 600000000 /dev/zero > /tmp/full && sleep 2'`,
    ],
    [
      'memory that many share',
      `python3 -c "import mmap,time
m = mmap.mmap(-1, 600 << 20)
for i in range(0, 600 << 20, 4096): m[i] = 1
time.sleep(2)"`,
    ],
  ];
  test.each(eaters)('%s counts as memory', async (_, script) => {
    const eaten = await check(`${script} && echo ate`, 0.4);
    expect({ endedBy: eaten?.endedBy, reason: eaten?.reason }).toEqual({
      endedBy: 'resources',
      reason: expect.stringMatching(/it used 0\.\d GB of memory; its limit is 0\.4 GB/),
    });
    expect(await check(`${script} && echo ate`)).toMatchObject({ ok: true, output: 'ate' });
  });

  (isRoot ? test : test.skip)('a disk full of empty files is not waited for', async () => {
    const many = 'i=0; while [ $i -lt 1500 ]; do : > f$i; i=$((i+1)); done; sleep 3; echo made';
    spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=40m,nr_inodes=2000', 'tmpfs', tree]);
    expect(await check(many)).toMatchObject({
      endedBy: 'resources',
      reason: expect.stringContaining('it filled the disk with files'),
    });
    spawnSync('umount', ['-l', tree]);
    expect(await check(many)).toMatchObject({ ok: true, output: 'made' });
  });
});

const machines = [
  ['with bubblewrap', (words: readonly string[]) => [...words], true] as const,
  ['without bubblewrap', withoutBubblewrap, canHideBubblewrap] as const,
];
here('when gza itself is killed', () => {
  test.each(machines)('%s: all that ran in the sandbox is gone with it', async (_, on, can) => {
    if (!can) return;
    const mark = `640.${process.pid}${on === withoutBubblewrap ? 2 : 1}`;
    await using shop = openWorkshop({
      tasks: 'tasks:\n  - { id: one, type: implement, title: One, prompt: Do it., max_attempts: 1 }\n',
      config: `agents: { a: { command: [sh, agent.sh], prompt_via: stdin } }\ndefaults: { agents: [a] }\n`,
    });
    shop.write('agent.sh', `setsid -f env -i sleep ${mark}; sleep ${mark}\n`);
    shop.commit('Attacks', 'agent.sh');
    const [file = '', ...args] = on([process.execPath, cliFile, 'work', 'one']);
    const env = { ...shop.env, GZA_ISOLATION: '' };
    const gza = spawn(file, args, { cwd: shop.repo, env, stdio: 'ignore' });
    const until = async (is: () => boolean) => {
      for (let turn = 0; turn < 600 && !is(); turn += 1) await new Promise((done) => setTimeout(done, 50));
    };
    await until(() => isRunning(mark));
    expect(isRunning(mark)).toBe(true);
    gza.kill('SIGKILL');
    await until(() => !isRunning(mark));
    expect(isRunning(mark)).toBe(false);
  });
});

test('a file that gza was started with is not handed on', async () => {
  await using shop = openWorkshop({
    tasks: 'tasks:\n  - { id: one, type: implement, title: One, prompt: Do it., max_attempts: 1 }\n',
    agents: { a: '{ echo got; cat <&9; } > found.txt 2> /dev/null; echo done' },
  });
  const secret = join(shop.dir, 'secret');
  writeFileSync(secret, 'canary');
  const from = (what: string) =>
    spawnSync('sh', ['-c', `exec ${what} 9< '${secret}'`], {
      cwd: shop.repo,
      env: shop.env,
    });
  expect(from(`sh -c 'cat <&9'`).stdout.toString()).toBe('canary');
  from(`'${process.execPath}' '${join(import.meta.dirname, '../../dist/cli.js')}' work one`);
  expect(shop.git('show', 'gza/one:found.txt')).toBe('got');
});
