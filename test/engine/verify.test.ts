import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { Check } from '../../src/core/checks/verification.ts';
import { failureForPrompt } from '../../src/core/text/review.ts';
import { type VerifyOptions, verify } from '../../src/engine/checks/verify.ts';

let folder = '';
let tree = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gza-verify-test-'));
  tree = join(folder, 'tree');
  mkdirSync(tree);
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const logPath = (): string => join(folder, 'logs', 'verify.log');
const log = (): string => readFileSync(logPath(), 'utf8');

function write(path: string, text = ''): void {
  mkdirSync(dirname(join(tree, path)), { recursive: true });
  writeFileSync(join(tree, path), text);
}

const limits = { timeoutMs: 30_000, idleMs: 20_000, graceMs: 300 };

const check = (some: Partial<VerifyOptions>): ReturnType<typeof verify> =>
  verify({ treeDir: tree, task: {}, commands: {}, limits, logPath: logPath(), env: process.env, ...some });

async function only(some: Partial<VerifyOptions>): Promise<Check> {
  const { checks } = await check(some);
  expect(checks).toHaveLength(1);
  return checks[0] as Check;
}

/** Commands write their process ids here. */
const pids = (): number[] => {
  const path = join(tree, 'pids');
  return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n').map(Number) : [];
};

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  // One that has ended but was not waited for yet is dead.
  const stat = `/proc/${pid}/stat`;
  return !existsSync(stat) || !/\) [ZX] /.test(readFileSync(stat, 'latin1'));
}

test('a task that names nothing has nothing to check', async () => {
  expect(await check({})).toEqual({ ok: true, checks: [] });
});

test('all files that are missing are named at once, and links are none', async () => {
  write('src/a.ts');
  writeFileSync(join(folder, 'outside.ts'), '');
  symlinkSync(join(folder, 'outside.ts'), join(tree, 'link.ts'));
  symlinkSync(folder, join(tree, 'up'));
  mkdirSync(join(tree, 'src/b.ts'));
  const files_to_create = [
    './src/a.ts',
    'src/b.ts',
    'src/c.ts',
    'link.ts',
    'up/outside.ts',
    '../outside.ts',
    '/etc/passwd',
    '.git/config',
    'src/a.ts/x',
  ];
  const { ok, reason } = await only({ task: { files_to_create } });
  expect(ok).toBe(false);
  expect(reason).toBe(
    '8 files that the task names are missing: src/b.ts is not a file, src/c.ts does not exist, link.ts is a link, ' +
      'not a file, up/outside.ts is below up, a link, ../outside.ts is outside of the work tree, ' +
      '/etc/passwd is outside of the work tree, .git/config is inside .git, which is not part of the work, ' +
      'src/a.ts/x does not exist',
  );
});

test('test files get to the command as arguments, never as code', async () => {
  const hostile = [
    'a b.ts',
    "it's.ts",
    '$(touch hacked).ts',
    '`touch hacked`',
    '-x.ts',
    ';touch hacked',
    '"; touch hacked; "',
  ];
  for (const file of hostile) write(file);
  for (const test of [`printf '%s\\n' {files}`, `printf '%s\\n' "{files}"`, ['printf', '%s\\n', '{files}']]) {
    const { checks } = await check({ task: { test_files: hostile }, commands: { test } });
    expect(checks.map(({ ok }) => ok)).toEqual([true, true]);
    expect(readdirSync(tree).sort()).toEqual([...hostile].sort());
    if (test !== `printf '%s\\n' "{files}"`) {
      expect(checks[1]?.output.split('\n')).toEqual(
        hostile.map((file) => (file.startsWith('-') ? `./${file}` : file)),
      );
    }
  }
});

test('a test file that does not exist fails, though the command is content with the others', async () => {
  write('a.test.ts');
  const task = { test_files: ['a.test.ts', 'b.test.ts', 'c/*.ts', 'd_test.py::test_x'] };
  const { ok, checks } = await check({ task, commands: { test: 'true {files}' } });
  expect(ok).toBe(false);
  expect(checks[0]?.reason).toBe('a file that the task names is missing: b.test.ts does not exist');
  expect(checks[1]?.ok).toBe(true);
});

test('test files outside of the tree are not run', async () => {
  const task = { test_files: ['../x.test.js', '/etc/passwd', '../y.py::test', 'a\0b'] };
  const { ok, checks } = await check({ task, commands: { test: 'false {files}' } });
  expect(ok).toBe(false);
  expect(checks.map(({ name }) => name)).toEqual(['files']);
});

