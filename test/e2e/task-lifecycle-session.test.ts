import { expect, test } from '@jest/globals';
import { openSandbox } from './cli.ts';

const milestones = 'milestones:\n  - id: M1\n    name: Core Features\n    description: What must be there\n';
const tasks = `tasks:
  - id: T1
    title: Add the model
    user_story: As a user I want a model so that there is data
    acceptance_criteria: [it is stored, it is read]
    files_to_create: [src/model.ts]
    test_files: [test/model.test.ts]
    milestone_id: M1
    priority: high
    estimated_complexity: medium
  - id: T2
    # Follows T1 by its file.
    title: Use the model
    files_to_modify: [src/model.ts]
    milestone_id: M1
  - id: T3
    title: Say so
    dependencies: [T2]
`;

async function withTasks() {
  const box = openSandbox();
  box.write('tasks/core.yml', tasks);
  box.write('gza.yaml', milestones);
  box.commit('Tasks', 'tasks', 'gza.yaml');
  return box;
}

test('a task of a file has every field of the lifecycle, and dependencies by file', async () => {
  await using box = await withTasks();
  expect(await box.json('show T1')).toMatchObject({
    id: 'T1',
    title: 'Add the model',
    user_story: 'As a user I want a model so that there is data',
    acceptance_criteria: ['it is stored', 'it is read'],
    files_to_create: ['src/model.ts'],
    files_to_modify: [],
    test_files: ['test/model.test.ts'],
    dependencies: [],
    milestone_id: 'M1',
    status: 'pending',
    priority: 'high',
    estimated_complexity: 'medium',
    attempts: 0,
    max_attempts: 3,
    implementation_notes: null,
    error: null,
    linear_issue_id: null,
  });
  expect(await box.says('ready')).toBe('T1: Add the model\n(T2 blocked by T1)\n(T3 blocked by T2)\n');
  expect(await box.says('graph')).toBe('T1 → T2 (by file) (blocked)\nT2 → T3 (blocked)\n');
  expect(await box.says('graph --format mermaid')).toMatch(
    /^graph LR\n {2}t0\["T1: Add the model"\]:::pending\n/,
  );
  expect(await box.says('graph --format dot')).toMatch(/"T1" -> "T2" \[style=dashed\];/);
  expect(await box.says('check')).toBe('3 tasks in files, 0 errors, 0 warnings: all good\n');
});

test('milestones derive their status from their tasks', async () => {
  await using box = await withTasks();
  const status = async () => (await box.json<{ status: string }[]>('milestones')).map((one) => one.status);
  expect(await box.says('milestones')).toBe('M1 Core Features  pending     0/2 completed\n');
  await box.says('done T1');
  expect(await status()).toEqual(['in_progress']);
  expect(await box.says('status --milestone M1')).toMatch(
    /^Milestone: M1 Core Features \(in_progress\)\n {2}✓ T1\. Add the model {2}completed {2}\d\d\/\d\d\n {2}○ T2\. Use the model {2}pending\n$/,
  );
  await box.says('skip T2 --reason elsewhere');
  expect(await status()).toEqual(['completed']);
  expect(await box.says('ready')).toBe('T3: Say so\n');
});

