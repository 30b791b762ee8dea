import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openSandbox, root, type Sandbox } from './cli.ts';

/** Section of docs/json.md → its fields, `?` and all. */
function documented(): Map<string, string[]> {
  const sections = new Map<string, string[]>();
  let fields: string[] = [];
  for (const line of readFileSync(join(root, 'docs/json.md'), 'utf8').split('\n')) {
    const title = /^## (.*)/.exec(line)?.[1];
    if (title !== undefined) sections.set(title, (fields = []));
    const field = /^\| `([^`]+)` \|/.exec(line)?.[1];
    if (field !== undefined) fields.push(field);
  }
  return sections;
}

/** `a`, `a.b`, `a[].b`: every field of a value. */
function fieldsOf(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => fieldsOf(item, `${path}[]`));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const here = path === '' ? name : `${path}.${name}`;
    return [here, ...fieldsOf(inner, here)];
  });
}

function expectDocumented(section: string, fields: readonly string[], samples: readonly unknown[]): void {
  const printed = new Set(samples.flatMap((sample) => fieldsOf(sample)));
  expect({ section, printed: printed.size > 0 }).toEqual({ section, printed: true });
  const known = fields.map((field) => ({ field, pattern: patternOf(field) }));
  const unknown = [...printed].filter((path) => !known.some(({ pattern }) => pattern.test(path)));
  expect({ section, 'printed but not documented': unknown }).toEqual({
    section,
    'printed but not documented': [],
  });
  const missing = known
    .filter(({ field, pattern }) => !field.endsWith('?') && ![...printed].some((path) => pattern.test(path)))
    .map(({ field }) => field);
  expect({ section, 'documented but not printed': missing }).toEqual({
    section,
    'documented but not printed': [],
  });
}

/** A `*` at the end stands for everything below it too, if nothing more is said of it. */
function patternOf(field: string): RegExp {
  const name = field.replace(/\?$/, '');
  const escaped = name.replaceAll(/[.[\]]/g, String.raw`\$&`);
  const open = escaped.endsWith('*') ? `${escaped.slice(0, -1)}.+` : escaped.replaceAll('*', '[^.]+');
  return new RegExp(`^${open}$`);
}

const taskFile = `tasks:
  - id: a
    title: First
    files_to_create: [a.ts]
    milestone: M1
  - id: b
    title: Second
    titel: wrong
  - id: c
    title: Third
    files_to_modify: [a.ts]
