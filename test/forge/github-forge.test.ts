import { afterEach, expect, test } from '@jest/globals';
import { takeId, tell } from '../github/state.ts';
import { addReviewThread, type OpenForge, openForge, pullIn, wanted } from './open-forge.ts';

let forge: OpenForge;
afterEach(() => forge?.github.close());

async function withPull(settings = {}) {
  forge = await openForge(settings);
  const head = await forge.github.commit({ branch: 'gza/t1', files: { 'a.txt': 'one\ntwo\nthree\n' } });
  const opened = await forge.write.openPull(wanted);
  if (opened.kind !== 'opened') throw new Error(opened.kind);
  forge.asked();
  return { head, pull: opened.pull };
}

test('a pull request is opened as a draft, given reviewers, updated, made ready and labelled', async () => {
  forge = await openForge();
  const head = await forge.github.commit({ branch: 'gza/t1', files: { 'a.txt': 'one\n' } });
  const opened = await forge.write.openPull({ ...wanted, reviewers: ['walter'] });
  expect(forge.asked()).toEqual(['pulls/create', 'pulls/request-reviewers']);
  expect(opened).toMatchObject({
    kind: 'opened',
    pull: {
      number: 1,
      state: 'draft',
      headCommit: head,
      isOurs: true,
      labels: [],
      fromFork: false,
    },
  });
  const pull = pullIn(opened);
  await forge.write.changePull(pull, { fields: { title: 'New', body: 'words' }, ready: true });
  await forge.write.changeLabels(1, { add: ['gza', 'done'], remove: ['never there'] });
  expect(forge.asked()).toEqual(['graphql/updatePullRequest', 'issues/add-labels', 'issues/remove-label']);
  expect(await forge.read.pull(1)).toEqual({
    ...pull,
    title: 'New',
    body: 'words',
    state: 'open',
    labels: ['gza', 'done'],
    updatedAt: expect.any(String),
  });
  await forge.write.changePull(pull, {});
  await forge.write.changePull(pull, { ready: false });
  expect(forge.asked()).toEqual(['graphql/repository', 'graphql/convertPullRequestToDraft']);
  await forge.github.as('walter').close(1);
  expect(await forge.read.pull(1)).toMatchObject({ state: 'closed', closedWithBase: false });
  expect(await forge.read.pull(99)).toBeNull();
});

test('a reviewer who cannot be asked does not lose the pull request', async () => {
  forge = await openForge();
  await forge.github.commit({ branch: 'gza/t1', files: { 'a.txt': 'one\n' } });
  expect(await forge.write.openPull({ ...wanted, reviewers: ['nora'] })).toMatchObject({ kind: 'opened' });
  expect(forge.log.join()).toContain('not a collaborator');
});

test('pull requests of many branches come in one query, and a fork’s of the same name are not ours', async () => {
  await withPull();
  for (let count = 0; count < 6; count += 1) {
    const number = await forge.github.forkPull({
      by: 'rita',
      branch: 'gza/t1',
      files: { 'x.txt': `${count}` },
    });
    await forge.github.as('rita').close(number);
  }
  await forge.github.commit({ branch: 'gza/t2', files: { 'b.txt': 'one\n' } });
  await forge.github.as('walter').openPull('gza/t2', { body: 'mine' });
  await forge.github.as('olive').close(8);
  forge.asked();
  const branches = Array.from({ length: 99 }, (_, index) => `gza/t${index + 2}`);
  expect(await forge.read.pullsOfBranches([...branches, 'none'])).toMatchObject([
    { branch: 'gza/t2', state: 'closed', isOurs: false, author: 'walter' },
  ]);
  expect(forge.asked()).toEqual(['graphql/repository']);
  // Six from a fork hide it among the newest five: then it is asked for by name.
  const [own, ...others] = await forge.read.pullsOfBranches(['gza/t1']);
  expect([own?.number, own?.fromFork, others]).toEqual([1, false, []]);
  expect(forge.asked()).toEqual(['graphql/repository', 'pulls/list', 'graphql/repository']);
  await forge.read.pullsOfBranches(Array.from({ length: 101 }, (_, index) => `x${index}`));
  expect(forge.asked()).toHaveLength(2);
  expect(await forge.read.pullsOfBranches([])).toEqual([]);
});

