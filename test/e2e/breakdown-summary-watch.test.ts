import { spawn } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { cliFile, openSandbox } from './cli.ts';

const plan = `# Plan: User accounts

## Phase 1: Storage
### Task 1: Add the user model
Files: src/user.ts (new)
### Task 2: Hash passwords
Files to modify: src/user.ts

## Phase 2: Screens
### Task 3: Login page
Depends on: Task 2
`;

test('a plan becomes a task file that is checked, picked, and brought up to date', async () => {
  await using sandbox = openSandbox();
  sandbox.write('docs/PLAN.md', plan);
  sandbox.write('PRODUCT.md', '# P\n## Login\n### Acceptance criteria\n- A wrong password says so\n');
  const dry = await sandbox.says('breakdown docs/PLAN.md --dry-run');
  expect(dry).toContain('would write tasks/user-accounts.yml: 3 new');
  expect(existsSync(join(sandbox.repo, 'tasks'))).toBe(false);
  const said = await sandbox.says('breakdown docs/PLAN.md');
  expect(said).toContain('hash-passwords waits for add-the-user-model: both name src/user.ts');
  const file = () => readFileSync(join(sandbox.repo, 'tasks/user-accounts.yml'), 'utf8');
  expect(file()).toMatch(/^# yaml-language-server: \$schema=https:\/\/\S+\/schemas\/task\.schema\.json\n/);
  expect(file()).toContain('plan_file: docs/PLAN.md');
  expect((await sandbox.gza(['check'])).code).toBe(0);
  expect(await sandbox.says('ready')).toMatch(/^add-the-user-model: /);
  expect((await sandbox.json('show login-page'))['acceptance_criteria']).toEqual([
    'A wrong password says so',
  ]);
  expect(await sandbox.says('milestones')).toMatch(/M1 Storage .*\nM2 Screens/);

  await sandbox.says('claim add-the-user-model');
  const changed = plan.replace('user.ts (new)', 'person.ts (new)').replace('Login page', 'Sign-in page');
  sandbox.write('docs/PLAN.md', `${changed}### Task 4: Logout\n`);
  const again = await sandbox.says('breakdown docs/PLAN.md');
  expect(again).toContain('add-the-user-model is left alone: it has begun');
  expect(again).toContain('wrote tasks/user-accounts.yml: 2 new, 1 removed, 1 unchanged, 1 left alone');
  expect(file()).toContain('src/user.ts');
  expect(file()).not.toContain('login-page');
});

test('what a plan gets wrong is said with what to do, and nothing is written', async () => {
  await using sandbox = openSandbox();
  sandbox.write('plan.md', '# Only words\n');
  const none = await sandbox.gza(['breakdown', 'plan.md']);
  expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('no tasks were found in plan.md')]);
  sandbox.write('plan.md', '### Task 1: A\nAfter: Task 2\n### Task 2: B\nAfter: Task 1\n');
  expect((await sandbox.gza(['breakdown', 'plan.md'])).stderr).toContain('in a circle');
  sandbox.write('plan.md', '### Task 1: A\n');
  symlinkSync(sandbox.dir, join(sandbox.repo, 'tasks'));
  const linked = await sandbox.gza(['breakdown', 'plan.md']);
  expect([linked.code, existsSync(join(sandbox.dir, 'plan.yml'))]).toEqual([2, false]);
});

test('a summary has the fields of the specification, as text, Markdown and JSON', async () => {
  await using sandbox = openSandbox();
  const ids = [];
  for (let n = 0; n < 10; n += 1)
    ids.push(await sandbox.add(`Do <b>thing</b> ${n}`, '--group', 'g|h', '--milestone', 'M1'));
  for (const id of ids.slice(0, 7)) await sandbox.says(`done ${id}`);
  const json = await sandbox.json<Record<string, never>>('summary');
  expect(json['tasks']).toEqual({
    total: 10,
    completed: 7,
    unapproved: 0,
    pending: 3,
    in_progress: 0,
    failed: 0,
    skipped: 0,
    progress: '70%',
  });
  expect(Object.keys(json)).toEqual(
    expect.arrayContaining([
      'milestones',
      'current_task_id',
      'current_task_ids',
      'completed_task_ids',
      'failed_task_ids',
      'in_flight_task_ids',
    ]),
  );
  expect(json['completed_task_ids']).toEqual(ids.slice(0, 7));
  expect(await sandbox.says('summary')).toMatch(
    /^70% of 10 tasks: 7 completed, 3 pending\n[\s\S]*70% {2}M1: in_progress, 7 of 10/,
  );
  const markdown = await sandbox.says('summary --markdown');
  expect(markdown).toMatch(/^### 70% of 10 tasks\n/);
  expect(markdown).toContain('| g\\|h | 70% | 7 | 3 | 0 | 0 |');
});

test('a report is one file without scraps beside it', async () => {
  await using sandbox = openSandbox();
  await sandbox.add('Say </script> <script>alert(1)</script>');
  expect(await sandbox.says('report --html out/report.html')).toMatch(/^out\/report\.html: 1 tasks?, \d+ KB/);
  const html = readFileSync(join(sandbox.repo, 'out/report.html'), 'utf8');
  expect(html.match(/<script/g)).toHaveLength(2);
  expect(html).not.toMatch(/(?:src|href)="|https?:\/\/(?!www\.w3\.org\/2000\/svg)/);
  expect((await sandbox.gza(['report'])).code).toBe(2);
});

test('a watch in a pipe prints each change once, and ends at Ctrl-C', async () => {
  await using sandbox = openSandbox();
  await sandbox.add('First');
  const child = spawn(process.execPath, [cliFile, 'watch', '--interval', '0.2'], {
    cwd: sandbox.repo,
    env: sandbox.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  const seen = (text: string) =>
    new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`never printed ${text}: ${out}`)), 20_000);
      const check = () => {
        if (!out.includes(text)) return;
        clearTimeout(timer);
        child.stdout.off('data', check);
        resolve();
      };
      child.stdout.on('data', check);
      check();
    });
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (out += chunk));
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  try {
    await seen('of 1 tasks');
    await sandbox.add('Second');
    await seen('of 2 tasks');
    // Many looks at the refs later nothing more was printed.
    await new Promise((resolve) => setTimeout(resolve, 3000));
    expect(out.match(/ tasks /g)).toHaveLength(2);
    child.kill('SIGINT');
    expect(await ended).toBe(0);
  } finally {
    child.kill('SIGKILL');
  }
});

test('a watch of a remote shows what was fetched, not what this clone has', async () => {
  await using sandbox = openSandbox();
  sandbox.git('init', '-q', '--bare', '-b', 'main', join(sandbox.dir, 'hub.git'));
  sandbox.git('remote', 'add', 'origin', join(sandbox.dir, 'hub.git'));
  sandbox.git('push', '-q', 'origin', 'main');
  await sandbox.add('Shared');
  await sandbox.says('sync');
  await sandbox.add('Only here');
  const [here, there] = [await sandbox.says('watch --once'), await sandbox.says('watch --once --remote')];
  expect([here.includes('Only here'), there.includes('Only here'), there.includes('Shared')]).toEqual([
    true,
    false,
    true,
  ]);
});
