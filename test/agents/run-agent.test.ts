import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { agentEnvironment } from '../../src/agents/agent-environment.ts';
import { agentNamed, type OwnCommand } from '../../src/agents/agent-named.ts';
import type { AgentEvent, AgentRequest } from '../../src/agents/agents.ts';
import { type RunAgentOptions, runAgent } from '../../src/agents/run-agent.ts';
import type { ProcessLimits } from '../../src/agents/run-process.ts';

const fixtures = join(import.meta.dirname, '..', 'fixtures', 'agents');
const key = 'sk-ant-REAL-key-0123456789';
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gza-run-agent-'));
  mkdirSync(join(folder, 'repo'));
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

interface Extra {
  readonly settings?: Partial<OwnCommand>;
  /** A known agent, played by the fixture; without one the fixture is a command of the user's own. */
  readonly agent?: string;
  readonly request?: Partial<AgentRequest>;
  readonly keys?: Readonly<Record<string, string>>;
  readonly limits?: Partial<ProcessLimits>;
  readonly options?: Partial<RunAgentOptions>;
}

async function run(fixture: string, { settings, agent, request, keys, limits, options }: Extra = {}) {
  const program = join(fixtures, fixture);
  const adapter = agent
    ? { ...agentNamed(agent), program }
    : agentNamed('mine', { command: [program], ...settings });
  const home = join(folder, 'home');
  const caller = { PATH: process.env['PATH'], GITHUB_TOKEN: 'ghp_secret', ANTHROPIC_API_KEY: key, ...keys };
  const environment = agentEnvironment({
    caller,
    adapter,
    home,
    taskId: 'task-1a2b',
    spool: join(folder, 'spool'),
  });
  const lines: string[] = [];
  const events: AgentEvent[] = [];
  const found = await runAgent({
    adapter,
    environment,
    request: {
      prompt: 'do it',
      cwd: join(folder, 'repo'),
      home,
      access: 'full',
      keys: environment.keys,
      ...request,
    },
    limits: { timeoutMs: 30_000, idleMs: 20_000, outputBytesMax: 1 << 20, graceMs: 500, ...limits },
    logPath: join(folder, 'log', 'agent.log'),
    onLine: (line) => lines.push(line),
    onEvent: (event) => events.push(event),
    ...options,
  });
  const log = existsSync(join(folder, 'log', 'agent.log'))
    ? readFileSync(join(folder, 'log', 'agent.log'), 'utf8')
    : '';
  return { ...found, lines, events, log };
}

const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0);
    return !/^\d+ \(.*\) Z/.test(
      existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, 'latin1') : '',
    );
  } catch {
    return false;
  }
};

describe('what an agent gets', () => {
  test('a command gets the prompt as its last argument, and an environment of its own', async () => {
    const { result } = await run('answers.mjs', { request: { prompt: 'say "$HOME"; `id`' } });
    expect(result.kind).toBe('ok');
    expect(JSON.parse(result.text)).toEqual({
      args: ['say "$HOME"; `id`'],
      stdin: '',
      GZA_AGENT: 'mine',
      GZA_TASK: 'task-1a2b',
      GZA_SPOOL: join(folder, 'spool'),
      HOME: join(folder, 'home'),
    });
  });

  test('on standard input when it is asked for so', async () => {
    const prompt = `${'long '.repeat(100_000)}end`;
    const { result } = await run('answers.mjs', { settings: { promptVia: 'stdin' }, request: { prompt } });
    expect(JSON.parse(result.text)).toMatchObject({ args: [], stdin: prompt });
  });

  test('in a file when it is too long for an argument, which is said', async () => {
    const { result, warnings } = await run('answers.mjs', { request: { prompt: 'x'.repeat(128 * 1024) } });
    const said = JSON.parse(result.text);
    expect(said.prompt).toBe(128 * 1024);
    expect(said.args[0]).toContain(join(folder, 'home'));
    expect(warnings.join()).toContain('too long for an argument');
  });

  test('a link that an earlier run left in HOME is not written through', async () => {
    const outside = join(folder, 'outside.txt');
    writeFileSync(outside, 'mine');
    mkdirSync(join(folder, 'home'));
    symlinkSync(outside, join(folder, 'home', 'gza-prompt.md'));
    await run('answers.mjs', { settings: { promptVia: 'file' } });
    expect(readFileSync(outside, 'utf8')).toBe('mine');
    symlinkSync(folder, join(folder, 'home', '.codex'));
    await expect(run('lies.mjs', { agent: 'codex', keys: { CODEX_API_KEY: key } })).rejects.toThrow(
      /leads out of the agent's HOME/,
    );
  });
});

