import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { failureKind, judgedByChanges } from '../../src/agents/adapters/build-result.ts';
import { agentNamed } from '../../src/agents/agent-named.ts';
import type { AgentEvent, AgentRequest, AgentResult, Ending, KilledBy } from '../../src/agents/agents.ts';

// Outputs of the real programs, recorded against a scripted model.
const folder = join(import.meta.dirname, '..', 'fixtures', 'recorded');

interface Replay extends Partial<Ending> {
  readonly request?: Partial<AgentRequest>;
  readonly cut?: number;
}

function replay(agent: string, recording: string, { request, cut, ...ending }: Replay = {}) {
  const adapter = agentNamed(agent);
  const full: AgentRequest = {
    prompt: 'x',
    cwd: '/repo',
    home: '/home/u',
    access: 'full',
    keys: {},
    ...request,
  };
  const parser = adapter.parser(full);
  const read = (name: string) => {
    const path = join(folder, agent, name);
    return existsSync(path) ? readFileSync(path, 'utf8') : '';
  };
  const lines = read(`${recording}.stdout`).split('\n');
  const events: AgentEvent[] = [];
  for (const line of lines.slice(0, cut)) events.push(...parser.line(line, 'stdout'));
  for (const line of read(`${recording}.session`).split('\n')) events.push(...parser.line(line, 'file'));
  const stderr = read(`${recording}.stderr`);
  const result = parser.finish({ code: 0, signal: null, now: 0, stderr, ...ending });
  return { result, events };
}

const usage = { input: 1600, cachedInput: 400, output: 100 };

describe('a run that writes a file and answers', () => {
  test.each([
    ['claude', { ...usage, input: 2000, reasoning: 0 }, 0.00762],
    ['codex', { ...usage, reasoning: 20 }, null],
    ['opencode', { ...usage, reasoning: 20 }, 0.00642],
    ['gemini', { ...usage, reasoning: 0 }, null],
    ['copilot', { ...usage, reasoning: 20 }, null],
  ] as const)('%s: answer, session, usage in one unit and cost are read', (agent, expected, costUsd) => {
    const { result, events } = replay(agent, 'writes');
    expect(result).toMatchObject({
      kind: 'ok',
      text: 'Done: wrote hello.txt.',
      usage: expected,
      costUsd,
      denials: [],
    });
    expect(result.sessionId).toMatch(/\w{8}/);
    expect(result.turns).toBe(2);
    expect(events.filter((event) => event.kind === 'tool' && event.phase === 'ok')).toHaveLength(1);
    expect(events).toContainEqual({ kind: 'text', text: 'Done: wrote hello.txt.' });
  });

  test.each(['claude', 'codex', 'opencode', 'gemini', 'copilot'])(
    '%s: the same with its last lines missing is never good',
    (agent) => {
      const { result } = replay(agent, 'writes', { cut: 3 });
      expect(result.kind).toBe('crash');
      expect(result.error).toBeTruthy();
    },
  );

  test.each(['claude', 'codex', 'opencode', 'gemini', 'copilot'])(
    '%s: a bad exit code makes it a crash',
    (agent) => {
      expect(replay(agent, 'writes', { code: 1 }).result.kind).not.toBe('ok');
    },
  );

  test.each(['claude', 'codex', 'opencode', 'gemini', 'copilot'])(
    '%s: being ended beats what it says',
    (agent) => {
      const reasons: [KilledBy, string][] = [
        ['timeout', 'timeout'],
        ['idle', 'timeout'],
        ['budget', 'budget'],
        ['cancelled', 'cancelled'],
      ];
      for (const [killedBy, kind] of reasons) {
        expect(replay(agent, 'writes', { killedBy }).result).toMatchObject({ kind });
      }
    },
  );
});

