import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { isGzaError } from '../../src/core/errors.ts';
import { githubClient } from '../../src/github/api/client/client.ts';
import { secondaryLimit, serverError } from '../github/answers.ts';
import { type OpenForge, openForge, pullIn, wanted } from './open-forge.ts';

let forge: OpenForge;
afterEach(() => forge?.github.close());

async function withBranch(settings = {}, options = {}) {
  forge = await openForge(settings, options);
  await forge.github.commit({ branch: 'gza/t1', files: { 'a.txt': 'one\n' } });
  return forge;
}

/** What a person would read. */
async function failure(work: Promise<unknown>) {
  const error: unknown = await work.then(
    () => null,
    (caught: unknown) => caught,
  );
  if (!isGzaError(error)) throw new Error(`expected a GzaError, got ${String(error)}`);
  return { code: error.code, text: `${error.message}\n${error.hint}`, data: error.data, error };
}

test('a pull request is opened once, whatever becomes of the answer', async () => {
  const { github, write, asked } = await withBranch();
  github.faults.add({ match: { operation: 'pulls/create' }, effect: { kind: 'drop-after' } });
  expect(await write.openPull(wanted)).toMatchObject({
    kind: 'found',
    pull: { number: 1 },
  });
  expect(asked()).toEqual(['pulls/create', 'pulls/list', 'graphql/repository']);
  github.faults.add({
    match: { operation: 'pulls/create' },
    effect: { kind: 'answer-after', answer: serverError },
  });
  expect(await write.openPull(wanted)).toMatchObject({ kind: 'found' });
  expect(asked()).toEqual(['pulls/create', 'pulls/list', 'graphql/repository']);
  expect(github.state.issues).toHaveLength(1);
});

test('a pull request whose request was lost is opened after a look', async () => {
  const { github, write, asked } = await withBranch();
  github.faults.add({ match: { operation: 'pulls/create' }, effect: { kind: 'drop' } });
  expect(await write.openPull(wanted)).toMatchObject({ kind: 'opened' });
  expect(asked()).toEqual(['pulls/create', 'pulls/list', 'pulls/create']);
});

test('a list that lags behind is asked again', async () => {
  const { github, write, asked, slept } = await withBranch();
  const before = structuredClone(github.state);
  await write.openPull(wanted);
  asked();
  github.faults.add({
    match: { operation: 'pulls/list' },
    times: 2,
    effect: { kind: 'stale', state: before },
  });
  expect(await write.openPull(wanted)).toMatchObject({ kind: 'found', pull: { number: 1, isOurs: true } });
  expect(asked().filter((name) => name === 'pulls/list')).toHaveLength(3);
  expect(slept).toEqual([1000, 2000]);
});

test('nothing to merge, and pull requests by Actions switched off, are answers and no errors', async () => {
  const { github, write } = await withBranch({ actionsMayOpenPulls: false });
  const refused = await write.openPull(wanted);
  expect(refused).toEqual({ kind: 'forbidden', hint: expect.stringContaining('Workflow permissions') });
  github.state.settings.actionsMayOpenPulls = true;
  const main = await github.data.commit('refs/heads/main');
  await github.data.git.run(['update-ref', 'refs/heads/gza/t1', main ?? '']);
  expect(await write.openPull(wanted)).toEqual({ kind: 'no-commits' });
  expect((await failure(write.openPull({ ...wanted, branch: 'gza/none' }))).text).toContain(
    'head is invalid',
  );
});

test('a comment and an issue whose answers were lost are found and not written twice', async () => {
  const { github, write } = await withBranch();
  await write.openPull(wanted);
  for (const operation of ['issues/create-comment', 'issues/create'])
    github.faults.add({ match: { operation }, effect: { kind: 'drop-after' } });
  expect(await write.comment(1, 'hello')).toBe(github.state.comments[0]?.id);
  expect((await write.createIssue('board', 'x', [])).number).toBe(2);
  expect([github.state.comments.length, github.state.issues.length]).toEqual([1, 2]);
  github.faults.add({ match: { operation: 'issues/create-comment' }, effect: { kind: 'drop' } });
  expect((await failure(write.comment(1, 'again'))).data).toMatchObject({ isLost: true });
  expect(github.state.comments).toHaveLength(1);
});

