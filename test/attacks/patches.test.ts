import { describe, expect, test } from '@jest/globals';
import { fileRows } from '../../src/core/guard/file-classes.ts';
import { globProblem } from '../../src/core/guard/paths.ts';
import { attacks, ordinary } from './patches.ts';
import { type AttackFile, judgeFiles, letEverythingPass } from './play.ts';

const cases = attacks.flatMap(({ kind, expect: wanted, paths = '', files = {} }) => [
  ...paths
    .split(/\s+/)
    .filter(Boolean)
    .map((path) => [kind, path, wanted, [{ path, after: 'x\n' }] as readonly AttackFile[]] as const),
  ...Object.entries(files).map(([name, list]) => [kind, name, wanted, list] as const),
]);

const shown = ({ verdict, objections }: ReturnType<typeof judgeFiles>) =>
  `${verdict}: ${objections.map(({ path, rule, why }) => `${path} ${rule} (${why})`).join('; ')}`;

/** What no policy lets pass: without this rule git would take it, or would have to be trusted not to. */
const hard = /unsafe-path|duplicate|submodule|mode/;

test.each(cases)('%s: %s: %s', (_kind, _name, wanted, files) => {
  const judged = judgeFiles(files);
  expect(shown(judged)).toMatch(new RegExp(`^${wanted}`));
  // The control: where the defence is taken away, the attack goes in.
  const control = judgeFiles(files, letEverythingPass);
  const isHard = control.objections.length > 0 && control.objections.every(({ rule }) => hard.test(rule));
  expect(isHard || shown(control)).toEqual(isHard || 'plain: ');
});

describe('ordinary work goes in, named at most', () => {
  test.each(Object.entries(ordinary))('%s', (_name, files) => {
    expect(shown(judgeFiles(files))).toMatch(/^(plain|named)/);
  });
});

test('there are as many attacks as security.md says, each row of the table can be read and says where it is from', () => {
  expect(cases.length).toBeGreaterThan(140);
  const globs = fileRows.flatMap((row) => row.globs);
  expect(globs.map(globProblem).filter(Boolean)).toEqual([]);
  expect(fileRows.filter(({ source }) => source === '')).toEqual([]);
});

test('a person lets pass by gza.yaml what waits, and never what is a dangerous shape', () => {
  const policy = { ...letEverythingPass, actions: {} };
  expect(judgeFiles([{ path: '.npmrc', after: 'x\n' }], policy).verdict).toBe('plain');
  expect(judgeFiles([{ path: '../x', after: 'x\n' }], policy).verdict).toBe('refused');
  expect(judgeFiles([{ path: 'a', after: '/etc/passwd', mode: '120000' }], policy).verdict).toBe('refused');
});
