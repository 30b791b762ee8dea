/**
 * The files that are shipped, on a real runner: push, approval, a comment, a dispatch, the merge. What GitHub's side is
 * like (API, git, events) the simulated one says; act.ts says where the runner differs from GitHub's own.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, expect, jest, test } from '@jest/globals';
import { callerPath, callerWorkflow } from '../../src/core/text/doctor/caller-workflow.ts';
import { home } from '../../src/core/text/doctor/home.ts';
import { inlinePaths, inlineWorkflow } from '../../src/core/text/doctor/inline-workflows.ts';
import { root } from '../e2e/cli.ts';
import { brokenInvariants } from '../github/invariants.ts';
import { openStage, removeProduct, type Stage, scriptedAgent, task } from '../jobs/stage.ts';
import { pin, playWithAct } from './act.ts';

jest.setTimeout(1_200_000);

let stage: Stage;
afterEach(() => stage.github.close());
afterAll(removeProduct);

/** The agent also leaves all that it can see of its environment and of git's configuration; the checks look for it. */
const files = {
  'agent/agent.mjs': readFileSync(scriptedAgent, 'utf8'),
  'agent/agent.sh': `mkdir -p seen
{ env; cat .git/config ../git/config; } > seen/$GZA_STEP.txt 2>&1
exec node agent/agent.mjs
`,
  'gza.yaml': `agent: scripted
agents:
  scripted:
    command: [sh, agent/agent.sh]
    prompt_via: stdin
verify: ${JSON.stringify("if env | grep -E 'ghs_|sk-test|ACTIONS_'; then exit 1; fi; node --check src/answer.js")}
task_types:
  implement: { auto_review: true }
`,
};

const secrets = { OPENAI_API_KEY: 'sk-test-0123456789abcdef0123456789abcdef' };
const kinds = (jobs: readonly string[]) =>
  jobs.map((job) => /(\w+)(?: \(.*\))?\s*: (\w+)$/.exec(job)?.slice(1).join(' '));

const inline = {
  [callerPath]: callerWorkflow({ minute: 17, branch: 'main', isInline: true }),
  ...Object.fromEntries(
    Object.entries(inlinePaths).map(([name, path]) => [
      path,
      inlineWorkflow(readFileSync(join(root, '.github/workflows', name), 'utf8'), home, pin),
    ]),
  ),
};

test.each([
  ['called', {}],
  ['inline', inline],
])(
  '%s: push, approval, comment, dispatch and merge, without a secret anywhere that it should not be',
  async (_, form) => {
    stage = await openStage({ ...files, ...form });
    const { github, product, file } = stage;
    const play = () => playWithAct({ github, product, secrets });
    await github.commit({ branch: 'main', files: { 'tasks/answer.yml': task } });
    const first = await play();
    const { rest, graphql, git, pushes } = github.counts();
    const phases = [first.jobs.length];
    let told = `to approval: ${first.jobs.length} jobs, ${rest + graphql} calls, ${git} git requests, ${pushes} pushes`;
    const pull = () => github.state.issues.find((one) => one.pull);
    expect({ pull: pull(), log: first.log }).toMatchObject({
      pull: { title: 'Answer', state: 'open', labels: ['gza', 'gza: approved'] },
    });
    expect(first.jobs.filter((job) => !job.endsWith('success'))).toEqual([]);
    expect(first.jobs.length).toBeLessThanOrEqual(12);
    expect(pushes).toBeLessThanOrEqual(6);
    expect(rest + graphql).toBeLessThanOrEqual(24);
    expect(git).toBeLessThanOrEqual(60);

    await github.as('walter').comment(pull()?.number ?? 0, '/gza improve say it in kilos');
    const second = await play();
    phases.push(second.jobs.length);
    expect(kinds(second.jobs).slice(0, 2)).toEqual(
      expect.arrayContaining(['intake success', 'pick success']),
    );
    expect(await file('gza/answer', 'src/answer.js')).toContain('in kilos');

    const fields = { ref: 'main', inputs: { task: 'answer', command: 'review' } };
    await github.as('walter').request('POST', '/actions/workflows/gza.yml/dispatches', fields);
    const third = await play();
    phases.push(third.jobs.length);
    expect(pull()?.labels).toEqual(['gza', 'gza: approved']);

    await github.as('walter').merge(pull()?.number ?? 0);
    const last = await play();
    phases.push(last.jobs.length);
    told += `; jobs to approval, of the comment, the dispatch, the merge: ${phases.join(', ')}`;
    console.log(told);
    // An improve with its review, a review alone, a fold: none of them more than that.
    expect(phases.slice(1).every((jobs, at) => jobs <= ([7, 4, 1][at] ?? 0))).toBe(true);
    expect(await stage.ledgers()).toBe('refs/tasks/main');
    expect(await brokenInvariants(github)).toEqual([]);

    expect([first, second, third, last].flatMap(({ leaks }) => leaks)).toEqual([]);
    for (const step of ['implement', 'improve']) {
      const text = await file('main', `seen/${step}.txt`);
      expect(text).toContain('PATH=');
      expect(text).not.toMatch(/ghs_|sk-test|ACTIONS_|extraheader/i);
    }
  },
);
