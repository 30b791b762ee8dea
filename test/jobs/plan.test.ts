import { afterAll, afterEach, expect, jest, test } from '@jest/globals';
import { brokenInvariants } from '../github/invariants.ts';
import { config, openStage, removeProduct, type Stage } from './stage.ts';

jest.setTimeout(600_000);

let stage: Stage;
afterEach(() => stage.github.close());
afterAll(removeProduct);

const breaksDown = `${config.replace(/verify: .*\n/, '')}task_types:\n  plan: { breakdown: true }\n`;
const plan =
  'type: plan\ngroup: fruit\ntitle: Plan the fruit\nprompt: What should be counted? Please plan it well.\n';

test('the pull request of a plan holds the plan and its task file; merging it starts the first task', async () => {
  stage = await openStage({ 'gza.yaml': breaksDown, 'tasks/plan-fruit.yml': plan });
  const { github, play, file } = stage;
  await github.commit({ branch: 'main', files: { 'tasks/plan-fruit.yml': `${plan}# now\n` } });
  await play();
  const pull = github.state.issues.find((one) => one.pull);
  expect(pull).toMatchObject({
    title: 'Plan the fruit',
    pull: { draft: false, head: { ref: 'gza/plan-fruit' } },
  });
  expect(await github.data.git.text(['diff', '--name-only', 'main', 'gza/plan-fruit'])).toBe(
    'plans/plan-fruit.md\ntasks/fruit.yml',
  );
  expect(await file('gza/plan-fruit', 'plans/plan-fruit.md')).toContain('First apples, then pears.');
  expect(await file('gza/plan-fruit', 'tasks/fruit.yml')).toContain('plan_file: plans/plan-fruit.md');
  expect(pull?.body).toContain('2 tasks from a yaml block');
  expect(pull?.body).toContain('it is done and waits for approval');
  expect(pull?.labels).toContain('gza: needs a person');
  // Nothing of it counts before a person merged it.
  expect(github.state.issues.filter((one) => one.pull)).toHaveLength(1);
  expect(await brokenInvariants(github)).toEqual([]);

  // A person who wants another plan says so; it comes on top, and is asked for once.
  await github.as('walter').comment(pull?.number ?? 0, '/gza improve plan it again, with plums');
  await play();
  expect(await github.data.git.text(['rev-list', '--count', 'main..gza/plan-fruit'])).toBe('2');
  expect(await file('gza/plan-fruit', 'tasks/fruit.yml')).toMatch(/^(?![^]*id: apples)[^]*id: count-plums/);
  const bodyNow = () => github.state.issues.find((one) => one.pull)?.body;
  expect(bodyNow()).toMatch(/#### The plan\n\n~~~text\n[^]*wrote tasks\/fruit.yml: 1 new, 2 removed\n~~~/);
  await github.as('walter').comment(pull?.number ?? 0, '/gza improve plan it well');
  await play();
  expect(await file('gza/plan-fruit', 'tasks/fruit.yml')).toMatch(/^(?![^]*plums)[^]*id: apples/);

  await github.as('walter').merge(pull?.number ?? 0);
  const { jobs } = await play();
  const pulls = github.state.issues.filter((one) => one.pull).map(({ title, state }) => `${title} ${state}`);
  expect(pulls).toEqual(['Plan the fruit closed', 'Count apples open', 'Count pears open']);
  expect(await file('gza/apples', 'src/apples.js')).toContain('42');
  // Each job that decides or writes says what it did, and leaves to the board what stands there.
  const summaries = jobs.flatMap(({ steps }) => steps.map(({ summary }) => summary).filter(Boolean));
  expect(summaries.find((text) => text.startsWith('## gza pick'))).toMatch(
    /^## gza pick\n\nStarted \d tasks?\./,
  );
  const landed = summaries.find((text) => text.startsWith('## gza land')) ?? '';
  expect(landed).toMatch(/\| apples \| implement \| ok \|/);
  expect(summaries.join('\n')).not.toMatch(/mermaid|### /);
  expect(await brokenInvariants(github)).toEqual([]);
});

test('a plan that no tasks can be read from is there to be read, and waits for a person with the reason', async () => {
  const vague = plan.replace('it well', 'it vaguely');
  stage = await openStage({ 'gza.yaml': breaksDown, 'tasks/plan-fruit.yml': plan });
  const { github, play, file, ledgers } = stage;
  await github.commit({ branch: 'main', files: { 'tasks/plan-fruit.yml': vague } });
  await play();
  const pull = github.state.issues.find((one) => one.pull);
  expect(await github.data.git.text(['diff', '--name-only', 'main', 'gza/plan-fruit'])).toBe(
    'plans/plan-fruit.md',
  );
  expect(pull?.body).toMatch(/\*\*a person\*\*: no task file came of the plan: no tasks were found in plans/);
  expect(pull?.pull?.draft).toBe(true);
  // It is asked for once, not in each pick.
  const runs = github.state.runs.length;
  await play();
  expect(github.state.runs).toHaveLength(runs);
  expect(await ledgers()).toContain('refs/tasks/gza/plan-fruit');

  // What a person says goes to the planner with the next try, which puts its plan on top.
  const clear = vague.replace('vaguely', 'well');
  await github.commit({ branch: 'main', files: { 'tasks/plan-fruit.yml': clear } });
  await github.as('walter').comment(pull?.number ?? 0, '/gza retry');
  await play();
  expect(await file('gza/plan-fruit', 'tasks/fruit.yml')).toContain('id: apples');
  expect(github.state.issues.find((one) => one.pull)?.pull?.draft).toBe(false);
  expect(await brokenInvariants(github)).toEqual([]);
});
