import { afterEach, expect, test } from '@jest/globals';
import { secondaryLimit, serverError } from './answers.ts';
import { type Github, startGithub } from './github.ts';
import { operations } from './openapi/check.ts';
import { routes } from './route-table.ts';

let github: Github;
afterEach(() => github?.close());

const versioned = { 'x-github-api-version': '2022-11-28' };

function client(secret: string) {
  return async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(`${github.apiUrl}${path.replace(/^~/, '/repos/olive/demo')}`, {
      method,
      headers: { authorization: `Bearer ${secret}`, ...versioned, ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      redirect: 'manual',
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text ? JSON.parse(text) : undefined };
  };
}

async function withPull(settings = {}) {
  github = await startGithub({ settings });
  const head = await github.commit({ branch: 'work', files: { 'a.txt': 'one\ntwo\n' } });
  const send = client(github.token({}));
  const made = await send('POST', '~/pulls', {
    title: 'Work',
    head: 'work',
    base: 'main',
    body: '- [ ] first\n- [ ] second',
  });
  expect(made.status).toBe(201);
  return { send, head, number: made.body.number as number };
}

test('every operation of the extracted description has a route, and every route an operation', () => {
  // GitHub's description leaves out what actions/checkout asks for.
  const described = Object.keys(routes).filter((id) => id !== 'repos/get-hash-algorithm');
  expect(described.sort()).toEqual(operations.map((one) => one.id).sort());
});

test('a pull request is opened, found, described and merged, each answer as GitHub describes it', async () => {
  const { send, head, number } = await withPull();
  const [found] = (await send('GET', '~/pulls?head=olive:work&state=open')).body;
  expect(found).toMatchObject({
    number,
    head: { sha: head, ref: 'work' },
    base: { ref: 'main' },
    user: { id: 41898282 },
  });
  const first = (await send('GET', `~/pulls/${number}`)).body;
  const second = (await send('GET', `~/pulls/${number}`)).body;
  expect([first.mergeable, second.mergeable, second.changed_files, second.commits]).toEqual([
    null,
    true,
    1,
    1,
  ]);
  expect((await send('GET', `~/pulls/${number}/files`)).body).toMatchObject([
    { filename: 'a.txt', status: 'added', additions: 2 },
  ]);
  expect((await send('PUT', `~/pulls/${number}/merge`, { sha: '0'.repeat(40) })).status).toBe(409);
  expect((await send('PUT', `~/pulls/${number}/merge`, { sha: head })).body.merged).toBe(true);
  expect((await send('GET', `~/pulls/${number}`)).body).toMatchObject({ merged: true, state: 'closed' });
  expect((await send('GET', '~/compare/main...work')).body).toMatchObject({ status: 'behind', ahead_by: 0 });
});

test('reads of everything else have GitHub’s shape', async () => {
  const { send, head, number } = await withPull();
  const issue = (await send('POST', '~/issues', { title: 'Board', labels: ['gza'] })).body.number;
  const comment = (await send('POST', `~/issues/${number}/comments`, { body: 'hello' })).body.id;
  await send('PATCH', `~/issues/comments/${comment}`, { body: 'hello again' });
  await send('POST', `~/issues/${number}/labels`, { labels: ['gza', 'new'] });
  await send('POST', `~/statuses/${head}`, { state: 'success', context: 'gza/review', description: 'fine' });
  const reads = [
    '~',
    '~/branches',
    '~/branches/work',
    '~/rules/branches/main',
    '~/rulesets',
    '~/contents/README.md',
    `~/commits/${head}`,
    `~/commits/${head}/pulls`,
    `~/commits/${head}/statuses`,
    `~/issues`,
    `~/issues/${issue}`,
    `~/issues/${number}/comments`,
    `~/issues/comments?since=2020-01-01T00:00:00Z`,
    `~/issues/comments/${comment}`,
    `~/issues/${number}/labels`,
    '~/labels',
    `~/pulls/${number}/commits`,
    `~/pulls/${number}/reviews`,
    `~/pulls/comments`,
    '~/git/ref/heads/work',
    '~/git/matching-refs/heads/',
    '~/actions/runs',
    '~/actions/workflows',
    '~/actions/artifacts',
    '~/collaborators/walter/permission',
    '/rate_limit',
  ];
  for (const path of reads) expect([path, (await send('GET', path)).status]).toEqual([path, 200]);
  expect((await send('GET', `~/commits/work/status`)).body).toMatchObject({
    state: 'success',
    total_count: 1,
  });
  expect((await send('GET', '~/collaborators/tina/permission')).body).toMatchObject({
    permission: 'read',
    role_name: 'triage',
  });
});

test('pull requests are refused in GitHub’s words', async () => {
  const { send } = await withPull();
  const refused = async (body: unknown) => (await send('POST', '~/pulls', body)).body.errors[0].message;
  expect(await refused({ title: 'x', head: 'work', base: 'main' })).toBe(
    'A pull request already exists for olive:work.',
  );
  await github.commit({ branch: 'same', files: {} });
  await github.data.git.text(['update-ref', 'refs/heads/same', 'refs/heads/main']);
  expect(await refused({ title: 'x', head: 'same', base: 'main' })).toBe('No commits between main and same');
  expect(await refused({ title: 'x', head: 'nowhere', base: 'main' })).toBe('head is invalid');
  await github.commit({ branch: 'long', files: { b: 'b' } });
  expect(await refused({ title: 'x', head: 'long', base: 'main', body: 'x'.repeat(65_537) })).toContain(
    'maximum is 65536',
  );
  github.state.settings.actionsMayOpenPulls = false;
  const off = await send('POST', '~/pulls', { title: 'x', head: 'long', base: 'main' });
  expect([off.status, off.body.message]).toEqual([
    403,
    'GitHub Actions is not permitted to create or approve pull requests.',
  ]);
});

test('titles and labels that are too long are refused', async () => {
  const { send, number } = await withPull();
  const refused = async (method: string, path: string, body: unknown) => {
    const answer = await send(method, path, body);
    return [answer.status, answer.body.errors?.[0]?.message];
  };
  const title = [422, 'title is too long (maximum is 256 characters)'];
  expect(await refused('PATCH', `~/pulls/${number}`, { title: 'x'.repeat(257) })).toEqual(title);
  expect(await refused('POST', '~/issues', { title: 'x'.repeat(257) })).toEqual(title);
  const name = [422, 'name is too long (maximum is 50 characters)'];
  expect(await refused('POST', '~/labels', { name: 'x'.repeat(51), color: 'ededed' })).toEqual(name);
  expect(await refused('POST', `~/issues/${number}/labels`, { labels: ['x'.repeat(51)] })).toEqual(name);
});

test('a bot may comment on its own pull request, and neither approve it nor ask for changes', async () => {
  const { send, head, number } = await withPull();
  const review = (event: string, extra = {}) =>
    send('POST', `~/pulls/${number}/reviews`, { event, body: 'b', ...extra });
  expect((await review('APPROVE')).body.errors).toEqual(['Can not approve your own pull request']);
  expect((await review('REQUEST_CHANGES')).body.errors).toEqual([
    'Can not request changes on your own pull request',
  ]);
  const inline = { comments: [{ path: 'a.txt', line: 2, body: 'look' }] };
  expect((await review('COMMENT', inline)).body.state).toBe('COMMENTED');
  expect(
    (await review('COMMENT', { comments: [{ path: 'a.txt', line: 9, body: 'x' }] })).body.errors,
  ).toEqual(['Line could not be resolved']);
  const alone = await send('POST', `~/pulls/${number}/comments`, {
    body: 'x',
    commit_id: head,
    path: 'a.txt',
    line: 9,
  });
  expect(alone.body.errors[0]).toMatchObject({
    field: 'pull_request_review_thread.line',
    message: 'could not be resolved',
  });
  expect((await send('GET', `~/pulls/${number}/comments`)).body).toMatchObject([
    { path: 'a.txt', line: 2, body: 'look' },
  ]);
});

test.each([
  ['POST', '~/pulls', { title: 't', head: 'work', base: 'main' }, ['pull_requests']],
  ['POST', '~/issues/1/comments', { body: 'b' }, ['issues', 'pull_requests']],
  ['POST', '~/issues/comments/COMMENT/reactions', { content: 'eyes' }, ['issues']],
  ['POST', '~/statuses/HEAD', { state: 'success' }, ['statuses']],
  ['POST', '~/git/refs', { ref: 'refs/tasks/x', sha: 'HEAD' }, ['contents']],
  ['POST', '~/dispatches', { event_type: 'x' }, ['contents']],
  ['POST', '~/actions/workflows/w.yml/dispatches', { ref: 'main' }, ['actions']],
  ['PUT', '~/pulls/1/merge', {}, ['contents']],
])('%s %s needs the right permission, and no other will do', async (method, path, body, names) => {
  const { head } = await withPull();
  const all = ['actions', 'contents', 'issues', 'pull_requests', 'statuses', 'checks'];
  const comment = await github.as('walter').comment(1, 'hi');
  const [at, given] = [path, JSON.stringify(body)].map((text) =>
    text.replace('HEAD', head).replace('COMMENT', String(comment)),
  );
  for (const name of all) {
    const send = client(github.token({ permissions: { [name]: 'write' } }));
    const answer = await send(method, at ?? '', JSON.parse(given ?? ''));
    const refused = answer.body?.message === 'Resource not accessible by integration';
    expect([name, refused]).toEqual([name, !names.includes(name)]);
  }
});

test('what GitHub would let pass or never serve is held against the client', async () => {
  const { send, number, head } = await withPull();
  const provoke = async (...args: Parameters<typeof send>) => {
    await send(...args);
    return github.takeViolations().join(' ');
  };
  expect(await provoke('GET', '~/nothing')).toContain('unknown route');
  expect(await provoke('POST', `~/issues/${number}/comments`, { body: 'b', boby: 1 })).toContain('boby');
  expect(await provoke('POST', `~/pulls/${number}/reviews`, { event: 'APPROVED' })).toContain('/event');
  expect(await provoke('POST', `~/statuses/${head}`, { state: 'failed' })).toContain('/state');
  expect(await provoke('GET', '~/pulls?head=work')).toContain('without owner');
  expect(await provoke('GET', '~/pulls?heads=x')).toContain('no query parameter heads');
  expect(
    await provoke('POST', `~/actions/workflows/w.yml/dispatches`, { ref: 'main', inputs: { a: 1 } }),
  ).toBe('');
  const bare = await fetch(`${github.apiUrl}/repos/olive/demo`, {
    headers: { authorization: `Bearer ${github.token({})}` },
  });
  expect([bare.status, github.takeViolations().join()]).toEqual([
    200,
    expect.stringContaining('X-GitHub-Api-Version'),
  ]);
  expect((await send('POST', `~/statuses/${'1'.repeat(40)}`, { state: 'success' })).status).toBe(422);
  expect((await send('GET', '~/branches/main/protection')).body.message).toBe(
    'Resource not accessible by integration',
  );
});

test('closing fails when something was held against the client', async () => {
  const { send } = await withPull();
  await send('GET', '~/nothing');
  await expect(github.close()).rejects.toThrow('unknown route: GET /repos/olive/demo/nothing');
});

test('faults: refused, done but told otherwise, lost before, lost after, lagging', async () => {
  const { send, number } = await withPull();
  const path = `~/issues/${number}/comments`;
  const comments = () => github.state.comments.length;
  github.faults.add({
    match: { operation: 'issues/create-comment' },
    effect: { kind: 'answer', answer: secondaryLimit(7) },
  });
  const limited = await send('POST', path, { body: 'a' });
  expect([limited.status, limited.headers.get('retry-after'), comments()]).toEqual([403, '7', 0]);
  github.faults.add({ effect: { kind: 'answer-after', answer: serverError } });
  expect([(await send('POST', path, { body: 'b' })).status, comments()]).toEqual([502, 1]);
  github.faults.add({ effect: { kind: 'drop' } });
  await expect(send('POST', path, { body: 'c' })).rejects.toThrow();
  github.faults.add({ effect: { kind: 'drop-after' } });
  await expect(send('POST', path, { body: 'd' })).rejects.toThrow();
  expect(github.state.comments.map((one) => one.body)).toEqual(['b', 'd']);
  const before = structuredClone(github.state);
  await send('POST', path, { body: 'e' });
  github.faults.add({ effect: { kind: 'stale', state: before } });
  expect([(await send('GET', path)).body.length, (await send('GET', path)).body.length]).toEqual([2, 3]);
  expect(github.faults.unused()).toEqual([]);
});

test('budgets: a 304 is free, the last request is refused, content has a limit of its own', async () => {
  const { send, number } = await withPull();
  const one = await send('GET', '~/pulls');
  const again = await send('GET', '~/pulls', undefined, { 'if-none-match': one.headers.get('etag') ?? '' });
  expect([again.status, again.headers.get('x-ratelimit-used')]).toEqual([
    304,
    one.headers.get('x-ratelimit-used'),
  ]);
  const bucket = github.state.rate['actions core'];
  if (bucket) bucket.limit = bucket.used + 1;
  expect((await send('GET', '~/labels')).headers.get('x-ratelimit-remaining')).toBe('0');
  const over = await send('GET', '~/labels');
  expect([over.status, over.body.message]).toEqual([403, expect.stringContaining('API rate limit exceeded')]);
  if (bucket) bucket.limit = 5000;
  const statuses: number[] = [];
  // All in one minute of the fake's clock.
  github.state.stepMs = 1;
  for (let at = 0; at < 82; at += 1) {
    statuses.push((await send('POST', `~/issues/${number}/comments`, { body: `${at}` })).status);
  }
  // The pull request was the first of the eighty.
  expect([statuses.filter((status) => status === 201).length, statuses.at(-1)]).toEqual([79, 403]);
  await send('POST', '/graphql', { query: '{ rateLimit { cost } }' });
  Object.assign(github.state.rate['actions graphql'] ?? {}, { limit: 0 });
  expect((await send('POST', '/graphql', { query: '{ rateLimit { cost } }' })).body.errors[0].type).toBe(
    'RATE_LIMITED',
  );
});

test('lists come in pages with GitHub’s Link header', async () => {
  const { send, number } = await withPull();
  for (let at = 0; at < 5; at += 1) await github.as('walter').comment(number, `c${at}`);
  const page = await send('GET', `~/issues/${number}/comments?per_page=2&page=2`);
  expect(page.body.map((one: { body: string }) => one.body)).toEqual(['c2', 'c3']);
  const next = /<([^>]+)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1] ?? '';
  expect(new URL(next).searchParams.get('page')).toBe('3');
});

