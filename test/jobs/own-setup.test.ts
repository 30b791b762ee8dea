import { afterAll, afterEach, expect, jest, test } from '@jest/globals';
import { savedCaches } from '../../src/core/doctor/workflow-traits.ts';
import { callerWorkflow } from '../../src/core/text/doctor/caller-workflow.ts';
import { approving, openStage, removeProduct, type Stage, task } from './stage.ts';

jest.setTimeout(600_000);

let stage: Stage | undefined;
afterEach(async () => {
  await stage?.github.close();
  stage = undefined;
});
afterAll(removeProduct);

const action = (steps: string) => `runs:\n  using: composite\n  steps:\n${steps}`;
const tool = `    - shell: bash
      run: |
        mkdir -p "$RUNNER_TEMP/tools"
        printf '#!/bin/sh\\nexec node --check "$1"\\n' > "$RUNNER_TEMP/tools/look-at"
        chmod +x "$RUNNER_TEMP/tools/look-at"
        echo "$RUNNER_TEMP/tools" >> "$GITHUB_PATH"
`;
const open = (steps: string, verify: string) =>
  openStage({
    'gza.yaml': approving.replace(/verify: .*/, `verify: ${verify}\ndefaults: { auto_review: true }`),
    '.github/workflows/gza.yml': callerWorkflow({ minute: 17, branch: 'main', setup: 'exit 1' }),
    '.github/actions/gza-setup/action.yml': action(steps),
    'tasks/answer.yml': task,
  });

test('the action gza-setup of the base branch prepares the machines of agents, checks and reviewers, and not the line', async () => {
  stage = await open(tool, 'look-at src/answer.js');
  await stage.github.tickSchedule('17 */6 * * *');
  const said = (await stage.play()).transcript();
  const labels = stage.github.state.issues.find((one) => one.pull)?.labels;
  expect({ labels, said }).toEqual({ labels: ['gza', 'gza: approved'], said });
});

test('one that saves a cache from the job of an agent is refused, with what to do', async () => {
  stage = await open('    - uses: actions/cache@v5\n', 'true');
  await stage.github.tickSchedule('17 */6 * * *');
  const said = (await stage.play()).transcript();
  expect(said).toContain('gza-setup/action.yml uses actions/cache@v5, which saves a cache');
  expect(stage.github.state.issues.some((one) => one.pull)).toBe(false);
});

test.each([
  ['actions/cache@v5', '', true],
  ['actions/cache/save@v5', '', true],
  ['actions/cache/restore@v5', '', false],
  ['actions/setup-node@v6', '', true],
  ['actions/setup-node@v6', '{ package-manager-cache: false }', false],
  ['actions/setup-node@v6', '{ package-manager-cache: false, cache: npm }', true],
  ['actions/setup-go@v6', '{ go-version: 1.26 }', true],
  ['actions/setup-go@v6', '{ cache: false }', false],
  ['actions/setup-python@v6', '{ cache: pip }', true],
  ['actions/setup-python@v6', '', false],
])('%s with %s saves a cache: %s', (uses, given, saves) => {
  const steps = `    - uses: ${uses}\n${given && `      with: ${given}\n`}`;
  expect(savedCaches('action.yml', action(steps))).toEqual(saves ? [uses] : []);
});
