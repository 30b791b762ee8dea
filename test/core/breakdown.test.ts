import { describe, expect, test } from '@jest/globals';
import { type BreakdownInput, breakDown } from '../../src/core/plan/breakdown.ts';
import { mergeBreakdown } from '../../src/core/plan/merge-breakdown.ts';
import { parseProduct } from '../../src/core/plan/product-criteria.ts';
import { parseTaskFile } from '../../src/core/task/parse-task-file.ts';

function read(plan: string, input: Partial<BreakdownInput> = {}) {
  return breakDown({
    file: 'plan.md',
    plan,
    group: 'auth',
    criteria: [],
    taken: () => false,
    exists: (path) => path === 'src/app.ts',
    score: {},
    split: true,
    ...input,
  });
}

const brief = (plan: string) =>
  read(plan).tasks.map(({ id, milestone, depends_on }) =>
    [id, milestone, depends_on?.join('+')].filter(Boolean).join(' '),
  );

describe('where a plan has its tasks', () => {
  test('in a yaml block, which wins over headings and says everything itself', () => {
    const plan = [
      '## Task 1: Not this one',
      '```yaml',
      'milestone: { id: M1, name: Core }',
      'defaults: { auto_review: true }',
      'tasks:',
      '  - { id: model, title: Add the model, files_to_create: [src/model.ts] }',
      '  - { id: page, title: Add the page, files_to_modify: [src/model.ts] }',
      '```',
    ].join('\n');
    const { tasks, from, milestones, fileWaits } = read(plan);
    expect([from, tasks.map(({ id }) => id), milestones]).toEqual([
      'a yaml block',
      ['model', 'page'],
      [{ id: 'M1', name: 'Core' }],
    ]);
    expect(tasks[1]).toMatchObject({ milestone: 'M1', auto_review: true });
    expect(fileWaits).toEqual([{ id: 'page', on: 'model', file: 'src/model.ts' }]);
  });

  test('a yaml block that is wrong is an error with the line of the plan', () => {
    const plan = '# Plan\n\n```yaml\ntasks:\n  - id: a\n    title: A\n    depend_on: b\n```\n';
    expect(() => read(plan)).toThrow(/plan\.md:7:5: depend_on is not .*did you mean depends_on/);
  });

  test('in headings, with phases above them as milestones', () => {
    const plan =
      '# Plan\n## Phase 1: Core\n### Task 1.1: Model\n### T1.2: Store\nDepends on: 1.1\n## Phase 2 — Screens\n### Task 2.1: Page\nBlocked by: Phase 1\n## Risks\n1. Task 9: none';
    expect(brief(plan)).toEqual(['model M1', 'store M1 model', 'page M2 model+store']);
  });

  test('with dependencies said in a sentence, when nothing but labels follows', () => {
    const plan =
      '# Plan\n### Task 1: Model\n### Task 2: Store\n- **Depends on** Task 1.\n### Task 3: Page\n*Depends on Tasks 1 and 2*\n### Task 4: Docs\nDepends on 3 people and luck.';
    expect(brief(plan)).toEqual(['model', 'store model', 'page model+store', 'docs']);
  });

  test('in numbered headings below a heading that says so, not elsewhere', () => {
    expect(
      brief('# X\n## 1. Context\n## 2. Tasks\n### 1. Add a\n### 2. Add b\n## 3. Risks\n### 1. Bad'),
    ).toEqual(['add-a', 'add-b']);
  });

  test('in lists below phases; a phase without a list is a task itself', () => {
    const plan =
      '## Phase 1: Core\n- [x] Old\n- [ ] Model\n  - with care\n- a remark\n## Phase 2: Ship it\nAll of it.';
    expect(brief(plan)).toEqual(['model M1', 'ship-it M2']);
    expect(read(plan).notes).toEqual(['1 ticked already, left out']);
    expect(read(plan).tasks[0]?.content).toBe('- with care');
  });

  test('in a numbered list of steps, which follow one another', () => {
    const plan = 'Do:\n\n1. **Step 1: Add it**: first of all\n2. **Step 2: Use it**\n';
    expect(brief(plan)).toEqual(['add-it', 'use-it add-it']);
    expect(read(plan).tasks[0]).toMatchObject({ title: 'Add it', content: 'Step 1: Add it: first of all' });
  });

  test('in a section of tasks, else in boxes outside of what only speaks about the work', () => {
    expect(brief('## Goals\n- fast\n## Tasks\n- Do a\n- Do b')).toEqual(['do-a', 'do-b']);
    expect(brief('- [ ] Do a\n## Acceptance criteria\n- [ ] It is quick')).toEqual(['do-a']);
  });

  test('code, quotes and comments are no tasks, and a plan without tasks says what to write', () => {
    const plan = '```\n## Task 1: a\n- [ ] b\n```\n> - [ ] c\n<!-- - [ ] d -->\n';
    expect(() => read(plan)).toThrow('no tasks were found in plan.md');
  });
});