test('a ticked box changes the body, and the event says who did and what was there', async () => {
  const { number } = await withPull();
  await github.as('walter').tick(number, 'second');
  const edited = github.state.events.find(
    (one) => one.name === 'pull_request_target' && one.payload['action'] === 'edited',
  );
  expect(edited?.payload).toMatchObject({
    sender: { login: 'walter' },
    changes: { body: { from: '- [ ] first\n- [ ] second' } },
  });
  expect(github.state.issues[0]?.body).toBe('- [ ] first\r\n- [x] second');
});

test('a stranger comments where the repository is public, and never edits another’s words', async () => {
  const { send, number } = await withPull({ private: false });
  await github.as('nora').comment(number, 'hello');
  await expect(github.as('nora').tick(number, 'first')).rejects.toThrow('nora may not PATCH');
  await expect(github.as('rita').merge(number)).rejects.toThrow('rita may not PUT');
  expect((await send('GET', '~/collaborators/nora/permission')).body.permission).toBe('read');
  github.state.settings.private = true;
  await expect(github.as('nora').comment(number, 'hello')).rejects.toThrow('nora may not POST');
});

test('labels are set from triage on, each an event that says who and when; a new title is no edit of the text', async () => {
  github = await startGithub();
  const made = await github.as('rita').request('POST', '/issues', { title: 'A', body: 'b', labels: ['gza'] });
  const number = Number(made.body['number']);
  const label = (by: string) =>
    github.as(by).request('POST', `/issues/${number}/labels`, { labels: ['gza'] });
  const [denied, taken] = [await label('rita'), await label('tina')];
  await github.as('rita').request('PATCH', `/issues/${number}`, { title: 'B' });
  expect([made.body['labels'], denied.status, taken.status]).toEqual([[], 403, 200]);
  const events = github.state.events.map(({ name, payload }) => `${name} ${String(payload['action'])}`);
  expect(events).toEqual(['issues opened', 'issues labeled', 'issues edited']);
  const secret = github.token({ kind: 'user', login: 'walter' });
  const response = await fetch(github.graphqlUrl, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'x-github-api-version': '2022-11-28', 'user-agent': 'x' },
    body: JSON.stringify({
      query: `{ repository(owner: "olive", name: "demo") { issues(first: 5, labels: ["gza"], states: OPEN) { nodes { lastEditedAt
        timelineItems(last: 5, itemTypes: [LABELED_EVENT, RENAMED_TITLE_EVENT]) { nodes {
          __typename ... on LabeledEvent { label { name } actor { login } } } } } } } }`,
    }),
  });
  const { data } = (await response.json()) as { data: { repository: { issues: { nodes: unknown[] } } } };
  expect(data.repository.issues.nodes).toEqual([
    {
      lastEditedAt: null,
      timelineItems: {
        nodes: [
          { __typename: 'LabeledEvent', label: { name: 'gza' }, actor: { login: 'tina' } },
          { __typename: 'RenamedTitleEvent' },
        ],
      },
    },
  ]);
});

