import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { openSandbox, type Sandbox } from './cli.ts';

const planFile = 'docs/plans/2025-12-24-auth.md';
const plan = [
  '# Authentication',
  '',
  '- [ ] Implement authentication',
  '  - [x] Brainstorm design',
  '  - [x] Set up worktree',
  '  - [x] Write implementation plan',
  '  - [ ] Execute plan',
  '    - [x] Task 1: Add user model',
  '    - [ ] Task 2: Add login endpoint',
  '      - [x] Implementation',
  '      - [ ] Spec review',
  '      - [ ] Code quality review',
  '    - [ ] Task 3: Add JWT middleware',
  '  - [ ] Finish branch',
  '',
].join('\n');

interface Row {
  readonly id: string;
  readonly title: string;
  readonly status: string;
  readonly parent: string | null;
}

async function importPlan(box: Sandbox): Promise<Map<string, string>> {
  box.write(planFile, plan);
  const rows = await box.json<Row[]>(`import ${planFile}`);
  return new Map(rows.map((row) => [row.title, row.id]));
}

test('a plan becomes the tree of execution-tasks.md, with the current position', async () => {
  await using box = openSandbox();
  const ids = await importPlan(box);
  const id = (title: string) => ids.get(title) as string;
  expect(ids.size).toBe(12);
  await box.says(`assign ${id('Task 1: Add user model')} backend`);
  await box.says(`assign ${id('Task 2: Add login endpoint')} backend`);
  expect(await box.says(`tree --plan ${planFile}`)).toBe(
    [
      `[ ] Implement authentication (plan: ${planFile})`,
      '    [x] Brainstorm design',
      '    [x] Set up worktree',
      '    [x] Write implementation plan',
      '    [ ] Execute plan',
      '        [x] Task 1: Add user model (@backend, completed)',
      '        [ ] Task 2: Add login endpoint (@backend, active)',
      '            [x] Implementation',
      '            [ ] Spec review          <-- current position',
      '            [ ] Code quality review',
      '        [ ] Task 3: Add JWT middleware (pending)',
      '    [ ] Finish branch',
      '',
    ].join('\n'),
  );
  expect(await box.says('context')).toContain(
    `${id('Task 2: Add login endpoint')}: Task 2: Add login endpoint (@backend, in spec review)\n`,
  );
  expect(await box.says('where')).toBe(
    `${id('Spec review')}: Spec review\nImplement authentication › Execute plan › Task 2: Add login endpoint › Spec review\n`,
  );
  expect(await box.json('where')).toMatchObject({ id: id('Spec review'), status: 'pending' });
  // A task with children is not picked; its first open leaf is.
  expect(await box.json('ready')).toMatchObject([
    { id: id('Spec review') },
    { id: id('Code quality review') },
    { id: id('Task 3: Add JWT middleware') },
    { id: id('Finish branch') },
  ]);
  await box.says(`done ${id('Spec review')}`);
  expect(await box.json('where')).toMatchObject({ id: id('Code quality review') });
  await box.says(`done ${id('Code quality review')}`);
  expect(await box.json(`show ${id('Task 2: Add login endpoint')}`)).toMatchObject({ status: 'completed' });
});