test('after an escalation a person may skip, reset, retry, unblock and reopen', async () => {
  await using box = await withTasks();
  expect(await box.says('pause T1')).toBe('T1: paused\n');
  expect(await box.says('ready')).toContain('(T1 blocked by a pause that a person asked for)');
  expect(await box.says('stop T1')).toBe('T1: stopped\n');
  expect(await box.says('why T1')).toContain('a stop that a person must answer: stopped by Ann');
  expect(await box.gza(['rebase', 'T1'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('T1 has no branch here to rebase'),
  });
  box.git('remote', 'add', 'nowhere', '/nowhere');
  expect(await box.gza(['rebase', 'T1'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('no branch'),
  });
  expect(await box.says('unblock T1')).toBe('T1: unblocked\n');
  expect(await box.says('reset T1')).toBe('T1: attempts reset\n');
  expect(await box.says('retry T1')).toBe('T1: will be tried again\n');
  expect(await box.says('skip T1')).toBe('T1: skipped\n');
  expect(await box.says('skip T1')).toBe('T1: skipped (already)\n');
  expect(await box.gza(['stop', 'T1'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('is closed'),
  });
  expect(await box.says('reopen T1')).toBe('T1: reopened\n');
  expect(await box.says('reopen T1')).toBe('T1: open (already)\n');
  expect(await box.json('ready')).toMatchObject([{ id: 'T1' }]);
  expect(await box.says('why T3')).toContain('blocked by #T2');
});

test('editing a task of a file changes the file, comments and all, until it is claimed', async () => {
  await using box = await withTasks();
  const file = () => box.git('show', ':tasks/core.yml') && box.says('show T2');
  expect(await box.says(['edit', 'T2', '--title', 'Use it well', '--group', 'core'])).toBe(
    'T2: Use it well (edited in tasks/core.yml)\n',
  );
  expect(box.git('diff', '--stat')).toContain('tasks/core.yml');
  expect(box.git('diff')).toMatch(/\+ {4}title: Use it well/);
  expect(box.git('diff')).not.toMatch(/^-.*Follows T1/m);
  expect(await file()).toContain('group: core');

  // A note gives it a record; it can still change.
  await box.says(['note', 'T2', 'mind the gap']);
  await box.says('edit T2 --title Again --priority low');
  expect(await box.json('show T2')).toMatchObject({
    title: 'Again',
    priority: 'low',
    notes: ['mind the gap'],
  });
  expect(box.git('diff')).toMatch(/\+ {4}title: Again/);

  await box.says('claim T1');
  const fixed = await box.gza(['edit', 'T1', '--content', 'Something else']);
  expect(fixed).toMatchObject({ code: 2, stdout: '' });
  expect(fixed.stderr).toContain('T1 was claimed: its content is fixed');
  box.write('tasks/core.yml', tasks.replace('title: Add the model', 'title: Add another model'));
  expect(await box.json('show T1')).toMatchObject({ title: 'Add the model', file_changed: true });
  expect(await box.says('show T1')).toContain(
    'its file says something else now; gza retry takes the new text',
  );
  const before = box.git('diff');
  expect(await box.says('edit T1 --group core --priority critical --milestone M2')).toBe(
    'T1: Add the model (edited)\n',
  );
  expect(box.git('diff')).toBe(before);
  expect(await box.json('show T1')).toMatchObject({ group: 'core', priority: 'critical', milestone: 'M2' });
  await box.says('release T1');
  await box.says('retry T1');
  expect(await box.json('show T1')).toMatchObject({ title: 'Add another model', file_changed: false });
});

test('deleting a task of a file takes it out of the file until it is claimed', async () => {
  await using box = await withTasks();
  const gone = await box.json('delete T3');
  expect(gone).toMatchObject({ id: 'T3', status: 'skipped', closed_as: 'dropped', depends_on: ['T2'] });
  expect(box.git('diff')).toMatch(/^- {2}- id: T3/m);
  expect((await box.gza(['show', 'T3'])).code).toBe(2);
  expect(await box.says('delete T1')).toBe('T1: deleted from tasks/core.yml\n');
  await box.says(['note', 'T2', 'on second thought']);
  expect(await box.says('delete T2')).toBe('T2: deleted\n');
  expect(await box.says('delete T2')).toBe('T2: deleted (already)\n');
  expect(box.git('status', '--porcelain')).toBe(' D tasks/core.yml');
  expect(await box.says('list --all')).toMatch(/– T2\. task Use the model {2}skipped \(dropped: deleted\)/);
  // Those that wait are told what became of it, not that it never was.
  box.write(
    'tasks/more.yml',
    'tasks:\n  - { id: U1, title: U, prompt: &p Do }\n  - { id: U2, title: V, prompt: *p, after: U1 }\n',
  );
  const refused = await box.gza(['delete', 'U1']);
  expect([refused.code, refused.stderr]).toEqual([
    2,
    expect.stringContaining('more.yml uses elsewhere what'),
  ]);
  expect(await box.json('show U1')).toMatchObject({ closed_as: null });
  const more = 'tasks: [{ id: U1, title: U }, { id: U2, title: V, after: U1 }]\n';
  box.write('tasks/more.yml', more);
  expect(await box.says('delete U1')).toBe('U1: deleted from tasks/more.yml (now blocked: U2)\n');
  // As if it had been ended between the two.
  box.write('tasks/more.yml', more);
  expect(await box.says('delete U1')).toBe('U1: deleted (already)\n');
  expect(box.git('grep', '--untracked', '-c', 'id: U', 'tasks/more.yml')).toBe('tasks/more.yml:1');
  expect(await box.says('list')).toBe(
    '  ○ U2. task V  pending (blocked by #U1, which was dropped (deleted))\n',
  );
  expect(await box.says('why U2')).toContain('would change it: gza reopen U1, or gza skip U1');
  // A part whose whole is gone still knows what it was a part of.
  box.write('tasks/parts.yml', 'tasks: [{ id: P, title: P }, { id: P1, title: Part, parent: P }]\n');
  await box.says('delete P');
  expect(await box.says('check')).toMatch(/ 0 errors/);
  box.write('gza.yaml', 'budget: { run: 1 }\n');
  box.write('tasks/more.yml', 'id: U2\ntitle: V\nafter: U1\nbudget: 3\n');
  expect(await box.says('check')).toMatch(
    /^tasks\/more\.yml:4:1: warning: U2 may cost \$3, .*\n.* 0 errors/m,
  );
});