test('GraphQL tells the state of many pull requests at once, and who edited last', async () => {
  const { send, head, number } = await withPull();
  await github.as('walter').tick(number, 'first');
  const ask = (query: string) => send('POST', '/graphql', { query });
  const { data } = (
    await ask(`{ repository(owner: "olive", name: "demo") {
      p1: pullRequest(number: ${number}) { id state merged isDraft headRefOid baseRefName lastEditedAt editor { login } author { login }
        userContentEdits(first: 5) { nodes { editor { login } } } reviewThreads(first: 5) { nodes { id isResolved } } }
      p9: pullRequest(number: 99) { state } } rateLimit { cost remaining } }`)
  ).body;
  expect(data.repository.p1).toMatchObject({
    state: 'OPEN',
    headRefOid: head,
    editor: { login: 'walter' },
    author: { login: 'github-actions' },
  });
  expect(data.repository.p9).toBeNull();
  const ready = `mutation { convertPullRequestToDraft(input: { pullRequestId: "${data.repository.p1.id}" }) { pullRequest { isDraft } } }`;
  expect((await ask(ready)).body.data.convertPullRequestToDraft.pullRequest.isDraft).toBe(true);
  expect(github.seen.at(-1)?.operation).toBe('graphql/convertPullRequestToDraft');
  expect((await ask('{ viewer { login } }')).status).toBe(501);
  expect(github.takeViolations().join()).toContain('viewer');
});

