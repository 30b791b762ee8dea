import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { apiKey, type Linear, startLinear } from '../linear/linear.ts';
import { openSandbox, root, type Sandbox } from './cli.ts';

let linear: Linear;
let box: Sandbox;

beforeEach(async () => {
  linear = await startLinear();
  box = openSandbox();
});
afterEach(async () => {
  await box[Symbol.asyncDispose]();
  await linear.close();
});

const config =
  'integrations: { linear: { enabled: true, team_id: eng, create_project: true } }\nmilestones: [M1]\n';
const tasks = `group: auth
tasks:
  - id: form
    title: Add the login form
    content: "Show it. Fixes #1, says @ann \`gza:other:0123456789abcdef\`"
    acceptance_criteria: [It shows, It sends]
    milestone: M1
    priority: high
  - id: api
    title: Add the endpoint
    depends_on: form
  - id: part
    title: A part of the endpoint
    parent: api
`;

interface Synced {
  readonly done: readonly { readonly kind: string; readonly task: string | null; readonly says: string }[];
  readonly owed: readonly { readonly kind: string }[];
  readonly refused: readonly { readonly why: string }[];
  readonly issues: readonly { readonly task: string; readonly name: string; readonly url: string }[];
  readonly problem: string | null;
}

const sync = (...more: string[]) => box.json<Synced>(['linear', 'sync', ...more], { env: linear.env });
const trySync = (...more: string[]) => box.gza(['linear', 'sync', ...more], { env: linear.env });
const issue = (task: string) =>
  linear.state.issues.find(({ description }) => description?.includes(`\`gza:${task}:`));

function begin(): void {
  box.write('gza.yaml', config);
  box.write('tasks/auth.yml', tasks);
}

test('tasks become issues, and a second sync changes nothing', async () => {
  begin();
  const dry = await box.says('linear sync --dry-run', { env: linear.env });
  expect(dry).toBe(`create the project repo
create the milestone M1
create the label group: auth
form: create "Add the login form" (pending)
api: create "Add the endpoint" (pending)
part: create "A part of the endpoint" (pending)
api: blocked by form
Linear: would make 7 changes
`);
  expect([linear.takeChanges(), linear.state.issues]).toEqual([0, []]);
  expect(box.git('for-each-ref', 'refs/tasks')).toBe('');

  expect(await box.says('linear sync', { env: linear.env })).toContain(
    'Linear: 3 issues created, 4 other changes\n',
  );
  expect(linear.takeChanges()).toBe(1);
  expect(
    linear.state.projects.map(({ name, milestones }) => [name, milestones.map((one) => one.name)]),
  ).toEqual([['repo', ['M1']]]);
  expect(issue('form')).toMatchObject({
    title: 'Add the login form',
    priority: 2,
    state: { name: 'Todo' },
    milestone: { name: 'M1' },
    labels: [{ name: 'group: auth' }],
  });
  expect(issue('form')?.description).toContain('* It sends');
  // Neither wakes people nor forges a mark.
  expect(issue('form')?.description).toContain("says ＠ann 'gza:other:");
  expect(issue('part')?.parent).toBe(issue('api'));
  expect(linear.state.relations).toMatchObject([
    { type: 'blocks', issue: { number: 1 }, relatedIssue: { number: 2 } },
  ]);

  expect((await box.json('show form'))['linear_issue_id']).toBe('ENG-1');
  expect(box.git('log', '--format=%B', 'refs/tasks/main')).toContain('"linear_issue_id":"ENG-3"');
  expect(await sync()).toMatchObject({ done: [], owed: [], problem: null });
  expect(linear.takeChanges()).toBe(0);
  expect((await box.json<{ ok: boolean }>('fsck')).ok).not.toBe(false);
});

/** Paths of a printed value, as docs/json.md writes them. */
function fieldsOf(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => fieldsOf(item, `${path}[]`));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const here = path === '' ? name : `${path}.${name}`;
    return [here, ...fieldsOf(inner, here)];
  });
}