test('reads, and writes that may be said twice, are repeated when GitHub fails, but not for ever', async () => {
  const { github, read, write, slept, asked } = await withBranch();
  github.faults.add({ times: 2, effect: { kind: 'answer', answer: serverError } });
  expect(await read.role('walter')).toBe('write');
  expect(slept).toEqual([1000, 2000]);
  const opened = await write.openPull(wanted);
  github.faults.add({ match: { operation: 'graphql/updatePullRequest' }, effect: { kind: 'drop-after' } });
  await write.changePull(pullIn(opened), { fields: { title: 'x' } });
  github.faults.add({ match: { operation: 'graphql/repository' }, effect: { kind: 'drop' } });
  expect(await read.pull(1)).toMatchObject({ title: 'x' });
  asked();
  github.faults.add({ times: 3, effect: { kind: 'answer', answer: serverError } });
  const { code, text } = await failure(read.pull(1));
  expect([code, asked().length]).toEqual(['world', 3]);
  expect(text).toContain('it answered 502');
});

test('a page instead of JSON is no answer, and no empty list', async () => {
  const { github, read, write } = await withBranch();
  const answer = { status: 200, body: '<html>Unicorn!</html>', headers: { 'content-type': 'text/html' } };
  github.faults.add({ match: { operation: 'pulls/create' }, effect: { kind: 'answer-after', answer } });
  expect(await write.openPull(wanted)).toMatchObject({ kind: 'found', pull: { number: 1 } });
  await github.as('walter').comment(1, '/gza improve');
  const since = '2020-01-01T00:00:00Z';
  github.faults.add({ effect: { kind: 'answer', answer } });
  expect(await read.commentsSince(since)).toHaveLength(1);
  github.faults.add({ effect: { kind: 'answer', answer: { status: 200, body: { message: 'soon' } } } });
  expect((await failure(read.commentsSince(since))).text).toContain('what came is no list');
});

test('time lies between two writes, none before reads of either API', async () => {
  const betweenWritesMs = 800;
  const { github, read, write } = await withBranch({}, { limits: { betweenWritesMs } });
  const start = performance.now();
  await write.openPull(wanted);
  const times: Record<string, number> = {};
  const timed = async (name: string, work: () => Promise<unknown>) => {
    await work();
    times[name] = performance.now() - start;
  };
  await Promise.all([
    timed('first', () => write.comment(1, 'a')),
    timed('second', () => write.comment(1, 'b')),
    timed('rest', () => read.role('walter')),
    timed('graphql', async () => {
      for (let count = 0; count < 4; count += 1) await read.pull(1);
    }),
  ]);
  const { first = 0, second = 0, rest, graphql } = times;
  expect(first).toBeGreaterThanOrEqual(betweenWritesMs - 5);
  expect(second).toBeGreaterThanOrEqual(2 * betweenWritesMs - 5);
  expect(rest).toBeLessThan(second);
  expect(graphql).toBeLessThan(second);
  expect(github.state.comments).toHaveLength(2);
});

test('a secondary limit is waited for as long as it says, and a minute where it says nothing', async () => {
  const { github, write, slept, log } = await withBranch();
  await write.openPull(wanted);
  const limited = secondaryLimit(30);
  github.faults.add({
    match: { operation: 'issues/create-comment' },
    effect: { kind: 'answer', answer: limited },
  });
  await write.comment(1, 'one');
  const silent = { ...limited, headers: {} };
  github.faults.add({
    match: { operation: 'issues/create-comment' },
    times: 2,
    effect: { kind: 'answer', answer: silent },
  });
  await write.comment(1, 'two');
  expect(slept).toEqual([30_000, 60_000, 120_000]);
  expect(log[0]).toBe('GitHub asks to slow down: waiting 30 s to write a comment.');
  expect(github.state.comments.map((one) => one.body)).toEqual(['one', 'two']);
});