describe('how it ended', () => {
  test('a failing command is a crash; what it prints about limits is not believed', async () => {
    const { result, process } = await run('exits-3.mjs');
    expect(result).toMatchObject({
      kind: 'crash',
      error: 'usage limit reached, 429 too many requests',
    });
    expect(process).toMatchObject({ exitCode: 3, killedBy: undefined });
  });

  test('an end without a word is empty, not good', async () => {
    expect((await run('says-nothing.mjs')).result).toMatchObject({ kind: 'empty' });
  });

  test('exit 0 without a terminal event is a crash, however good it sounds', async () => {
    expect((await run('lies.mjs', { agent: 'codex', keys: { CODEX_API_KEY: key } })).result.kind).toBe(
      'crash',
    );
  });

  test('a program that is not there is said, not thrown', async () => {
    const { result, process } = await run('x', { settings: { command: 'no-such-program-here --yes' } });
    expect(result).toMatchObject({ kind: 'config' });
    expect(result.error).toContain('"no-such-program-here"');
    expect(process).toBeUndefined();
  });

  test('without a key it is not started', async () => {
    const { result } = await run('answers.mjs', { agent: 'gemini' });
    expect(result.kind).toBe('auth');
    expect(result.error).toContain('GEMINI_API_KEY');
  });

  test('a login of the person is lent where there is no key', async () => {
    const userHome = join(folder, 'person');
    mkdirSync(join(userHome, '.gemini'), { recursive: true });
    writeFileSync(join(userHome, '.gemini', 'oauth_creds.json'), '{}');
    const { result } = await run('lies.mjs', { agent: 'gemini', options: { userHome } });
    expect(result.kind).toBe('crash');
    expect(existsSync(join(folder, 'home', '.gemini', 'oauth_creds.json'))).toBe(true);
  });

  test('runs with one login take turns, those with a key do not', async () => {
    const userHome = join(folder, 'person');
    mkdirSync(join(userHome, '.gemini'), { recursive: true });
    writeFileSync(join(userHome, '.gemini', 'oauth_creds.json'), '{}');
    const both = async (keys: Record<string, string>) => {
      const options = { userHome, limits: { timeoutMs: 30_000, idleMs: 20_000, outputBytesMax: 1 << 20 } };
      const runs = [1, 2].map(() => run('takes-time.mjs', { agent: 'gemini', keys, options }));
      const ended = await Promise.all(runs);
      const times = readFileSync(join(folder, 'repo', 'times'), 'utf8')
        .trim()
        .split('\n');
      rmSync(join(folder, 'repo', 'times'));
      return { times, waited: ended.flatMap(({ lines }) => lines).filter((line) => /waits/.test(line)) };
    };
    expect(await both({})).toEqual({
      times: ['begins', 'ends', 'begins', 'ends'],
      waited: ['(waits: another run of gemini has the login)'],
    });
    expect((await both({ GEMINI_API_KEY: key })).waited).toEqual([]);
  });
});

describe('limits', () => {
  test('silence is ended', async () => {
    const { result, process } = await run('hangs.mjs', { limits: { idleMs: 600 } });
    expect(result).toMatchObject({ kind: 'timeout' });
    expect(process).toMatchObject({ killedBy: 'idle', signal: 'SIGTERM' });
  });

  test('a child at work is no silence', async () => {
    const { result } = await run('works-silently.mjs', { limits: { idleMs: 600 } });
    expect(result).toMatchObject({ kind: 'ok', text: 'done' });
  });

  test('time ends also those that do not listen', async () => {
    const { result, process } = await run('ignores-sigterm.mjs', {
      limits: { timeoutMs: 800, graceMs: 300 },
    });
    expect(result.kind).toBe('timeout');
    expect(process).toMatchObject({ killedBy: 'timeout', signal: 'SIGKILL' });
  });

  test('output is bounded, in memory and in the log', async () => {
    const { result, log } = await run('floods.mjs', { limits: { outputBytesMax: 200_000 } });
    expect(result.kind).toBe('output_limit');
    expect(log.length).toBeLessThan(230_000);
  });

  test('cancelling ends it, before and after it began', async () => {
    const late = new AbortController();
    const onLine = () => late.abort();
    const after = await run('hangs.mjs', { options: { signal: late.signal, onLine } });
    expect(after.result.kind).toBe('cancelled');
    expect(after.process?.killedBy).toBe('cancelled');
    const before = await run('hangs.mjs', { options: { signal: AbortSignal.abort() } });
    expect(before.result.kind).toBe('cancelled');
    expect(before.process).toBeUndefined();
  });

  test('turns are counted for an agent that does not count them', async () => {
    const { result } = await run('speaks-codex.mjs', {
      agent: 'codex',
      keys: { CODEX_API_KEY: key },
      request: { maxTurns: 5 },
    });
    expect(result.kind).toBe('max_turns');
    expect(result.turns).toBeGreaterThanOrEqual(5);
  });

  test('dollars are counted by the price table', async () => {
    const request = { model: 'm', budgetUsd: 0.05 };
    const prices = { m: { input: 1, output: 10 } };
    const keys = { CODEX_API_KEY: key };
    const { result, agent } = await run('speaks-codex.mjs', {
      agent: 'codex',
      request,
      keys,
      options: { prices },
    });
    expect(result).toMatchObject({ kind: 'budget', sessionId: 'thread-1' });
    expect(agent.version).toBe('speaks-codex 1.2.3');
    expect(result.costUsd).toBeGreaterThanOrEqual(0.05);
  });
});

test('what it leaves behind is ended, also in a session of its own or without its environment', async () => {
  const { result, process } = await run('leaves-daemons.mjs');
  const pids = (/left (\d+) (\d+)/.exec(result.text) ?? []).slice(1).map(Number);
  expect(result.kind).toBe('ok');
  expect(pids).toHaveLength(2);
  expect(process?.swept).toBe(2);
  expect(pids.filter(isAlive)).toEqual([]);
});

test('keys reach neither log nor terminal nor result, and escape sequences no terminal', async () => {
  const { result, lines, log } = await run('leaks.mjs', {
    options: leaking(),
  });
  expect(result.text).toContain('the key is [redacted] and');
  expect(log).toContain('the key is [redacted] and');
  expect(lines).toEqual(['the key is [redacted] and red', ': :set-output name=x::y']);
  expect(JSON.stringify([result, lines, log])).not.toContain(key);
});

function leaking(): Partial<RunAgentOptions> {
  const adapter = agentNamed('mine', { command: [join(fixtures, 'leaks.mjs')] });
  const home = join(folder, 'home');
  const caller = { PATH: process.env['PATH'], ANTHROPIC_API_KEY: key };
  return { environment: agentEnvironment({ caller, adapter, home, allow: ['ANTHROPIC_API_KEY'] }) };
}
