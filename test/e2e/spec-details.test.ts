/** Small words of the specs, each typed as it stands there. */
import { expect, test } from '@jest/globals';
import { openSandbox } from './cli.ts';

test('status without a name has the groups, then what has none; a milestone is found by its id', async () => {
  await using box = openSandbox();
  const a = await box.add('Plan ImageTransform system', '--group', 'tarantino-v2', '--milestone', 'M1');
  const b = await box.add('Fix stats bug');
  expect(await box.says('status')).toBe(
    `Group: tarantino-v2\n  ○ ${a}. task Plan ImageTransform system  pending\n\n(ungrouped)\n  ○ ${b}. task Fix stats bug  pending\n`.replaceAll(
      '. task ',
      '. ',
    ),
  );
  expect(await box.says('status M1')).toContain(`Milestone: M1 (pending)\n  ○ ${a}.`);
  expect(await box.says(['status', '(ungrouped)'])).toContain(`Group: (ungrouped)\n  ○ ${b}.`);
  expect(await box.json(['list', '--group', '(ungrouped)'])).toMatchObject([{ id: b }]);
});

test('next --first puts a task before the others, filed or from a file', async () => {
  await using box = openSandbox();
  await box.add('One');
  const two = await box.add('Two');
  box.write('tasks/a.yml', 'tasks: [{ id: T1, title: From a file }]\n');
  expect(await box.says(`next --first ${two}`)).toMatch(new RegExp(`^${two}\\. \\[task\\] Two\n`));
  await box.says(`edit ${two} --priority low`);
  await box.add('Three');
  expect((await box.json<{ id: string }[]>('next --first T1'))[0]).toMatchObject({ id: 'T1' });
  // Before critical ones too, those that were put first earlier after it, and a whole with its parts.
  const high = await box.add('Urgent', '--priority', 'critical');
  const whole = await box.add('Whole');
  const part = await box.add('Part', '--parent', whole);
  expect((await box.says(`next --first ${whole}`)).match(/^\S+(?=\. )/gm)?.slice(0, 4)).toEqual([
    part,
    'T1',
    two,
    high,
  ]);
  expect(await box.says('ready')).toMatch(new RegExp(`^${part}: Part\n`));
  expect((await box.gza(['next', '--first', two], { env: { GZA_AGENT: 'claude' } })).code).toBe(2);
});

test('done takes several tasks, or none of them where one does not exist', async () => {
  await using box = openSandbox();
  const [a, b] = [await box.add('One'), await box.add('Two')];
  expect((await box.gza(['done', a, 'task-9999'])).code).toBe(2);
  expect(await box.json(`show ${a}`)).toMatchObject({ status: 'pending' });
  expect(await box.says(['done', a, b])).toBe(`${a}: done\n${b}: done\n`);
  expect(await box.json(['done', a, b])).toMatchObject([{ id: a }, { id: b, status: 'completed' }]);
});

test('whose a task is: list --agent, agents, and the summary’s current task, which is worked on itself', async () => {
  await using box = openSandbox();
  const whole = await box.add('Execute plan');
  const part = await box.add('Add user model', '--parent', whole);
  const other = await box.add('Add login endpoint', '--parent', whole);
  await box.says(`claim ${part} --as backend`);
  await box.says(`assign ${other} ann`);
  expect(await box.json('list --agent backend')).toMatchObject([{ id: part }]);
  expect(await box.json('list --agent ann')).toMatchObject([{ id: other }]);
  expect(await box.json('summary')).toMatchObject({ current_task_id: part, current_task_ids: [part] });
  await box.says(`stop ${other}`);
  expect(await box.says('agents')).toContain(`ann: ${other} Add login endpoint, blocked`);
});