describe('what a task says of itself', () => {
  test('files, tests, criteria and priority leave the text; a file that exists is modified', () => {
    const [task] = read(
      '### Task 1: Users\nMake it so.\n- **Files**: `src/user.ts` (new), src/app.ts:12, `src/other.ts`\n- Tests: test/user.test.ts\n- Priority: High\n\n**Acceptance criteria**:\n- one\n  goes on\n- two\n\nChanges: be careful here.\n',
    ).tasks;
    expect(task).toMatchObject({
      content: 'Make it so.\n\nChanges: be careful here.',
      priority: 'high',
      files_to_create: ['src/user.ts', 'src/other.ts'],
      files_to_modify: ['src/app.ts'],
      test_files: ['test/user.test.ts'],
      acceptance_criteria: ['one goes on', 'two'],
    });
  });

  test('a title may say files and what it waits for; its name is the rest', () => {
    const { tasks } = read(
      '## Tasks\n- [ ] **Model** — files: `src/m.ts` (new), src/app.ts; tests: test/m.test.ts\n- [ ] Page (after Model)\n- [ ] Say hello - politely (to all)\n',
    );
    expect(tasks.map(({ id, title, depends_on }) => [id, title, depends_on])).toEqual([
      ['model', 'Model', undefined],
      ['page', 'Page', ['model']],
      ['say-hello-politely-to-all', 'Say hello - politely (to all)', undefined],
    ]);
    expect(tasks[0]).toMatchObject({
      files_to_create: ['src/m.ts'],
      files_to_modify: ['src/app.ts'],
      test_files: ['test/m.test.ts'],
    });
    expect(brief('### Task 1: A\n### Task 2: B (depends on Task 1)\n')).toEqual(['a', 'b a']);
  });

  test('what it waits for and nobody knows is said, and a circle is refused', () => {
    expect(read('### Task 1: A\nAfter: Task 7\n').notes).toEqual([
      'a depends on "Task 7", which the plan does not have; left out',
    ]);
    expect(() => read('### Task 1: A\nAfter: Task 2\n### Task 2: B\nAfter: 1')).toThrow(
      /in a circle: (a → b → a|b → a → b)/,
    );
  });

  test('paths that leave the repository are not taken for files', () => {
    const [task] = read('### Task 1: A\nFiles: ../../etc/passwd, /etc/x.conf, .git/config, src/ok.ts').tasks;
    expect(task?.files_to_create).toEqual(['src/ok.ts']);
  });
});

test('criteria of the product go to the task that names them, else to the one of that name, each once', () => {
  const criteria = parseProduct(
    '# P\n## Login\n### Acceptance criteria\n- AC-1 says so\n- AC-2: locks\n## Invoices\nCriteria:\n- is sent\n## Risks\n- [ ] none',
  );
  const { tasks, unmet } = read('### Task 1: Add the login page\n### Task 2: Lock accounts\nMeets AC-2.', {
    criteria,
  });
  expect(tasks.map((task) => task.acceptance_criteria)).toEqual([['AC-1 says so'], ['AC-2: locks']]);
  expect(unmet.map(({ text }) => text)).toEqual(['is sent']);
});

test('what is too large is split, its parts below it, and who waited waits for the last', () => {
  const files = ['db/a', 'db/b', 'services/c', 'services/d', 'ui/e', 'ui/f'].map((name) => `src/${name}.ts`);
  const plan = `### Task 1: Payments\nAn async algorithm.\nFiles to modify: ${files.join(', ')}\n### Task 2: Mail\nAfter: Task 1`;
  const { tasks, splits } = read(plan);
  expect(splits).toEqual([{ id: 'payments', parts: ['payments-a', 'payments-b', 'payments-c'] }]);
  expect(tasks.map(({ id, parent }) => [id, parent])).toEqual([
    ['payments', undefined],
    ['payments-a', 'payments'],
    ['payments-b', 'payments'],
    ['payments-c', 'payments'],
    ['mail', undefined],
  ]);
  expect(tasks.flatMap((task) => task.files_to_modify ?? []).sort()).toEqual(files);
  expect(tasks[4]?.depends_on).toEqual(['payments-c']);
  expect(read(plan, { split: false }).splits).toEqual([]);
});

