import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { Invocation, Ports } from '../../src/app/command.ts';
import { openProject } from '../../src/app/project.ts';
import { updateTrackers } from '../../src/app/share/share.ts';
import { github as command } from '../../src/commands/setup/trackers.ts';
import { plain } from '../../src/core/text/terminal/lines.ts';
import { openSandbox, type Sandbox } from '../e2e/cli.ts';
import { type Github, startGithub } from '../github/github.ts';

let github: Github;
let box: Sandbox;
beforeEach(async () => {
  github = await startGithub();
  box = openSandbox();
});
afterEach(async () => {
  await box[Symbol.asyncDispose]();
  await github.close();
});

const config = 'integrations: { github: { enabled: true } }\nmilestones: [M1]\n';
const tasks = `tasks:
  - {id: form, title: Add the form, milestone: M1, group: auth}
  - {id: api, title: Add the endpoint, depends_on: form}
  - {id: part, title: A part, parent: api}
`;

function ports(lines: string[] = []): Ports {
  return {
    cwd: box.repo,
    env: {
      GITHUB_TOKEN: github.token({ permissions: { issues: 'write' } }),
      GITHUB_API_URL: github.apiUrl,
    },
    now: () => new Date(github.state.now).toISOString(),
    random: () => '0123456789abcdef',
    program: 'gza',
    stdin: async () => null,
    style: plain,
    columns: null,
    progress: (line) => void lines.push(line),
    signal: new AbortController().signal,
  };
}

interface Synced {
  readonly done: readonly { readonly says: string }[];
  readonly owed: readonly unknown[];
  readonly refused: readonly { readonly says: string; readonly why: string }[];
  readonly problem: string | null;
}

async function sync(options: Invocation['options'] = {}) {
  const before = github.seen.length;
  const outcome = await command.run({ args: ['sync'], options: { repo: 'olive/demo', ...options } }, ports());
  const asked = github.seen.slice(before).map(({ operation }) => operation);
  return { ...(outcome.json as Synced), exit: outcome.exit, text: outcome.text, asked };
}

const issue = (task: string) => github.state.issues.find(({ body }) => body?.includes(`\`gza:${task}:`));

function begin(): void {
  box.write('gza.yaml', config);
  box.write('tasks/auth.yml', tasks);
}

test('tasks become issues with milestones, sub-issues and dependencies, and a second sync only reads', async () => {
  begin();
  const dry = await sync({ 'dry-run': true });
  expect([dry.text.split('\n').at(-1), github.state.issues]).toEqual(['GitHub: would make 5 changes', []]);
  const first = await sync();
  expect(first).toMatchObject({ exit: 0, owed: [], refused: [], problem: null });
  expect(issue('form')).toMatchObject({
    title: 'Add the form',
    milestone: 1,
    labels: ['gza-task', 'group: auth'],
  });
  expect(issue('api')?.blockedBy).toEqual([issue('form')?.number]);
  expect(issue('part')?.parent).toBe(issue('api')?.number);
  const again = await sync();
  expect([again.done, again.asked]).toEqual([
    [],
    ['issues/list-for-repo', 'issues/list-milestones', 'issues/list-dependencies-blocked-by'],
  ]);
});

test('states follow by closing and opening; people’s words below the mark and their labels stay', async () => {
  begin();
  await sync();
  const form = issue('form')!;
  form.body += '\n\nSeen by Ann.';
  form.labels.push('ann’s');
  box.write(
    'tasks/auth.yml',
    tasks.replace('group: auth', 'group: web').replace('Add the form', 'Add a form'),
  );
  await box.says('skip form');
  expect((await sync()).done.map(({ says }) => says)).toEqual([
    'form: new text, now skipped, + group: web, - group: auth',
  ]);
  expect(form).toMatchObject({ title: 'Add a form', state: 'closed', stateReason: 'not_planned' });
  expect([form.body?.endsWith('Seen by Ann.'), form.labels]).toEqual([
    true,
    ['gza-task', 'ann’s', 'group: web'],
  ]);
  await box.says('reopen form');
  await sync();
  expect(form.state).toBe('open');
});

test('a lost answer doubles nothing, and what the server cannot do is refused alone', async () => {
  begin();
  github.faults.add({ match: { operation: 'issues/create' }, times: 1, effect: { kind: 'drop-after' } });
  const gone = { status: 404, body: { message: 'Not Found' } };
  github.faults.add({
    match: { operation: 'issues/add-sub-issue' },
    effect: { kind: 'answer', answer: gone },
  });
  const told = await sync();
  expect(told.exit).toBe(1);
  expect(told.refused).toMatchObject([{ says: 'part: create "A part" (pending)' }]);
  // What is owed is done by the next.
  expect((await sync()).done).toMatchObject([{ says: 'part: under api' }]);
  expect(github.state.issues.map(({ title }) => title)).toEqual([
    'Add the form',
    'Add the endpoint',
    'A part',
  ]);
});

test('at the end of other work an outage is one line, and nothing fails', async () => {
  begin();
  box.git('remote', 'add', 'origin', 'https://github.com/olive/demo');
  github.faults.add({ match: { operation: 'issues/list-for-repo' }, times: 9, effect: { kind: 'drop' } });
  const lines: string[] = [];
  const opened = await openProject(ports());
  expect(await updateTrackers(opened, ports(lines))).toEqual({ lines: [], wrote: false });
  expect(lines.filter((line) => line.startsWith('warning: '))).toEqual([
    expect.stringMatching(
      /^warning: GitHub: GitHub failed when asked to read issues: .* goes on from there\.$/,
    ),
  ]);
  opened.ledger.close();
});
