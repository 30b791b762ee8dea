import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { fakeClaude, key } from './fake-claude.ts';
import { openWorkshop } from './workshop.ts';

const task = (id: string, more = '') =>
  `  - { id: ${id}, type: implement, title: Task ${id}, prompt: Do it.${more} }\n`;

/** What an agent does to the place where it works, and the reason that the record must name. */
const broken: readonly (readonly [name: string, script: string, reason: RegExp])[] = [
  ['removes its tree', 'cd /; rm -rf "$T"', /tree is no folder any more/],
  ['removes all of its clone', 'cd /; rm -rf "$(dirname "$T")"', /tree is no folder any more/],
  ['puts a link in the place of its tree', 'cd ..; mv tree aside; ln -s aside tree', /tree is no folder/],
  ['puts a file in the place of its tree', 'cd ..; rm -rf tree; echo x > tree', /tree is no folder any more/],
  [
    'removes the folder that gza has beside its tree',
    'rm -rf ../git',
    /git status failed|no folder any more/,
  ],
  ['makes a pipe of .gitignore', 'mkfifo .gitignore', /\.gitignore is no plain file/],
  [
    'makes a pipe of .gitattributes',
    'echo x >> seed.txt; mkfifo .gitattributes',
    /\.gitattributes is no plain file/,
  ],
  ['makes a pipe of its spool', 'rm -f "$GZA_SPOOL"; mkfifo "$GZA_SPOOL"', /spool .* no plain file/],
  ['makes a folder of its spool', 'rm -f "$GZA_SPOOL"; mkdir "$GZA_SPOOL"', /spool .* no plain file/],
  ['leaves rules of 5 GB without content', 'truncate -s 5G .gitignore', /\.gitignore has 5\d+ bytes/],
  [
    'makes a pipe of the log of its checks',
    'for log in "$HOME"/../../logs/*-implement.log; do mkfifo "${log%implement.log}verify.log"; done',
    /verify\.log/,
  ],
  [
    'leaves names that are too long for a list',
    `node -e "const l='d'.repeat(240);let d='.';for(let i=0;i<12;i++){d+='/'+l;require('fs').mkdirSync(d)}process.chdir(d);for(let i=0;i<22000;i++)require('fs').writeFileSync(i+'f'.repeat(200),'')"`,
    /printed more than \d+ bytes/,
  ],
];

/** One script for each task, by its place in a table. */
const byTask = (scripts: readonly string[]) =>
  `case $GZA_TASK in\n${scripts.map((script, n) => `t${n}) ${script} ;;`).join('\n')}\nesac`;

test('an agent that breaks its place of work has failed, with its cost and the reason, each time that it ran', async () => {
  const ids = broken.map((_row, n) => `t${n}`);
  // Some are tried again, where the first try left what it did.
  const tries = ids.map((_id, n) => (n % 4 === 0 ? 2 : 1));
  const runs = ids.flatMap((id, n) => Array.from({ length: tries[n] ?? 0 }, () => `${id} implement`));
  await using shop = openWorkshop({
    tasks: `tasks:\n${ids.map((id, n) => task(id, `, max_attempts: ${tries[n]}`)).join('')}${task('b')}`,
    config: 'verify: test -d .\n',
  });
  fakeClaude(shop, `T="$PWD"; echo x > $GZA_TASK.txt\n${byTask(broken.map(([, script]) => script))}\nok`);
  const { stdout, stderr } = await shop.gza(['work', '--all'], key);
  expect({ stderr, runs: shop.runs().map((run) => run.split(' ').slice(1, 3).join(' ')) }).toEqual({
    stderr: expect.not.stringMatching(/\n {4}at /),
    runs: [...runs, 'b implement'],
  });
  for (const [n, [name, , reason]] of broken.entries()) {
    const id = `t${n}`;
    expect({ name, ...(await shop.json(`show ${id}`)), stdout }).toMatchObject({
      name,
      status: 'failed',
      attempts: tries[n],
      cost_usd: 2 * (tries[n] ?? 0),
      error: expect.stringMatching(reason),
    });
    const outcomes = shop.record(id).steps?.map(({ outcome }) => outcome);
    expect({ name, outcomes }).toEqual({ name, outcomes: Array(tries[n]).fill('failed') });
    const why = await shop.says(`why ${id}`);
    expect(why).toMatch(/attempts? failed; the last: what it left could not be taken: /);
    expect(why).toMatch(reason);
  }
  expect(stdout).toContain('✓ Task #b completed');
  expect(await shop.json('summary')).toMatchObject({ cost_usd: 2 * runs.length + 2 });
  expect(shop.strays()).toEqual([]);
  // What could not be read keeps nothing from going on, and can be thrown away.
  const later = await shop.gza(['work', '--all'], key);
  expect(later.stderr).not.toMatch(/\n {4}at /);
  await shop.says('kept');
  // The last one left the most to look through.
  for (const id of ids.toReversed()) await shop.gza(['kept', id, '--discard']);
  expect(await shop.says('kept')).toContain('Nothing is kept');
  expect(shop.runs()).toHaveLength(runs.length + 1);
});