test('a failure and a limit that come as a success, or as a mistake of ours, are seen for what they are', async () => {
  const { github, read, write, slept } = await withBranch();
  await write.openPull(wanted);
  const says = (operation: string, status: number, errors: unknown[]) =>
    github.faults.add({
      match: { operation },
      effect: { kind: 'answer', answer: { status, body: { data: null, errors } } },
    });
  says('graphql/repository', 200, [{ message: 'Something went wrong while executing your query.' }]);
  expect(await read.pull(1)).toMatchObject({ number: 1 });
  says('graphql/repository', 200, [{ message: 'You have exceeded a secondary rate limit.' }]);
  expect(await read.pull(1)).toMatchObject({ number: 1 });
  says('issues/create-comment', 422, [{ code: 'unprocessable', message: 'Body was submitted too quickly' }]);
  expect(await write.comment(1, 'x')).toBe(github.state.comments[0]?.id);
  expect(slept).toEqual([1000, 60_000, 60_000]);
});

test('a spent budget is waited for while that is short, and told when it is long, for REST and GraphQL', async () => {
  const { github, read, slept } = await withBranch();
  const { state } = github;
  await read.role('walter');
  const spend = (resource: string, ms: number) =>
    (state.rate[`actions ${resource}`] = { used: 1000, limit: 1000, resetAt: state.now + ms });
  spend('core', 120_000);
  expect(await read.role('walter')).toBe('write');
  spend('graphql', 120_000);
  expect(await read.pull(1)).toBeNull();
  expect(slept).toHaveLength(2);
  for (const milliseconds of slept) expect(Math.abs(milliseconds - 120_000)).toBeLessThan(3000);
  spend('core', 3_000_000);
  const { code, text, data } = await failure(read.role('tina'));
  expect([code, slept.length]).toEqual(['world', 2]);
  expect(text).toContain("GitHub's limit of 1000 requests an hour");
  const resumeAt = Date.parse(String(data['resumeAt']));
  expect(Math.abs(resumeAt - (state.now + 3_000_000))).toBeLessThan(3000);
  expect(text).toContain(String(data['resumeAt']).slice(0, 19));
});

test('each missing permission is named, with the job that lacks it', async () => {
  const { as, write, github } = await withBranch();
  const pull = pullIn(await write.openPull(wanted));
  const head = github.state.issues[0]?.pull?.head.sha ?? '';
  const id = await write.comment(1, 'x');
  const bare = as({ permissions: { contents: 'read' } }, { job: 'land' });
  const calls: [string, () => Promise<unknown>][] = [
    ['pull-requests: write', () => bare.write.openPull(wanted)],
    ['pull-requests: write', () => bare.write.changePull(pull, { fields: { title: 'x' } })],
    [
      'pull-requests: write',
      () => bare.write.changePull(pull, { reviews: [{ commit: head, body: 'x', comments: [], rest: [] }] }),
    ],
    ['pull-requests: write', () => bare.write.changePull(pull, { ready: true })],
    ['pull-requests: read', () => bare.read.pull(1)],
    ['pull-requests: read', () => bare.read.pullsOfBranches(['x'])],
    ['pull-requests: read', () => bare.read.conversations([1])],
    ['issues: write', () => bare.write.comment(1, 'x')],
    ['issues: write', () => bare.write.react({ id, kind: 'comment' }, 'eyes')],
    ['issues: write', () => bare.write.changeLabels(1, { add: ['x'] })],
    ['issues: write', () => bare.write.createIssue('x', 'y', [])],
    ['issues: write', () => bare.write.updateIssue(1, { body: 'y' })],
    ['issues: read', () => bare.read.findIssue('x')],
    ['issues: read', () => bare.read.commentsSince('2020-01-01T00:00:00Z')],
    ['statuses: write', () => bare.write.setStatus(head, 'gza/review', 'success', 'x')],
    ['actions: write', () => bare.write.dispatch('gza.yml', 'main')],
    ['contents: write', () => bare.write.wake([])],
    ['actions: read', () => bare.read.run(1)],
  ];
  for (const [permission, call] of calls) {
    const { text } = await failure(call());
    expect(text).toContain(`lacks the permission ${permission}.`);
    expect(text).toContain('the job land');
  }
  // With issues alone a comment's reaction works, a review comment's does not.
  const issues = as({ permissions: { issues: 'write' } });
  await issues.write.react({ id, kind: 'comment' }, 'eyes');
  expect((await failure(issues.write.react({ id: 1, kind: 'review-comment' }, 'eyes'))).text).toContain(
    'pull-requests: write',
  );
});

