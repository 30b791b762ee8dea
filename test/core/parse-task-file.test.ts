import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { stringify } from 'yaml';
import { parseRecord } from '../../src/core/ledger/ledger-state.ts';
import { printRecord } from '../../src/core/ledger/record/record.ts';
import { parseTaskFile } from '../../src/core/task/parse-task-file.ts';
import { complexities, priorities, type Task, taskTypes } from '../../src/core/task/task.ts';
import { allRows, namesOf } from '../../src/core/task/task-fields.ts';
import type { FieldRow } from '../../src/core/task/task-json.ts';
import { printProblems } from '../../src/core/yaml/problem.ts';

const problemsIn = (text: string, file = 'tasks/a.yml') => printProblems(parseTaskFile(file, text).problems);

function tasksIn(text: string, file = 'tasks/a.yml'): Task[] {
  const { tasks, problems } = parseTaskFile(file, text);
  expect(printProblems(problems)).toBe('');
  return tasks.map(({ task }) => task);
}

const everyField = `id: login
type: implement
title: Add a login page
prompt: Build it.
user_story: As a user I want to log in
acceptance_criteria: [it works, it is tested]
group: web
milestone: {id: M1, name: Core, description: The core.}
priority: high
estimated_complexity: low
depends_on: design
based_on: [plan]
dependencies: [design, api]
after: model
requires: merged
approval: required
breakdown: true
same_branch: true
branch: feature/login
create_review: true
auto_review: true
max_review_cycles: 4
review_model: sonnet
model: opus
agent: claude
agents: [codex]
assigned_agent: backend
max_turns: 40
timeout_minutes: 45
review_timeout_minutes: 5
improve_timeout_minutes: 15
max_attempts: 2
max_slices: 0
budget: 2.5
loop: until-verified
files_to_create: src/login.ts
files_to_modify: [src/app.ts]
test_files: [test/login.test.ts]
allow: src/**
verify: npm test
parent: epic
plan_file: docs/plan.md
project: shop
linear_issue_id: ENG-1
tags: [ui, auth]
`;

test('a task may have every field, and names of one thing become one', () => {
  const { tasks, milestones, problems } = parseTaskFile('tasks/x.yml', everyField);
  expect(printProblems(problems)).toBe('');
  expect(milestones).toEqual([{ id: 'M1', name: 'Core', description: 'The core.' }]);
  expect(tasks[0]?.task).toEqual({
    id: 'login',
    type: 'implement',
    title: 'Add a login page',
    content: 'Build it.',
    user_story: 'As a user I want to log in',
    acceptance_criteria: ['it works', 'it is tested'],
    group: 'web',
    milestone: 'M1',
    priority: 'high',
    estimated_complexity: 'low',
    depends_on: ['design', 'plan', 'api', 'model'],
    requires: 'merged',
    approval: 'required',
    breakdown: true,
    same_branch: true,
    branch: 'feature/login',
    create_review: true,
    auto_review: true,
    max_review_cycles: 4,
    review_model: 'sonnet',
    model: 'opus',
    agents: ['claude', 'codex'],
    assigned_agent: 'backend',
    max_turns: 40,
    timeout_minutes: 45,
    review_timeout_minutes: 5,
    improve_timeout_minutes: 15,
    max_attempts: 2,
    max_slices: 0,
    budget: 2.5,
    loop: 'until-verified',
    files_to_create: ['src/login.ts'],
    files_to_modify: ['src/app.ts'],
    test_files: ['test/login.test.ts'],
    allow: ['src/**'],
    verify: 'npm test',
    parent: 'epic',
    plan_file: 'docs/plan.md',
    project: 'shop',
    linear_issue_id: 'ENG-1',
    tags: ['ui', 'auth'],
  });
});

const sampleOf = ({ kind, values = [], range = [0, 0] }: FieldRow): unknown => {
  switch (kind) {
    case 'choice':
      return values[0];
    case 'flag':
      return true;
    case 'count':
      return range[1];
    case 'minutes':
    case 'dollars':
      return 1.5;
    case 'model':
      return { claude: 'opus', id: 'other' };
    case 'names':
    case 'ids':
    case 'paths':
    case 'lines':
      return ['a', 'b'];
    default:
      return 'a';
  }
};

test.each(allRows)('%s is read under each of its names, and survives the ledger', (name, row) => {
  const sample = sampleOf(row);
  for (const written of namesOf(name, row)) {
    const [task] = tasksIn(stringify({ title: 'a', id: 'a', [written]: sample }));
    expect(task).toMatchObject({ [name]: sample });
    const record = { ...task!, created_at: '2026-01-01T00:00:00Z' };
    expect(parseRecord(printRecord(record))).toMatchObject({ record: { [name]: sample } });
  }
});

