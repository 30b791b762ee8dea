import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { agentEnvironment } from '../../src/agents/agent-environment.ts';
import { agentNamed, agentNames } from '../../src/agents/agent-named.ts';
import { exitCode } from '../../src/core/errors.ts';

const forbidden = [
  'GITHUB_TOKEN',
  'GH_TOKEN',
  'GITHUB_PAT',
  'GITLAB_TOKEN',
  'GITHUB_APP_TOKEN',
  'GZA_TOKEN',
  'CI_JOB_TOKEN',
  'ACTIONS_RUNTIME_TOKEN',
  'SSH_AUTH_SOCK',
  'GIT_ASKPASS',
  'GIT_DIR',
  'GIT_CONFIG_PARAMETERS',
];
const caller = {
  PATH: '/usr/bin:/bin',
  LANG: 'C.UTF-8',
  LC_ALL: 'C',
  https_proxy: 'http://me:proxy-password@proxy:8080',
  ANTHROPIC_API_KEY: 'anthropic-key',
  OPENAI_API_KEY: 'openai-key',
  COPILOT_GITHUB_TOKEN: 'copilot-token',
  AWS_SECRET_ACCESS_KEY: 'aws',
  DATABASE_URL: 'db',
  NODE_OPTIONS: '--require evil',
  HOME: '/home/me',
  ...Object.fromEntries(forbidden.map((name) => [name, `value of ${name}`])),
};

const build = (agent: string, allow?: string[]) =>
  agentEnvironment({
    caller,
    adapter: agentNamed(agent),
    home: '/run/home',
    allow,
    taskId: 'task-1',
    spool: '/spool',
  });

test.each(agentNames)('%s gets what it needs and nothing that lets it act for somebody', (agent) => {
  const { env } = build(agent, [...forbidden]);
  expect(env).toMatchObject({
    HOME: '/run/home',
    GZA_AGENT: agent,
    GZA_TASK: 'task-1',
    GZA_SPOOL: '/spool',
    LC_ALL: 'C',
  });
  const values = Object.values(env);
  for (const name of forbidden) expect(values).not.toContain(`value of ${name}`);
  for (const name of ['AWS_SECRET_ACCESS_KEY', 'DATABASE_URL', 'NODE_OPTIONS'])
    expect(env).not.toHaveProperty(name);
});

test('each agent gets its own key, others only when they are allowed by name', () => {
  expect(build('claude').keys).toEqual({ ANTHROPIC_API_KEY: 'anthropic-key' });
  expect(build('codex').keys).toEqual({ OPENAI_API_KEY: 'openai-key' });
  expect(build('copilot').keys).toEqual({});
  expect(build('copilot', ['COPILOT_GITHUB_TOKEN']).keys).toEqual({ COPILOT_GITHUB_TOKEN: 'copilot-token' });
  expect(build('claude', ['DATABASE_URL']).env).toHaveProperty('DATABASE_URL', 'db');
});

test('what was allowed in vain is named, and what must not be seen is known', () => {
  const { refused, secrets } = build('claude', ['GITHUB_TOKEN', 'DATABASE_URL']);
  expect(refused).toEqual(['GITHUB_TOKEN']);
  expect(secrets).toEqual(expect.arrayContaining(['anthropic-key', 'proxy-password']));
});

test('what a program of this user may find beside the agent is a secret too, and what only is called so is none', () => {
  const { secrets, keys, env } = agentEnvironment({
    caller: {
      NPM_TOKEN: 'npm-tok-0123456789',
      DEPLOY_KEY: '-----BEGIN KEY-----\nMIIEowIBAAKCAQEA1234567890\n-----END KEY-----\n',
      GZA_AGENT_ENV: '\n XAI_API_KEY=xai-0123456789ab\nOPENAI_API_KEY=of-lines-0123\r\nno line\n=x\n',
      OPENAI_API_KEY: '',
      XAUTHORITY: '/home/me/.Xauthority-0123',
      AUTH_URL: 'https://login.example.com/v2',
      TOKEN_MODE: 'development',
      AUTH_PORT: '8080808080808080',
    },
    adapter: agentNamed('codex'),
    home: '/run/home',
    allow: ['GZA_AGENT_ENV'],
  });
  expect(keys).toEqual({ OPENAI_API_KEY: 'of-lines-0123' });
  expect(Object.values(env)).not.toContain('xai-0123456789ab');
  expect([...secrets].sort()).toEqual([
    'MIIEowIBAAKCAQEA1234567890',
    'npm-tok-0123456789',
    'of-lines-0123',
    'xai-0123456789ab',
  ]);
});

test('git works inside, with an identity, without anyone’s settings or credentials', () => {
  const home = mkdtempSync(join(tmpdir(), 'gza-environment-'));
  try {
    const { env } = agentEnvironment({
      caller: { PATH: process.env['PATH'] },
      adapter: agentNamed('claude'),
      home,
    });
    const git = (...args: string[]) => execFileSync('git', args, { cwd: home, env, encoding: 'utf8' });
    git('init', '-q');
    git('config', 'credential.helper', 'store');
    git('commit', '-q', '--allow-empty', '-m', 'x');
    expect(git('log', '-1', '--format=%an <%ae>')).toBe('gza agent <agent@gza.invalid>\n');
    // The empty one, read last, takes out those before it.
    expect(git('config', '--get-all', 'credential.helper')).toBe('store\n\n');
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});

test('an agent that nobody knows is refused with the names that are known', () => {
  const refused = (() => {
    try {
      return agentNamed('claud');
    } catch (error) {
      return error;
    }
  })();
  expect(exitCode(refused)).toBe(2);
  expect(String(refused)).toContain('claude, codex, opencode, gemini, copilot');
});
