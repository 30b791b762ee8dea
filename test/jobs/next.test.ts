import { afterEach, expect, test } from '@jest/globals';
import { nextJob } from '../../src/github/jobs/next.ts';
import { type OpenForge, openForge } from '../forge/open-forge.ts';
import { notAccessible, serverError } from '../github/answers.ts';

let forge: OpenForge;
afterEach(() => forge?.github.close());

test('where GitHub starts no pick, it is said what goes on; who is not answered asks again', async () => {
  const on = '{ repository_dispatch: { types: [gza] } }';
  const gza = `on: ${on}\njobs: { a: { runs-on: x, steps: [{ run: x }] } }\n`;
  forge = await openForge({}, {}, { '.github/workflows/gza.yml': gza });
  const { github, read, write } = forge;
  const inputs: Record<string, string> = { claim: 'c1' };
  const next = () =>
    nextJob({
      input: (name) => inputs[name] ?? '',
      forge: () => ({ ...read, ...write }),
      run: { id: 1, attempt: 1, url: '', workflow: 'gza.yml' },
      defaultBranch: 'main',
      say: () => {},
      warn: () => {},
    });
  const match = { operation: 'repos/create-dispatch-event' };
  const { answer } = notAccessible(['contents:write']);
  github.faults.add({ match, effect: { kind: 'answer', answer } });
  await expect(next()).rejects.toMatchObject({
    message: expect.stringMatching(
      /refused to start the next pick.*lacks the permission contents: write.*Nothing is lost/,
    ),
    hint: expect.stringContaining('the schedule goes on, every six hours'),
  });
  expect(github.state.runs).toEqual([]);
  github.faults.add({ match, times: 3, effect: { kind: 'answer', answer: serverError } });
  await expect(next()).rejects.toThrow('GitHub failed when asked to ask for the next pick');
  github.faults.add({ match, effect: { kind: 'drop-after' } });
  await next();
  const woken = github.state.runs.filter(({ event }) => event === 'repository_dispatch');
  // An answer that was lost is no reason not to ask again: who is woken twice looks twice.
  expect(woken.map(({ workflow, payload }) => [workflow, payload['client_payload']])).toEqual([
    ['.github/workflows/gza.yml', { ended: ['c1', 'c1-review'] }],
    ['.github/workflows/gza.yml', { ended: ['c1', 'c1-review'] }],
  ]);
});
