import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, expect, jest, test } from '@jest/globals';
import { blocksIn } from '../docs/blocks.ts';
import { root } from '../e2e/cli.ts';
import { diagnose } from '../github/official-parser.ts';
import type { StepHandler } from '../github/workflow-types.ts';
import { openDone } from './done-snapshot.ts';
import { removeProduct, type Stage } from './stage.ts';

jest.setTimeout(300_000);

let stage: Stage | undefined;
afterEach(() => stage?.github.close());
afterAll(removeProduct);

const path = '.github/workflows/report.yml';
const recipe =
  blocksIn(readFileSync(join(root, 'docs/reports.md'), 'utf8')).find(({ text }) =>
    text.startsWith('name: report'),
  )?.text ?? '';

test('the recipe of the documentation publishes a report of what the ledgers say', async () => {
  expect(await diagnose(path, recipe)).toEqual([]);
  stage = await openDone();
  const { github, play } = stage;
  await github.commit({ branch: 'main', files: { [path]: recipe } });
  await play();
  let page = '';
  const actions: Record<string, StepHandler> = {
    'actions/upload-pages-artifact': ({ inputs, workspace }) => {
      page = readFileSync(join(workspace, inputs['path'] ?? '', 'index.html'), 'utf8');
      return {};
    },
    'actions/deploy-pages': () => ({ outputs: { page_url: 'https://pages.test/' } }),
  };
  await github.as('walter').request('POST', '/actions/workflows/report.yml/dispatches', { ref: 'main' });
  const played = await play({ actions });
  expect({ ended: played.runs.map(({ conclusion }) => conclusion), all: played.transcript() }).toEqual({
    ended: ['success'],
    all: expect.anything(),
  });
  expect(page).toMatch(/^<!doctype html>/i);
  // What only the ledger knows.
  expect(page).toMatch(/"answer"[^]*scripted/);
  // It can publish, and nothing else.
  const [job] = played.jobs;
  expect(job?.permissions).toEqual({ contents: 'read', id_token: 'write', pages: 'write' });
});

test('the steps for a summary put it on the page of the run', async () => {
  const steps =
    blocksIn(readFileSync(join(root, 'docs/reports.md'), 'utf8')).find(({ text }) => /--markdown/.test(text))
      ?.text ?? '';
  const checkout = '- uses: actions/checkout@v7\n  with: { persist-credentials: false }\n';
  const workflow = `name: progress
on: workflow_dispatch
permissions: { contents: read }
jobs:
  progress:
    runs-on: ubuntu-latest
    steps:
${`${checkout}${steps}`.replaceAll(/^/gm, '      ')}
`;
  expect(await diagnose('.github/workflows/progress.yml', workflow)).toEqual([]);
  stage = await openDone();
  const { github, play } = stage;
  await github.commit({ branch: 'main', files: { '.github/workflows/progress.yml': workflow } });
  await play();
  await github.as('walter').request('POST', '/actions/workflows/progress.yml/dispatches', { ref: 'main' });
  const played = await play();
  const summaries = played.jobs.flatMap((job) => job.steps.map(({ summary }) => summary)).filter(Boolean);
  expect({ summaries, all: played.transcript() }).toEqual({
    summaries: [expect.stringMatching(/100%/)],
    all: expect.anything(),
  });
});