test('who edited a body, and that GitHub closed it with its base, not a person before, is told', async () => {
  const { pull } = await withPull();
  await forge.github.as('walter').tick(pull.number, 'first');
  expect(await forge.read.pull(pull.number)).toMatchObject({ bodyEditedBy: 'walter', isOurs: true });
  await forge.write.changePull(pull, { fields: { body: 'ours again' } });
  expect(await forge.read.pull(pull.number)).toMatchObject({ bodyEditedBy: null });
  await forge.github.commit({ branch: 'gza/t2', from: 'gza/t1', files: { 'b.txt': 'x\n' } });
  const child = await forge.write.openPull({ ...wanted, branch: 'gza/t2', base: 'gza/t1' });
  expect(child.kind).toBe('opened');
  await forge.github.commit({ branch: 'gza/t3', from: 'gza/t1', files: { 'c.txt': 'x\n' } });
  const other = await forge.write.openPull({ ...wanted, branch: 'gza/t3', base: 'gza/t1' });
  if (other.kind !== 'opened') throw new Error(other.kind);
  await forge.github.as('walter').close(other.pull.number);
  const { state } = forge.github;
  state.now += 20_000;
  await forge.github.as('walter').request('DELETE', '/git/refs/heads/gza/t1');
  tell(state, other.pull.number, 'base_ref_deleted', 'walter');
  expect(await forge.read.pull(other.pull.number)).toMatchObject({ state: 'closed', closedWithBase: false });
  const [parent, closed] = await forge.read.pullsOfBranches(['gza/t1', 'gza/t2']);
  expect([parent?.state, parent?.closedWithBase, closed?.state, closed?.closedWithBase]).toEqual([
    'closed',
    false,
    'closed',
    true,
  ]);
});

test('issues are opened once, found by title, updated; another’s of the same title is not ours', async () => {
  forge = await openForge();
  await forge.github.as('walter').request('POST', '/issues', { title: 'gza: task board' });
  expect(await forge.read.findIssue('gza: task board')).toBeNull();
  const made = await forge.write.createIssue('gza: task board', 'ready: 1', ['gza']);
  await forge.write.updateIssue(made.number, { body: 'ready: 0' });
  expect(forge.asked()).toEqual(['issues/create', 'graphql/repository', 'issues/create', 'issues/update']);
  await forge.github.as('walter').request('PATCH', `/issues/${made.number}`, { body: '- [x] run' });
  const found = await forge.read.findIssue('gza: task board');
  expect(found).toMatchObject({
    number: made.number,
    isOurs: true,
    bodyEditedBy: 'walter',
    body: '- [x] run',
  });
  expect(await forge.read.issue(made.number)).toEqual(found);
  expect(await forge.read.issue(99)).toBeNull();
  await forge.write.updateIssue(made.number, { state: 'closed' });
  expect(await forge.read.findIssue('gza: task board')).toMatchObject({ state: 'closed' });
});