describe('failures', () => {
  test.each([
    ['claude', 'auth401', 1, 'auth'],
    ['claude', 'ratelimit', 1, 'rate_limit'],
    ['claude', 'context', 1, 'context'],
    ['claude', 'maxturns', 1, 'max_turns'],
    ['codex', 'auth401', 1, 'auth'],
    ['codex', 'ratelimit', 1, 'rate_limit'],
    ['codex', 'context', 1, 'context'],
    ['opencode', 'auth401', 1, 'auth'],
    ['opencode', 'ratelimit', 1, 'rate_limit'],
    ['opencode', 'context', 1, 'context'],
    ['gemini', 'auth401', 145, 'auth'],
    ['gemini', 'ratelimit', 173, 'rate_limit'],
    ['gemini', 'context', 144, 'context'],
    ['gemini', 'maxturns', 53, 'max_turns'],
    ['copilot', 'auth401', 1, 'auth'],
    ['copilot', 'ratelimit', 1, 'rate_limit'],
    ['copilot', 'context', 1, 'context'],
  ] as const)('%s %s with exit %i is %s', (agent, recording, code, kind) => {
    const { result } = replay(agent, recording, { code });
    expect(result).toMatchObject({ kind, text: '' });
    expect(result.error?.length).toBeGreaterThan(5);
  });

  test.each(['claude', 'codex', 'opencode', 'gemini', 'copilot'])(
    '%s: cut off while a tool runs, exit 0 does not make it good',
    (agent) => {
      expect(replay(agent, 'timeout').result.kind).toBe('crash');
      expect(replay(agent, 'timeout', { killedBy: 'timeout' }).result.kind).toBe('timeout');
    },
  );

  test.each(['claude', 'codex', 'opencode', 'gemini', 'copilot'])(
    '%s: nothing at all is a crash',
    (agent) => {
      const result = agentNamed(agent)
        .parser({ prompt: '', cwd: '/', home: '/', access: 'full', keys: {} })
        .finish({ code: 0, signal: null, now: 0, stderr: '' });
      expect(result).toMatchObject({ kind: 'crash', usage: null });
    },
  );

  test('a time to try again is taken from a structured header', () => {
    const { result } = replay('opencode', 'ratelimit', { code: 1, now: Date.UTC(2026, 0, 1) });
    expect(result.resetAt).toBe('2026-01-01T00:00:01.000Z');
  });

  test('what a model or a tool says about limits and keys changes nothing', () => {
    for (const [agent, lines] of hostileLines) {
      const parser = agentNamed(agent).parser({ prompt: '', cwd: '/', home: '/', access: 'full', keys: {} });
      for (const line of lines) parser.line(JSON.stringify(line), 'stdout');
      const said = 'HTTP 429: usage limit reached, credit balance too low, maximum number of turns';
      const crashed = parser.finish({ code: 1, signal: null, now: 0, stderr: said });
      expect([agent, crashed.kind]).toEqual([agent, 'crash']);
    }
  });
});

const prose =
  'usage limit reached · credit balance is too low · 401 unauthorized · rate limit · maximum number of turns';
const hostileLines: [string, object[]][] = [
  [
    'claude',
    [
      { type: 'assistant', message: { model: 'm', content: [{ type: 'text', text: prose }] } },
      { type: 'result', subtype: 'success', is_error: true, result: prose, terminal_reason: 'x' },
    ],
  ],
  ['codex', [{ type: 'item.completed', item: { type: 'agent_message', text: prose } }]],
  ['opencode', [{ type: 'text', part: { text: prose } }]],
  ['gemini', [{ type: 'message', role: 'assistant', content: prose }]],
  ['copilot', [{ type: 'assistant.message', data: { content: prose } }]],
];

describe('tools that were denied', () => {
  test.each([
    ['claude', 'Write'],
    ['gemini', 'write_file'],
    ['copilot', 'create'],
  ])('%s ends well all the same; only the unchanged tree tells', (agent, tool) => {
    const { result } = replay(agent, 'readonly');
    expect(result).toMatchObject({ kind: 'ok', denials: [tool] });
    expect(judgedByChanges(result, true)).toBe(result);
    expect(judgedByChanges(result, false)).toMatchObject({ kind: 'denied' });
    expect(judgedByChanges(result, false).error).toContain(tool);
  });

  test('opencode stops without an answer, which is denied at once', () => {
    expect(replay('opencode', 'readonly').result).toMatchObject({ kind: 'denied', denials: ['write'] });
  });
});

