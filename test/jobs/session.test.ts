import { afterAll, afterEach, expect, jest, test } from '@jest/globals';
import { brokenInvariants } from '../github/invariants.ts';
import type { GithubEvent } from '../github/state.ts';
import { costOf, over } from './cost.ts';
import { config, openStage, removeProduct, type Stage, task } from './stage.ts';

// Twenty machines are started one after the other, each with several gits.
jest.setTimeout(600_000);

let stage: Stage;
afterEach(() => stage.github.close());
afterAll(removeProduct);

const onLine = async (login: string, number: number, body: string) => {
  const commit_id = await stage.github.data.commit('gza/answer');
  const place = { path: 'src/answer.js', line: 1, side: 'RIGHT', commit_id, body };
  await stage.github.as(login).request('POST', `/pulls/${number}/comments`, place);
};

const reviewed = `${config}task_types:\n  implement: { auto_review: true }\n`;

test('a pushed task becomes an approved pull request, is steered from a comment, and comes home when merged', async () => {
  stage = await openStage({ 'gza.yaml': reviewed });
  const { github, play, file } = stage;
  await github.commit({ branch: 'main', files: { 'tasks/answer.yml': task } });
  const { said: log, runs, ...cost } = await costOf(stage);
  expect({ runs, over: over(cost, { jobs: 12, pushes: 6, calls: 24, git: 60 }), log }).toEqual({
    // The work and its review are one run, the improve and its review another; then nothing is there for a pick.
    runs: ['success', 'success'],
    over: [],
    log,
  });
  const pull = github.state.issues.find((one) => one.pull);
  expect(pull).toMatchObject({
    title: 'Answer',
    state: 'open',
    labels: ['gza', 'gza: approved'],
    pull: { draft: false, head: { ref: 'gza/answer' } },
  });
  const number = pull?.number ?? 0;
  const board = github.state.issues.find((one) => !one.pull);
  expect([board?.title, board?.body]).toEqual(['gza: task board', expect.stringContaining('answer: Answer')]);
  expect(pull?.body).toContain('| 2 | APPROVED | none | scripted |');
  expect(github.state.reviews.map(({ body }) => /Verdict: \w+/.exec(body)?.[0])).toEqual([
    'Verdict: CHANGES_REQUESTED',
    'Verdict: APPROVED',
  ]);
  expect(github.state.reviewComments.map(({ path, line }) => `${path}:${line}`)).toEqual(['src/answer.js:1']);
  // What the second review took the place of is hidden, and its finding, which is gone, resolved: by gza.
  expect(github.state.reviews.map(({ minimized }) => minimized)).toEqual(['OUTDATED', undefined]);
  expect(github.state.reviewComments.map(({ resolved, resolvedBy }) => [resolved, resolvedBy])).toEqual([
    [true, 'github-actions[bot]'],
  ]);
  const head = await github.data.commit('gza/answer');
  const statuses = github.state.statuses.filter(({ sha }) => sha === head);
  expect(statuses.map(({ context, state }) => `${context} ${state}`)).toEqual([
    'gza/verify success',
    'gza/review success',
  ]);
  expect(await file('gza/answer', 'src/answer.js')).toContain('cycle 1: apples');
  expect(await brokenInvariants(github)).toEqual([]);

  // Beside what all of it may cost, what each pick may do.
  const inPicks = github.seen.filter(({ job }) => job?.endsWith('/ pick'));
  const of = (list: typeof inPicks, kind: string) => list.filter((one) => one.kind === kind).length;
  const pushes = (list: typeof inPicks) => list.filter(({ operation }) => operation === 'git/push').length;
  for (const run of github.state.runs) {
    const picked = inPicks.filter(({ runId }) => runId === run.id);
    expect(pushes(picked)).toBeLessThanOrEqual(1);
    // The checkout, and where lanes are at hand the rest of their history.
    expect(picked.filter(({ operation }) => operation === 'git/info-fetch').length).toBeLessThanOrEqual(2);
    // What comes after the push is the board's and the pull request's.
    const pushed = picked.findIndex(({ operation }) => operation === 'git/push');
    expect(of(pushed < 0 ? picked : picked.slice(0, pushed), 'graphql')).toBeLessThanOrEqual(2);
  }

  // An idle wake-up, of a pull request that nobody changed for a day, is one job with one request.
  await github.tickSchedule('17 */6 * * *');
  await play();
  for (const one of github.state.issues) one.updatedAt = Date.now() - 86_400_000;
  await github.tickSchedule('17 */6 * * *');
  const idle = github.seen.length;
  const { jobs } = await play();
  expect(jobs.filter(({ steps }) => steps.length > 0)).toHaveLength(1);
  expect(github.seen.slice(idle).flatMap(({ kind, operation }) => (kind === 'git' ? [] : operation))).toEqual(
    ['graphql/repository'],
  );
  expect(pushes(github.seen.slice(idle))).toBe(0);

  const before = github.seen.length;
  await github.as('rita').comment(number, '/gza improve');
  await github.as('walter').comment(number, '/gza improve say it in kilos');
  await github.as('walter').comment(number, '/gza imporve');
  await play({ choose: (ready) => ready.find(({ name }) => name.endsWith('/ intake')) ?? ready[0] });
  // All three were seen before the first pick asked for anything, though it held the turn: one request each, and one
  // that asks who the stranger is, for whom no pick starts.
  const asked = github.seen.slice(before).filter(({ job }) => job !== undefined);
  const isIntake = ({ job }: (typeof asked)[number]) => job?.endsWith('/ intake') === true;
  expect(asked.findIndex((one) => !isIntake(one))).toBe(4);
  const react = 'reactions/create-for-issue-comment';
  expect(
    asked
      .filter(isIntake)
      .map(({ operation }) => operation)
      .sort(),
  ).toEqual([react, react, react, 'repos/get-collaborator-permission-level'].sort());
  expect(await file('gza/answer', 'src/answer.js')).toContain('in kilos');
  const reactions = github.state.reactions.map(({ content }) => content);
  expect(reactions.sort()).toEqual(['-1', 'confused', 'eyes', 'eyes', 'rocket']);
  const answers = () => github.state.comments.filter(({ author }) => author === 'github-actions[bot]');
  const said = [
    expect.stringMatching(
      /people with write access to this repository\. One of them.*`commands` in `gza\.yaml`/,
    ),
    expect.stringContaining('Did you mean `/gza improve`?'),
  ];
  expect(answers().map(({ body }) => body)).toEqual(said);

  // Approved is not what it is now.
  const improved = github.state.issues.find((one) => one.pull);
  expect(improved?.body).toContain('### gza · completed (not reviewed since it changed)');
  expect(improved?.body).toContain('| 2 | APPROVED, then changed |');
  expect(improved?.labels).toEqual(['gza', 'gza: done']);
  expect(github.state.issues.find((one) => !one.pull)?.body).toMatch(
    /answer: Answer.* · not reviewed since it changed/,
  );

  const lines = (await file('gza/answer', 'src/answer.js'))?.split('\n').length ?? 0;
  // Refused again, also on a line, where who may command was said before: not looked for, not said.
  await onLine('rita', number, '/gza skip');
  await github.as('walter').tick(number, 'Improve');
  await github.replay(github.state.events.at(-1) as GithubEvent);
  await play();
  expect((await file('gza/answer', 'src/answer.js'))?.split('\n').length).toBe(lines + 1);
  expect(github.state.issues.find((one) => one.pull)?.body).toContain('- [ ] <!-- gza:box improve -->');
  expect(github.state.reactions.slice(5).map(({ on, content }) => `${on} ${content}`)).toEqual([
    'review-comment -1',
  ]);
  expect(answers().map(({ body }) => body)).toEqual(said);
  expect(github.seen.filter(({ operation }) => operation === 'issues/list-comments')).toHaveLength(1);

  await github.as('walter').merge(number);
  await play();
  expect(await stage.ledgers()).toBe('refs/tasks/main');
  expect(await file('main', 'src/answer.js')).toContain('in kilos');
  expect(await brokenInvariants(github)).toEqual([]);
});
