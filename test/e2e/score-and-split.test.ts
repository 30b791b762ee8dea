import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { openSandbox, type Sandbox } from './cli.ts';

const layered = ['db/payments', 'services/payment-service', 'ui/account-page'];

function critical(id: string): string {
  const files = layered.flatMap((path) => ['a', 'b', 'c', 'd'].map((n) => `src/${path}-${n}.ts`));
  return [
    `  - id: ${id}`,
    '    title: Retry failed payments # said in the meeting',
    '    prompt: |',
    '      An async algorithm with distributed consensus and encryption retries what failed,',
    '      handles various cases etc., and maybe should be as needed.',
    `    files_to_create: [${files.slice(0, 6).join(', ')}]`,
    `    files_to_modify: [${files.slice(6).join(', ')}]`,
    '    acceptance_criteria:',
    '      - The payments table keeps each attempt',
    '      - The service tries again after a day',
    '      - The account page shows what happened',
  ].join('\n');
}

function writeBacklog(sandbox: Sandbox): void {
  sandbox.write(
    'tasks/pay.yml',
    `group: pay\ntasks:\n${critical('retry')}\n\n  # told apart from the rest\n  - id: mail\n    title: Mail the customer\n    depends_on: retry # after it\n`,
  );
}

test('a score names the files, layers and words that gave its points, with the sizes of real files', async () => {
  await using sandbox = openSandbox();
  writeBacklog(sandbox);
  const before = await sandbox.says('score retry');
  expect(before).toMatch(/^retry: Retry failed payments\n1\d\.\d of 13 CRITICAL: must be decomposed/);
  expect(before).toMatch(/file_scope +5\.0 of 5 {2}12 files: src\/db\/payments-a\.ts/);
  expect(before).toMatch(/cross_file_deps +2\.0 of 2 {2}business layer besides the data layer 1/);
  expect(before).toMatch(/semantic_complexity +3\.0 of 3 {2}algorithm \("algorithm"\) 1/);
  expect(before).toContain('warning: #retry has 6 files to create; up to 5 (max_files_to_create) is advised');
  const [one] = await sandbox.json<{ points: Record<string, number>; tokens: number }[]>('score retry');
  expect(one?.points['token_penalty']).toBe(0);
  sandbox.write('src/ui/account-page-a.ts', 'x'.repeat(80_000));
  const [large] = await sandbox.json<{ points: Record<string, number>; tokens: number }[]>('score retry');
  expect(large?.points['token_penalty']).toBe(1);
  expect(await sandbox.says('score --all')).toMatch(
    /^1\d\.\d {2}CRITICAL {2}retry: .*\n {1,2}1\.0 {2}LOW {7}mail: /,
  );
});