test('refusals say what to do: no issues, archived, too long, a token that ended, a server that is too old', async () => {
  const { github, write, read } = await withBranch();
  const pull = { number: 1, nodeId: 'PR_1', body: '' };
  const answer = (status: number, message: string) =>
    github.faults.add({ effect: { kind: 'answer', answer: { status, body: { message } } } });
  answer(410, 'Issues has been disabled in this repository.');
  expect((await failure(write.createIssue('x', 'y', []))).text).toContain('Features → Issues');
  answer(403, 'Repository was archived so is read-only.');
  expect((await failure(write.changePull(pull, { fields: { title: 'x' } }))).text).toContain('unarchive');
  answer(401, 'Bad credentials');
  expect((await failure(read.role('walter'))).text).toContain('does not accept the token');
  answer(422, 'Validation Failed: body is too long (maximum is 65536 characters)');
  expect((await failure(write.changePull(pull, { fields: { body: 'x' } }))).data).toMatchObject({
    problem: 'too-long',
  });
  expect((await failure(write.comment(1, 'x'.repeat(65_537)))).data).toMatchObject({ problem: 'too-long' });
  const errors = [{ message: "Field 'isMinimized' doesn't exist on type 'IssueComment'" }];
  github.faults.add({ effect: { kind: 'answer', answer: { status: 200, body: { errors } } } });
  expect((await failure(read.conversations([1]))).text).toMatch(/isMinimized.*\n.*update the server/);
});

test('a server of one’s own is asked at its own two addresses', async () => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.end('{"data":{"repository":{"pullRequest":null}}}');
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  forge = await openForge();
  const { read } = forge.as({}, { apiUrl: `http://127.0.0.1:${port}/api/v3/` });
  await read.role('walter');
  await read.pull(1);
  server.close();
  expect(asked).toEqual(['/api/v3/repos/olive/demo/collaborators/walter/permission', '/api/graphql']);
});

