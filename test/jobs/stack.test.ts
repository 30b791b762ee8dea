import { afterAll, afterEach, expect, jest, test } from '@jest/globals';
import type { Seen } from '../github/faults.ts';
import { brokenInvariants } from '../github/invariants.ts';
import { type Snapshot, takeSnapshot } from '../github/snapshot.ts';
import { startLinear } from '../linear/linear.ts';
import { config, openStage, recordIn, removeProduct, reopenStage, type Stage } from './stage.ts';

jest.setTimeout(600_000);

let stage: Stage;
afterEach(() => stage.github.close());
afterAll(removeProduct);

const tasks = `tasks:
  - { id: answer, type: implement, title: Answer, prompt: Write the answer. }
  - { id: question, type: implement, title: Question, prompt: Write the question., depends_on: answer }
  - { id: reply, type: implement, title: Reply, prompt: Write the reply., depends_on: answer }
`;

/** What each pick asked for: the checkout's fetch and its own, GraphQL queries, the refs of each push. */
const picksOf = (seen: readonly Seen[]) => {
  const picks = seen.filter(({ job }) => job?.endsWith('/ pick'));
  return [...new Set(picks.map(({ runId }) => runId))].map((run) => {
    const asked = picks.filter(({ runId }) => runId === run);
    return {
      fetches: asked.filter(({ operation }) => operation === 'git/info-fetch').length,
      queries: asked.filter(({ kind }) => kind === 'graphql').length,
      pushes: asked
        .filter(({ operation }) => operation === 'git/push')
        .map(({ body }) => (body as { ref: string }[]).map(({ ref }) => ref).toSorted()),
    };
  });
};

test('tasks that wait for another are built on its branch; when that is squashed into the base, one push puts both there', async () => {
  const linear = await startLinear();
  try {
    stage = await openStage({
      'gza.yaml': `${config}integrations: { linear: { enabled: true, team_id: ENG } }\n`,
    });
    const { github, play } = stage;
    await github.commit({ branch: 'main', files: { 'tasks/three.yml': tasks } });
    const first = await play();
    const pull = (head: string) => github.state.issues.find((one) => one.pull?.head.ref === head);
    const said = first.transcript();
    const bases = () => ['gza/question', 'gza/reply'].map((head) => pull(head)?.pull?.base);
    expect({ bases: bases(), said }).toEqual({ bases: ['gza/answer', 'gza/answer'], said });

    const number = pull('gza/answer')?.number ?? 0;
    await github.as('walter').request('PUT', `/pulls/${number}/merge`, { merge_method: 'squash' });
    const merged = takeSnapshot(github);
    const secrets = { LINEAR_API_KEY: linear.env['LINEAR_API_KEY'] ?? '' };
    const from = github.seen.length;
    const second = await play({ secrets, env: { LINEAR_API_URL: linear.url } });
    const later = second.transcript();
    const [asked] = picksOf(github.seen.slice(from));
    expect(asked).toMatchObject({ fetches: 1, queries: 1 });
    expect(asked?.pushes).toEqual([
      [
        'refs/heads/gza/question',
        'refs/heads/gza/reply',
        'refs/tasks/gza/answer',
        'refs/tasks/gza/question',
        'refs/tasks/gza/reply',
        'refs/tasks/main',
      ],
    ]);
    expect(await recordIn(stage, 'refs/tasks/main', 'answer')).toMatchObject({ linear_issue_id: 'ENG-1' });
    for (const name of ['question', 'reply']) {
      const log = await github.data.git.text(['log', '--format=%s', `main..gza/${name}`]);
      const parent = await github.data.git.text(['rev-parse', `gza/${name}^`]);
      expect({ log, parent, later }).toEqual({
        log: name === 'reply' ? 'Reply' : 'Question',
        parent: await github.data.commit('main'),
        later,
      });
      const head = await github.data.commit(`gza/${name}`);
      const statuses = github.state.statuses.filter(({ sha }) => sha === head).map(({ state }) => state);
      expect({ statuses, later }).toEqual({ statuses: ['success'], later });
    }
    expect(bases()).toEqual(['main', 'main']);
    expect(await stage.ledgers()).toBe('refs/tasks/gza/question\nrefs/tasks/gza/reply\nrefs/tasks/main');
    expect(await brokenInvariants(github, { mayBeRewritten: (ref) => /question|reply/.test(ref) })).toEqual(
      [],
    );
    await withoutOne(merged);
  } finally {
    await linear.close();
  }
});

