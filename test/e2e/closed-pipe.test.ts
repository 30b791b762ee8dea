import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { cliFile, type Sandbox } from './cli.ts';
import { openWorkshop } from './workshop.ts';

const task = (id: string) => `  - { id: ${id}, type: implement, title: Task ${id}, prompt: Do it. }\n`;

/**
 * `gza … | head -1`, by a real shell. Where a file is named, the reader waits for it without reading; it is gone
 * before the file `closed` is there.
 */
function headOf({ repo, env, dir }: Sandbox, words: string, file = '') {
  const waits = `n=0; while [ ! -e '${join(dir, file)}' ] && [ $n -lt 400 ]; do sleep 0.05; n=$((n+1)); done`;
  const gza = `'${process.execPath}' '${cliFile}' ${words}; echo $? > '${dir}/code'`;
  const child = spawn(
    'sh',
    ['-c', `{ ${gza}; } | { head -n 1; ${waits}; exec <&-; touch '${dir}/closed'; }`],
    {
      cwd: repo,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    },
  );
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
  return new Promise<{ code: string; stdout: string; stderr: string }>((resolve, reject) => {
    const timer = setTimeout(() => {
      process.kill(-(child.pid ?? 0), 'SIGKILL');
      reject(new Error(`it did not end:\n${stdout}${stderr}`));
    }, 60_000);
    child.on('close', () => {
      clearTimeout(timer);
      const code = existsSync(join(dir, 'code')) ? readFileSync(join(dir, 'code'), 'utf8').trim() : '';
      resolve({ code, stdout, stderr });
    });
  });
}

test('what only prints ends with 0 and without a word when nobody reads on, however much there is', async () => {
  const many = Array.from({ length: 1_500 }, (_, n) => task(`task-${n}`));
  await using shop = openWorkshop({ tasks: `tasks:\n${many.join('')}` });
  for (const words of ['list', 'list --json', 'ready', 'graph', 'work --all --dry-run']) {
    const { code, stderr } = await headOf(shop, words);
    expect([words, code, stderr]).toEqual([words, '0', '']);
  }
});

test('gza watch ends with the next change that nobody reads', async () => {
  await using shop = openWorkshop({ tasks: `tasks:\n${task('a')}` });
  const ending = headOf(shop, 'watch --interval 0.2');
  for (let n = 0; n < 600 && !existsSync(join(shop.dir, 'closed')); n += 1) await sleep(25);
  await shop.add('A change to print');
  expect(await ending).toMatchObject({ code: '0', stderr: '' });
});

test('gza work whose reader is gone stops what runs, saves it, frees the claims, and goes on the next time', async () => {
  await using shop = openWorkshop({
    tasks: `tasks:\n${task('a')}${task('b')}`,
    agents: {
      x: `echo $GZA_TASK >> $GZA_TASK.txt; touch "$D/at.$GZA_TASK"
[ $GZA_TASK = a ] && wait_for "$D/closed"
[ $GZA_TASK = b ] && wait_for "$D/never"
echo done`,
    },
  });
  const { code, stderr } = await headOf(shop, 'work --all --parallel 2', 'at.b');
  expect({ code, stderr }).toEqual({ code: '0', stderr: '' });
  expect(shop.strays()).toEqual([]);
  expect(readdirSync(shop.state('clones'))).toEqual([]);
  expect(await shop.says('status')).not.toContain('in_progress');
  expect(shop.git('show', 'gza/b:b.txt')).toBe('b');
  expect(shop.record('b')['attempts']).toBeUndefined();
  shop.write('../never', '');
  expect((await shop.work('--all')).stdout).toContain('✓ Task #b completed');
  expect(shop.git('show', 'gza/b:b.txt')).toBe('b\nb');
});

test('git tasks run whose reader is gone stops the agent and frees its task', async () => {
  await using shop = openWorkshop({});
  const id = await shop.add('Takes a while');
  const later = await shop.add('Another');
  shop.agent('runner', 'while :; do echo more; sleep 0.1; done');
  const runner = join(shop.dir, 'bin', 'agent-runner');
  const { code, stderr, stdout } = await headOf(shop, `run --runner '${runner}' --delay 0`);
  expect({ code, stderr }).toEqual({ code: '0', stderr: '' });
  expect(stdout).toBe(`Running task #${id}: Takes a while\n`);
  expect(shop.strays()).toEqual([]);
  expect(shop.runs()).toHaveLength(1);
  for (const one of [id, later]) expect(await shop.json(`show ${one}`)).toMatchObject({ status: 'pending' });
});
