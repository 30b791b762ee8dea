import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, jest, test } from '@jest/globals';
import { blocksIn, fileOf } from '../docs/blocks.ts';
import { changedCaller } from '../docs/changed-caller.ts';
import { root } from '../e2e/cli.ts';
import { brokenInvariants } from '../github/invariants.ts';
import { isPull } from '../github/state.ts';
import { openStage, removeProduct, type Stage, scriptedAgent } from './stage.ts';

jest.setTimeout(600_000);

const page = readFileSync(join(root, 'docs/recipes.md'), 'utf8');
const caller = '.github/workflows/gza.yml';

let stage: Stage;
afterEach(() => stage.github.close());
afterAll(removeProduct);

/** The files of one recipe as the page shows them; agents are scripted, and what would install or test is not. */
function recipe(heading: string, agents: readonly string[] = ['claude']): Record<string, string> {
  const [, section = ''] = page.split(new RegExp(`^## ${heading}$`, 'm'));
  const scripted = agents.map(
    (name) =>
      `  ${name}: { command: ${JSON.stringify([process.execPath, scriptedAgent, 'content'])}, prompt_via: stdin }`,
  );
  const files: Record<string, string> = { 'gza.yaml': '' };
  for (const block of blocksIn(section.split(/^## /m)[0] ?? '')) {
    const file = block.words.includes('caller') ? caller : fileOf(block);
    if (file === undefined) continue;
    const text = file === caller ? changedCaller(block.text) : block.text;
    files[file] = text.replaceAll(/npm (test|install|ci).*$/gm, 'node --version');
  }
  if (scripted.length > 0) files['gza.yaml'] += `agents:\n${scripted.join('\n')}\n`;
  return files;
}

const pulls = () => stage.github.state.issues.filter(isPull);
const board = () => stage.github.state.issues.find(({ title }) => title === 'gza: task board')?.body;

test('overnight backlog: nothing begins by day, and at night each task becomes an approved pull request', async () => {
  stage = await openStage(recipe('Overnight backlog'));
  const { github, play } = stage;
  await github.commit({ branch: 'main', files: { 'tasks/more.yml': 'type: implement\nprompt: More.\n' } });
  expect((await play()).runs).toEqual([]);
  await github.commit({ branch: 'main', files: { 'tasks/more.yml': null } });
  await github.tickSchedule('17 22-23,0-4 * * *');
  const said = (await play()).transcript();
  const found = pulls().map(({ title, pull, labels }) => `${title} ${pull.draft} ${labels.join()}`);
  expect({ found: found.toSorted(), said }).toEqual({
    found: [
      expect.stringMatching(/^Export the report as CSV false .*gza: approved/),
      expect.stringMatching(/^Say what an empty report means false .*gza: approved/),
    ],
    said,
  });
  expect(await brokenInvariants(github)).toEqual([]);
});

test('plan, approve, implement: nothing is built before the plan is approved, and then one on top of the other', async () => {
  stage = await openStage(recipe('Plan, approve, implement'));
  const { github, play } = stage;
  await github.tickSchedule('17 */6 * * *');
  const first = (await play()).transcript();
  expect({ pulls: pulls().map(({ title }) => title), board: board(), first }).toEqual({
    pulls: ['Plan full-text search'],
    board: expect.stringMatching(/blocked by `plan-search`, which waits for approval/),
    first,
  });
  await github.as('walter').merge(pulls()[0]?.number ?? 0);
  const said = (await play()).transcript();
  const found = pulls().map(({ title, pull }) => `${title} → ${pull.base}`);
  expect({ found, said }).toEqual({
    found: ['Plan full-text search → main', 'Build the search index → main', 'A page to search → gza/index'],
    said,
  });
});

test('several agents: when one meets its usage limit the other goes on, without an attempt spent', async () => {
  const tools = mkdtempSync(join(tmpdir(), 'gza-tools-'));
  try {
    const limited = join(root, 'test/fixtures/recorded/claude/ratelimit.stdout');
    const script = `#!/bin/sh\n[ "$1" = --version ] && { echo 2.1.0; exit; }\ncat '${limited}'\nexit 1\n`;
    writeFileSync(join(tools, 'claude'), script);
    chmodSync(join(tools, 'claude'), 0o755);
    stage = await openStage(recipe('Several agents, one takes over', ['codex']));
    const { github, play } = stage;
    await github.tickSchedule('17 */6 * * *');
    const report = await play({ path: tools, secrets: { ANTHROPIC_API_KEY: 'sk-ant-scripted' } });
    const said = report.transcript();
    const record = await github.data.git.text([
      'grep',
      '-h',
      '"id":"rate-limit"',
      'refs/tasks/gza/rate-limit',
    ]);
    const { steps = [], attempts = 0 } = JSON.parse(record.split('\n').at(-1) ?? '{}') as {
      steps?: { step: string; agent: string; outcome: string }[];
      attempts?: number;
    };
    expect({ steps: steps.map(({ step, agent, outcome }) => `${step} ${agent} ${outcome}`), said }).toEqual({
      steps: ['implement claude limit', 'implement codex ok', 'review codex ok'],
      said,
    });
    expect([attempts, pulls().map(({ title }) => title)]).toEqual([0, ['Limit requests by client']]);
  } finally {
    rmSync(tools, { recursive: true, force: true });
  }
});

test('a monorepo in groups: packages are worked on side by side, each in its own folder, under its own label', async () => {
  stage = await openStage(recipe('A monorepo in groups'));
  const { github, play, file } = stage;
  await github.tickSchedule('17 */6 * * *');
  const said = (await play({ parallel: 2 })).transcript();
  const found = pulls().map(
    ({ title, labels }) => `${title}: ${labels.filter((one) => one.startsWith('group')).join()}`,
  );
  expect({ found: found.toSorted(), said }).toEqual({
    found: ['A dark theme: group: web', 'Remember the theme: group: api'],
    said,
  });
  expect(await file('gza/web-dark-mode', 'packages/web/src/dark.js')).toContain('42');
  expect(await file('gza/api-theme', 'packages/api/src/theme.js')).toContain('42');
});
