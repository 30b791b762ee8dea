import { afterAll, afterEach, expect, jest, test } from '@jest/globals';
import { config, openStage, removeProduct, type Stage } from './stage.ts';

jest.setTimeout(600_000);

let stage: Stage;
afterEach(() => stage.github.close());
afterAll(removeProduct);

const waiting = 'type: implement\ntitle: Answer\nprompt: Write it.\ndepends_on: gate\n';
const gate = 'type: plan\ntitle: Gate\nprompt: Say how.\nassigned_agent: someone\n';

test('a command is obeyed from those who may give it: by role, by command, and from bots by their id alone', async () => {
  const levels = 'commands: { pause: admin, skip: maintain }\nbots: [7001]\n';
  stage = await openStage({
    'gza.yaml': config + levels,
    'tasks/answer.yml': waiting,
    'tasks/gate.yml': gate,
  });
  const { github, play } = stage;
  const { state } = github;
  const bot = (login: string, id: number, role: 'write' | 'maintain' | 'admin') => {
    state.users[login] = { login, id, type: 'Bot' };
    state.roles[login] = role;
  };
  bot('helper[bot]', 7001, 'write');
  bot('other[bot]', 7002, 'admin');
  state.users['mia'] = { login: 'mia', id: 77, type: 'User' };
  state.roles['mia'] = 'maintain';
  const made = await github.as('walter').request('POST', '/issues', { title: 'Talk', body: '' });
  const number = Number(made.body['number']);
  const say = async (login: string, text: string) =>
    [await github.as(login).comment(number, text), login] as const;
  const said = [
    await say('rita', '/gza retry answer'),
    await say('tina', '/gza retry answer'),
    await say('walter', '/gza pause answer'),
    await say('mia', '/gza pause answer'),
    await say('walter', '/gza skip answer'),
    await say('olive', '/gza pause answer'),
    await say('mia', '/gza skip answer'),
    await say('helper[bot]', '/gza reopen answer'),
    await say('other[bot]', '/gza skip answer'),
    await say('helper[bot]', '/gza skip answer'),
    await say('walter', '/gza why answer\n\n/gza status'),
  ];
  const transcript = (await play()).transcript();
  const reactionTo = (id: number) =>
    state.reactions.find(({ target, content }) => target === id && content !== 'eyes')?.content ?? 'none';
  expect({ reactions: said.map(([id, login]) => `${login} ${reactionTo(id)}`), transcript }).toEqual({
    reactions: [
      'rita -1',
      'tina -1',
      'walter -1',
      'mia -1',
      'walter -1',
      'olive rocket',
      'mia rocket',
      'helper[bot] rocket',
      'other[bot] none',
      'helper[bot] -1',
      'walter rocket',
    ],
    transcript,
  });
  // Five people were refused there, and who may command is said once.
  const told = state.comments.filter(({ body }) => body.includes('gza:who-may-command'));
  expect(told.map(({ body }) => body)).toEqual([
    expect.stringContaining('(`pause` needs admin access, `skip` needs maintain access)'),
  ]);
  expect(told[0]?.body).not.toMatch(/rita|tina|retry/);
  const answer = state.comments.findLast(({ author }) => author === 'github-actions[bot]')?.body;
  expect(answer).toMatch(/\| answer \| [a-z-]+ \| .*gate/);
  expect(answer).toContain('### Waiting for a person');
  const found = await github.data.git.text(['grep', '-h', '"id":"answer"', 'refs/tasks/main']);
  expect(found).not.toContain('closed_as');
});

test('what stands in a comment that was edited, maybe by another, counts as much as every editor may', async () => {
  stage = await openStage({
    'gza.yaml': `${config}commands: { skip: admin }\n`,
    'tasks/answer.yml': waiting,
    'tasks/gate.yml': gate,
  });
  const { github, play } = stage;
  const { state } = github;
  const made = await github.as('walter').request('POST', '/issues', { title: 'Talk', body: '' });
  state.loseEvents = 2;
  const said: number[] = [];
  for (const text of ['Hm.', 'Well.']) {
    said.push(await github.as('olive').comment(Number(made.body['number']), text));
  }
  for (const [n, body] of ['/gza skip answer', '/gza pause answer'].entries()) {
    const comment = state.comments.find(({ id }) => id === said[n]);
    if (comment) Object.assign(comment, { body, updatedAt: comment.updatedAt + 60_000 });
  }
  await github.tickSchedule('17 */6 * * *');
  const transcript = (await play()).transcript();
  const reactions = said.map((id) => state.reactions.find(({ target }) => target === id)?.content);
  expect({ reactions, transcript }).toEqual({ reactions: ['-1', 'rocket'], transcript });

  // Also when the ledger that knows who was told is gone, who may command is not said again; nor for a copy of it.
  const told = () => state.comments.filter(({ body }) => body.includes('gza:who-may-command'));
  const copied = told()[0]?.body ?? '';
  await github.data.git.run(['update-ref', '-d', 'refs/tasks/main']);
  await github.as('rita').comment(Number(made.body['number']), '/gza retry answer');
  const other = await github.as('walter').request('POST', '/issues', { title: 'More', body: '' });
  await github.as('rita').comment(Number(other.body['number']), copied);
  await github.as('rita').comment(Number(other.body['number']), '/gza retry answer');
  const again = (await play()).transcript();
  const by = told().map(({ author, issue }) => `${author} on ${issue}`);
  expect({ by, again }).toEqual({
    by: [
      `github-actions[bot] on ${Number(made.body['number'])}`,
      `rita on ${Number(other.body['number'])}`,
      `github-actions[bot] on ${Number(other.body['number'])}`,
    ],
    again,
  });
});

test('a workflow that is started by hand commands no more than a comment of the same person', async () => {
  stage = await openStage({
    'gza.yaml': `${config}commands: { skip: admin }\n`,
    'tasks/answer.yml': waiting,
    'tasks/gate.yml': gate,
  });
  const { github, play } = stage;
  const skip = async (login: string) => {
    const inputs = { task: 'answer', command: 'skip' };
    await github.as(login).request('POST', '/actions/workflows/gza.yml/dispatches', { ref: 'main', inputs });
    const transcript = (await play()).transcript();
    const found = await github.data.git.run(['grep', '-h', '"closed_as"', 'refs/tasks/main']);
    return { isSkipped: found.stdout.toString() !== '', transcript };
  };
  const refused = await skip('walter');
  expect(refused).toEqual({
    isSkipped: false,
    transcript: expect.stringContaining('walter may not ask for skip'),
  });
  const obeyed = await skip('olive');
  expect(obeyed).toEqual({ isSkipped: true, transcript: obeyed.transcript });
});
