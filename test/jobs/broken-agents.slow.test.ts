import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, expect, jest, test } from '@jest/globals';
import { openSandbox } from '../e2e/cli.ts';
import { fakeClaude } from '../e2e/fake-claude.ts';
import { brokenInvariants } from '../github/invariants.ts';
import { openStage, recordIn, removeProduct, type Stage } from './stage.ts';

jest.setTimeout(600_000);

let stage: Stage;
afterEach(() => stage.github.close());
afterAll(removeProduct);

const agent = fileURLToPath(new URL('broken-agent.mjs', import.meta.url));
const config = 'agent: claude\nparallel_workers: 10\n';

/** What the agent of a task does, and what its record must say; null where it does no harm. */
const cases: Readonly<Record<string, RegExp | null>> = {
  tree: /tree is no folder any more/,
  link: /tree is no folder any more/,
  git: /git status failed|no folder any more/,
  rules: /\.gitignore is no plain file/,
  spool: /spool .* no plain file/,
  names: null,
  honest: null,
};

test('an agent that breaks its own place has failed, with the reason, once for each time that it ran', async () => {
  const tasks = Object.keys(cases).map(
    (id) => `  - { id: ${id}, type: implement, title: Task ${id}, prompt: Do it., max_attempts: 1 }\n`,
  );
  stage = await openStage({ 'gza.yaml': config, 'tasks/all.yml': `tasks:\n${tasks.join('')}` });
  const { github, play } = stage;
  await github.tickSchedule('17 */6 * * *');
  await using tools = openSandbox();
  fakeClaude(tools, `${process.execPath} ${agent} > /dev/null; ok`);
  const path = `${tools.dir}/bin`;
  const said = (await play({ path, secrets: { ANTHROPIC_API_KEY: 'sk-ant-scripted' } })).transcript();
  for (const [id, reason] of Object.entries(cases)) {
    const { steps, attempts, error } = (await recordIn(stage, `refs/tasks/gza/${id}`, id)) as {
      steps?: { step: string; outcome: string; cost_usd: number }[];
      attempts?: number;
      error?: string;
    };
    const ended = steps?.map(({ step, outcome, cost_usd }) => `${step} ${outcome} $${cost_usd}`);
    expect({ id, ended, attempts, error, said }).toEqual({
      id,
      ended: [reason ? 'implement failed $2' : 'implement ok $2'],
      attempts: reason ? 1 : undefined,
      error: reason ? expect.stringMatching(reason) : undefined,
      said,
    });
  }
  expect(github.state.runs.every(({ conclusion }) => conclusion !== null)).toBe(true);
  expect(await brokenInvariants(github)).toEqual([]);
});