test('docs/json.md has what is printed, and no more', async () => {
  begin();
  linear.state.labels.push({ id: 'x', name: 'gza', team: null });
  const pages = readFileSync(join(root, 'docs/json.md'), 'utf8').split(/^## /m);
  const documented = (title: string) => {
    const page = pages.find((one) => one.startsWith(`${title}\n`)) ?? '';
    return [...page.matchAll(/^\| `([^`?]+)\??` \|/gm)].map(([, field = '']) => field).sort();
  };
  linear.state.labels.push({
    id: 'y',
    name: 'Group: Auth',
    team: { ...linear.state.teams[0]!, id: 'another' },
  });
  const samples = [await sync('--dry-run')];
  samples.push(JSON.parse((await trySync('--json')).stdout) as Synced);
  expect([...new Set(samples.flatMap((one) => fieldsOf(one)))].sort()).toEqual(documented('linear sync'));
  linear.state.issues[0]?.labels.push(linear.state.labels[0]!);
  const imported = await box.json('linear import', { env: linear.env });
  expect(documented('linear import')).toEqual(expect.arrayContaining(fieldsOf(imported).sort()));
});

test('states, texts, groups, dependencies and pull requests follow; what people wrote stays', async () => {
  begin();
  await sync();
  const form = issue('form')!;
  form.description += '\n\nA note of Ann.';
  await box.says('claim form');
  expect((await sync()).done).toMatchObject([
    { kind: 'update-issue', task: 'form', says: 'form: now in progress' },
  ]);
  expect(form.state.name).toBe('In Progress');
  await box.says('release form');
  form.state = form.team.states.find(({ name }) => name === 'Backlog')!;
  await box.says('done form');
  box.write(
    'tasks/auth.yml',
    tasks.replace('Add the endpoint', 'Add two endpoints').replace('depends_on: form', 'group: web'),
  );
  expect((await sync()).done.map(({ says }) => says)).toEqual([
    'create the label group: web',
    'form: now completed',
    'api: new text, + group: web, - group: auth',
    'api: no longer blocked by form',
  ]);
  expect([form.state.name, linear.state.relations]).toEqual(['Done', []]);
  expect(form.description).toMatch(/A note of Ann\.$/);
  expect(issue('api')).toMatchObject({ title: 'Add two endpoints', labels: [{ name: 'group: web' }] });

  // Who takes the mark away takes the text over.
  form.description = 'Ours now.';
  await box.says('reopen form');
  expect((await sync()).done.map(({ says }) => says)).toEqual(['form: now pending']);
  expect(form.description).toBe('Ours now.');

  // Archived by a person: neither touched nor made again.
  form.archivedAt = '2026-01-01T00:00:00Z';
  await box.says('claim form');
  expect((await sync()).done).toEqual([]);
  expect(linear.state.issues).toHaveLength(3);
});

test('an outage leaves it owed, with one line, and a later sync catches up', async () => {
  begin();
  linear.faults.push({ effect: { kind: 'status', status: 503 } });
  const down = await trySync();
  expect(down).toMatchObject({ code: 1, stderr: '' });
  expect(down.stdout).toBe(
    'Linear: Linear cannot be reached: it answered 503: Something broke. The next sync goes on from there.\n',
  );
  linear.faults[0] = { effect: { kind: 'garbage' } };
  expect((await trySync()).stdout).toContain('its answer is not what was asked for');
  linear.faults[0] = { effect: { kind: 'limit', milliseconds: 3_600_000 } };
  expect((await trySync()).stdout).toMatch(/limit of requests is spent for 36\d\d s more/);
  linear.faults.splice(0);
  expect((await sync()).done).toHaveLength(7);
});

test('sync and work tell Linear at their end, and neither fails with it; without a key nothing is asked', async () => {
  begin();
  box.git('init', '-q', '--bare', `${box.dir}/origin.git`);
  box.git('remote', 'add', 'origin', `${box.dir}/origin.git`);
  await box.add('Filed');
  expect(await box.says('sync')).toBe('origin: 1 sent\n');
  expect(linear.seen).toEqual([]);
  expect(await box.says('sync', { env: linear.env })).toContain(
    '\nLinear: 4 issues created, 4 other changes\n',
  );
  // What they are called went out with it.
  expect(box.git('--git-dir', `${box.dir}/origin.git`, 'log', '--format=%B', 'refs/tasks/main')).toContain(
    'ENG-4',
  );

  linear.faults.push({ effect: { kind: 'status', status: 502 } });
  await box.says('claim form');
  const down = await box.gza(['sync'], { env: linear.env });
  expect([down.code, down.stdout]).toEqual([0, 'origin: nothing to do\n']);
  expect(down.stderr).toMatch(
    /^warning: Linear: Linear cannot be reached: it answered 502.* goes on from there\.\n$/,
  );
});

test('an answer that is lost doubles nothing, and a short limit is waited for', async () => {
  begin();
  linear.faults.push({ on: 'mutation', times: 1, effect: { kind: 'drop-after' } });
  const lost = await sync();
  expect([lost.owed, lost.problem, linear.state.issues.length]).toEqual([[], null, 3]);
  expect(lost.issues.map(({ name }) => name)).toEqual(['ENG-1', 'ENG-2', 'ENG-3']);
  expect(linear.takeChanges()).toBe(1);
  expect((await box.json('show part'))['linear_issue_id']).toBe('ENG-3');

  await box.says('claim form');
  linear.faults.push(
    { times: 1, effect: { kind: 'limit', milliseconds: 100 } },
    { on: 'query', times: 1, effect: { kind: 'drop' } },
  );
  expect((await sync()).done).toHaveLength(1);
});

test('what Linear refuses is told, and keeps nothing else from being done', async () => {
  box.write('gza.yaml', config.replace(', create_project: true', ''));
  box.write('tasks/auth.yml', tasks);
  linear.state.labels.push({
    id: 'other',
    name: 'Group: Auth',
    team: { ...linear.state.teams[0]!, id: 'another' },
  });
  const told = await trySync();
  expect(told.code).toBe(1);
  expect(told.stdout).toContain('not done: create the label group: auth: duplicate label name\n');
  expect(linear.state.issues.map(({ labels }) => labels.map(({ name }) => name))).toEqual([
    ['milestone: M1'],
    [],
    [],
  ]);
  // Milestones are labels where there is no project.
  expect(linear.state.labels.map(({ name }) => name)).toContain('milestone: M1');
});

test('issues with the label become tasks, once, and their texts are data', async () => {
  box.write('gza.yaml', config);
  const [team] = linear.state.teams;
  const label = { id: 'gza', name: 'GZA', team: null };
  linear.state.labels.push(label);
  const add = (title: string, description: string) =>
    linear.state.issues.push({
      id: `00000000-0000-4000-8000-00000000000${linear.state.issues.length}`,
      number: linear.state.issues.length + 1,
      team: team!,
      title,
      description,
      priority: 1,
      state: team!.states[1]!,
      project: null,
      milestone: null,
      parent: null,
      labels: [label],
      attachments: [],
      archivedAt: null,
      trashed: false,
    });
  add('Fix the\nlogin', 'It fails.\u200b <!-- hidden --> @ann');
  add('Second', '');
  linear.state.relations.push({
    id: 'r',
    type: 'blocks',
    issue: linear.state.issues[0]!,
    relatedIssue: linear.state.issues[1]!,
  });
  expect(await box.says('linear import --dry-run', { env: linear.env })).toContain(
    'would file 2, 0 known already',
  );
  const first = await box.json<{
    filed: { id: string; title: string; linear_issue_id: string }[];
    known: number;
  }>('linear import', { env: linear.env });
  expect(first).toMatchObject({
    filed: [
      { title: 'Fix the', linear_issue_id: 'ENG-1' },
      { title: 'Second', linear_issue_id: 'ENG-2' },
    ],
    known: 0,
  });
  const [one, two] = first.filed.map(({ id }) => id);
  const shown = await box.json(`show ${one}`);
  expect([shown['content'], shown['priority']]).toEqual([
    expect.stringContaining('It fails. <！-- hidden'),
    'critical',
  ]);
  expect((await box.json(`show ${two}`))['depends_on']).toEqual([one]);
  expect(await box.json('linear import', { env: linear.env })).toEqual({ filed: [], known: 2 });

  // Of an issue that gza did not make only the state is gza's.
  await box.says(`claim ${one}`);
  expect((await sync()).done.map(({ kind, says }) => [kind, says])).toEqual([
    ['update-issue', `${one}: now in progress`],
  ]);
  expect(linear.state.issues[0]).toMatchObject({ title: 'Fix the\nlogin', state: { name: 'In Progress' } });
  // Issues that gza made are not taken for new ones.
  await box.add('Filed here');
  await sync();
  linear.state.issues.at(-1)?.labels.push(label);
  expect(await box.json('linear import', { env: linear.env })).toEqual({ filed: [], known: 3 });
});

test('what is missing or wrong is taught, and the key is never printed', async () => {
  box.write('tasks/auth.yml', tasks);
  expect((await trySync()).stderr).toContain('Linear is not switched on for this repository');
  box.write('gza.yaml', config);
  const without = await box.gza(['linear', 'sync']);
  expect([without.code, without.stderr]).toEqual([2, expect.stringContaining('LINEAR_API_KEY is not set')]);
  const key = apiKey.replace('0', '9');
  const wrong = await box.gza(['linear', 'sync'], { env: { ...linear.env, LINEAR_API_KEY: key } });
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('Linear does not take the key')]);
  expect(wrong.stderr + wrong.stdout).not.toContain(key);
  const open = await box.gza(['linear', 'sync'], {
    env: { ...linear.env, LINEAR_API_URL: 'http://example.com/' },
  });
  expect(open.stderr).toContain('LINEAR_API_URL must be an https address');
  expect((await box.gza(['linear', 'snyc'])).stderr).toContain('gza linear does not know "snyc"');
  box.write('gza.yaml', config.replace('eng', 'OPS'));
  expect((await trySync()).stderr).toContain('no team "OPS" is seen with this key');
  box.write('gza.yaml', config.replace('create_project: true', 'states: { completed: Shipped }'));
  expect((await trySync()).stderr).toContain(
    'It has: Backlog, Todo, In Progress, In Review, Done, Canceled.',
  );
});

test('five hundred tasks cost few requests, each within the limit', async () => {
  box.write('gza.yaml', config);
  const many = Array.from(
    { length: 500 },
    (_, at) => `  - {id: t${at}, title: Task ${at}${at > 0 ? `, depends_on: t${at - 1}` : ''}}`,
  );
  box.write('tasks/many.yml', `tasks:\n${many.join('\n')}\n`);
  await sync();
  expect(linear.state.issues).toHaveLength(500);
  expect(linear.takeChanges()).toBe(50);
  const before = linear.seen.length;
  expect((await sync()).done).toEqual([]);
  expect(linear.seen.length - before).toBeLessThanOrEqual(12);
  expect(Math.max(...linear.seen.map(({ points }) => points))).toBeLessThan(10_000);
});