test('a file of many tasks shares group, milestone and defaults, which stay a layer of their own', () => {
  const text = `group: web
milestone_id: M2
defaults:
  max_turns: 9
  agent: codex
  type: implement
tasks:
  - id: a
    title: First
  - id: b
    title: Second
    group: other
    type: plan
    max_turns: 3
    after: [a]
`;
  const { tasks } = parseTaskFile('tasks/many.yaml', text);
  expect(tasks.map(({ task }) => task)).toEqual([
    { id: 'a', type: 'implement', title: 'First', content: 'First', group: 'web', milestone: 'M2' },
    {
      id: 'b',
      type: 'plan',
      title: 'Second',
      content: 'Second',
      group: 'other',
      milestone: 'M2',
      max_turns: 3,
      depends_on: ['a'],
    },
  ]);
  expect(tasks[1]).toMatchObject({
    defaults: { max_turns: 9, agents: ['codex'] },
    file: 'tasks/many.yaml',
    line: 10,
    column: 5,
    order: 1,
    lines: { 'defaults.max_turns': 4, max_turns: 14, after: 15 },
  });
});

test('title and prompt stand for each other when one is missing', () => {
  expect(tasksIn('title: Do it')[0]).toMatchObject({ id: 'a', title: 'Do it', content: 'Do it' });
  const long = 'word '.repeat(40);
  const [task] = tasksIn(`prompt: |\n  # ${long}\n  more`);
  expect(Array.from(task!.title)).toHaveLength(80);
  expect(task!.title.endsWith('…')).toBe(true);
  expect(task!.content).toContain('more');
});

test.each(['no', '007', '1e3', 'true', '0x1f', '12', '1.10', 'y', '2024-01-01', '1_000'])(
  'the id %s is taken as it is written, also as a dependency',
  (id) => {
    const tasks = tasksIn(
      `tasks:\n  - id: ${id}\n    title: ${id}\n  - {id: z, title: z, after: ${id}, depends_on: [${id}]}\n`,
    );
    expect(tasks[0]).toMatchObject({ id, title: id });
    expect(tasks[1]!.depends_on).toEqual([id]);
  },
);

test('an empty value means not set', () => {
  expect(tasksIn('title: x\nafter: null\ngroup:\ndepends_on: ~\n')[0]).toEqual({
    id: 'a',
    type: 'task',
    title: 'x',
    content: 'x',
  });
});

test('BOM, CRLF and aliases are read like what they stand for', () => {
  expect(tasksIn('\uFEFFtitle: x\r\nprompt: |\r\n  one\r\n  two\r\n')[0]!.content).toBe('one\ntwo');
  const text =
    'tasks:\n  - {id: a, title: x, acceptance_criteria: &c [works]}\n  - {id: b, title: y, acceptance_criteria: *c}\n';
  expect(tasksIn(text)[1]!.acceptance_criteria).toEqual(['works']);
});

test('all mistakes are told at once, each with its place and the nearest right word', () => {
  const text = `title: A
depend_on: x
status: done
priority: critcal
max_attempts: lots
auto_review: yes
description: text
allow: [/etc, src/**]
branch: a..b
acceptance_criteria: {a: 1}
milestone: {id: M1, nam: x}
files_to_create: ../x
prompt: a
content: b
`;
  expect(problemsIn(text)).toMatchInlineSnapshot(`
"tasks/a.yml:2:1: depend_on is not a field of a task: did you mean depends_on?
tasks/a.yml:3:1: status is recorded by gza, not written in a task file: it follows from what happened; to close a task by hand run \`gza done <id>\`
tasks/a.yml:4:11: priority has a wrong value: did you mean critical?
    expected: one of critical, high, medium, low
    found:    critcal
tasks/a.yml:5:15: max_attempts has a wrong value
    expected: a whole number from 1 to 20
    found:    lots
tasks/a.yml:6:14: auto_review has a wrong value
    expected: true or false
    found:    yes
tasks/a.yml:7:1: description is not a field of a task: did you mean prompt?
tasks/a.yml:8:9: allow[1] has a wrong value
    expected: a path inside the repository, with / between folders and no ..
    found:    /etc
    example:  allow: [src/**]
tasks/a.yml:9:1: the branch a..b has two dots in a row
    expected: a name that git takes
tasks/a.yml:10:22: acceptance_criteria has a wrong value
    expected: text, or a list of them
    found:    a map of fields
tasks/a.yml:11:21: nam is not a field of a milestone: did you mean name?
tasks/a.yml:12:18: files_to_create has a wrong value
    expected: a path inside the repository, with / between folders and no .., or a list of them
    found:    ../x
    example:  files_to_create: src/login.ts
tasks/a.yml:14:1: prompt and content are the same field: give one of them"
`);
});

