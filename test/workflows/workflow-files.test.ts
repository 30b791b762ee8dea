import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { callerPath, callerWorkflow } from '../../src/core/text/caller-workflow.ts';
import { diagnose } from '../github/official-parser.ts';

const root = new URL('../../', import.meta.url);
const read = (path: string) => readFileSync(fileURLToPath(new URL(path, root)), 'utf8');

test.each(['action.yml', '.github/workflows/gza.yml', '.github/workflows/gza-lane.yml'])(
  'GitHub’s own parser finds nothing in %s',
  async (path) => {
    expect(await diagnose(path, read(path))).toEqual([]);
  },
);

test('GitHub’s own parser finds nothing in the workflow that is written into a repository', async () => {
  expect(await diagnose(callerPath, callerWorkflow(17))).toEqual([]);
});
