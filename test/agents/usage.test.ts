import { describe, expect, test } from '@jest/globals';
import { agentNamed } from '../../src/agents/agent-named.ts';
import type { AgentEvent, AgentRequest, AgentResult } from '../../src/agents/agents.ts';

interface Streams {
  readonly stdout?: readonly object[];
  readonly file?: readonly object[];
  readonly request?: Partial<AgentRequest>;
}

/** A run that is ended after these lines. */
function ended(agent: string, { stdout = [], file = [], request }: Streams) {
  const full: AgentRequest = { prompt: 'x', cwd: '/r', home: '/h', access: 'full', keys: {}, ...request };
  const parser = agentNamed(agent).parser(full);
  const events: AgentEvent[] = [];
  for (const line of stdout) events.push(...parser.line(JSON.stringify(line), 'stdout'));
  for (const line of file) events.push(...parser.line(JSON.stringify(line), 'file'));
  const result = parser.finish({ code: null, signal: 'SIGTERM', killedBy: 'timeout', now: 0, stderr: '' });
  const told = events.flatMap((event) => (event.kind === 'usage' ? [event.usage.output] : []));
  return { result, told };
}

const twice = <T>(lines: readonly T[]): T[] => lines.flatMap((line) => [line, line]);
const outputOf = ({ usage }: AgentResult) => usage?.output;

const start = (id: string, by?: string) => ({
  type: 'stream_event',
  ...(by ? { parent_tool_use_id: by } : {}),
  event: {
    type: 'message_start',
    message: {
      id,
      model: 'claude-opus-5',
      usage: { input_tokens: 100, cache_read_input_tokens: 10, output_tokens: 1 },
    },
  },
});
const delta = (output_tokens: number, by?: string) => ({
  type: 'stream_event',
  ...(by ? { parent_tool_use_id: by } : {}),
  event: { type: 'message_delta', usage: { output_tokens } },
});
const result = (models: object, more: object = {}) => ({
  type: 'result',
  subtype: 'success',
  is_error: false,
  result: 'done',
  model_usage_since_last_result: models,
  ...more,
});
const row = (outputTokens: number, costUSD: number) => ({ inputTokens: 100, outputTokens, costUSD });

const tokenCount = (total: number, last: number) => ({
  type: 'event_msg',
  payload: {
    type: 'token_count',
    info: {
      total_token_usage: { input_tokens: total, output_tokens: total },
      last_token_usage: { input_tokens: last, output_tokens: last },
    },
  },
});
const finished = (id: string, output: number) => ({
  type: 'step_finish',
  part: { id, reason: 'tool-calls', tokens: { input: 10, output }, cost: 0.5 },
});
const geminiMessage = (id: string, output: number) => ({
  type: 'gemini',
  id,
  model: 'gemini-2.5-pro',
  tokens: { input: 10, output, cached: 0, thoughts: 4 },
});
const copilotCall = (apiCallId: string) => ({
  type: 'session.usage_record',
  data: { usage: { apiCallId, model: 'gpt-5.5', inputTokens: 10, outputTokens: 5 } },
});

describe('a counter that is told again is not added again', () => {
  test.each([
    ['claude', { stdout: [start('m1'), ...twice([delta(20), delta(50)])] }, 50],
    ['claude', { file: twice([{ type: 'assistant', message: start('m1').event.message }]) }, 1],
    ['codex', { file: twice([tokenCount(30, 30), tokenCount(70, 40)]) }, 70],
    ['opencode', { stdout: twice([finished('p1', 7), finished('p2', 8)]) }, 15],
    ['gemini', { file: twice([geminiMessage('a', 6), geminiMessage('b', 7)]) }, 21],
    ['copilot', { file: twice([copilotCall('1'), copilotCall('2')]) }, 10],
  ] as const)('%s %#', (agent, streams, output) => {
    const { result: run, told } = ended(agent, streams);
    expect(outputOf(run)).toBe(output);
    // The limits are kept by what goes by.
    expect(told.reduce((sum, one) => sum + one, 0)).toBe(output);
  });

  test('a session that is gone on with counts from where this run began', () => {
    const { result: run } = ended('codex', {
      file: twice([tokenCount(1030, 30), tokenCount(1070, 40)]),
      request: { resume: 's' },
    });
    expect(outputOf(run)).toBe(70);
  });
});

describe('Claude Code', () => {
  test('agents of its own run side by side, and each keeps its count', () => {
    const stdout = [
      start('m1', 'a'),
      start('m2', 'b'),
      delta(20, 'a'),
      delta(30, 'b'),
      start('m3'),
      delta(5),
    ];
    const { result: run } = ended('claude', { stdout });
    expect(run.usage).toMatchObject({ input: 300, cachedInput: 30, output: 55 });
    expect(run.turns).toBe(1);
    expect(run.unpriced).toEqual({ 'claude-opus-5': run.usage });
  });

  test('what was written into the cache is told apart, for its price', () => {
    const line = start('m1');
    Object.assign(line.event.message.usage, { cache_creation_input_tokens: 40 });
    expect(ended('claude', { stdout: [line] }).result.usage).toMatchObject({ input: 140, cacheWrite: 40 });
  });

  test('each of several results counts, with what it asked other models aside, and what came after the last', () => {
    const { result: run } = ended('claude', {
      stdout: [
        start('m1'),
        delta(20),
        result({ opus: row(20, 0.25), haiku: row(3, 0.125) }),
        result({ opus: row(30, 0.5) }),
        start('m2'),
        delta(4),
      ],
    });
    expect(outputOf(run)).toBe(57);
    expect(run.costUsd).toBe(0.875);
    expect(run.unpriced).toMatchObject({ 'claude-opus-5': { output: 4 } });
  });

  test('a session that is gone on with and ends at once cost nothing, whatever it cost before', () => {
    const stdout = [result({}, { is_error: true, total_cost_usd: 7, modelUsage: { opus: row(900, 7) } })];
    const { result: run } = ended('claude', { stdout, request: { resume: 's' } });
    expect(run).toMatchObject({ costUsd: null, usage: { input: 0, output: 0 }, unpriced: {} });
  });
});

test('Gemini’s sums leave its thoughts out, and have what it asked other models aside', () => {
  const parts = { input_tokens: 100, output_tokens: 20, total_tokens: 130, cached: 30 };
  const models = { 'gemini-2.5-pro': parts, 'gemini-2.5-flash': { ...parts, total_tokens: 125 } };
  const stats = { input_tokens: 200, output_tokens: 40, total_tokens: 255, cached: 60, models };
  const { result: run } = ended('gemini', { stdout: [{ type: 'result', status: 'success', stats }] });
  expect(run.usage).toEqual({ input: 140, cachedInput: 60, output: 55, reasoning: 15 });
  expect(run.unpriced?.['gemini-2.5-flash']).toEqual({
    input: 70,
    cachedInput: 30,
    output: 25,
    reasoning: 5,
  });
});