describe('a breakdown that is run again', () => {
  const merge = (plan: string, text: string | null, begun: string[] = [], wanted: string[] = []) => {
    const { tasks, milestones } = read(plan, { split: false });
    return mergeBreakdown({
      file: 'tasks/auth.yml',
      text,
      about: [],
      shared: { group: 'auth' },
      tasks,
      milestones,
      hasBegun: (id) => begun.includes(id),
      isWanted: (id) => wanted.includes(id),
    });
  };
  const plan = '### Task 1: A\nfirst\n### Task 2: B\nsecond\n### Task 3: C\nthird';
  const first = merge(plan, null).text;

  test('writes nothing when nothing changed', () => {
    expect(merge(plan, first)).toMatchObject({ text: first, same: ['a', 'b', 'c'], left: [] });
  });

  test('updates, adds and removes what has not begun, and keeps comments', () => {
    const commented = first.replace('tasks:', '# by Ann\ntasks:');
    const next = merge(
      '### Task 1: A\nfirst, better\n### Task 2: B\nsecond\n### Task 3: D\nfourth',
      commented,
    );
    expect(next).toMatchObject({ added: ['d'], updated: ['a'], removed: ['c'], same: ['b'], left: [] });
    expect(next.text).toContain('# by Ann');
    const { tasks, problems } = parseTaskFile('tasks/auth.yml', next.text);
    expect(problems).toEqual([]);
    expect(tasks.map(({ task }) => [task.id, task.content])).toEqual([
      ['a', 'first, better'],
      ['b', 'second'],
      ['d', 'fourth'],
    ]);
    const again = merge(
      '### Task 1: A\nfirst, better\n### Task 2: B\nsecond\n### Task 3: D\nfourth',
      next.text,
    );
    expect([again.text, again.same]).toEqual([next.text, ['a', 'b', 'd']]);
  });

  test('leaves alone what has begun, was edited or written by hand, or is waited for', () => {
    const edited = first.replace('prompt: second', 'prompt: second, and more');
    const text = `${edited}\n  - id: mine\n    title: By hand\n`;
    const next = merge('### Task 1: A\nanew\n### Task 2: B\nanew', text, ['a'], ['c']);
    expect(next.text).toBe(text);
    expect(next.left).toEqual([
      { id: 'a', why: 'it has begun' },
      { id: 'b', why: 'it was edited by hand' },
      { id: 'c', why: 'the plan has it no more, but another task waits for it' },
    ]);
  });

  test('keeps what a task of a person waits for, also through another, so that the file stays valid', () => {
    const chained = first.replace('prompt: second', 'prompt: second\n    depends_on: [c]');
    const marked = chained.replace(/(- id: b) # plan \w+/, '$1');
    const text = `${marked}\n  - id: mine\n    title: By hand\n    depends_on: b\n`;
    const next = merge('### Task 1: A\nfirst', text);
    expect(next).toMatchObject({ text, removed: [] });
    expect(next.left).toEqual([{ id: 'c', why: 'the plan has it no more, but b waits for it' }]);
    // What the plan itself let go of goes together.
    const own = merge('### Task 1: A\n### Task 2: B\n### Task 3: C\ndepends on: Task 2', null).text;
    expect(merge('### Task 1: A', own)).toMatchObject({ removed: ['b', 'c'], left: [] });
    const more = `${own}\n  - id: mine\n    title: By hand\n    depends_on: c\n`;
    expect(merge('### Task 1: A', more)).toMatchObject({ removed: [], left: [{ id: 'b' }, { id: 'c' }] });
  });
});

test('a criterion with an id counts beside boxes, and an explanation there does not', () => {
  const read = (text: string) => parseProduct(text).map(({ id, text }) => id ?? text);
  const list = '- [ ] AC1: the form is shown\n- AC3: the page is fast\n- see the design\n';
  expect(read(`## Acceptance criteria\n${list}`)).toEqual(['AC1', 'AC3']);
  expect(read(`## Login\n${list}`)).toEqual(['AC1', 'AC3']);
  expect(read('## Acceptance criteria\n- it is fast\n')).toEqual(['it is fast']);
  expect(read('## Login\n- AC3: no box in sight\n')).toEqual([]);
  const deep =
    '- [x] AC1: in\n  - [ ] AC2: in it\n    - **AC3**: further in\n    - why\n  ```\n  - AC9: code\n  ```\n1. `AC4` last\n';
  expect(read(`## Acceptance criteria\n${deep}`)).toEqual(['AC1', 'AC2', 'AC3', 'AC4']);
});
