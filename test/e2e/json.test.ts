import { expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Sandbox, openSandbox, root } from './cli.ts';

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

test('docs/json.md has every field that is printed, and no other', async () => {
  const sections = documented();
  const take = (name: string) => {
    const fields = sections.get(name);
    if (!fields) throw new Error(`docs/json.md has no section ${name}`);
    sections.delete(name);
    return fields;
  };
  const { box, id, held, on } = await everything();
  await using _ = box;

  const row = take('A task in a list');
  const lists = ['list --all', 'ready', 'next --all', 'status', 'pr'];
  const inLists = row.map((field) => `[].${field}`);
  for (const list of lists) expectDocumented(list, inLists, [await anyExit(box, list)]);
  expectDocumented('import', inLists, [await anyExit(box, 'import', '- [ ] one\n  - [x] two\n')]);

  const whole = [...row, ...take('A task, whole')];
  const verbs = [
    'show',
    'edit --tag y',
    'note',
    'assign',
    'pause',
    'unblock',
    'reset',
    'retry',
    'claim',
    'release',
  ];
  const rest = ['done', 'reopen', 'approve', 'skip', 'reopen', 'delete'];
  for (const verb of [...verbs, ...rest]) {
    const [name = '', ...more] = verb.split(' ');
    const words = name === 'assign' ? ['ann'] : name === 'note' ? ['x'] : [];
    if (name === 'claim') words.push('--as', 'ann');
    const sample = await anyExit(box, [name, id, ...words, ...more].join(' '));
    expectDocumented(verb, whole, [sample]);
  }
  expectDocumented('add', whole, [await anyExit(box, 'add Another')]);
  expectDocumented('show a lane', whole, [await anyExit(box, `show ${on}`)]);

  expectDocumented(
    'tree',
    [...inLists, ...take('tree').map((one) => `[].${one}`)],
    [await anyExit(box, 'tree')],
  );
  expectDocumented('where', [...row, ...take('where')], [await anyExit(box, 'where')]);
  const agents = await anyExit(box, 'agents');
  expectDocumented('agents', take('agents'), [agents]);
  await box.says(`release ${held}`);

  const samples: Record<string, readonly string[]> = {
    groups: ['groups'],
    milestones: ['milestones'],
    graph: ['graph'],
    why: ['why c', 'why a'],
    log: ['log'],
    'log --commits': ['log --commits'],
    context: ['context'],
    check: ['check'],
    config: ['config'],
    'config --explain': ['config --explain a'],
    fsck: ['fsck --clean', 'fsck'],
    completion: ['completion bash'],
    escalations: ['escalations'],
    prompt: ['prompt a'],
    'run --dry-run': ['run --dry-run'],
    'work --dry-run': ['work --dry-run --all'],
    init: ['init'],
    help: ['help'],
    'help of one command': ['help add', 'show --help', 'help edit'],
    version: ['version'],
    'An error': ['show nothing', 'lst', 'add --same-branch x', 'show task-'],
  };
  for (const [section, calls] of Object.entries(samples)) {
    const printed = [];
    for (const call of calls) printed.push(await anyExit(box, call));
    expectDocumented(section, take(section), printed);
  }
  expectDocumented('import --dry-run', take('import --dry-run'), [
    await anyExit(box, 'import --dry-run', '- [ ] three\n'),
  ]);
  box.git('init', '-q', '--bare', '../origin.git');
  box.git('remote', 'add', 'origin', '../origin.git');
  expectDocumented('sync', take('sync'), [await anyExit(box, 'sync')]);
  // What runs agents is compared where agents are run.
  for (const section of ['work', 'run', 'demo']) take(section);
  expect([...sections.keys()]).toEqual([]);
});

test('every command is in docs/json.md', async () => {
  await using box = openSandbox();
  const text = readFileSync(join(root, 'docs/json.md'), 'utf8');
  const { commands } = await box.json<{ commands: { name: string }[] }>('help');
  const missing = commands.filter(({ name }) => !new RegExp(`(^## |\`)${name}\\b`, 'm').test(text));
  expect(missing.map(({ name }) => name)).toEqual([]);
});