test('comments of all places come oldest change first; a conversation comes whole, with what is resolved', async () => {
  const { pull } = await withPull();
  const start = new Date(forge.github.state.now).toISOString();
  const issue = await forge.write.createIssue('x', 'y', []);
  const [first] = [await forge.github.as('rita').comment(pull.number, '/gza why')];
  await forge.github.as('walter').comment(issue.number, 'on the board');
  const one = await addReviewThread(forge.github, pull.number, { line: 2, body: 'wrong' });
  await addReviewThread(forge.github, pull.number, { line: 3, body: 'nice' });
  await forge.github.as('rita').request('PATCH', `/issues/comments/${first}`, { body: '/gza status' });
  forge.github.state.reviewComments
    .filter((each) => each.id === one)
    .forEach((each) => void (each.resolved = true));
  forge.asked();
  const comments = await forge.read.commentsSince(start);
  expect(comments.map((each) => [each.on, each.isPull, each.author, each.text, each.line])).toEqual([
    [issue.number, false, 'walter', 'on the board', null],
    [pull.number, true, 'walter', 'wrong', 2],
    [pull.number, true, 'walter', 'nice', 3],
    [pull.number, true, 'rita', '/gza status', null],
  ]);
  expect(forge.asked()).toEqual(['issues/list-comments-for-repo', 'pulls/list-review-comments-for-repo']);
  await forge.write.reply(pull.number, one, 'why?');
  expect(await forge.write.reply(pull.number, 99_999, 'to nobody')).toBe(false);
  forge.asked();
  const threads = (await forge.read.conversations([pull.number])).get(pull.number) ?? [];
  expect(
    threads.map(({ kind, line, isResolved, said }) => [
      kind,
      line,
      isResolved,
      said.map((each) => `${each.isOurs ? 'gza' : each.author}: ${each.text}`),
    ]),
  ).toEqual([
    ['line', 2, true, ['walter: wrong', 'gza: why?']],
    ['line', 3, false, ['walter: nice']],
    ['comment', null, false, ['rita: /gza status']],
  ]);
  expect(forge.asked()).toEqual(['graphql/repository']);
  const later = comments.at(-1)?.updatedAt ?? '';
  expect((await forge.read.commentsSince(later)).map((each) => each.id)).toContain(first);
  expect(forge.asked()).toHaveLength(2);
});

test('of very many comments the oldest three hundred of both kinds are read', async () => {
  const { pull, head } = await withPull();
  const { state } = forge.github;
  const onLine = { review: 1, path: 'a.txt', line: 1, startLine: null, side: 'RIGHT', commit: head } as const;
  for (let count = 0; count < 450; count += 1) {
    const at = state.now + count * 1000;
    const words = { id: 90_000 + count, issue: pull.number, author: 'rita', body: `${count}`, edits: [] };
    const comment = { ...words, createdAt: at, updatedAt: at };
    if (count % 2 === 0) state.comments.push(comment);
    else state.reviewComments.push({ ...comment, ...onLine, inReplyTo: null, resolved: false });
  }
  const comments = await forge.read.commentsSince('2020-01-01T00:00:00Z');
  expect(comments.map((one) => one.text)).toEqual(Array.from({ length: 300 }, (_, index) => `${index}`));
  // Three pages of each kind.
  expect(forge.asked()).toHaveLength(6);
});

test('what a bot said in a conversation is looked for in a thousand comments, and taken for said where there are more', async () => {
  const { pull } = await withPull();
  const { state } = forge.github;
  const add = (author: string, body: string) =>
    state.comments.push({
      id: takeId(state),
      issue: pull.number,
      author,
      body,
      edits: [],
      createdAt: state.now,
      updatedAt: state.now,
    });
  for (let count = 0; count < 999; count += 1) add('rita', '<!-- mark -->');
  const isSaid = () => forge.read.hasBotComment(pull.number, '<!-- mark -->');
  expect(await isSaid()).toBe(false);
  add('github-actions[bot]', 'Once.\n\n<!-- mark -->');
  expect(await isSaid()).toBe(true);
  expect(forge.asked()).toHaveLength(20);
  state.comments = state.comments.filter(({ author }) => author === 'rita');
  for (const more of ['a', 'b']) add('rita', more);
  expect(await isSaid()).toBe(true);
});

test('comments are written and reacted to, each with one request', async () => {
  const { pull } = await withPull();
  const id = await forge.write.comment(pull.number, 'started');
  await forge.write.react({ id, kind: 'comment' }, 'rocket');
  const onLine = await addReviewThread(forge.github, pull.number, { line: 1, body: 'x' });
  await forge.write.react({ id: onLine, kind: 'review-comment' }, 'eyes');
  expect(forge.asked().filter((name) => name !== 'pulls/create-review-comment')).toEqual([
    'issues/create-comment',
    'reactions/create-for-issue-comment',
    'reactions/create-for-pull-request-review-comment',
  ]);
  expect(forge.github.state.comments.at(-1)?.body).toBe('started');
  // Its author took it away before the answer came.
  await forge.write.react({ id: 999_999, kind: 'comment' }, 'rocket');
  expect(forge.asked().at(-1)).toBe('reactions/create-for-issue-comment');
});

