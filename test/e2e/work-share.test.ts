import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { openWorkshop } from './workshop.ts';

const task = (id: string, more = '') =>
  `  - { id: ${id}, type: implement, title: Task ${id}, prompt: Do it.${more} }\n`;

test('--push claims on the remote before an agent starts, then branches and state follow', async () => {
  await using shop = openWorkshop({
    tasks: `tasks:\n${task('a')}${task('b')}`,
    agents: {
      x: `git --git-dir='/nowhere' version > /dev/null; git ls-remote "$(cat "$D/remote")" > "$D/seen.$GZA_TASK"; echo $GZA_TASK > $GZA_TASK.txt; echo done`,
    },
  });
  const remote = join(shop.dir, 'remote.git');
  execFileSync('git', ['init', '-q', '--bare', '-b', 'main', remote]);
  shop.write('../remote', remote);
  shop.git('remote', 'add', 'origin', remote);
  shop.git('push', '-q', 'origin', 'main');
  const { stdout, code, stderr } = await shop.work('a', '--push');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain('✓ pushed gza/a');
  expect(stdout.match(/no pull request/g)).toHaveLength(1);
  expect(stdout).toContain(
    'no pull request was opened for gza/a: origin is not on GitHub. By hand: gza pr --branch gza/a',
  );
  expect(await shop.says('pr --branch gza/a')).toContain('Task a');
  // The claim was there before the agent looked.
  expect(readFileSync(join(shop.dir, 'seen.a'), 'utf8')).toContain('refs/tasks/');
  const refs = shop
    .git('ls-remote', 'origin')
    .split('\n')
    .map((line) => line.split('\t')[1]);
  expect(refs).toEqual(expect.arrayContaining(['refs/heads/gza/a', 'refs/tasks/main', 'refs/tasks/gza/a']));
  expect(shop.git('rev-parse', 'gza/a')).toBe(
    shop.git('ls-remote', 'origin', 'refs/heads/gza/a').split('\t')[0],
  );
});

test('a run that is killed while it pushes is told whole by the next one', async () => {
  await using shop = openWorkshop({
    tasks: `tasks:\n${task('a')}${task('b')}`,
    agents: { x: 'echo $GZA_TASK > $GZA_TASK.txt; [ $GZA_TASK = b ] && kill -9 $(cat "$D/pid"); echo done' },
  });
  const remote = join(shop.dir, 'remote.git');
  execFileSync('git', ['init', '-q', '--bare', '-b', 'main', remote]);
  shop.git('remote', 'add', 'origin', remote);
  shop.git('push', '-q', 'origin', 'main');
  const killed = shop.start('work', '--all', '--push');
  shop.write('../pid', String(killed.pid));
  expect((await killed.ended).code).toBe(-1);
  // What was done until then is there already; the claim of the dead one is, too.
  expect(shop.git('ls-remote', 'origin', 'refs/heads/gza/a').split('\t')[0]).toBe(
    shop.git('rev-parse', 'gza/a'),
  );
  shop.agent('x', 'echo more >> $GZA_TASK.txt; echo done');
  const next = await shop.work('--all', '--push');
  expect({ code: next.code, out: next.stdout }).toEqual({
    code: 0,
    out: expect.stringContaining('✓ Task #b completed'),
  });
  const there = shop.git('ls-remote', 'origin', 'refs/heads/gza/b').split('\t')[0];
  expect(there).toBe(shop.git('rev-parse', 'gza/b'));
  expect(shop.git('ls-remote', 'origin', 'refs/tasks/main').split('\t')[0]).toBe(
    shop.git('rev-parse', 'refs/tasks/main'),
  );
  expect(shop.strays()).toEqual([]);
});

