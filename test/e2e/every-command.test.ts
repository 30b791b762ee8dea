import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openSandbox, type Ran, type Sandbox } from './cli.ts';

interface Help {
  readonly name: string;
  readonly summary: string;
  readonly usage: string;
  readonly arguments: readonly { readonly name: string; readonly required?: boolean }[];
  readonly options: readonly { readonly name: string }[];
  readonly examples: readonly { readonly command: string }[];
  readonly for_people: boolean;
}

/** What an agent may not do: it files, notes, claims, closes, and rewrites nothing. */
const refusedToAgents = [
  'edit',
  'delete',
  'assign',
  'approve',
  'retry',
  'skip',
  'reset',
  'unblock',
  'stop',
  'pause',
  'reopen',
  'rebase',
  'init',
  'start',
  'work',
  'run',
  'review',
  'improve',
  'resume',
  'verify',
  'kept',
  'split',
  'breakdown',
  'linear',
  'github',
];

describe('every command', () => {
  let box: Sandbox;
  let verbs: readonly Help[];

  beforeAll(async () => {
    box = openSandbox();
    const { commands } = await box.json<{ commands: { name: string }[] }>('help');
    const all = await inTurn(commands, ({ name }) => box.json<Help>(['help', name]));
    verbs = all.filter(({ summary }) => summary !== 'not yet');
  });
  afterAll(() => box[Symbol.asyncDispose]());

  test('is there', () => {
    const names =
      'add edit delete list ready next show status groups milestones note done claim release retry skip reset unblock approve assign agents tree where context import pr log graph why check config fsck sync init completion';
    expect(verbs.map(({ name }) => name)).toEqual(expect.arrayContaining(names.split(' ')));
  });

  test('has help with usage, options and examples, and says what it does in the overview', async () => {
    const overview = await box.says('--help');
    expect(await box.says([])).toBe(overview);
    const texts = await inTurn(verbs, ({ name }) => box.says([name, '--help']));
    for (const [at, verb] of verbs.entries()) {
      const text = texts[at] as string;
      expect(overview).toMatch(new RegExp(`^ {2}${verb.name} +\\S`, 'm'));
      expect(text).toContain(`usage: ${verb.usage}`);
      expect(text).toContain('Options\n');
      expect(text).toContain('Examples\n');
      expect(verb.examples.length).toBeGreaterThan(0);
      for (const { name } of verb.options) expect(text).toContain(`--${name}`);
    }
  });

  test('takes only options that it knows, and names the nearest', async () => {
    const ran = await inTurn(verbs, ({ name }) => box.gza([name, '--jsn']));
    for (const [at, { name }] of verbs.entries()) {
      expect({ name, ...(ran[at] as Ran) }).toMatchObject({ name, code: 2, stdout: '' });
      expect((ran[at] as Ran).stderr).toContain('unknown option --jsn: did you mean --json?');
    }
  });

  test('says which argument is missing, and which is too many', async () => {
    const needy = verbs.filter((verb) => verb.arguments.some(({ required }) => required));
    expect(needy.length).toBeGreaterThan(10);
    const ran = await inTurn(needy, ({ name }) => box.gza([name]));
    for (const [at, verb] of needy.entries()) {
      expect({ name: verb.name, code: (ran[at] as Ran).code }).toEqual({ name: verb.name, code: 2 });
      expect((ran[at] as Ran).stderr).toContain(`<${verb.arguments[0]?.name}> is missing`);
    }
    expect((await box.gza(['list', 'open', 'ones'])).stderr).toContain('unexpected "open", "ones"');
  });

  test('teaches outside of a repository', async () => {
    const cwd = join(box.dir, 'elsewhere');
    mkdirSync(cwd);
    const words: Record<string, string[]> = { assign: ['x', 'ann'], add: ['x'] };
    const inside = verbs.filter(({ name }) => !['completion', 'demo', 'doctor', 'start'].includes(name));
    const ran = await inTurn(inside, (verb) => {
      const given = words[verb.name] ?? verb.arguments.filter((one) => one.required).map(() => 'x');
      return box.gza([verb.name, ...given], { cwd });
    });
    for (const [at, { name }] of inside.entries()) {
      expect({ name, code: (ran[at] as Ran).code, stdout: (ran[at] as Ran).stdout }).toEqual({
        name,
        code: 2,
        stdout: '',
      });
      expect((ran[at] as Ran).stderr).toMatch(
        /gza works in a git repository: .*\n {2}Run it inside your project/,
      );
    }
  });

  test('that rewrites is refused to agents, under both names, and changes nothing', async () => {
    const id = await box.add('For people');
    const before = box.git('for-each-ref');
    const ran = await inTurn(refusedToAgents, (name) => {
      const more = name === 'assign' ? ['ann'] : [];
      const takesId = verbs.find((verb) => verb.name === name)?.arguments.some((one) => one.required);
      const env = name.length % 2 === 0 ? { GZA_AGENT: 'claude' } : { ZAGI_AGENT: 'claude' };
      return box.gza([name, ...(takesId ? [id] : []), ...more], { env });
    });
    for (const [at, name] of refusedToAgents.entries()) {
      expect({ name, ...(ran[at] as Ran) }).toMatchObject({ name, code: 2, stdout: '' });
      expect((ran[at] as Ran).stderr).toMatch(/agents may not use .*(GZA|ZAGI)_AGENT is set/);
    }
    expect(box.git('for-each-ref')).toBe(before);
    const flagged = verbs.filter((verb) => verb.for_people).map(({ name }) => name);
    expect(flagged.sort()).toEqual([...refusedToAgents].sort());
    for (const flag of ['--repair', '--clean']) {
      expect(await box.gza(['fsck', flag], { env: { GZA_AGENT: 'claude' } })).toMatchObject({ code: 2 });
    }
  });
});

/** One after the other, each in this process: two at once would be processes. */
async function inTurn<T, R>(items: readonly T[], call: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (const item of items) results.push(await call(item));
  return results;
}
