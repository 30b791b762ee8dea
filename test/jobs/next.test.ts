import { afterEach, expect, test } from '@jest/globals';
import { nextJob } from '../../src/github/jobs/next.ts';
import { type OpenForge, openForge } from '../forge/open-forge.ts';
import { notAccessible, serverError } from '../github/answers.ts';

let forge: OpenForge;
afterEach(() => forge?.github.close());

test('where GitHub starts no pick, the branch’s own CI is started all the same, and it is said what goes on', async () => {
  const ci = 'on: workflow_dispatch\njobs: { a: { runs-on: x, steps: [{ run: x }] } }\n';
  forge = await openForge({}, {}, { '.github/workflows/ci.yml': ci, '.github/workflows/gza.yml': ci });
  const { github, read, write } = forge;
  const inputs: Record<string, string> = { start: '[{"workflow":"ci.yml","branch":"main"}]' };
  const next = () =>
    nextJob({
      input: (name) => inputs[name] ?? '',
      forge: () => ({ ...read, ...write }),
      run: { id: 1, attempt: 1, url: '', workflow: 'gza.yml' },
      defaultBranch: 'main',
      say: () => {},
      warn: () => {},
    });
  const match = { operation: 'actions/create-workflow-dispatch' };
  const { answer } = notAccessible(['actions:write']);
  github.faults.add({ match, effect: { kind: 'answer', answer } });
  await expect(next()).rejects.toMatchObject({
    message: expect.stringMatching(
      /refused to start `gza.yml`.*lacks the permission actions: write.*Nothing is lost/,
    ),
    hint: expect.stringContaining('the schedule goes on, once an hour'),
  });
  expect(github.state.runs.map(({ workflow }) => workflow)).toEqual(['.github/workflows/ci.yml']);
  github.faults.add({ match, effect: { kind: 'answer', answer: serverError } });
  await expect(next()).rejects.toThrow('GitHub failed when asked to start a workflow');
});
