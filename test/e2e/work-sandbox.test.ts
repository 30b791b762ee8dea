import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { probeBubblewrap } from '../../src/agents/sandbox/sandbox.ts';
import { cliFile } from './cli.ts';
import { openWorkshop } from './workshop.ts';

const probed = await probeBubblewrap();
const on = { env: { GZA_ISOLATION: undefined } };
const tasks =
  'tasks:\n  - { id: one, type: implement, title: One, prompt: Do it., auto_review: true, max_attempts: 1 }\n';

/** What it finds out goes into the tree, since nothing else of it comes back. */
const agent = `if [ "$GZA_STEP" = review ]; then verdict APPROVED; exit; fi
{ cat "$D/secret"; echo x > "$D/left"; } > seen.txt 2>&1
git log --oneline -1 > log.txt && git tasks note one "seen from inside" && cat seed.txt >> log.txt
echo done`;

('file' in probed ? test : test.skip)(
  'an agent in the sandbox has its clone with the history and `git tasks`, and nothing else of the machine',
  async () => {
    await using shop = openWorkshop({ tasks });
    shop.write(
      'gza.yaml',
      `agents: { a: { command: [sh, agent.sh], prompt_via: stdin } }\ndefaults: { agents: [a], baseline: skip }\nverify: git log --oneline -1 && test -s log.txt\n`,
    );
    shop.write(
      'agent.sh',
      `D='${shop.dir}'\nverdict() { printf '\\n**Verdict: %s**\\n\\nNonce: %s\\n' "$1" "$GZA_NONCE"; }\n${agent}\n`,
    );
    shop.commit('Agent', 'gza.yaml', 'agent.sh');
    writeFileSync(join(shop.dir, 'secret'), 'canary');
    const { stdout, stderr } = await shop.gza(['work', 'one'], on);
    expect({ stdout, stderr }).toEqual({
      stdout: expect.stringContaining('✓ Task #one completed'),
      stderr: '',
    });
    expect(shop.git('show', 'gza/one:log.txt')).toMatch(/^[0-9a-f]+ .*\nseed$/);
    expect(shop.git('show', 'gza/one:seen.txt')).toMatch(/No such file/);
    expect(shop.git('show', 'gza/one:seen.txt')).not.toContain('canary');
    expect(existsSync(join(shop.dir, 'left'))).toBe(false);
    expect(await shop.says('show one')).toContain('seen from inside');
  },
);

('file' in probed ? test : test.skip)('when gza is killed, so is all that runs in its sandbox', async () => {
  await using shop = openWorkshop({ tasks });
  const sleep = 'sleep 600.7308';
  shop.write(
    'gza.yaml',
    `isolation: required\nagents: { a: { command: [sh, agent.sh], prompt_via: stdin } }\ndefaults: { agents: [a] }\n`,
  );
  shop.write('agent.sh', `env -i setsid ${sleep} &\ntrap '' TERM HUP INT\n${sleep}\n`);
  shop.commit('Agent', 'gza.yaml', 'agent.sh');
  const count = () => spawnSync('pgrep', ['-fc', `^${sleep}`], { encoding: 'utf8' }).stdout.trim();
  const { pid, ended } = shop.start('work', 'one');
  for (let tries = 0; tries < 200 && count() !== '2'; tries += 1) await wait(100);
  expect(count()).toBe('2');
  process.kill(pid, 'SIGKILL');
  await ended;
  for (let tries = 0; tries < 50 && count() !== '0'; tries += 1) await wait(100);
  expect(count()).toBe('0');
});

/** A machine that has none, and one where the kernel does not let it make namespaces. */
const machines: readonly (readonly [string, readonly string[], string])[] =
  'file' in probed
    ? [
        [
          'no bubblewrap and no setpriv',
          ['--ro-bind', '/dev/null', probed.file, '--ro-bind', '/dev/null', '/usr/bin/setpriv'],
          'bubblewrap is not installed',
        ],
        [
          'no namespaces',
          ['--unshare-user', '--disable-userns'],
          'bubblewrap may not make a user namespace here',
        ],
      ]
    : [['what this machine lacks', [], probed.why]];

test.each(machines)(
  'with %s, `isolation: required` starts no agent and costs no attempt; otherwise it is said in the log of the step',
  async (_, how, why) => {
    await using shop = openWorkshop({ tasks, agents: { a: 'echo x > x; verdict APPROVED; echo done' } });
    const work = () => {
      const box =
        how.length === 0 || !('file' in probed) ? [] : [probed.file, '--dev-bind', '/', '/', ...how, '--'];
      const words = [...box, process.execPath, cliFile, 'work', 'one'];
      const env = { ...shop.env, ...on.env } as NodeJS.ProcessEnv;
      return spawnSync(words[0] ?? '', words.slice(1), { cwd: shop.repo, env, encoding: 'utf8' });
    };
    shop.write('gza.yaml', `isolation: required\n${readFileSync(join(shop.repo, 'gza.yaml'), 'utf8')}`);
    const refused = work();
    expect(refused.status).not.toBe(0);
    expect(refused.stdout + refused.stderr).toContain(
      'gza.yaml says `isolation: required`, and there is no sandbox',
    );
    expect(refused.stdout + refused.stderr).toContain(why);
    expect(shop.runs()).toEqual([]);
    shop.write('gza.yaml', readFileSync(join(shop.repo, 'gza.yaml'), 'utf8').replace('required', 'auto'));
    expect(work().stdout).toContain('✓ Task #one completed');
    const logs = readdirSync(shop.state('logs')).map((name) =>
      readFileSync(shop.state('logs', name), 'utf8'),
    );
    expect(logs.join('')).toContain(`sandbox: none, it can read and write what this user can: ${why}`);
  },
);

test('`git tasks run` is no isolation, whatever gza.yaml says, and its log says so', async () => {
  await using shop = openWorkshop({
    tasks: tasks.replace(', auto_review: true', ''),
    agents: { a: 'cat ../secret > seen.txt; git tasks done one' },
  });
  shop.write('gza.yaml', `isolation: required\n${readFileSync(join(shop.repo, 'gza.yaml'), 'utf8')}`);
  writeFileSync(join(shop.dir, 'secret'), 'canary');
  const { stdout } = await shop.gza(['run'], on);
  expect(stdout).toContain('✓ Task #one completed');
  expect(readFileSync(join(shop.repo, 'seen.txt'), 'utf8')).toBe('canary');
  const [log = ''] = readdirSync(shop.state('logs'));
  expect(readFileSync(shop.state('logs', log), 'utf8')).toContain('sandbox: none, as `git tasks run` works');
});
