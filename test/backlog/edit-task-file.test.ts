import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { deleteTaskFromFile, editTaskFile, type TaskChanges } from '../../src/backlog/edit-task-file.ts';

const root = mkdtempSync(join(tmpdir(), 'gza-edit-'));
mkdirSync(join(root, 'tasks'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const place = { root, file: 'tasks/a.yml', id: 'a' };
const path = join(root, 'tasks/a.yml');

function edited(text: string, changes: TaskChanges, id = 'a'): string {
  writeFileSync(path, text);
  editTaskFile({ ...place, id }, changes);
  return readFileSync(path, 'utf8');
}

const one = `# what this is
title:   "A title"   # keep me
type: implement

# why high
priority: high
after:
    - x
    - y
prompt: >-
  folded text
  stays as it is
`;

const many = `# all of it
group: g
tasks:
  - id: a
    title: First # one
    priority: high

  # about b
  - id: b
    title: Second
    depends_on: [a]

  # about c
  - title: Third
    id: c
`;

test('a changed value leaves every other byte as it was', () => {
  expect(edited(one, { priority: 'low' })).toBe(one.replace('priority: high', 'priority: low'));
  expect(edited(one, { title: 'Other: it' })).toBe(one.replace('title:   "A title"', 'title: "Other: it"'));
  expect(edited(many, { priority: 'low' })).toBe(many.replace('priority: high', 'priority: low'));
  expect(edited(many, { title: '3rd' }, 'c')).toBe(many.replace('Third', '3rd'));
});

test('a new field goes below the others, a removed one takes its lines along', () => {
  expect(edited(one, { group: 'web' })).toBe(`${one}group: web\n`);
  expect(edited(many, { group: 'web' })).toContain('    priority: high\n    group: web\n\n  # about b');
  expect(edited(many, { group: 'web' }, 'c')).toBe(`${many}    group: web\n`);
  expect(edited(one, { priority: null })).toBe(one.replace('priority: high\n', ''));
  expect(edited(one, { prompt: null })).toBe(one.slice(0, one.indexOf('prompt')));
  expect(edited('title: x', { group: 'web' })).toBe('title: x\ngroup: web\n');
});

test('a field is changed under the name that the file uses', () => {
  const text = edited(one, { depends_on: ['z'], content: 'New\ntext' });
  expect(text).toContain('after:\n  - z\n');
  expect(text).toContain('prompt: |-\n  New\n  text\n');
  expect(text).not.toMatch(/depends_on|content/);
});

test('a list of as many items keeps its layout and its comments', () => {
  const text = 'title: x\ndepends_on:\n  - a # first\n  - "b"   # second\n';
  expect(edited(text, { depends_on: ['z', 'b'] })).toBe(text.replace('- a', '- z'));
  expect(edited('title: x\nafter: [a] # it\n', { depends_on: 'z' })).toBe('title: x\nafter: [z] # it\n');
});

test('unusual layouts are edited too, with their comments', () => {
  expect(edited('# c\n{title: x, priority: high} # d\n', { priority: 'low' })).toContain('priority: low');
  expect(edited('# c\n{title: x, priority: high} # d\n', { priority: 'low' })).toContain('# c');
  expect(edited('title: x\r\npriority: high\r\ngroup: g\r\n', { priority: 'low' })).toContain(
    'priority: low',
  );
});

test('a task leaves its file, and a file without tasks goes', () => {
  writeFileSync(path, many);
  deleteTaskFromFile({ ...place, id: 'b' });
  const left = readFileSync(path, 'utf8');
  expect(left).not.toContain('Second');
  expect(left).toContain('title: First # one');
  expect(left).toContain('# about c\n  - title: Third');
  writeFileSync(path, one);
  deleteTaskFromFile(place);
  expect(existsSync(path)).toBe(false);
});

test('a change that would make the task wrong is refused, and nothing is written', () => {
  expect(() => edited(one, { title: 'x'.repeat(90) })).toThrow(
    /The change was not made:\ntasks\/a.yml:2:\d+: title/,
  );
  expect(readFileSync(path, 'utf8')).toBe(one);
  expect(() => edited('title: "x\n', { title: 'y' })).toThrow('not valid YAML');
  expect(() => edited(many, { title: 'y' }, 'nobody')).toThrow('has no task nobody');
  expect(readdirSync(join(root, 'tasks'))).toEqual(['a.yml']);
});
