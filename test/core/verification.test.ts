import { expect, test } from '@jest/globals';
import { namesMissingFile } from '../../src/core/checks/verification.ts';

test.each([
  ['node --check src/answer.js', true],
  ["sh -c 'test -f out.txt'", true],
  ['npm test', false],
  ['./node_modules/.bin/jest --ci test/unit', false],
  ['! grep -q broken seed.txt', false],
  ['test -e /opt/tool', false],
  ['pytest -q "src/**/*.py" --cov=src/missing.py', false],
  ['python3.11 -m pytest', false],
])('%s names a file that is not there: %s', (command, names) => {
  expect(namesMissingFile(command, (path) => /^(?:seed\.txt|test\/unit|\.\/node_modules)/.test(path))).toBe(
    names,
  );
});