test('roles are asked of GitHub; maintain has a name of its own, triage is read, whoever is no login is nobody', async () => {
  forge = await openForge();
  const { users, roles } = forge.github.state;
  users['mia'] = { login: 'mia', id: 77, type: 'User' };
  roles['mia'] = 'maintain';
  const logins = ['olive', 'walter', 'mia', 'tina', 'rita', 'nora', 'nobody-at-all', '../../user', 'a b'];
  expect(await Promise.all(logins.map((login) => forge.read.role(login)))).toEqual([
    'admin',
    'write',
    'maintain',
    'read',
    'read',
    'none',
    'none',
    'none',
    'none',
  ]);
  expect(forge.asked()).toHaveLength(7);
});

test('a status is one request with its text cut to what GitHub takes', async () => {
  const { head } = await withPull();
  await forge.write.setStatus(head, 'gza/review', 'success', 'x'.repeat(300), 'https://example.com/run');
  expect(forge.asked()).toEqual(['repos/create-commit-status']);
  expect(forge.github.state.statuses.at(-1)).toMatchObject({ context: 'gza/review', state: 'success' });
  expect(forge.github.state.statuses.at(-1)?.description).toHaveLength(140);
});

test('runs that wait for a person are told, whatever their number of pull requests, in two requests', async () => {
  const { head } = await withPull();
  const { state } = forge.github;
  const run = {
    workflow: '.github/workflows/ci.yml',
    name: 'CI',
    number: 1,
    event: 'pull_request',
    payload: {},
  };
  const place = { actor: 'x', headBranch: 'gza/t1', headSha: head, ref: 'refs/heads/gza/t1' };
  const times = { createdAt: state.now, updatedAt: state.now, jobs: [], message: null, attempt: 2 };
  state.runs.push({ id: 8, ...run, ...place, ...times, status: 'completed', conclusion: 'action_required' });
  state.runs.push({ id: 10, ...run, ...place, ...times, status: 'waiting', conclusion: null });
  state.runs.push({ id: 11, ...run, ...place, ...times, status: 'completed', conclusion: 'success' });
  forge.asked();
  const waiting = { workflow: 'ci.yml', commit: head };
  expect(await forge.read.waitingRuns()).toEqual([waiting, waiting]);
  expect(forge.asked()).toHaveLength(2);
  expect(await forge.read.run(8)).toEqual({
    id: 8,
    attempt: 2,
    isCompleted: true,
    conclusion: 'action_required',
  });
  expect(await forge.read.run(9)).toBeNull();
});

test('a workflow is started on a branch, and gza’s own by a dispatch that names what ended', async () => {
  const on = 'on: { workflow_dispatch: , repository_dispatch: { types: [gza] } }\njobs: {}\n';
  forge = await openForge({}, {}, { '.github/workflows/gza.yml': on });
  await forge.write.dispatch('gza.yml', 'main');
  await forge.write.wake(['c1']);
  const { runs } = forge.github.state;
  expect(runs.map(({ event, payload }) => [event, payload['action'], payload['client_payload']])).toEqual([
    ['workflow_dispatch', undefined, undefined],
    ['repository_dispatch', 'gza', { ended: ['c1'] }],
  ]);
  expect(forge.asked()).toEqual(['actions/create-workflow-dispatch', 'repos/create-dispatch-event']);
  await expect(forge.write.dispatch('other.yml', 'main')).rejects.toThrow('nothing there');
});

test('an unchanged answer costs nothing of the budget', async () => {
  forge = await openForge();
  expect(await forge.read.role('walter')).toBe('write');
  const { used } = forge.github.state.rate['actions core'] ?? { used: 0 };
  expect(await forge.read.role('walter')).toBe('write');
  expect(forge.github.state.rate['actions core']?.used).toBe(used);
  expect(forge.github.seen.map((one) => one.status)).toEqual([200, 304]);
});
