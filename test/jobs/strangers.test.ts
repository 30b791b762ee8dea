/** What a stranger's comment may start: one short job, and never a place in the queue of pick. */
import { afterAll, afterEach, expect, jest, test } from '@jest/globals';
import { config, openStage, removeProduct, type Stage } from './stage.ts';

jest.setTimeout(600_000);

let stage: Stage;
afterEach(() => stage.github.close());
afterAll(removeProduct);

const gate = 'type: task\ntitle: Gate\nprompt: A person does it.\nassigned_agent: walter\n';

test('a stranger’s command starts one short job; a member’s whose membership is private is obeyed', async () => {
  stage = await openStage({ 'gza.yaml': config, 'tasks/gate.yml': gate });
  const { github, play } = stage;
  const made = await github.as('walter').request('POST', '/issues', { title: 'Talk', body: '' });
  const on = Number(made.body['number']);
  await play();
  const ranFor = async (login: string, text: string) => {
    const id = await github.as(login).comment(on, text);
    const { jobs } = await play();
    const ran = jobs.filter(({ steps }) => steps.length > 0).map(({ name }) => name.split(' / ').at(-1));
    const said = github.state.reactions.filter(({ target }) => target === id).map(({ content }) => content);
    return { ran, said };
  };
  for (const login of ['rita', 'rita', 'tina'])
    expect(await ranFor(login, '/gza pause gate')).toEqual({ ran: ['intake'], said: ['-1'] });
  github.state.settings.privateMembers.push('walter');
  expect(await ranFor('walter', '/gza pause gate')).toEqual({
    ran: ['intake', 'pick'],
    said: ['eyes', 'rocket'],
  });
  // Those who were refused are told why by that pick, once.
  const told = github.state.comments.filter(({ body }) => body.includes('gza:who-may-command'));
  expect(told).toHaveLength(1);
  expect(await github.data.git.text(['grep', '-h', '"id":"gate"', 'refs/tasks/main'])).toContain('paused');
});

test('where GitHub does not say who it is, pick looks', async () => {
  stage = await openStage({ 'gza.yaml': config, 'tasks/gate.yml': gate });
  const { github, play } = stage;
  const made = await github.as('walter').request('POST', '/issues', { title: 'Talk', body: '' });
  const refusal = { status: 403, body: { message: 'Slow down' }, headers: { 'retry-after': '600' } };
  github.faults.add({ match: { job: /intake$/ }, effect: { kind: 'answer', answer: refusal } });
  await github.as('rita').comment(Number(made.body['number']), '/gza pause gate');
  const { jobs } = await play();
  expect(jobs.filter(({ name }) => name.endsWith('/ pick')).map(({ result }) => result)).toEqual(['success']);
});