test('what cannot be a task says what a task is', () => {
  const list = [
    problemsIn('- a\n'),
    problemsIn('just text\n'),
    problemsIn(''),
    problemsIn('tasks:\n'),
    problemsIn('tasks: [x, {title: Nameless One}, {id: ../x, title: y}]\n'),
    problemsIn('title: x\n', 'tasks/my task.yml'),
    problemsIn(`title: ${'long '.repeat(20)}\n`),
    problemsIn('type: plan\n'),
  ];
  expect(list.join('\n')).toMatchInlineSnapshot(`
"tasks/a.yml:1:1: the file is not a task
    expected: fields of one task (title: …), or \`tasks:\` and a list
tasks/a.yml:1:1: the file is not a task
    expected: fields of one task (title: …), or \`tasks:\` and a list
tasks/a.yml:1:1: warning: the file holds no task
    expected: fields of one task, or \`tasks:\` and a list
    example:  title: Add a login page
tasks/a.yml:1:7: \`tasks\` holds no task
    expected: a list of tasks
tasks/a.yml:1:9: this is not a task
    expected: fields of a task (id: …, title: …)
tasks/a.yml:1:12: id is missing
    expected: an id for each task of the list
    example:  id: nameless-one
tasks/a.yml:1:40: id has a wrong value
    expected: an id of letters, digits, ".", "_" and "-", at most 64, not beginning with "." or "-", no ".."
    found:    ../x
    example:  id: add-login
tasks/my task.yml:1:1: the name of the file cannot be the id of the task
    expected: a file name of letters, digits, ".", "_" and "-", at most 64, or a field \`id\`
    found:    my task
    example:  id: my-task
tasks/a.yml:1:8: title has a wrong value
    expected: one line of at most 80 characters
    found:    long long long long long long long long long long long lo... (99 characters)
    example:  title: Add a login page
tasks/a.yml:1:1: the task does not say what to do
    expected: \`title\`, or \`prompt\`, or both"
`);
});

test('traps of YAML are told, not guessed at', () => {
  const list = [
    problemsIn('title: a: b\n'),
    problemsIn('title: x\ntitle: y\n'),
    problemsIn('title: x\n<<: {type: plan}\n'),
    problemsIn('title: x\n---\ntitle: y\n'),
    problemsIn('title: x\nprompt:\n\t- y\n'),
    problemsIn('title: !!binary aGk=\n'),
    problemsIn('title: *nowhere\n'),
    problemsIn('title: &a [*a]\n'),
    problemsIn('? [a]\n: b\ntitle: x\n'),
    problemsIn('%YAML 1.1\n---\ntitle: x\n'),
    problemsIn('title: x\n__proto__: {type: plan}\n'),
    problemsIn('title: "x\n'),
    problemsIn('title: x\0y\n'),
  ];
  expect(list.join('\n')).toMatchInlineSnapshot(`
"tasks/a.yml:1:8: a text with ": " in it must be in quotes, or begin on the next line after |
tasks/a.yml:2:1: title is given twice
    expected: each field once; it stands already in line 1
tasks/a.yml:2:1: merge keys (<<) are not read
    expected: each field written out, or \`defaults:\` for all tasks of a file
tasks/a.yml:3:1: a second document begins here
    expected: one document in a file; put several tasks under \`tasks:\`
tasks/a.yml:3:1: a tab is used as indentation: use spaces
tasks/a.yml:1:8: not YAML: unresolved tag: tag:yaml.org,2002:binary
tasks/a.yml:1:1: the task does not say what to do
    expected: \`title\`, or \`prompt\`, or both
tasks/a.yml:1:8: the alias *nowhere has no anchor before it
    expected: a value, or &nowhere on an earlier one
tasks/a.yml:1:11: title has a wrong value
    expected: one line of at most 80 characters
    found:    a list
    example:  title: Add a login page
tasks/a.yml:1:12: the alias *a stands for something that contains it
    expected: a value, or &a on an earlier one
tasks/a.yml:1:3: a key must be a plain word
    expected: the name of a field
tasks/a.yml:1:1: the file asks for YAML 1.1
    expected: YAML 1.2; remove the line %YAML 1.1
tasks/a.yml:2:1: __proto__ is not a field
tasks/a.yml:2:1: not YAML: missing closing "quote
tasks/a.yml:1:9: the file has a control character (U+0000)
    expected: text"
`);
});

