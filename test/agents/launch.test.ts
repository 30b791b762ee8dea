import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { agentNamed, agentNames, splitCommand } from '../../src/agents/agent-named.ts';
import type { Access, AgentRequest } from '../../src/agents/agents.ts';

const request: AgentRequest = {
  prompt: '--help',
  cwd: '/repo',
  home: '/home/u',
  access: 'full',
  keys: { CODEX_API_KEY: 'secret-key', GEMINI_API_KEY: 'secret-key', ANTHROPIC_API_KEY: 'secret-key' },
};
const launch = (agent: string, more: Partial<AgentRequest> = {}) =>
  agentNamed(agent).launch({ ...request, ...more });

describe.each(agentNames)('%s', (agent) => {
  test('the prompt goes to standard input, and neither prompt nor key to the command line', () => {
    const { args, stdin } = launch(agent, {
      model: 'm',
      maxTurns: 3,
      budgetUsd: 1,
      resume: 'id',
    });
    expect(stdin).toBe('--help');
    expect(args.join(' ')).not.toMatch(/--help|secret-key/);
    expect(args.join(' ')).toContain('id');
  });

  test('the three kinds of access make three different command lines', () => {
    const line = (access: Access) => {
      const { args, env, files } = launch(agent, { access });
      return JSON.stringify([args, env, files]);
    };
    expect(new Set([line('read-only'), line('edit'), line('full')]).size).toBe(3);
    expect(line('read-only')).not.toMatch(/yolo|dangerously|allow-all|--auto"/);
  });
});

test.each(['opencode', 'gemini', 'copilot'])(
  '%s may write one file in a review, where it is given one',
  (agent) => {
    const line = (answerFile?: string) => {
      const { args, env, files } = launch(agent, { access: 'read-only', answerFile });
      return JSON.stringify([args, env, files]);
    };
    expect(agentNamed(agent).writesAnswer).toBe(true);
    expect(line()).not.toContain('answer.json');
    expect(line('/state/spool/answer.json')).toMatch(/spool\W{1,8}answer\W{1,8}json/);
    expect(line('/state/spool/answer.json')).not.toMatch(
      /yolo|dangerously|allow-all|--auto"|allow-tool=write"/,
    );
  },
);

test('full access as root needs a word for the one agent that refuses it, and only then', () => {
  expect(launch('claude', { isRoot: true }).env).toHaveProperty('IS_SANDBOX', '1');
  expect(launch('claude', { isRoot: false }).env).not.toHaveProperty('IS_SANDBOX');
  expect(launch('claude', { isRoot: true, access: 'edit' }).env).not.toHaveProperty('IS_SANDBOX');
});

test('OpenCode is pointed elsewhere by its settings, which hold no key', () => {
  const keys = {
    GEMINI_API_KEY: 'secret-key',
    GEMINI_BASE_URL: 'http://127.0.0.1:1',
    XAI_API_KEY: 'secret-key',
  };
  const settings = launch('opencode', { keys }).env['OPENCODE_CONFIG_CONTENT'] ?? '';
  expect(JSON.parse(settings).provider).toEqual({
    google: { options: { baseURL: 'http://127.0.0.1:1', apiKey: '{env:GEMINI_API_KEY}' } },
  });
  expect(settings).not.toContain('secret-key');
  // It would put the session on a public page.
  expect(JSON.parse(settings)).toMatchObject({ share: 'disabled' });
});

describe('a runner command', () => {
  test.each([
    ['aider --yes', ['aider', '--yes']],
    [`  goose   run -t 'a b'  `, ['goose', 'run', '-t', 'a b']],
    [`x "a \\"b\\" $HOME" c\\ d e'f'"g"`, ['x', 'a "b" $HOME', 'c d', 'efg']],
    [`x ''`, ['x', '']],
    [`x "a|b" --if=a;b`, ['x', 'a|b', '--if=a;b']],
    ['C:/x/y.exe é 日本', ['C:/x/y.exe', 'é', '日本']],
  ])('%s', (text, expected) => {
    expect(splitCommand(text)).toEqual(expected);
  });

  test.each(['', '   ', `''`, 'x "a', `x 'a`, 'x \\', 'a | b', 'a && b', 'a > f', 'a $(b)', '`a`'])(
    'is refused with a reason: %j',
    (text) => {
      expect(() => splitCommand(text)).toThrow(/runner command/);
    },
  );

  test('quoted words come back as they were', () => {
    const quote = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`;
    fc.assert(
      fc.property(fc.array(fc.string({ minLength: 1, unit: 'grapheme' }), { minLength: 1 }), (words) => {
        expect(splitCommand(words.map(quote).join(' '))).toEqual(words);
      }),
    );
  });

  test('a prompt that looks like an option is no option', () => {
    const { args } = agentNamed('mine', { command: 'aider --yes' }).launch({ ...request, access: 'full' });
    expect(args).toEqual(['--yes', '\n--help']);
  });

  test('it may name the places of prompt and model', () => {
    const adapter = agentNamed('mine', { command: 'x -f {prompt_file} -m {model}' });
    const { args, files } = adapter.launch({ ...request, model: 'm' });
    expect(args).toEqual(['-f', '/home/u/gza-prompt.md', '-m', 'm']);
    expect(files).toEqual([{ path: 'gza-prompt.md', text: '--help' }]);
  });

  test('that it cannot be kept from writing is said', () => {
    const { warnings } = agentNamed('mine', { command: 'x' }).launch({ ...request, access: 'read-only' });
    expect(warnings?.join()).toContain('cannot be held to read-only');
  });
});
