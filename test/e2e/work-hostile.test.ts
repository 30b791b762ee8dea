import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { openWorkshop } from './workshop.ts';

/** What is kept is told once the process that worked is gone, which jest is not. */
process.env['GZA_TEST_PROCESSES'] = 'yes';

const names = ['tasks', 'hooks', 'refs', 'spawn', 'huge', 'secret', 'link', 'honest'];
const tasks = `tasks:\n${names.map((id) => `  - { id: ${id}, type: implement, title: Task ${id}, prompt: Do it., max_attempts: 1 }\n`).join('')}`;

test('what a hostile agent does to the repository stays in its clone, and is told', async () => {
  await using shop = openWorkshop({
    tasks,
    config: 'parallel_workers: 2\n',
    agents: {
      a: `echo $GZA_TASK > $GZA_TASK.txt
case $GZA_TASK in
  tasks) echo 'tasks: []' > tasks/all.yml ;;
  hooks)
    mkdir -p .git/hooks
    printf '#!/bin/sh\\ntouch "%s/hooked"\\n' "$D" > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit
    cp .git/hooks/pre-commit "$D/fsmonitor"
    git config core.fsmonitor "$D/fsmonitor"; git config core.hooksPath "$PWD/.git/hooks"
    git config --global user.name Mallory ;;
  refs)
    git checkout -q -b elsewhere && git add -A && git commit -q -m 'on another branch'
    git commit -q --amend -m 'rewritten'; git update-ref refs/heads/main HEAD
    git push -q origin HEAD:main 2> "$D/push" ;;
  spawn) (setsid sh -c 'sleep 300' &) ; (env -i sleep 300 &) ;;
  huge) head -c 80000000 /dev/zero | tr '\\0' x | fold -w 8000 ;;
  secret) echo "token: ghp_$(printf 'a%.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36)" > leaked.txt ;;
  link) ln -s /etc/passwd passwords; rm link.txt; ln -s "$HOME/../../.." out ;;
esac
echo done`,
    },
  });
  const before = {
    main: shop.git('rev-parse', 'main'),
    config: readFileSync(join(shop.repo, '.git/config'), 'utf8'),
  };
  const { stdout } = await shop.work('--all');
  expect(shop.git('rev-parse', 'main')).toBe(before.main);
  expect(readFileSync(join(shop.repo, '.git/config'), 'utf8')).toBe(before.config);
  expect(existsSync(join(shop.dir, 'hooked'))).toBe(false);
  expect(shop.git('branch', '--list', '--format=%(refname:short)')).not.toContain('elsewhere');
  expect(shop.strays()).toEqual([]);
  // Only files count: commits of the agent's own on other branches change nothing.
  for (const id of ['hooks', 'refs', 'spawn', 'honest']) {
    expect(stdout).toContain(`✓ Task #${id} completed`);
    expect(shop.git('show', `gza/${id}:${id}.txt`)).toBe(id);
    expect(shop.git('rev-list', '--count', `main..gza/${id}`)).toBe('1');
  }
  const waiting = await shop.json<{ id: string; reason: string; detail: string }[]>('escalations');
  const reason = (id: string) => waiting.find((one) => one.id === id);
  expect(reason('tasks')).toMatchObject({
    reason: 'refused-changes',
    detail: expect.stringContaining('tasks/all.yml'),
  });
  expect(stdout).toMatch(/huge: implement (was cut short|failed): it printed more than it may/);
  // The refused work is kept for a person; nothing else is left.
  expect(readdirSync(shop.state('clones')).filter((name) => !name.startsWith('tasks.'))).toEqual(
    readdirSync(shop.state('clones')).filter((name) => /^(secret|link)\./.test(name)),
  );
  expect(await shop.says('kept')).toContain('tasks: implement left 2 files in ');
  expect(await shop.says('kept tasks --patch')).toContain('+++ b/tasks/all.yml');
  expect(await shop.json('kept tasks')).toEqual([
    {
      task: 'tasks',
      step: 'implement',
      folder: expect.stringContaining('/clones/tasks.implement.'),
      files: ['tasks/all.yml', 'tasks.txt'],
    },
  ]);
  expect((await shop.work('--all')).code).toBe(0);
  expect(await shop.says('kept tasks --discard')).toBe('tasks: 2 files thrown away\n');
  expect(await shop.json('kept tasks')).toEqual([]);
  expect(stdout).toContain('leaked.txt');
  expect(shop.git('log', '--all', '--format=%D', '-Sghp_a', '--', ':!tasks')).toBe('');
  expect(
    shop
      .git('ls-tree', '-r', 'gza/honest')
      .split('\n')
      .filter((line) => line.startsWith('120000')),
  ).toEqual([]);
});
