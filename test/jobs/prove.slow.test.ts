/** The script that a maintainer runs against github.com, here against the offline one. */
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, expect, jest, test } from '@jest/globals';
import { type Github, startGithub } from '../github/github.ts';
import { runWorkflows } from '../github/workflow.ts';
import { buildProduct } from './product.ts';

jest.setTimeout(300_000);

const root = fileURLToPath(new URL('../../', import.meta.url));
const product = buildProduct();
let github: Github;
afterEach(() => github.close());
afterAll(() => rmSync(product, { recursive: true, force: true }));

function start(args: readonly string[], token: string) {
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: product,
    GITHUB_TOKEN: token,
    GITHUB_API_URL: github.apiUrl,
    GITHUB_SERVER_URL: github.serverUrl,
  };
  const child = spawn(process.execPath, ['prove.mjs', ...args], { cwd: root, env });
  const said: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => said.push(part));
  let code: number | null = null;
  const ended = new Promise<void>((resolve) =>
    child.on('close', (status) => {
      code = status;
      resolve();
    }),
  );
  return {
    ended,
    isOver: () => code !== null,
    code: () => code,
    said: () => Buffer.concat(said).toString('utf8'),
  };
}

test('a release is proven from push to merge, and says what it saw', async () => {
  github = await startGithub({ owner: 'acme' });
  const token = github.token({ kind: 'user', login: 'olive' });
  const proof = start(['acme/demo', '--every-ms', '50', '--minutes', '2'], token);
  while (!proof.isOver()) {
    await runWorkflows({ github, repositories: { 'gza-dev/gza': product }, inProcess: true });
    await Promise.race([proof.ended, new Promise((resolve) => setTimeout(resolve, 100))]);
  }
  expect({ code: proof.code(), said: proof.said() }).toEqual({
    code: 0,
    said: expect.stringMatching(
      /✓ after the merge the ledger of its branch is folded\n\n\d+ runs, \d+ jobs, .*\n\nProven\.\n$/,
    ),
  });
});

test('without a token or a repository it says what to type', async () => {
  github = await startGithub({ owner: 'acme' });
  for (const [args, token, said] of [
    [[], 'x', 'no repository to prove it on'],
    [['acme/demo'], '', 'GITHUB_TOKEN is not set'],
  ] as const) {
    const proof = start(args, token);
    await proof.ended;
    expect([proof.code(), proof.said()]).toEqual([2, expect.stringContaining(said)]);
  }
});