test('--integrate stops at a conflict, leaves that lane and your files as they are, and says how to go on', async () => {
  await using shop = openWorkshop({
    tasks: `tasks:\n${task('a')}${task('b')}${task('c')}`,
    config: 'parallel_workers: 3\nbuild_verify: test -e c.txt\n',
    agents: {
      x: `touch $D/began.$GZA_TASK; for one in a b c; do wait_for $D/began.$one; done; case $GZA_TASK in a|b) echo "$GZA_TASK" > seed.txt ;; *) echo c > c.txt ;; esac; echo done`,
    },
  });
  const { code, stdout } = await shop.work('--all', '--integrate');
  expect(code).toBe(1);
  expect(stdout).toContain('✓ integrated gza/a');
  expect(stdout).toContain(
    '✗ gza/b was not integrated: it conflicts in seed.txt. Its commits are kept on gza/b, and your files are as they were. By hand: git cherry-pick',
  );
  expect(stdout).toContain('✓ integrated gza/c');
  expect(readFileSync(join(shop.repo, 'seed.txt'), 'utf8')).toBe('a\n');
  expect(shop.git('status', '--porcelain')).toBe('');
  expect(stdout).toMatch(/✓ .*(build|check)/i);
  const waiting = await shop.json<{ id: string; reason: string }[]>('escalations');
  expect(waiting).toMatchObject([{ id: 'b', reason: 'not-integrated' }]);
  const review = await shop.gza(['review', 'a']);
  expect([review.code, review.stderr]).toEqual([3, expect.stringContaining('a has no open branch')]);
});

test('--integrate puts each task onto the current branch before the next starts, which stands on it then', async () => {
  await using shop = openWorkshop({
    tasks: `tasks:\n${task('a')}${task('b', ', depends_on: a')}${task('c')}`,
    agents: { x: 'ls > "$D/saw.$GZA_TASK"; echo "$GZA_TASK" >> seed.txt; echo > $GZA_TASK.txt; echo done' },
  });
  const { code, stdout } = await shop.work('--all', '--integrate');
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('✓ integrated gza/c') });
  expect(readFileSync(join(shop.dir, 'saw.c'), 'utf8')).toContain('a.txt\nb.txt');
  expect(readFileSync(join(shop.repo, 'seed.txt'), 'utf8')).toBe('seed\na\nb\nc\n');
  expect(shop.record('c')['lane']).not.toHaveProperty('stacked_on');
  expect(await shop.json('escalations')).toEqual([]);
});

test('git tasks run works here, on the current branch, and skips what fails three times', async () => {
  await using shop = openWorkshop({});
  const a = await shop.add('Refactor auth middleware to use JWT');
  const b = await shop.add('Write tests for JWT auth', '--after', a);
  const c = await shop.add('This one fails');
  const script = `case "$1" in
  *"working on task ${c}:"*) echo no >&2; exit 1 ;;
  *) echo "$GZA_TASK" > $GZA_TASK.txt; git add -A; git commit -q -m "Do $GZA_TASK"; git tasks done $GZA_TASK ;;
esac`;
  shop.agent('runner', script.replaceAll('"$1"', '"$*"'));
  const runner = join(shop.dir, 'bin', 'agent-runner');
  const dry = await shop.gza(['run', '--dry-run', '--runner', runner]);
  expect(dry.stdout).toContain(`would run ${a}`);
  const once = await shop.gza(['run', '--runner', runner, '--once', '--delay', '0']);
  expect(once.stdout).toContain(`✓ Task #${a} completed`);
  const { stdout, code } = await shop.gza(['run', '--runner', runner, '--delay', '0']);
  expect(code).toBe(0);
  expect(stdout).toContain(`✓ Task #${b} completed`);
  expect(stdout).toContain(`– Task #${c} skipped: agent failed 3 times`);
  expect(stdout).toContain('Run: git tasks pr');
  expect(shop.record(c)['notes']).toEqual(['skipped: agent failed 3 times']);
  expect(shop.record(c)['closed_at']).toBeUndefined();
  expect(shop.git('log', '--format=%s', '-2').split('\n')).toEqual([`Do ${b}`, `Do ${a}`]);
  expect(shop.record(b)['closed_commit']).toBe(shop.git('rev-parse', 'HEAD'));
  await shop.says(`done ${c}`);
  expect((await shop.gza(['run', '--runner', runner])).stdout).toBe(
    'All tasks complete!\nRun: git tasks pr\n',
  );
});