test.each([
  ['removes its tree', 'rm -rf "$T"', /tree is no folder any more/],
  ['makes a pipe of its spool', 'rm "$GZA_SPOOL"; mkfifo "$GZA_SPOOL"', /spool .* no plain file/],
  ['makes a pipe of .gitignore', 'mkfifo .gitignore', /\.gitignore is no plain file/],
])('a reviewer that %s has failed each time, and leaves nothing behind', async (_name, script, reason) => {
  await using shop = openWorkshop({ tasks: `tasks:\n${task('a', ', auto_review: true, max_attempts: 2')}` });
  fakeClaude(shop, `T="$PWD"; [ $GZA_STEP = review ] && { ${script}; } || echo x > a.txt; ok`);
  const { stdout } = await shop.gza(['work', '--all'], key);
  const { steps = [], ...record } = shop.record('a');
  expect({ ...record, stdout }).toMatchObject({ attempts: 2, error: expect.stringMatching(reason) });
  expect(steps.map(({ step, outcome }) => `${step} ${outcome}`)).toEqual([
    'implement ok',
    'review failed',
    'review failed',
  ]);
  // Whoever still has a tree is asked a second time; each answer costs $2.
  expect(await shop.json('show a')).toMatchObject({ cost_usd: 2 * shop.runs().length });
  expect(shop.runs().length).toBeGreaterThanOrEqual(3);
  expect(await shop.says('why a')).toMatch(reason);
  expect(await shop.says('kept')).toContain('Nothing is kept');
});

test('an agent that ends gza itself has lost its try, which the next gza work records as a death', async () => {
  await using shop = openWorkshop({ tasks: `tasks:\n${task('a', ', max_attempts: 2')}${task('b')}` });
  Object.assign(shop.env, key.env);
  // Never the group of who runs the tests.
  const kill = 'g=$(ps -o pgid= -p $PPID | tr -d " "); [ "$g" = "$PPID" ] && { kill -9 -$g; exit; }';
  fakeClaude(shop, `[ $GZA_TASK = a ] && { ${kill}; }; echo x > $GZA_TASK.txt; ok`);
  for (const _ of [1, 2]) await shop.start('work', '--all').ended;
  const { stdout } = await shop.gza(['work', '--all', '--no-wait']);
  expect(shop.runs().filter((run) => run.startsWith('claude a'))).toHaveLength(2);
  const died = { outcome: 'lost', ending: 'died', error: 'its process died' };
  expect({ ...shop.record('a'), stdout }).toMatchObject({ deaths: 2, steps: [died, died] });
  // A death is no attempt: it is followed by a pause that grows.
  expect(shop.record('a')['attempts']).toBeUndefined();
  expect(stdout).toMatch(/a waits: what worked on it died 2 times in a row/);
  expect(stdout).toContain('✓ Task #b completed');
  expect(shop.strays()).toEqual([]);
});

/** Odd, but no reason to fail. */
const harmless: readonly (readonly [name: string, script: string])[] = [
  ['a file of 5 GB without content', 'truncate -s 5G huge.bin'],
  ['a spool of 5 GB without content', 'truncate -s 5G "$GZA_SPOOL"'],
  [
    'a pipe, a socket and a device',
    `mkfifo pipe; mknod null c 1 3 2> /dev/null; node -e "require('net').createServer().listen('socket',()=>process.exit())"`,
  ],
  [
    'names with line breaks',
    `node -e "for (const n of ['a\\nb','\\n✓ Task','\\t-']) require('fs').writeFileSync(n,'')"`,
  ],
  ['no HOME', 'rm -rf "$HOME"'],
  ['a link in the place of its HOME', 'rm -rf "$HOME"; ln -s @precious "$HOME"'],
  ['a file in the place of its HOME', 'rm -rf "$HOME"; echo x > "$HOME"'],
  ['a child that holds its output open', 'sleep 300 & (setsid sleep 300 &)'],
];

test('an agent that leaves something odd has done its task', async () => {
  const ids = harmless.map((_row, n) => `t${n}`);
  await using shop = openWorkshop({ tasks: `tasks:\n${ids.map((id) => task(id)).join('')}${task('b')}` });
  const precious = join(shop.dir, 'precious');
  mkdirSync(join(precious, 'below'), { recursive: true });
  writeFileSync(join(precious, 'below', 'kept'), '');
  chmodSync(precious, 0o755);
  const scripts = harmless.map(([, script]) => script.replace('@precious', precious));
  fakeClaude(shop, `echo x > $GZA_TASK.txt\n${byTask(scripts)}\nok`);
  const { stdout, code } = await shop.gza(['work', '--all'], key);
  for (const [n, [name]] of harmless.entries()) {
    const done = stdout.includes(`✓ Task #t${n} completed`);
    const file = shop.git('show', `gza/t${n}:t${n}.txt`);
    expect({ name, done, file, stdout }).toEqual({ name, done: true, file: 'x', stdout });
  }
  expect({ stdout, code }).toEqual({ stdout: expect.stringContaining('✓ Task #b completed'), code: 0 });
  // What a link leads to is nobody's to remove.
  expect(readdirSync(join(precious, 'below'))).toEqual(['kept']);
  expect(statSync(precious).mode & 0o777).toBe(0o755);
  expect(shop.strays()).toEqual([]);
});