/** The same moment again: someone pushes to one of the lanes just before the pick does. */
async function withoutOne(merged: Snapshot) {
  const { github, play } = await reopenStage(merged);
  try {
    // Under such a configuration nothing starts: it is the pick alone that counts here.
    await github.commit({ branch: 'main', files: { 'gza.yaml': `${config}agnet: misspelt\n` } });
    github.faults.add({
      match: { operation: 'git/info-push', job: /pick/ },
      effect: {
        kind: 'run',
        phase: 'before',
        run: async () => {
          await github.commit({ branch: 'gza/reply', files: { 'src/mine.js': '' }, by: 'walter' });
        },
      },
    });
    const report = await play();
    const said = report.transcript();
    const onto = async (head: string) => github.data.git.text(['rev-parse', `${head}^`]);
    expect({ question: await onto('gza/question'), said }).toEqual({
      question: await github.data.commit('main'),
      said,
    });
    expect(await github.data.git.text(['log', '-1', '--format=%an', 'gza/reply'])).toBe('walter');
    const ledgers = await github.data.git.text(['for-each-ref', '--format=%(refname)', 'refs/tasks']);
    expect(ledgers).toBe('refs/tasks/gza/question\nrefs/tasks/gza/reply\nrefs/tasks/main');
    const annotations = report.jobs.flatMap(({ steps }) => steps.flatMap((step) => step.annotations));
    expect(annotations.map(({ message }) => message)).toContainEqual(
      expect.stringContaining('sent again without refs/heads/gza/reply: someone else moved it'),
    );
    expect(await brokenInvariants(github, { mayBeRewritten: (ref) => ref.endsWith('question') })).toEqual([]);
  } finally {
    await github.close();
    merged.remove();
  }
}

test('lanes that run side by side land side by side, and nothing of either is lost', async () => {
  stage = await openStage({
    'gza.yaml': `${config.replace('src/answer.js', 'src/*.js')}parallel_workers: 3\n`,
  });
  const { github, play, file } = stage;
  const names = ['one', 'two', 'three'];
  const files = Object.fromEntries(
    names.map((name) => [`tasks/${name}.yml`, `type: implement\ntitle: ${name}\nprompt: Write it.\n`]),
  );
  await github.commit({ branch: 'main', files });
  const said = (await play({ parallel: 3 })).transcript();
  const open = github.state.issues.filter((one) => one.pull && !one.pull.draft).map(({ title }) => title);
  expect({ open: open.toSorted(), said }).toEqual({ open: names.toSorted(), said });
  for (const name of names) expect(await file(`gza/${name}`, `src/${name}.js`)).toContain('42');
  const [picks] = [
    github.seen.filter(({ job, operation }) => job?.endsWith('/ pick') && operation === 'git/push'),
  ];
  expect(picks.length).toBeLessThanOrEqual(github.state.runs.length);
  expect(await brokenInvariants(github)).toEqual([]);
});

test('a plan is kept in the ledger, without a branch, and what waits for it goes on', async () => {
  stage = await openStage({ 'gza.yaml': config });
  const { github, play, file } = stage;
  const plan = `tasks:
  - { id: first, type: plan, title: Plan it, prompt: Say how. }
  - { id: answer, type: implement, title: Answer, prompt: Write the answer., depends_on: first }
`;
  await github.commit({ branch: 'main', files: { 'tasks/plan.yml': plan } });
  const said = (await play()).transcript();
  expect({ plan: await file('refs/tasks/main', 'plans/first.md'), said }).toEqual({
    plan: 'Nothing to do.',
    said,
  });
  expect(await file('gza/answer', 'src/answer.js')).toContain('42');
  const pulls = github.state.issues.filter((one) => one.pull).map(({ title }) => title);
  expect(pulls).toEqual(['Answer']);
  expect(await brokenInvariants(github)).toEqual([]);
});