test('a sync brings home the ledger of a branch that was deleted here, also without a remote', async () => {
  await using box = openSandbox();
  await box.add('On the base');
  const deleted = async () => {
    box.git('switch', '-q', '-c', 'feature');
    const id = await box.add('On the branch');
    box.git('switch', '-q', 'main');
    box.git('branch', '-q', '-D', 'feature');
    return id;
  };
  const id = await deleted();
  const home = 'the branch feature is gone: its tasks are in the base ledger now\n';
  expect(await box.says('sync')).toBe(`${home}there is no remote to share with\n`);
  expect(box.git('for-each-ref', '--format=%(refname)', 'refs/tasks')).toBe('refs/tasks/main');
  expect(await box.says('ready')).toContain(`${id}: On the branch\n`);
  box.git('init', '-q', '--bare', `${box.dir}/remote.git`);
  box.git('remote', 'add', 'origin', `${box.dir}/remote.git`);
  await deleted();
  expect(await box.says('sync')).toContain(home);
  expect(box.git('ls-remote', 'origin', 'refs/tasks/*')).toMatch(/^[0-9a-f]+\trefs\/tasks\/main$/);
  // Of one that somebody shares nothing is known: the branch may not be pushed yet.
  box.git('switch', '-q', '-c', 'theirs');
  await box.add('Shared');
  await box.says('sync');
  box.git('switch', '-q', 'main');
  box.git('branch', '-q', '-D', 'theirs');
  expect(await box.says('sync')).toBe('origin: nothing to do\n');
});

test('ledgers of deleted branches: fsck says how many are left', async () => {
  await using box = openSandbox();
  await box.add('On the base');
  box.git('switch', '-q', '-c', 'feature');
  await box.add('On the branch');
  box.git('switch', '-q', 'main');
  box.git('branch', '-q', '-D', 'feature');
  expect(await box.says('fsck --clean')).toBe(
    'folded 1 ledger of deleted branches, dropped 0 backups\n1 ledger: all good\n',
  );
});

test('a circle through a parent and its parts is refused by add, and seen by check in files and ledger', async () => {
  await using box = openSandbox();
  const a = await box.add('A');
  const b = await box.add('B', '--after', a);
  const refused = await box.gza(['add', 'C', '--parent', a, '--after', b]);
  expect([refused.code, refused.stderr]).toEqual([
    2,
    expect.stringContaining(`the new task would wait for itself: the new task → ${b} → ${a} → the new task`),
  ]);
  expect(await box.json('list')).toHaveLength(2);
  box.write(
    'tasks/a.yml',
    `tasks: [{ id: P, title: P, after: ${b} }, { id: Q, title: Q, parent: ${a}, after: P }]\n`,
  );
  const { code, stdout } = await box.gza(['check']);
  const circle = `P → ${b} → ${a} → Q → P`;
  const places = [`filed: ${a}`, `filed: ${b}`, 'tasks/a.yml:1:9: P', 'tasks/a.yml:1:48: Q'];
  const said = stdout.split('\n').slice(0, -2).sort();
  expect([code, said]).toEqual([2, places.map((place) => `${place} waits for itself: ${circle}`).sort()]);
});

test('what is assigned to a person comes after what the next run picks', async () => {
  await using box = openSandbox();
  const [theirs, next] = [await box.add('Theirs', '--priority', 'critical'), await box.add('Next')];
  await box.says(`assign ${theirs} ann`);
  expect(await box.says('ready')).toBe(`${next}: Next\n${theirs}: Theirs (assigned to ann)\n`);
  expect(await box.says('next')).toBe(`${next}. [task] Next\n${theirs}. [task] Theirs (assigned to ann)\n`);
  expect(await box.json('ready')).toMatchObject([{ id: next }, { id: theirs }]);
});

test('search takes words as they are typed: signs, capitals, ß, an accent of two characters; and needs one', async () => {
  await using box = openSandbox();
  const a = await box.add('Fix (a+b)* in [x]');
  const b = await box.add('Größe der Cafe\u0301karte');
  for (const words of ['(a+b)*', '[X] fix', a]) expect(await box.says(`search ${words}`)).toContain(a);
  for (const words of ['GRÖSSE', 'größe', 'café']) expect(await box.says(`search ${words}`)).toContain(b);
  expect(await box.says(['search', '.*'])).toBe('Nothing has these words.\n');
  expect((await box.gza(['search', ' '])).stderr).toContain('there is no word to look for');
});

test('what was never worked on cannot be approved, and has no log to follow', async () => {
  await using box = openSandbox();
  const id = await box.add('Fix it', '-a');
  const refused = await box.gza(['approve', id]);
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('nothing to approve')]);
  expect(await box.json(`show ${id}`)).toMatchObject({ final_verdict: null });
  expect(await box.says(`log ${id} --follow`)).toBe(`No agent of ${id} left a log on this machine.\n`);
});
