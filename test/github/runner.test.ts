import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { type Github, startGithub } from './github.ts';
import { brokenInvariants } from './invariants.ts';
import { runAction } from './runner.ts';
import { parseKeyValues } from './step-files.ts';
import { readZip, writeZip } from './zip.ts';

let github: Github;
let folder: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'fake-action-'));
  github = await startGithub();
});
afterEach(async () => {
  rmSync(folder, { recursive: true, force: true });
  await github.close();
});

/** Runs a few lines of JavaScript as if they were a built action. */
function run(code: string, options: Partial<Parameters<typeof runAction>[0]> = {}) {
  const entry = join(folder, 'index.mjs');
  writeFileSync(entry, `import { appendFileSync as add } from 'node:fs';\nconst env = process.env;\n${code}`);
  return runAction({ github, entry, job: { workspace: folder, temp: folder }, ...options });
}

test('inputs have the runner’s names, and nothing of the caller’s environment is there', async () => {
  process.env['OF_THE_CALLER'] = 'x';
  const result = await run(
    `console.log(env['INPUT_NUM-OCTOCATS'], env.INPUT_WITH_SPACE, env.OF_THE_CALLER, env.GITHUB_REPOSITORY, env.NODE_OPTIONS)`,
    { inputs: { 'num-octocats': '3', 'with space': 'y' } },
  );
  delete process.env['OF_THE_CALLER'];
  expect(result).toMatchObject({ exitCode: 0, log: '3 y undefined olive/demo undefined' });
});

test('outputs of several lines are read, masks and annotations are told, what is too large is an error', async () => {
  const result = await run(`
    add(env.GITHUB_OUTPUT, 'a<<X\\none\\ntwo\\nX\\nb=2\\nsecret=hidden-value\\n');
    add(env.GITHUB_STEP_SUMMARY, 'x'.repeat(1024 * 1024 + 1));
    console.log('::add-mask::hidden-value'); console.log('it is hidden-value');
    console.log('::error title=Bad%2C really::line%0Atwo'); process.exitCode = 1;`);
  expect(result).toMatchObject({
    exitCode: 1,
    outputs: { a: 'one\ntwo', b: '2' },
    maskedOutputs: ['secret'],
    summary: '',
  });
  expect(result.log).toContain('it is ***');
  expect(result.annotations[0]).toEqual({ level: 'error', title: 'Bad, really', message: 'line\ntwo' });
  expect(result.errors).toEqual([
    '$GITHUB_STEP_SUMMARY upload aborted, supports content up to a size of 1024k, got 1025k.',
  ]);
  expect(() => parseKeyValues('a<<X\nno end')).toThrow("Matching delimiter not found 'X'");
});

test('a child of a killed action dies with it', async () => {
  const code = `
    const { spawn } = await import('node:child_process');
    spawn('sleep', ['100'], { stdio: 'inherit' });
    await fetch(env.GITHUB_API_URL + '/rate_limit', { headers: { 'x-github-api-version': '2022-11-28', authorization: 'Bearer ${github.token({})}' } });
    await new Promise((resolve) => setTimeout(resolve, 60_000));`;
  // The child holds the output open: this would wait for it, were it alive.
  const result = await run(code, { kill: { request: 1, phase: 'after' } });
  expect(result.exitCode).toBe(-1);
});

test('a zip that was written is read back', () => {
  const entries = [
    { name: 'a/ü.txt', data: Buffer.from('text'.repeat(100)) },
    { name: 'empty', data: Buffer.alloc(0) },
  ];
  expect(readZip(writeZip(entries))).toEqual(entries);
});

test('invariants see a lost commit, words said twice, a second pull request, a token for all to read', async () => {
  expect(await brokenInvariants(github)).toEqual([]);
  const sha = await github.commit({ branch: 'work', files: { a: 'a' } });
  github.state.pushes.push({ ref: 'refs/heads/work', old: '0'.repeat(40), new: sha, login: 'olive', at: 0 });
  const secret = github.token({});
  const send = (path: string, body: unknown) =>
    fetch(`${github.apiUrl}/repos/olive/demo${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'x-github-api-version': '2022-11-28' },
      body: JSON.stringify(body),
    });
  await send('/pulls', { title: 't', head: 'work', base: 'main' });
  expect(await brokenInvariants(github)).toEqual([]);
  for (let at = 0; at < 2; at += 1) await send('/issues/1/comments', { body: `twice ${secret}` });
  await github.commit({ branch: 'other', files: {} });
  await send('/pulls', { title: 't', head: 'work', base: 'other' });
  for (const ref of ['refs/heads/work', 'refs/pull/1/head', 'refs/pull/2/head'])
    await github.data.git.text(['update-ref', '-d', ref]);
  expect((await brokenInvariants(github)).map((text) => text.split(' ').slice(0, 2).join(' '))).toEqual([
    `commit ${sha},`,
    'work has',
    'said twice:',
    'a token',
  ]);
});
