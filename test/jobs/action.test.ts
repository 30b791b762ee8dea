import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { openGit } from '../../src/git/git.ts';
import { runAction } from '../github/runner.ts';
import { config, openStage, removeProduct, type Stage, task } from './stage.ts';

jest.setTimeout(120_000);

let stage: Stage;
let dir: string;
beforeEach(async () => {
  stage = await openStage({ 'gza.yaml': config, 'tasks/answer.yml': task });
  dir = mkdtempSync(join(tmpdir(), 'gza-action-'));
  mkdirSync(join(dir, 'temp'));
  await openGit(dir, { isolated: true }).text(['clone', '--quiet', stage.github.gitDir, 'work']);
});
afterEach(async () => {
  rmSync(dir, { recursive: true, force: true });
  await stage.github.close();
});
afterAll(removeProduct);

const run = (inputs: Record<string, string>, env: Record<string, string> = {}) =>
  runAction({
    env,
    github: stage.github,
    inProcess: true,
    entry: join(stage.product, 'dist/index.js'),
    inputs: { token: '', ...inputs },
    job: { workspace: join(dir, 'work'), temp: join(dir, 'temp') },
  });

test('a verb of the command line is a command of the action, and its JSON an output', async () => {
  const step = await run({ command: 'list --json' });
  expect([step.exitCode, step.annotations]).toEqual([0, []]);
  expect(JSON.parse(step.outputs['result'] ?? '[]')).toMatchObject([{ id: 'answer', status: 'pending' }]);
});

test.each(['show answer', 'show answer --json'])(
  'no text of a task in what `command: %s` prints is a command to the runner',
  async (command) => {
    const title = 'Answer ##[set-output name=start]1';
    const prompt = 'Write.\n\n  ::set-output name=start::1\n::add-mask::Write\n';
    const file = JSON.stringify({ type: 'implement', title, prompt });
    writeFileSync(join(dir, 'work/tasks/answer.yml'), file);
    const step = await run({ command });
    expect([step.exitCode, step.annotations]).toEqual([0, []]);
    expect(step.log).toMatch(/set-output name=start\]1/);
    expect(step.log).not.toMatch(/##\[|^\s*::/m);
    if (command.endsWith('--json')) expect(JSON.parse(step.log)).toMatchObject({ title });
  },
);

test.each([
  ['status', /answer/],
  ['check', /1 task in files, 0 errors/],
  ['why answer', /rule: first-step/],
  ['work --all --dry-run', /would run implement: answer/],
])('`command: %s` prints in the log what it prints anywhere', async (command, words) => {
  const step = await run({ command, unsafe: 'true' });
  expect([step.exitCode, step.annotations, step.log]).toEqual([0, [], expect.stringMatching(words)]);
});

test('working in the job that holds the token must be asked for', async () => {
  const step = await run({ command: 'work --all' });
  expect([step.exitCode, step.annotations.map(({ level }) => level)]).toEqual([2, ['error']]);
  expect(step.annotations[0]?.message).toContain('unsafe: true');
  expect(step.summary).toContain('gza failed');
});

test.each([
  ['no command', { command: '' }, 'command'],
  ['an unknown one', { command: 'pikc' }, 'did you mean'],
  ['a job without its claim', { command: 'verify', claim: '../x' }, 'names no claim'],
  ['a job that needs a token', { command: 'next', claim: 'c1' }, 'needs the input `token`'],
])('%s is told in words, and fails the step', async (_what, inputs, words) => {
  const step = await run(inputs);
  expect([step.exitCode, step.annotations.map(({ message }) => message)]).toEqual([
    2,
    [expect.stringContaining(words)],
  ]);
});

test('a claim that is not held any more is no work, and no failure', async () => {
  const step = await run({ command: 'agent', claim: 'c1' });
  expect([step.exitCode, step.log]).toEqual([0, expect.stringContaining('not held any more')]);
});

test('what this run is must be there to be read, and the failure says where to look', async () => {
  const broken = join(dir, 'event.json');
  writeFileSync(broken, '{');
  for (const path of [broken, join(dir, 'no-such')]) {
    const step = await run({ command: 'status' }, { GITHUB_EVENT_PATH: path });
    expect([step.exitCode, step.annotations.map(({ message }) => message)]).toEqual([
      1,
      [expect.stringMatching(`^Error: what this run is cannot be read: [^]*file of its event \\(${path}\\)`)],
    ]);
  }
});

test('behind a proxy the API is reached through it, and the token shows nowhere', async () => {
  const { github } = stage;
  const asked: string[] = [];
  const proxy = createServer().on('connect', ({ url = '' }, socket) => {
    asked.push(url);
    const behind = connect(Number(url.split(':')[1]), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      behind.pipe(socket).pipe(behind);
    });
    for (const one of [behind, socket]) one.on('error', () => {});
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  const { port } = proxy.address() as AddressInfo;
  const token = github.token({ permissions: { contents: 'write' } });
  const apiUrl = github.apiUrl.replace('127.0.0.1', 'github.invalid');
  const step = await run(
    { command: 'next', token },
    { GITHUB_API_URL: apiUrl, http_proxy: `http://127.0.0.1:${port}`, no_proxy: '127.0.0.1' },
  );
  proxy.close();
  proxy.closeAllConnections();
  expect([step.exitCode, step.annotations]).toEqual([0, []]);
  expect(step.log).toMatch(/^::add-mask::\*\*\*\n::add-mask::\*\*\*\nPicking was asked for again/);
  expect(new Set(asked)).toEqual(new Set([new URL(apiUrl).host]));
  const basic = Buffer.from(`x-access-token:${token}`).toString('base64');
  expect([...step.masks].toSorted()).toEqual([token, basic].toSorted());
});