test('bombs end quickly and are named', () => {
  const doubled = Array.from({ length: 40 }, (_, i) => `  - &b${i + 1} [*b${i}, *b${i}]`).join('\n');
  const bomb = `tags:\n  - &b0 [x]\n${doubled}\ntitle: x\n`;
  expect(problemsIn(bomb)).toContain('aliases stand for more than 10000 values');
  expect(problemsIn(`title: ${'['.repeat(50_000)}\n`)).toContain('nested too deeply');
  expect(problemsIn(`${'- '.repeat(3000)}x\n`)).toMatch(/nested too deeply|not a task/);
  expect(problemsIn(`title: x\nprompt: "${'x'.repeat(10 << 20)}"\n`)).toContain('larger than 10 MB');
  expect(problemsIn('\n'.repeat(500_000))).toContain('500001 lines');
  const keys = Array.from({ length: 30_000 }, (_, i) => `k${i}: 1`).join('\n');
  expect(parseTaskFile('tasks/a.yml', keys).problems.length).toBeLessThanOrEqual(60);
});

test('a bad task holds back itself, a bad header or bad YAML the whole file', () => {
  const holds = (text: string) =>
    parseTaskFile('tasks/a.yml', text).problems.map(({ task, wholeFile }) => wholeFile ?? task);
  expect(holds('tasks:\n  - {id: a, title: x}\n  - id: b\n    title: y\n    foo: 1\n')).toEqual(['b']);
  expect(holds('tasks:\n  - {id: a, title: x}\n  - id: b\n    title: y\n    title: z\n')).toEqual(['b']);
  expect(holds('defaults: {bugdet: 1}\ntasks:\n  - {id: a, title: x}\n')).toEqual([true]);
  expect(holds('tasks:\n  - {id: a, title: x}\n  - {title: nameless}\n')).toEqual([undefined]);
  expect(holds('tasks:\n  - {id: a, title: x\n')).toContain(true);
});

const word = fc.stringMatching(/^[A-Za-z0-9_][A-Za-z0-9_-]{0,12}$/);
const line = fc.string({ minLength: 1, maxLength: 60, unit: 'grapheme' }).filter((text) => isLine(text));
const isLine = (text: string) =>
  text === text.trim() && !/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\uFFFE\uFFFF\\]/u.test(text);
const anyTask: fc.Arbitrary<Task> = fc
  .record(
    {
      id: word,
      type: fc.constantFrom(...taskTypes),
      title: line,
      content: line,
      group: line,
      priority: fc.constantFrom(...priorities),
      estimated_complexity: fc.constantFrom(...complexities),
      depends_on: fc.uniqueArray(word, { minLength: 1, maxLength: 4 }),
      acceptance_criteria: fc.array(line, { minLength: 1, maxLength: 4 }),
      tags: fc.array(line, { minLength: 1, maxLength: 4 }),
      milestone: word,
      max_turns: fc.integer({ min: 1, max: 100 }),
      auto_review: fc.boolean(),
      agents: fc.uniqueArray(word, { minLength: 1, maxLength: 3 }),
    },
    { requiredKeys: ['id', 'type', 'title', 'content'] },
  )
  .map((task) => task as Task);

test('what is printed is read back, in either layout and any order of fields', () => {
  fc.assert(
    fc.property(anyTask, fc.infiniteStream(fc.nat()), (task, order) => {
      const keys = Object.entries(task).map((entry) => ({ entry, at: order.next().value as number }));
      const shuffled = Object.fromEntries(keys.sort((a, b) => a.at - b.at).map(({ entry }) => entry));
      expect(tasksIn(stringify(shuffled))).toEqual([task]);
      expect(tasksIn(stringify({ tasks: [shuffled] }))).toEqual([task]);
    }),
    { numRuns: 60 },
  );
});

test('no text whatever makes it throw', () => {
  const piece = fc.constantFrom(
    'title',
    ': ',
    '\n',
    '  ',
    '- ',
    '[',
    ']',
    '{',
    '}',
    '&a ',
    '*a',
    '!!str ',
    '|',
    '"',
    "'",
    '#',
    '\t',
    '?',
    'tasks',
    'id',
    '---\n',
    '<<',
    '%',
    '\r\n',
    ',',
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(piece, fc.string({ maxLength: 5 })), { maxLength: 30 }), (pieces) => {
      parseTaskFile('tasks/a.yml', pieces.join(''));
    }),
    { numRuns: 400 },
  );
});