test('a repository dispatch needs contents: write, starts runs also for a job, and has GitHub’s limits', async () => {
  const path = '.github/workflows/gza.yml';
  github = await startGithub({
    files: { [path]: 'on: { repository_dispatch: { types: [gza] } }\njobs: {}\n' },
  });
  const wake = async (contents: 'read' | 'write', body: object) => {
    const send = client(github.token({ kind: 'actions', permissions: { contents, actions: 'write' } }));
    return (await send('POST', '~/dispatches', body)).status;
  };
  const many = Object.fromEntries(Array.from({ length: 11 }, (_, index) => [`k${index}`, index]));
  const asked = [
    await wake('read', { event_type: 'gza' }),
    await wake('write', { event_type: 'gza', client_payload: { long: 'x'.repeat(65_536) } }),
    await wake('write', { event_type: 'other' }),
    await wake('write', { event_type: 'gza', client_payload: { ended: ['c1'] } }),
  ];
  expect(asked).toEqual([403, 422, 204, 204]);
  expect(github.state.runs.map(({ event, workflow }) => [event, workflow])).toEqual([
    ['repository_dispatch', path],
  ]);
  // The description itself names these.
  await wake('write', { event_type: 'gza', client_payload: many });
  await wake('write', { event_type: 'g'.repeat(101) });
  expect(github.takeViolations().sort()).toEqual([
    expect.stringContaining('client_payload must NOT have more than 10 properties'),
    expect.stringContaining('event_type must NOT have more than 100 characters'),
  ]);
});

test('an artifact is fetched from a signed address, which wants no token', async () => {
  const { send } = await withPull();
  github.state.artifacts.push({
    id: 77,
    run: 1,
    name: 'patch',
    digest: 'd'.repeat(64),
    zip: Buffer.from('PK'),
    createdAt: github.state.now,
    expired: false,
  });
  const answer = await send('GET', '~/actions/artifacts/77/zip');
  const location = answer.headers.get('location') ?? '';
  expect([answer.status, await (await fetch(location)).text()]).toEqual([302, 'PK']);
  expect((await fetch(location, { headers: { authorization: 'Bearer x' } })).status).toBe(400);
  expect(github.takeViolations()).toHaveLength(1);
});