test('test files without a test command are said loudly, and are no failure', async () => {
  const lines = await only({ task: { test_files: ['a.test.ts'] } });
  expect(lines).toMatchObject({ name: 'tests', ok: true, skipped: true });
  expect(lines.reason).toContain('gza.yaml sets no test_command');
  expect(log()).toContain('sets no test_command');
});

test('real tests are run and their results read', async () => {
  write('a.test.mjs', `import test from 'node:test'; test('adds', () => { throw new Error('no sum'); });`);
  const test = [process.execPath, '--test', '--test-reporter=tap', '{files}'];
  const { ok, checks } = await check({ task: { test_files: ['a.test.mjs'] }, commands: { test } });
  expect(ok).toBe(false);
  expect(checks[1]).toMatchObject({
    exitCode: 1,
    results: { format: 'TAP', failed: 1, failures: ['adds'] },
  });
});

test('green without a test is a failure with its own reason', async () => {
  write('a.test.mjs');
  const task = { test_files: ['a.test.mjs'] };
  const { ok, checks } = await check({ task, commands: { test: 'echo "==== no tests ran in 0.01s ===="' } });
  expect(ok).toBe(false);
  expect(checks[1]?.reason).toContain('nothing was tested');
});

test('all checks run and are logged, though one fails', async () => {
  const seen: string[] = [];
  const { ok, checks } = await check({
    commands: { verify: 'echo one && echo two >&2 && exit 4', build: 'echo built' },
    onLine: (line, name) => seen.push(`${name} ${line}`),
  });
  expect(ok).toBe(false);
  expect(checks.map(({ name, exitCode }) => [name, exitCode])).toEqual([
    ['verify', 4],
    ['build', 0],
  ]);
  expect(seen.toSorted()).toEqual(['build built', 'verify one', 'verify two']);
  expect(log()).toMatch(/# verify: echo one[\s\S]*one[\s\S]*# verify ended: exit code 4[\s\S]*built/);
});

test('a program that is not there is told with what to do', async () => {
  const words = await only({ commands: { verify: ['no-such-program', 'x'] } });
  expect(words.reason).toBe(
    'it could not be started: there is no program no-such-program on PATH. Name one that is, or install it first',
  );
  expect((await only({ commands: { verify: 'no-such-program x' } })).reason).toContain('exit code 127');
  expect((await only({ commands: { verify: [] } })).ok).toBe(false);
});

test('the environment holds no secret and a HOME of its own, which goes again', async () => {
  const env = {
    PATH: process.env['PATH'],
    HOME: '/home/me',
    LANG: 'C',
    GITHUB_TOKEN: 'x',
    ANTHROPIC_API_KEY: 'x',
    AWS_SECRET_ACCESS_KEY: 'x',
    SSH_AUTH_SOCK: 'x',
    NODE_OPTIONS: '--require x',
    HTTPS_PROXY: 'http://me:x@proxy',
    GIT_DIR: '/x',
    GIT_CONFIG_COUNT: '1',
  };
  const { output } = await only({
    env,
    commands: {
      verify: 'env; echo "HOME is $(ls -A "$HOME" | wc -l)"; mkdir -p "$HOME/a/b"; chmod 500 "$HOME/a"',
    },
  });
  const names = output.split('\n').map((line) => line.split('=')[0]);
  for (const name of [
    'GITHUB_TOKEN',
    'ANTHROPIC_API_KEY',
    'AWS_SECRET_ACCESS_KEY',
    'SSH_AUTH_SOCK',
    'NODE_OPTIONS',
    'HTTPS_PROXY',
    'GIT_DIR',
    'GZA_AGENT',
  ]) {
    expect(names).not.toContain(name);
  }
  expect(output).toMatch(/^CI=true$/m);
  expect(output).toMatch(/^HOME is 0$/m);
  const home = /^HOME=(.*)$/m.exec(output)?.[1] ?? '';
  expect(home).not.toBe('/home/me');
  expect(existsSync(home)).toBe(false);
});

test('git inside runs no hook and no file monitor that the work tree names', async () => {
  const git = (...args: string[]): Buffer => execFileSync('git', args, { cwd: tree });
  git('init', '-q');
  write('.git/hooks/pre-commit', '#!/bin/sh\ntouch hacked\n');
  write('evil', '#!/bin/sh\ntouch hacked\n');
  execFileSync('chmod', ['+x', join(tree, '.git/hooks/pre-commit'), join(tree, 'evil')]);
  git('config', 'core.fsmonitor', join(tree, 'evil'));
  const verify = 'git status --short && git add evil && git commit -qm x && git log --format=%an';
  const { ok, output } = await only({ commands: { verify } });
  expect({ ok, last: output.split('\n').at(-1) }).toEqual({ ok: true, last: 'gza agent' });
  expect(readdirSync(tree)).toEqual(['.git', 'evil']);
});

const brood =
  'echo $$ >> pids; (trap "" TERM; sh -c "echo \\$\\$ >> pids; sleep 60") & setsid sh -c "echo \\$\\$ >> pids; sleep 60" & ';

test('a command that hangs is ended with all it started, and the checks after it are not begun', async () => {
  const { ok, checks } = await check({
    commands: { verify: `${brood} sleep 60`, build: 'echo built' },
    limits: { timeoutMs: 700, idleMs: 20_000, graceMs: 200 },
  });
  expect(ok).toBe(false);
  expect(checks[0]).toMatchObject({ timedOut: true, endedBy: 'timeout', ok: false });
  expect(checks[1]).toMatchObject({ skipped: true, ok: false });
  expect(pids()).toHaveLength(3);
  expect(pids().filter(isAlive)).toEqual([]);
});

test('a command that is silent is ended', async () => {
  const quiet = await only({
    commands: { verify: 'echo hello; sleep 60' },
    limits: { timeoutMs: 30_000, idleMs: 500, graceMs: 200 },
  });
  expect(quiet).toMatchObject({ endedBy: 'idle', timedOut: true, output: 'hello' });
});

test('what a command leaves behind when it ends is ended too', async () => {
  const left = await only({ commands: { verify: `${brood} sleep 0.3` } });
  expect(left.ok).toBe(true);
  expect(pids()).toHaveLength(3);
  expect(pids().filter(isAlive)).toEqual([]);
});

test('of a flood the beginning and the end are kept', async () => {
  const { ok, output } = await only({
    commands: { verify: `echo first; yes 0123456789 | head -c 6000000; echo; echo "Tests: all"; echo last` },
  });
  expect(ok).toBe(true);
  expect(output.startsWith('first\n')).toBe(true);
  expect(output.endsWith('last')).toBe(true);
  expect(output.length).toBeLessThan(13_000);
});

test('a flood without end is ended', async () => {
  const flood = await only({ commands: { verify: 'yes' }, limits: { ...limits, outputBytesMax: 1 << 20 } });
  expect(flood).toMatchObject({ endedBy: 'output_limit', ok: false });
});

test('a person can stop it, and what comes after is not begun', async () => {
  const stop = new AbortController();
  const { checks } = await check({
    commands: { verify: 'echo started; sleep 60', build: 'echo built' },
    signal: stop.signal,
    onLine: () => stop.abort(),
  });
  expect(checks.map(({ endedBy, skipped }) => [endedBy, skipped])).toEqual([
    ['cancelled', undefined],
    ['cancelled', true],
  ]);
});

test('a tree that is gone is a broken world', async () => {
  await expect(check({ treeDir: join(folder, 'gone') })).rejects.toThrow(
    'the work tree to check is not there',
  );
});

test('what the checks need is set up before them in the same tree, once, without keys; nothing to check needs nothing', async () => {
  const env = { ...process.env, ANTHROPIC_API_KEY: 'x' };
  const setup = 'echo "$HOME" > home && echo "1 failed" && test -z "$ANTHROPIC_API_KEY" && echo x >> ran';
  expect(await check({ env, commands: { setup } })).toEqual({ ok: true, checks: [] });
  expect(existsSync(join(tree, 'ran'))).toBe(false);
  write('a.test.ts');
  const { ok, checks } = await check({
    env,
    task: { test_files: ['a.test.ts'] },
    commands: {
      setup,
      test: 'echo {files} && test -e ran',
      verify: 'test "$(cat ran)" = x && test "$(cat home)" = "$HOME"',
      build: 'true',
    },
  });
  expect({ ok, names: checks.map(({ name }) => name), checks }).toMatchObject({
    ok: true,
    names: ['files', 'setup', 'tests', 'verify', 'build'],
  });
});

test('where setting up fails, no check is run, and that is the reason', async () => {
  const { ok, checks } = await check({
    commands: { setup: 'exit 3', verify: 'touch ran', build: 'touch ran' },
  });
  expect([ok, existsSync(join(tree, 'ran'))]).toEqual([false, false]);
  expect(checks.map(({ name, skipped, reason }) => [name, skipped ?? false, reason])).toEqual([
    ['setup', false, 'it ended with exit code 3'],
    ['verify', true, '`setup` of gza.yaml failed before it'],
    ['build', true, '`setup` of gza.yaml failed before it'],
  ]);
  expect(failureForPrompt({ ok, checks })).toContain('### Failed: the setup command');
});