test('what is critical is not started before it is split or a person approves it; advice blocks nothing', async () => {
  await using sandbox = openSandbox();
  writeBacklog(sandbox);
  expect(await sandbox.says('ready')).toMatch(/\(retry blocked by its complexity: 1\d\.\d of 13/);
  expect(await sandbox.says('why retry')).toContain('too-complex');
  expect((await sandbox.gza(['work', 'retry'])).code).toBe(3);
  expect(await sandbox.says('escalations')).toContain('gza split retry --write');
  expect(await sandbox.says('show retry')).toContain('warning: #retry has 6 files to create');
  const check = await sandbox.gza(['check']);
  expect([check.code, check.stdout]).toEqual([
    0,
    expect.stringContaining('pay.yml:8:5: warning: retry has 6 files'),
  ]);
  await sandbox.says('approve retry looks fine');
  expect(await sandbox.says('ready')).toMatch(/^retry: Retry/);
  expect((await sandbox.json('show retry'))['final_verdict']).toBe(null);
});

test('a split of a task from a file keeps comments, moves files and criteria, and repoints dependents', async () => {
  await using sandbox = openSandbox();
  writeBacklog(sandbox);
  const shown = await sandbox.says('split retry');
  const file = () => readFileSync(join(sandbox.repo, 'tasks/pay.yml'), 'utf8');
  expect(shown).toContain('Nothing is written yet: gza split retry --write');
  expect(file()).not.toContain('retry-a');
  await sandbox.says('split retry --write');
  expect(file()).toContain('title: Retry failed payments # said in the meeting');
  expect(file()).toContain('# told apart from the rest');
  expect(file()).toMatch(/depends_on: retry-[a-z]+ # after it/);
  expect((await sandbox.gza(['check'])).code).toBe(0);
  const tree = await sandbox.says('tree');
  expect(tree).toContain('    [ ] Retry failed payments (part 1 of 3)            <-- current position');
  const segments = await Promise.all(
    (await sandbox.json<{ children: string[] }>('show retry')).children.map((id) =>
      sandbox.json<{ acceptance_criteria: string[]; group: string; score: { total: number } }>(`show ${id}`),
    ),
  );
  expect(segments.flatMap((one) => one.acceptance_criteria).sort()).toEqual([
    'The account page shows what happened',
    'The payments table keeps each attempt',
    'The service tries again after a day',
  ]);
  expect(new Set(segments.map(({ group }) => group))).toEqual(new Set(['pay']));
  expect(await sandbox.says('ready')).toMatch(/^retry-a: /);
  const again = await sandbox.gza(['split', 'retry', '--write']);
  expect([again.code, again.stdout]).toEqual([1, expect.stringContaining('#retry is not split: it has')]);
  const retried = await sandbox.gza(['retry', 'retry']);
  expect([retried.code, retried.stderr]).toEqual([2, expect.stringContaining('gza retry retry-a')]);
});

test('a file that holds one task gets its parts in a file beside it', async () => {
  await using sandbox = openSandbox();
  const text = critical('retry').replaceAll(/^ {4}/gm, '').replace('  - id', 'id');
  sandbox.write('tasks/retry.yml', `${text}\n`);
  expect(await sandbox.says('split retry --write')).toContain(
    'written to tasks/retry.yml, tasks/retry-parts.yml',
  );
  expect((await sandbox.gza(['check'])).code).toBe(0);
  expect((await sandbox.json<{ children: string[] }>('show retry')).children[0]).toBe('retry-a');
});

test('a filed task is split in its ledger, in one transaction with what waits for it', async () => {
  await using sandbox = openSandbox();
  const files = layered.flatMap((path) => ['a', 'b', 'c'].map((n) => `src/${path}-${n}.ts`));
  const words = files.flatMap((file) => ['--modifies', file]);
  const id = await sandbox.add('Retry failed payments', ...words);
  const after = await sandbox.add('Mail the customer', '--after', id);
  const events = () => Number(sandbox.git('rev-list', '--count', 'refs/tasks/main'));
  const before = events();
  await sandbox.says(`split ${id} --write`);
  expect(events()).toBe(before + 1);
  const shown = await sandbox.json<{ closed_as: string; children: string[] }>(`show ${id}`);
  expect(shown.closed_as).toBe('split');
  expect((await sandbox.json(`show ${after}`))['depends_on']).toEqual([shown.children.at(-1)]);
  expect((await sandbox.says('fsck')).toLowerCase()).not.toContain('differs');
  expect((await sandbox.says('ready')).split('\n')[0]).toContain(`${id}-a: `);
});

test('where splits are automatic, work splits what is large as events and begins with the first part', async () => {
  await using sandbox = openSandbox();
  writeBacklog(sandbox);
  const agent = sandbox.write(
    'agent.mjs',
    "import { writeFileSync } from 'node:fs';\nwriteFileSync('done.txt', 'x');\nconsole.log('Done.');\n",
  );
  sandbox.write(
    'gza.yaml',
    `agent: fake\nagents:\n  fake:\n    command: [${JSON.stringify(process.execPath)}, ${JSON.stringify(agent)}]\ntask_size_limits:\n  auto_split: true\n`,
  );
  sandbox.commit('Plan', 'tasks', 'gza.yaml');
  const text = readFileSync(join(sandbox.repo, 'tasks/pay.yml'), 'utf8');
  const { stdout } = await sandbox.gza(['work', '--once']);
  expect(stdout).toMatch(/Task #retry is split into #retry-a, #retry-b, #retry-c\n(.*\n)*.*#retry-a/);
  expect(readFileSync(join(sandbox.repo, 'tasks/pay.yml'), 'utf8')).toBe(text);
  expect((await sandbox.json('show retry'))['closed_as']).toBe('split');
  expect(await sandbox.says('why retry')).toContain('it was split into #retry-a, #retry-b, #retry-c');
  expect((await sandbox.gza(['work', 'retry'])).stderr).toContain('gza work retry-a retry-b retry-c works');
  expect((await sandbox.gza(['retry', 'retry'])).stderr).toContain('gza retry retry-a');
  expect((await sandbox.json('show retry-b'))['status']).toMatch(/blocked|pending/);
  // The branch of what waits is stacked on that of the last segment, though its file names the original.
  expect(await sandbox.json('show mail')).toMatchObject({ status: 'blocked', depends_on: ['retry-c'] });
  expect(await sandbox.says('show mail')).toContain('depends on: retry-c\n');
  expect(await sandbox.says('graph')).toContain('retry-c → mail');
});

test('a task that no split makes easier says so once, and is worked on as it is', async () => {
  await using sandbox = openSandbox();
  const agent = sandbox.write(
    'agent.mjs',
    "import { writeFileSync } from 'node:fs';\nwriteFileSync('a.txt', 'x');\nconsole.log('Done.');\n",
  );
  sandbox.write(
    'gza.yaml',
    `agent: fake\nagents:\n  fake:\n    command: [${JSON.stringify(process.execPath)}, ${JSON.stringify(agent)}]\ntask_size_limits: { auto_split: true }\n`,
  );
  sandbox.write(
    'tasks/hard.yml',
    'title: Solver\nprompt: An async, distributed parser with encryption, maybe, etc., somehow robust\nfiles_to_modify: a.txt\n',
  );
  sandbox.commit('Plan', 'tasks', 'gza.yaml');
  const { stdout } = await sandbox.gza(['work']);
  expect(stdout.match(/is not split/g)).toHaveLength(1);
  expect(stdout).toMatch(/^Task #hard is not split: it scores 5\.\d, but no way to divide/m);
  expect(stdout).toContain('✓ Task #hard completed');
});

test('a repository says where its layers are', async () => {
  await using sandbox = openSandbox();
  sandbox.write(
    'tasks/a.yml',
    'prompt: Do it.\nfiles_to_modify: [lib/low/a.ts, lib/mid/a.ts, lib/high/a.ts]\n',
  );
  expect(await sandbox.says('score a')).toMatch(/cross_file_deps +1\.0 of 2 {2}3 directories 1/);
  sandbox.write('gza.yaml', 'complexity_layers: { lower: lib/low, middle: lib/mid, upper: [lib/high] }\n');
  expect(await sandbox.says('score a')).toMatch(
    /cross_file_deps +2\.0 of 2 {2}business layer besides the data layer 1, presentation layer besides the data layer 1/,
  );
});

test('of two tasks that modify what the other creates, check names the one that does not wait', async () => {
  await using sandbox = openSandbox();
  sandbox.write(
    'tasks/pair.yml',
    'tasks:\n  - { id: t2, title: a, files_to_create: y, files_to_modify: x }\n  - { id: t1, title: b, files_to_create: x, files_to_modify: y }\n',
  );
  expect(await sandbox.says('check')).toContain('warning: t1 modifies y, which #t2 creates, but waiting');
});