`;

/** A little of everything, so that no list is empty that can be full. */
async function everything(): Promise<{ box: Sandbox; id: string; held: string; on: string }> {
  const box = openSandbox();
  box.write('tasks/t.yml', taskFile);
  const id = await box.add('Filed', '--group', 'g', '--milestone', 'M1', '--tag', 'x');
  const after = await box.add('After', '--after', id, '--parent', 'a');
  await box.says(`assign ${after} ann`);
  const held = await box.add('Held');
  await box.says(`claim ${held}`);
  const done = await box.add('Done');
  await box.says(`claim ${done}`);
  box.write('x.txt', 'x');
  box.commit('Do it', 'x.txt');
  await box.says(`done ${done}`);
  box.git('switch', '-q', '-c', 'feature');
  const on = await box.add('On a lane');
  return { box, id, held, on };
}

async function anyExit(box: Sandbox, args: string, stdin = ''): Promise<unknown> {
  return JSON.parse((await box.gza([...args.split(' '), '--json'], { stdin })).stdout);
}

const sections = documented();

function fieldsOfSection(name: string): string[] {
  const fields = sections.get(name);
  if (!fields) throw new Error(`docs/json.md has no section ${name}`);
  return fields;
}

const row = fieldsOfSection('A task in a list');
const inLists = row.map((field) => `[].${field}`);
const whole = [...row, ...fieldsOfSection('A task, whole')];

/** Section → calls that only look, and together print all its fields. */
const looking: Record<string, readonly string[]> = {
  groups: ['groups'],
  milestones: ['milestones'],
  agents: ['agents'],
  graph: ['graph'],
  why: ['why c', 'why a'],
  log: ['log'],
  'log --commits': ['log --commits'],
  context: ['context'],
  check: ['check'],
  summary: ['summary'],
  stats: ['stats'],
  simulate: ['simulate --github --set parallel_workers=2', 'simulate --set budget.day=1'],
  config: ['config'],
  'config --explain': ['config --explain a'],
  fsck: ['fsck'],
  completion: ['completion bash'],
  score: ['score'],
  split: ['split a'],
  escalations: ['escalations'],
  prompt: ['prompt a'],
  'run --dry-run': ['run --dry-run'],
  help: ['help'],
  'help of one command': ['help add', 'show --help'],
  version: ['version'],
  'An error': ['show nothing', 'add --same-branch x'],
};
/** Compared in tests of their own, or where agents are run. */
/** Asked elsewhere: doctor needs a GitHub, linear a Linear; see test/commands and test/e2e/linear. */
const elsewhere = [
  'A task in a list',
  'A task, whole',
  'tree',
  'search',
  'where',
  'import --dry-run',
  'sync',
  'linear sync',
  'linear import',
  'init',
  'doctor',
  // Need work: see work-hostile and work-join.
  'kept',
  'unmerged',
  'diff',
  'checkout',
];
const running = ['work', 'work --dry-run', 'run', 'demo'];

describe('docs/json.md has every field that is printed, and no other:', () => {
  let made: Awaited<ReturnType<typeof everything>>;
  beforeAll(async () => {
    made = await everything();
  });
  afterAll(() => made.box[Symbol.asyncDispose]());

  test('of lists', async () => {
    const { box, held } = made;
    const lists = ['list --all', 'ready', 'next --all', 'status', 'pr'];
    for (const list of lists) expectDocumented(list, inLists, [await anyExit(box, list)]);
    const tree = [...inLists, ...fieldsOfSection('tree').map((one) => `[].${one}`)];
    expectDocumented('tree', tree, [await anyExit(box, 'tree')]);
    const searched = [...inLists, ...fieldsOfSection('search').map((one) => `[].${one}`)];
    expectDocumented('search', searched, [await anyExit(box, 'search Filed')]);
    expectDocumented('where', [...row, ...fieldsOfSection('where')], [await anyExit(box, 'where')]);
    expect(held).toMatch(/^task-/);
  });

  test('of what only looks', async () => {
    for (const [section, words] of Object.entries(looking)) {
      const printed: unknown[] = [];
      for (const one of words) printed.push(await anyExit(made.box, one));
      expectDocumented(section, fieldsOfSection(section), printed);
    }
    const documentedOnes = [...Object.keys(looking), ...elsewhere, ...running];
    expect([...sections.keys()].sort()).toEqual(documentedOnes.sort());
  });

  test('of what changes one task', async () => {
    const { box, id, on } = made;
    const verbs = [
      'show',
      'edit --tag y',
      'note',
      'assign',
      'stop',
      'pause',
      'unblock',
      'reset',
      'retry',
      'claim',
      'release',
    ];
    for (const verb of [...verbs, 'done', 'approve', 'reopen', 'skip', 'reopen', 'delete']) {
      const [name = '', ...more] = verb.split(' ');
      const words = name === 'assign' ? ['ann'] : name === 'note' ? ['x'] : [];
      if (name === 'claim') words.push('--as', 'ann');
      expectDocumented(verb, whole, [await anyExit(box, [name, id, ...words, ...more].join(' '))]);
    }
    expectDocumented('add', whole, [await anyExit(box, 'add Another')]);
    expectDocumented('show a lane', whole, [await anyExit(box, `show ${on}`)]);
  });

  test('of what changes more', async () => {
    const { box, held } = made;
    await box.says(`release ${held}`);
    expectDocumented('work', fieldsOfSection('work --dry-run'), [await anyExit(box, 'work --dry-run --all')]);
    expectDocumented('import --dry-run', fieldsOfSection('import --dry-run'), [
      await anyExit(box, 'import --dry-run', '- [ ] three\n'),
    ]);
    expectDocumented('import', inLists, [await anyExit(box, 'import', '- [ ] one\n  - [x] two\n')]);
    box.git('init', '-q', '--bare', '../origin.git');
    box.git('remote', 'add', 'origin', '../origin.git');
    expectDocumented('sync', fieldsOfSection('sync'), [await anyExit(box, 'sync')]);
    expectDocumented('fsck --clean', fieldsOfSection('fsck'), [await anyExit(box, 'fsck --clean')]);
    expectDocumented('init', fieldsOfSection('init'), [await anyExit(box, 'init')]);
  });
});

test('every command is in docs/json.md', async () => {
  await using box = openSandbox();
  const text = readFileSync(join(root, 'docs/json.md'), 'utf8');
  const { commands } = await box.json<{ commands: { name: string }[] }>('help');
  const helps: { name: string; summary: string }[] = [];
  for (const { name } of commands) helps.push(await box.json(['help', name]));
  const ready = helps.filter(({ summary }) => summary !== 'not yet');
  const missing = ready.filter(({ name }) => !new RegExp(`(^## |\`)${name}\\b`, 'm').test(text));
  expect(missing.map(({ name }) => name)).toEqual([]);
});
