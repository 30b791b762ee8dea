import { expect, test } from '@jest/globals';
import type { CommandSpec } from '../../../src/core/arguments/command-spec.ts';
import { parseArguments } from '../../../src/core/arguments/parse-arguments.ts';
import { verbHelpText } from '../../../src/core/text/help/help.ts';
import { plain } from '../../../src/core/text/terminal/lines.ts';

const spec: CommandSpec = {
  name: 'edit',
  summary: 'change a task',
  arguments: [],
  options: [
    { name: 'priority', type: 'text', value: '<p>', help: 'how urgent', choices: ['high', 'low', ''] },
  ],
  examples: [],
};

test('an empty value among the choices is named, in help and in errors', () => {
  expect(verbHelpText('gza', spec, [], plain)).toContain('how urgent (high, low, or "" for none)');
  expect(parseArguments(['--priority', 'huge'], spec).problems).toEqual([
    '--priority takes one of high, low, or "" for none; found "huge"',
  ]);
});
