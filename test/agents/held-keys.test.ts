/** That an agent, run as gza runs it, finds no key of its own, and what its model told is what counts. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { agentEnvironment } from '../../src/agents/agent-environment.ts';
import { agentNamed } from '../../src/agents/agent-named.ts';
import { runAgent } from '../../src/agents/run-agent.ts';
import { begun, closing, ended, key, piece, prices, provider, stream } from './provider.ts';

/** Claude Code, played by a program that asks its model and prints all that it can see. */
async function runPlayed(
  upstream: string,
  caller: Record<string, string>,
  more: { turns?: number; budgetUsd?: number; proxy?: boolean } = {},
) {
  const folder = mkdtempSync(join(tmpdir(), 'gza-proxy-'));
  closing.push(() => rmSync(folder, { recursive: true, force: true }));
  const program = join(import.meta.dirname, '..', 'fixtures', 'agents', 'asks-model.mjs');
  const adapter = { ...agentNamed('claude'), program, tellsVersion: false };
  const home = join(folder, 'home');
  const environment = agentEnvironment({
    caller: {
      PATH: process.env['PATH'],
      ANTHROPIC_BASE_URL: upstream,
      TURNS: String(more.turns ?? 1),
      ...caller,
    },
    adapter,
    home,
    allow: ['TURNS'],
  });
  const run = await runAgent({
    adapter,
    environment,
    prices,
    request: {
      prompt: 'do it',
      cwd: folder,
      home,
      access: 'full',
      model: 'claude-test',
      ...(more.budgetUsd ? { budgetUsd: more.budgetUsd } : {}),
    },
    limits: { timeoutMs: 30_000, idleMs: 20_000, outputBytesMax: 1 << 20, graceMs: 500 },
    logPath: join(folder, 'agent.log'),
    ...(more.proxy === undefined ? {} : { proxy: more.proxy }),
  });
  return run;
}

test('an agent finds no key in its environment, its arguments or its files, and costs what its model told', async () => {
  const upstream = await provider((response) => stream(response).end(begun(1000) + piece('hi') + ended(100)));
  const { result } = await runPlayed(upstream.url, {
    ANTHROPIC_API_KEY: key,
    CLAUDE_CODE_OAUTH_TOKEN: 'login-that-is-not-used',
    ANTHROPIC_CUSTOM_HEADERS: 'X-Team: team-secret\nX-More: b:c',
    HTTPS_PROXY: 'http://company.invalid:3128',
  });
  const seen = result.text;
  expect(result.kind).toBe('ok');
  expect(seen).not.toMatch(/REAL-key|login-that|team-secret/);
  expect(seen).not.toContain('[redacted]');
  expect(JSON.parse(seen).env).toMatchObject({
    ANTHROPIC_BASE_URL: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    NO_PROXY: '127.0.0.1',
  });
  expect(upstream.asked[0]?.headers).toMatchObject({
    'x-api-key': key,
    'x-team': 'team-secret',
    'x-more': 'b:c',
  });
  expect(result.usage).toEqual({ input: 1000, cachedInput: 50, output: 100, reasoning: 0 });
  expect(result.costUsd).toBeCloseTo(0.00305, 12);
});

test('a budget that is reached is told as such, whatever the agent says, and with what was used', async () => {
  const upstream = await provider((response) => stream(response).end(begun(1000) + ended(100)));
  const { result } = await runPlayed(
    upstream.url,
    { ANTHROPIC_API_KEY: key },
    { turns: 5, budgetUsd: 0.005 },
  );
  expect(result).toMatchObject({ kind: 'budget', error: 'the budget of $0.005 is used up' });
  expect(result.costUsd).toBeCloseTo(0.0061, 12);
  expect(upstream.asked.length).toBe(2);
});

test('a login is not proxied, nor what gza.yaml takes out, and both are said', async () => {
  const upstream = await provider((response) => stream(response).end(begun(1000) + ended(100)));
  const off = await runPlayed(upstream.url, { ANTHROPIC_API_KEY: key }, { proxy: false });
  expect(off.result.costUsd).toBe(0.5);
  expect(upstream.asked[0]?.headers['x-api-key']).toBe(key);
  const why = (name: string, keys: Record<string, string>) => {
    const holding = agentNamed(name).holding(keys);
    return holding && 'why' in holding
      ? holding.why
      : holding?.targets.map(({ upstream }) => upstream).join();
  };
  expect(why('claude', { CLAUDE_CODE_OAUTH_TOKEN: 'x' })).toContain('a login');
  expect(why('claude', { CLAUDE_CODE_USE_BEDROCK: '1', ANTHROPIC_API_KEY: 'x' })).toContain('Bedrock');
  expect(why('claude', { CLAUDE_CODE_USE_VERTEX: '1' })).toContain('Vertex');
  expect(why('gemini', { GOOGLE_GENAI_USE_VERTEXAI: '1' })).toContain('Vertex');
  expect(why('copilot', { COPILOT_GITHUB_TOKEN: 'x' })).toContain('a login');
  expect(why('copilot', { COPILOT_PROVIDER_BASE_URL: 'http://own/v1', COPILOT_PROVIDER_API_KEY: 'x' })).toBe(
    'http://own/v1',
  );
  expect(why('codex', { OPENAI_API_KEY: 'x' })).toBe('https://api.openai.com/v1');
  expect(
    why('opencode', { XAI_API_KEY: 'x', ANTHROPIC_API_KEY: 'y', ANTHROPIC_BASE_URL: 'http://own' }),
  ).toBe('http://own/v1,https://api.x.ai/v1');
  expect(why('codex', {})).toBeUndefined();
});