test('an answer that is empty, breaks off, is too large or leads to another server is none', async () => {
  const token = 'ghs_secretsecretsecret';
  const told: (string | undefined)[] = [];
  const stranger = createServer((request, response) => {
    told.push(request.headers.authorization);
    response.end('[]');
  });
  let answer: (response: ServerResponse) => void = () => {};
  let asked = 0;
  const server = createServer((_request, response) => {
    asked += 1;
    answer(response);
  });
  const addresses: string[] = [];
  for (const one of [stranger, server]) {
    await new Promise<void>((resolve) => void one.listen(0, '127.0.0.1', resolve));
    addresses.push(`http://127.0.0.1:${(one.address() as AddressInfo).port}`);
  }
  const [elsewhere = '', apiUrl = ''] = addresses;
  forge = await openForge();
  const now = () => '2026-01-01T00:00:00Z';
  const client = githubClient({ token, repository: 'o/r', apiUrl, sleep: async () => {}, now });
  const cases: [string, number, (response: ServerResponse) => void][] = [
    ['no answer came', 3, (response) => response.end()],
    ['no answer came', 3, (response) => response.end('[{"id": 1}, {"id"')],
    [
      'no answer came',
      3,
      (response) => {
        response.writeHead(200, { 'content-length': '100' });
        response.write('[{"id": 1}', () => response.destroy());
      },
    ],
    ['what came is no list', 1, (response) => response.end('{"items": []}')],
    ['larger than 32 MiB', 1, (response) => response.end(`["${'x'.repeat(33 << 20)}"]`)],
    [
      'which is not asked',
      1,
      (response) => {
        response.setHeader('link', `<${elsewhere}/repos/o/r/issues?page=2>; rel="next"`);
        response.end('[{"id": 1}]');
      },
    ],
  ];
  for (const [words, times, given] of cases) {
    asked = 0;
    answer = given;
    const listed = client.list(
      { operation: 'read issues', pages: (rest, here) => [rest.issues.listForRepo, { ...here }] },
      { itemsMax: 100 },
    );
    expect((await failure(listed)).text).toContain(words);
    expect(asked).toBe(times);
  }
  stranger.close();
  server.close();
  expect(told).toEqual([]);
});

test('no token is in an error or a log line, and a token of the wrong form is refused unseen', async () => {
  const secret = 'ghs_secretsecretsecret';
  const base = { repository: 'o/r', sleep: async () => {}, now: () => '2026-01-01T00:00:00Z' };
  const lines: string[] = [];
  const nowhere = { ...base, apiUrl: 'http://127.0.0.1:1', log: (line: string) => void lines.push(line) };
  forge = await openForge();
  const failed = await failure(
    githubClient({ ...nowhere, token: secret }).must({
      operation: 'read issues',
      send: (rest, here) => rest.issues.listForRepo({ ...here }),
    }),
  );
  const shown = `${failed.text}${JSON.stringify(failed.data)}${failed.error.stack}${String(failed.error.cause)}`;
  expect(`${shown}${lines.join()}`).not.toContain(secret);
  expect(lines).toHaveLength(2);
  const make = async () => githubClient({ ...nowhere, token: `${secret}\nx` });
  expect((await failure(make())).text).not.toContain(secret);
});

test('a renamed repository is followed on the same server, and the token goes to no other', async () => {
  const { github, read, as } = await withBranch();
  const moved = (location: string) =>
    github.faults.add({
      match: { operation: 'repos/get-collaborator-permission-level' },
      effect: { kind: 'answer', answer: { status: 301, headers: { location } } },
    });
  moved(`${github.apiUrl}/repos/olive/demo/collaborators/walter/permission`);
  expect(await read.role('walter')).toBe('write');
  const { length } = github.seen;
  moved(`${github.serverUrl}/repos/olive/demo/collaborators/walter/permission`);
  await expect(as({}).read.role('walter')).rejects.toThrow('301');
  expect(github.seen).toHaveLength(length + 1);
});

test('where there are no drafts a pull request is opened as ready, and stays so', async () => {
  const { github, write, read } = await withBranch();
  const message = 'Draft pull requests are not supported in this repository.';
  const none = { status: 422, body: { message: 'Validation Failed', errors: [{ message }] } };
  github.faults.add({ match: { operation: 'pulls/create' }, effect: { kind: 'answer', answer: none } });
  const opened = await write.openPull(wanted);
  expect(opened).toMatchObject({ kind: 'opened', pull: { state: 'open' } });
  const errors = [{ type: 'UNPROCESSABLE', message, path: ['ready'] }];
  const refused = { status: 200, body: { data: { ready: null }, errors } };
  const operation = 'graphql/convertPullRequestToDraft';
  github.faults.add({ match: { operation }, effect: { kind: 'answer', answer: refused } });
  await write.changePull(pullIn(opened), { ready: false });
  expect(await read.pull(1)).toMatchObject({ state: 'open' });
});