test('the context is Markdown with the current position, small unless the whole is asked for', async () => {
  await using box = openSandbox();
  const ids = await importPlan(box);
  const context = await box.says('context');
  expect(context).toMatch(/^## Current Tasks\n- \[ \] task-/);
  expect(context).toContain(`- [x] ${ids.get('Task 1: Add user model')}: Task 1: Add user model (completed)`);
  expect(context).toContain(`${ids.get('Spec review')}: Spec review (pending)  <-- current`);
  const items = Array.from({ length: 300 }, (_, n) => `- [${n < 150 ? 'x' : ' '}] Step number ${n}`);
  box.write('TODO.md', items.join('\n'));
  await box.says('import TODO.md');
  const small = await box.says('context --plan TODO.md');
  expect(Buffer.byteLength(small)).toBeLessThan(1024);
  expect(small).toContain('Step number 150 (pending)  <-- current');
  const whole = await box.says('context --plan TODO.md --all');
  expect(whole.match(/Step number/g)).toHaveLength(300);
});

test('an import may be repeated: only what is new is filed, and what was ticked since is closed', async () => {
  await using box = openSandbox();
  box.write('TODO.md', '- [ ] One\n- [ ] Two\n  - [x] Part of two\n- [ ] One\n');
  expect(await box.says('import TODO.md --dry-run')).toMatch(/would file 4, 0 known already\n$/);
  expect(await box.json('list --all')).toEqual([]);
  expect(await box.says('import TODO.md --group todo')).toMatch(/filed 4, 0 known already\n$/);
  expect(await box.says('import TODO.md')).toBe('filed 0, 4 known already\n');
  box.write('TODO.md', '- [x] One\n- [ ] Two\n  - [x] Part of two\n  - [ ] Another part\n- [ ] One\n');
  expect(await box.says('import TODO.md')).toMatch(/filed 1, 4 known already, closed 1 ticked since\n$/);
  const rows = await box.json<(Row & { group: string | null })[]>('list --all');
  expect(rows.map(({ title, status }) => [title, status])).toEqual([
    ['One', 'completed'],
    ['Two', 'in_progress'],
    ['Part of two', 'completed'],
    ['One', 'pending'],
    ['Another part', 'pending'],
  ]);
  const two = rows.find(({ title }) => title === 'Two');
  // The new part inherits the group of its parent, which was filed with one.
  expect(rows.at(-1)).toMatchObject({ parent: two?.id, group: 'todo' });
});

test('a checklist from standard input becomes tasks', async () => {
  await using box = openSandbox();
  const body = 'Closes something.\n\n- [ ] Handle `null`\n- [x] Write docs\n\n```\n- [ ] not a task\n```\n';
  const filed = await box.says('import', { stdin: body });
  expect(filed).toMatch(/^task-\w+: Handle `null`\ntask-\w+: Write docs\nfiled 2, 0 known already\n$/);
  expect(await box.says('import', { stdin: body })).toBe('filed 0, 2 known already\n');
  const none = await box.gza(['import'], { stdin: 'Only prose.' });
  expect(none.code).toBe(2);
  expect(none.stderr).toContain('- [ ] Add the login endpoint');
  expect((await box.gza(['import'])).code).toBe(2);
  expect((await box.gza(['import', 'nowhere.md'])).stderr).toContain('nowhere.md is not a file');
  expect((await box.gza(['import', 'x'.repeat(5_000)])).stderr).toMatch(
    /^Error: a name is too long .{1,250}\n/,
  );
});

test('assigning does not start a task, and only the assigned holder may claim it', async () => {
  await using box = openSandbox();
  const id = await box.add('Add user model');
  expect(await box.says(`assign ${id} backend`)).toBe(`${id}: assigned to backend\n`);
  expect(await box.json(`show ${id}`)).toMatchObject({ status: 'pending', assigned_agent: 'backend' });
  expect((await box.gza(['claim', id, '--as', ''])).stderr).toContain(`${id} is assigned to backend`);
  const other = await box.gza(['claim', id, '--as', 'frontend']);
  expect(other.code).toBe(3);
  expect(other.stderr).toContain('assigned to backend');
  expect(await box.says(`claim ${id} --as backend --for 30m`)).toMatch(
    new RegExp(String.raw`^${id}: claimed by backend until \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\n$`),
  );
  expect(await box.says('agents')).toMatch(
    new RegExp(String.raw`^backend: ${id} Add user model, since [\d:TZ-]+, until [\d:TZ-]+\n$`),
  );
  const { claims } = await box.json<{ claims: { at: string; until: string }[] }>('agents');
  expect(claims.map(({ at, until }) => Date.parse(until) - Date.parse(at))).toEqual([30 * 60_000]);
  expect(await box.says(`release ${id}`)).toBe(`${id}: released (was held by backend)\n`);
  expect(await box.says(`release ${id}`)).toBe(`${id}: nobody holds it\n`);
  expect(await box.says(['assign', id, ''])).toBe(`${id}: assigned to nobody\n`);
  // The same of a task that still stands in its file alone; a person's task waits for that person.
  box.write('tasks/t.yml', 'tasks: [{ id: T1, title: One }, { id: T2, title: Two, assigned_agent: ann }]\n');
  await box.says('assign T1 bob');
  expect(await box.says('ready')).toContain('T1: One (assigned to bob)\nT2: Two (assigned to ann)\n');
  expect(await box.json('escalations')).toMatchObject([
    { id: 'T1', reason: 'assigned', commands: ['gza claim T1', 'gza done T1', 'gza assign T1 ""'] },
    { id: 'T2' },
  ]);
  await box.says('report --html report.html');
  const inTheWay = await box.gza(['report', '--html', 'tasks']);
  expect([inTheWay.code, inTheWay.stderr]).toEqual([1, expect.stringMatching(/^Error: a folder stands/)]);
  const page = readFileSync(join(box.repo, 'report.html'), 'utf8');
  expect(page).toContain('"detail":"it is assigned to bob"');
  const work = await box.gza(['work', 'T1']);
  expect([work.code, work.stderr]).toEqual([3, expect.stringContaining('Task #T1 is assigned to bob')]);
  expect((await box.gza(['assign', 'T2', ''])).stderr).toContain('tasks/t.yml assigns T2 to ann');
  await box.says(['assign', 'T1', '']);
  expect((await box.json<object[]>('escalations')).length).toBe(1);
});

test('parts inherit what their whole belongs to', async () => {
  await using box = openSandbox();
  const whole = await box.add(
    'Whole',
    '--plan',
    planFile,
    '--project',
    'auth',
    '--group',
    'g',
    '--milestone',
    'M1',
  );
  const part = await box.add('Part', '--parent', whole);
  expect(await box.json(`show ${part}`)).toMatchObject({
    parent: whole,
    plan_file: planFile,
    project: 'auth',
    group: 'g',
    milestone: 'M1',
  });
  expect(await box.json(`show ${whole}`)).toMatchObject({ children: [part] });
  expect(await box.json('list --project auth')).toHaveLength(2);
});

test('the headings of a plan file become tasks with their sections, under its title', async () => {
  await using box = openSandbox();
  const text = [
    '# Authentication',
    '',
    '## Goals',
    '',
    '- nobody waits',
    '',
    '## Phase 1: Model',
    '',
    '### Task 1: Add user model',
    '',
    '**Files:** src/user.ts',
    '',
    '```ts',
    '# Task 9: not a heading',
    '```',
    '',
    '- plain points explain',
    '- [x] Write the test',
    '- [ ] Make it pass',
    '',
    '### Task 2: Migrate',
    '',
    'Move the old rows.',
    '',
    '## Notes',
    '',
    '- [ ] Tell support',
    '',
  ].join('\n');
  box.write('docs/plan.md', text);
  const filed = await box.json<{ id: string; title: string }[]>('import docs/plan.md');
  expect(await box.says('tree')).toBe(
    [
      '[ ] Authentication (plan: docs/plan.md)',
      '    [ ] Phase 1: Model',
      '        [ ] Task 1: Add user model',
      '            [x] Write the test',
      '            [ ] Make it pass    <-- current position',
      '        [ ] Task 2: Migrate',
      '    [ ] Tell support',
      '',
    ].join('\n'),
  );
  const id = (title: string) => filed.find((one) => one.title === title)?.id;
  expect((await box.json(`show ${id('Task 2: Migrate')}`))['content']).toBe(
    'Task 2: Migrate\n\nMove the old rows.',
  );
  expect((await box.json(`show ${id('Task 1: Add user model')}`))['content']).toContain(
    '# Task 9: not a heading',
  );
  expect(await box.says('import docs/plan.md')).toBe('filed 0, 7 known already\n');
});
