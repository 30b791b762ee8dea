import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { cliFile, executable, openSandbox, root, start } from './cli.ts';

/** `git-tasks` on PATH is what makes `git tasks` work. */
function openGitTasks() {
  const sandbox = openSandbox();
  executable(
    sandbox.dir,
    'git-tasks',
    `#!${process.execPath}\nprocess.argv[1] = __filename;\nrequire(${JSON.stringify(cliFile)});\n`,
  );
  const tasks = async (...args: string[]) =>
    start(['git', 'tasks', ...args], { cwd: sandbox.repo, env: sandbox.env });
  const agent = async (...args: string[]) =>
    start(['git', 'tasks', ...args], {
      cwd: sandbox.repo,
      env: { ...sandbox.env, ZAGI_AGENT: 'claude-code' },
    });
  return { sandbox, tasks, agent };
}

const time = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`;

test('the session of git-tasks.md prints what the spec prints, as git tasks', async () => {
  const { sandbox, tasks } = openGitTasks();
  await using _ = sandbox;
  const first = await tasks('add', 'Refactor auth middleware to use JWT');
  const a = first.stdout.slice(0, 9);
  expect(a).toMatch(/^task-[0-9a-f]{4}$/);
  expect(first).toEqual({ code: 0, stdout: `${a}: Refactor auth middleware to use JWT\n`, stderr: '' });

  const second = await tasks('add', 'Write tests for JWT auth', '--after', a);
  const c = second.stdout.slice(0, 9);
  expect(second.stdout).toBe(`${c}: Write tests for JWT auth (after ${a})\n`);

  const third = await tasks('add', 'Add input validation to /api/users endpoint');
  const b = third.stdout.slice(0, 9);
  expect((await tasks('ready')).stdout).toBe(
    [
      `${a}: Refactor auth middleware to use JWT`,
      `${b}: Add input validation to /api/users endpoint`,
      `(${c} blocked by ${a})`,
      '',
    ].join('\n'),
  );

  expect((await tasks('done', a)).stdout).toBe(`${a}: done\n`);
  const commit = sandbox.commit('Implement JWT auth').slice(0, 7);
  expect((await tasks('show', a)).stdout).toMatch(
    new RegExp(
      [
        `^${a}: Refactor auth middleware to use JWT`,
        'status: done',
        `created: ${time}`,
        `closed: ${time}`,
        `commit: ${commit}\n$`,
      ].join('\n'),
    ),
  );
  expect((await tasks('list', '--all')).stdout).toMatch(
    new RegExp(
      [
        String.raw`^  ✓ ${a}\. task Refactor auth middleware to use JWT {10}completed  \d\d/\d\d`,
        String.raw`  ○ ${c}\. task Write tests for JWT auth {21}pending`,
        String.raw`  ○ ${b}\. task Add input validation to /api/users endpoint  pending\n$`,
      ].join('\n'),
    ),
  );
  expect((await tasks('pr')).stdout).toBe(
    [
      '## Tasks',
      '',
      `- [x] ${a}: Refactor auth middleware to use JWT (${commit})`,
      `- [ ] ${c}: Write tests for JWT auth`,
      `- [ ] ${b}: Add input validation to /api/users endpoint`,
      '',
      '### Dependency Graph',
      `${a} → ${c}`,
      '',
    ].join('\n'),
  );
  expect((await tasks('edit', b, '--content', 'Validate the input of /api/users')).stdout).toBe(
    `${b}: Validate the input of /api/users (edited)\n`,
  );
  expect((await tasks('delete', b)).stdout).toBe(`${b}: deleted\n`);
  expect((await tasks('note', c, 'blocked: no database')).stdout).toBe(`${c}: noted\n`);
  expect(JSON.parse((await tasks('show', c, '--json')).stdout)).toMatchObject({
    notes: ['blocked: no database'],
    after: a,
  });
});

test('pr lists what is blocked, and the commit of each task', async () => {
  const { sandbox, tasks } = openGitTasks();
  await using _ = sandbox;
  const a = await sandbox.add('Add input validation');
  const b = await sandbox.add('Write tests for auth middleware', '--after', a);
  expect((await tasks('pr')).stdout).toBe(
    [
      '## Tasks',
      '',
      `- [ ] ${a}: Add input validation`,
      `- [ ] ${b}: Write tests for auth middleware`,
      '',
      '### Dependency Graph',
      `${a} → ${b} (blocked)`,
      '',
    ].join('\n'),
  );
});

test('an agent files, notes and closes, and every task says who filed it', async () => {
  const { sandbox, agent } = openGitTasks();
  await using _ = sandbox;
  const id = (await agent('add', 'Found on the way')).stdout.slice(0, 9);
  expect(JSON.parse((await agent('show', id, '--json')).stdout)).toMatchObject({
    content: 'Found on the way',
    status: 'pending',
    created_by: 'claude-code',
    after: null,
    closed_at: null,
    closed_commit: null,
    notes: [],
  });
  expect((await agent('note', id, 'one')).code).toBe(0);
  expect((await agent('note', id, 'two')).code).toBe(0);
  for (const words of [
    ['edit', id, '--content', 'Never mind'],
    ['delete', id],
  ]) {
    const refused = await agent(...words);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    expect(refused.stderr).toContain('ZAGI_AGENT is set');
    expect(refused.stderr).toContain(`git tasks note ${id}`);
  }
  expect((await agent('done', id, '--note', 'three')).stdout).toBe(`${id}: done\n`);
  expect(JSON.parse((await agent('show', id, '--json')).stdout)).toMatchObject({
    content: 'Found on the way',
    status: 'completed',
    notes: ['one', 'two', 'three'],
  });
});

test('tasks leave no trace in git status, and travel by refspec', async () => {
  const { sandbox, tasks } = openGitTasks();
  await using _ = sandbox;
  const id = (await tasks('add', 'Travels')).stdout.slice(0, 9);
  expect(sandbox.git('status', '--porcelain')).toBe('');
  expect(sandbox.git('for-each-ref', '--format=%(refname)', 'refs/tasks')).toBe('refs/tasks/main');
  expect(sandbox.git('ls-tree', '--name-only', '-r', 'refs/tasks/main')).toContain('tasks');
  const other = join(sandbox.dir, 'other.git');
  sandbox.git('init', '-q', '--bare', other);
  sandbox.git('push', '-q', other, 'main', 'refs/tasks/*:refs/tasks/*');
  const clone = join(sandbox.dir, 'clone');
  sandbox.git('clone', '-q', '-b', 'main', other, clone);
  sandbox.git('-C', clone, 'fetch', '-q', 'origin', 'refs/tasks/*:refs/tasks/*');
  expect(await sandbox.says('ready', { cwd: clone })).toBe(`${id}: Travels\n`);
});

test('git tasks --help finds the man page, and git tasks help prints the verbs', async () => {
  const { sandbox, tasks } = openGitTasks();
  await using _ = sandbox;
  expect((await tasks('help')).stdout).toContain('git tasks <command>');
  const man = (await start(['sh', '-c', 'command -v man'], { env: process.env })).code === 0;
  if (!man) return;
  mkdirSync(join(sandbox.dir, 'man', 'man1'), { recursive: true });
  symlinkSync(join(root, 'man', 'git-tasks.1'), join(sandbox.dir, 'man', 'man1', 'git-tasks.1'));
  const help = await start(['git', 'tasks', '--help'], {
    cwd: sandbox.repo,
    env: { ...sandbox.env, MANPATH: join(sandbox.dir, 'man'), MANPAGER: 'cat', GIT_PAGER: 'cat' },
  });
  expect(help.code).toBe(0);
  expect(help.stdout).toMatch(/GIT-TASKS\(1\)/);
  expect(help.stdout).toMatch(/git tasks.*add/s);
  expect(existsSync(join(root, 'man', 'gza.1'))).toBe(true);
});