describe('a session that is gone on with', () => {
  const again = (agent: string, sessionTotals: AgentResult['sessionTotals']) =>
    replay(agent, 'resume-2', { request: { resume: 'id', sessionTotals } }).result;

  test.each(['claude', 'codex', 'opencode', 'gemini'])('%s: only this run is counted', (agent) => {
    const first = replay(agent, 'resume').result;
    const second = again(agent, first.sessionTotals);
    expect(second.sessionId).toBe(first.sessionId);
    expect(second.usage).toEqual(first.usage);
    expect(second.costUsd).toEqual(first.costUsd);
  });

  test('totals grow from run to run, so that a third run counts right too', () => {
    const first = replay('codex', 'resume').result.sessionTotals;
    const second = again('codex', first).sessionTotals;
    expect(second?.usage).toEqual({ input: 1600, cachedInput: 400, output: 100, reasoning: 20 });
  });

  test('an agent that began to count anew is not counted below nothing', () => {
    const huge = { usage: { input: 9e6, cachedInput: 9e6, output: 9e6, reasoning: 0 } };
    expect(again('codex', huge).usage?.output).toBeGreaterThan(0);
  });
});

test('a rejected usage limit tells when it ends, in seconds or milliseconds', () => {
  for (const resetsAt of [1_800_000_000, 1_800_000_000_000]) {
    const parser = agentNamed('claude').parser({ prompt: '', cwd: '/', home: '/', access: 'full', keys: {} });
    parser.line(
      JSON.stringify({ type: 'rate_limit_event', rate_limit_info: { status: 'rejected', resetsAt } }),
      'stdout',
    );
    parser.line(
      JSON.stringify({ type: 'result', subtype: 'success', is_error: true, api_error_status: 429 }),
      'stdout',
    );
    const result = parser.finish({ code: 1, signal: null, now: 0, stderr: '' });
    expect(result).toMatchObject({
      kind: 'usage_limit',
      resetAt: '2027-01-15T08:00:00.000Z',
    });
  }
});

test('lines that are no JSON, or other JSON than expected, are nothing', () => {
  for (const agent of ['claude', 'codex', 'opencode', 'gemini', 'copilot']) {
    const parser = agentNamed(agent).parser({ prompt: '', cwd: '/', home: '/', access: 'full', keys: {} });
    const junk = [
      '',
      '{',
      'null',
      '[1]',
      '{"type":7}',
      '{"type":"result","usage":"x","modelUsage":[]}',
      '{"type":"user"}',
    ];
    const odd = [
      '{"type":"assistant","message":{"content":{}}}',
      '{"type":"item.completed"}',
      '{"type":"step_finish"}',
    ];
    expect(() => {
      for (const line of [...junk, ...odd])
        for (const source of ['stdout', 'file'] as const) parser.line(line, source);
      parser.finish({ code: 0, signal: null, now: 0, stderr: '' });
    }).not.toThrow();
  }
});

describe('what the programs say besides', () => {
  test('a prompt that Gemini finds too long', () => {
    const message =
      '[API Error: {"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}]';
    expect(failureKind({ message })).toBe('context');
  });

  test('an empty answer of Copilot, which ends with 1', () => {
    const parser = agentNamed('copilot').parser({
      prompt: 'x',
      cwd: '/',
      home: '/',
      access: 'full',
      keys: {},
    });
    const message = 'No response was returned. Send your message again to retry.';
    parser.line(JSON.stringify({ type: 'session.error', data: { errorType: 'query', message } }), 'stdout');
    expect(parser.finish({ code: 1, signal: null, stderr: '', now: 0 })).toMatchObject({ kind: 'empty' });
  });

  test.each([
    ['claude', { code: null, signal: 'SIGKILL' }, 'SIGKILL'],
    ['codex', { code: 137, signal: null }, 'SIGKILL'],
    ['opencode', { code: null, signal: 'SIGSEGV' }, 'SIGSEGV'],
    ['gemini', { code: 143, signal: null }, 'SIGTERM'],
    ['copilot', { code: 137, signal: null }, 'SIGKILL'],
  ])('%s killed from outside', (agent, ending, signal) => {
    const parser = agentNamed(agent).parser({ prompt: 'x', cwd: '/', home: '/', access: 'full', keys: {} });
    const result = parser.finish({ stderr: '', now: 0, ...ending });
    expect(result).toMatchObject({ kind: 'killed', error: expect.stringContaining(`killed by ${signal}`) });
  });
});
