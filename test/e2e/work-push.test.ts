import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { type Github, startGithub } from '../github/github.ts';
import { brokenInvariants } from '../github/invariants.ts';
import { start } from './cli.ts';
import { openWorkshop, type Workshop } from './workshop.ts';

let github: Github;
afterEach(() => github?.close());

const agents = {
  x: `env >> "$D/env"
case $GZA_STEP in
  implement) printf 'one\\ntwo\\n' > a.txt; echo done ;;
  improve) printf 'one\\nthree\\n' > a.txt; echo done ;;
  review) grep -q three a.txt && verdict APPROVED || verdict CHANGES_REQUESTED "two is wrong" ;;
esac`,
};
const tasks =
  'tasks:\n  - { id: a, type: implement, title: Count, prompt: Count to three., auto_review: true }\n';

/** The fake GitHub answers in this process, so nothing that asks it may block. */
async function push(shop: Workshop, ...args: string[]): Promise<void> {
  const ran = await start(['git', 'push', '--quiet', ...args], { cwd: shop.repo, env: shop.env });
  expect(ran).toMatchObject({ code: 0 });
}

async function publish(shop: Workshop): Promise<string> {
  const token = github.token({ kind: 'user', login: 'walter' });
  shop.git('remote', 'add', 'origin', github.urlFor(token));
  await push(shop, '--force', 'origin', 'main');
  return token;
}

test('--push makes the pull request that the workflow would make, and again nothing that is there', async () => {
  github = await startGithub();
  await using shop = openWorkshop({ tasks, agents });
  const token = await publish(shop);
  const env = { GH_TOKEN: token, GITHUB_API_URL: github.apiUrl };
  const ran = await shop.gza(['work', '--all', '--push'], { env });
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  const pull = github.state.issues.find((one) => one.pull);
  expect(ran.stdout).toContain(`✓ pushed gza/a: pull request #${pull?.number} http`);
  expect(pull).toMatchObject({
    title: 'Count',
    author: 'walter',
    labels: ['gza', 'gza: approved'],
    pull: { draft: false, base: 'main', head: { ref: 'gza/a', sha: shop.git('rev-parse', 'gza/a') } },
  });
  expect(pull?.body).toContain('| 2 | APPROVED | none | x |');
  expect(github.state.reviews.map(({ body }) => /Verdict: \w+/.exec(body)?.[0])).toEqual([
    'Verdict: CHANGES_REQUESTED',
    'Verdict: APPROVED',
  ]);
  expect(github.state.reviewComments.map(({ path, line }) => `${path}:${line}`)).toEqual(['a.txt:1']);
  expect(github.state.statuses).toEqual([]);
  expect(readFileSync(join(shop.dir, 'env'), 'utf8')).not.toContain(token);
  expect(ran.stdout).not.toContain(token);
  expect(await github.data.git.text(['show', 'refs/tasks/gza/a:tasks.jsonl'])).toContain('"APPROVED"');

  const before = github.counts().creates;
  const again = await shop.gza(['work', '--all', '--push'], { env });
  expect(again.stdout).toContain(`pull request #${pull?.number}`);
  expect(github.counts().creates).toBe(before);
  const asked = await shop.gza(['rebase', 'a']);
  expect(asked.stdout).toBe('a: the next pick puts gza/a on its base\n');
  expect(shop.git('show', 'refs/tasks/main:ledger.json')).toContain('"rebase:gza/a"');
  expect(await brokenInvariants(github)).toEqual([]);
});

test('what a person opened stays theirs, what the host refuses is told, and the work is shared all the same', async () => {
  github = await startGithub();
  const plain = (id: string) => `  - { id: ${id}, type: implement, title: Task ${id}, prompt: Do it. }\n`;
  await using shop = openWorkshop({
    tasks: `tasks:\n${plain('a')}${plain('b')}`,
    agents: { x: 'echo $GZA_TASK > $GZA_TASK.txt; echo done' },
  });
  const token = await publish(shop);
  const without = await shop.gza(['work', 'a', '--push'], { env: { GITHUB_API_URL: github.apiUrl } });
  expect(without.stdout).toContain('no pull request was opened for gza/a: there is no token');
  await github.as('walter').openPull('gza/a', { title: 'Mine', body: 'By hand.' });

  const denied = { operation: 'pulls/create' } as const;
  // After the step, when the task ends, and at the end of the run.
  const effect = { kind: 'answer', answer: { status: 403, body: {} } } as const;
  github.faults.add({ match: denied, times: 3, effect });
  const env = { GITHUB_TOKEN: token, GITHUB_API_URL: github.apiUrl };
  const ran = await shop.gza(['work', 'b', '--push'], { env });
  expect(ran.code).toBe(0);
  const mine = github.state.issues.find((one) => one.pull?.head.ref === 'gza/a');
  expect(mine).toMatchObject({ title: 'Mine', body: expect.stringMatching(/^By hand\.\n\n<!-- gza:begin/) });
  expect(ran.stdout).toContain('✗ gza/b was pushed, its pull request is not as it should be: ');
  expect(await github.data.commit('gza/b')).toBe(shop.git('rev-parse', 'gza/b'));
  await shop.gza(['work', '--all', '--push'], { env });
  const pulls = () => github.state.issues.filter((one) => one.pull?.head.ref === 'gza/b' && !one.pull.draft);
  expect(pulls()).toHaveLength(1);

  // What GitHub closes along with its base is nobody's wish.
  await github.commit({ branch: 'next', files: { 'next.txt': 'next\n' } });
  await github.as('walter').request('PATCH', `/pulls/${pulls()[0]?.number}`, { base: 'next' });
  await github.as('walter').request('DELETE', '/git/refs/heads/next');
  await shop.gza(['work', '--all', '--push'], { env });
  expect(pulls().map(({ state, pull }) => `${state} ${pull?.base}`)).toEqual(['closed next', 'open main']);

  const archived = 'This repository was archived so it is read-only.';
  github.faults.add({
    match: { operation: 'git/info-push' },
    // Once before git names the token, once with it.
    times: 2,
    effect: {
      kind: 'answer',
      answer: { status: 403, headers: { 'content-type': 'text/plain' }, body: archived },
    },
  });
  await shop.gza(['note', 'b', 'Kept here.']);
  expect((await shop.gza(['sync'])).stderr).toMatch(/origin is archived[\s\S]*Unarchive it/);
  for (const one of Object.values(github.state.tokens)) one.revoked = true;
  const ended = await shop.gza(['sync']);
  expect(ended).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/does not accept the token[\s\S]*ends with/),
  });
  expect(ended.stderr).not.toContain(token);
});

test('a push that takes long after a step does not make it look as if somebody had released it', async () => {
  await using shop = openWorkshop({ tasks: tasks.replace(', auto_review: true', ''), agents });
  const origin = join(shop.dir, 'origin.git');
  shop.git('init', '-q', '--bare', '-b', 'main', origin);
  // The landing alone: by then the claim is over.
  const hook = '#!/bin/sh\ngrep -q refs/heads/gza/ && sleep 3\nexit 0\n';
  writeFileSync(join(origin, 'hooks/pre-receive'), hook, { mode: 0o755 });
  shop.git('remote', 'add', 'origin', origin);
  shop.git('push', '-q', 'origin', 'main');
  const ran = await shop.gza(['work', '--all', '--push']);
  expect(shop.git('--git-dir', origin, 'rev-parse', 'gza/a')).toBe(shop.git('rev-parse', 'gza/a'));
  expect(ran.stdout + ran.stderr).not.toMatch(/released|is stopped/);
});
