/** The set-up of docs/github.md, typed by somebody whose name is not ours. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, expect, jest, test } from '@jest/globals';
import { home } from '../../src/core/text/doctor/home.ts';
import { blocksIn, fileOf } from '../docs/blocks.ts';
import { Session, typedIn } from '../docs/session.ts';
import { cliFile, executable, openSandbox, root, type Sandbox, start } from '../e2e/cli.ts';
import { type Github, startGithub } from '../github/github.ts';
import { brokenInvariants } from '../github/invariants.ts';
import { isPull } from '../github/state.ts';
import { runWorkflows } from '../github/workflow.ts';
import { buildProduct } from './product.ts';

jest.setTimeout(600_000);

let github: Github;
const product = buildProduct();
const tools = mkdtempSync(join(tmpdir(), 'gza-tools-'));
afterEach(() => github.close());
afterAll(() => {
  for (const folder of [product, tools]) rmSync(folder, { recursive: true, force: true });
});

const [, text = ''] = readFileSync(join(root, 'docs/github.md'), 'utf8').split(/^## Five minutes$/m);
const section = text.split(/^## /m)[0] ?? '';

/** Written as the real one writes, by a program that nobody pays for. */
const claude = `#!${process.execPath}
const { readFileSync, writeFileSync } = require('node:fs');
if (process.argv[2] === '--version') return console.log('2.1.326 (Claude Code)');
if (!process.env.ANTHROPIC_API_KEY) process.exit(1);
const [, nonce] = /"nonce": "(\\w+)"/.exec(readFileSync(0, 'utf8')) ?? [];
const isReview = process.env.GZA_STEP === 'review';
if (!isReview) writeFileSync('CONTRIBUTING.md', '# How to contribute\\n\\nAsk first.\\n');
const verdict = '\`\`\`json\\n{"verdict": "APPROVED", "findings": []}\\n\`\`\`\\n\\nVerdict: APPROVED\\n\\nNonce: ' + nonce;
const said = { result: isReview ? verdict : 'Wrote it.', session_id: 's', num_turns: 1, total_cost_usd: 0.01 };
console.log(JSON.stringify({ type: 'system', subtype: 'init', session_id: 's', model: 'm', tools: [] }));
console.log(JSON.stringify({ type: 'result', subtype: 'success', is_error: false, usage: {}, ...said }));
`;

/** Installs what \`setup\` names. */
function writeNpm(): void {
  const installs = `[ "$1 $2" = "install --global" ] || exit 2
case "$3" in @anthropic-ai/claude-code@*) ;; *) exit 3 ;; esac
cp "\${0%/*}/claude.cjs" "\${0%/*}/claude"; chmod +x "\${0%/*}/claude"`;
  writeFileSync(join(tools, 'claude.cjs'), claude);
  writeFileSync(join(tools, 'npm'), `#!/bin/sh\n${installs}\n`, { mode: 0o755 });
}

/** Not as `git` of the sandbox, which waits: the server is in this process. */
async function remotely(box: Sandbox, ...args: string[]): Promise<void> {
  expect(await start(['git', ...args], { cwd: box.repo, env: box.env })).toMatchObject({ code: 0 });
}

/** A clone whose origin is on github.com, as far as it knows. */
async function openClone(): Promise<Sandbox> {
  const box = openSandbox();
  const token = github.token({ kind: 'user', login: 'olive' });
  executable(box.dir, 'gza', `#!${process.execPath}\nrequire(${JSON.stringify(cliFile)});\n`);
  executable(box.dir, 'gh', `#!/bin/sh\necho ${token}\n`);
  const server = github.urlFor(token).replace(/acme\/demo\.git$/, '');
  box.git('config', `url.${server}.insteadOf`, 'https://github.com/');
  box.git('remote', 'add', 'origin', 'https://github.com/acme/demo.git');
  await remotely(box, 'fetch', '--quiet', 'origin');
  box.git('reset', '--quiet', '--hard', 'origin/main');
  const { apiUrl, graphqlUrl } = github;
  return { ...box, env: { ...box.env, GITHUB_API_URL: apiUrl, GITHUB_GRAPHQL_URL: graphqlUrl } };
}

/** What is wrong with what the page shows. */
async function typePage(session: Session): Promise<string[]> {
  const wrong: string[] = [];
  for (const block of blocksIn(section)) {
    const file = fileOf(block);
    if (file !== undefined) {
      mkdirSync(dirname(join(session.folder, file)), { recursive: true });
      writeFileSync(join(session.folder, file), block.text);
    }
    if (block.language !== 'console') continue;
    for (const one of typedIn(block.text)) wrong.push((await session.check(one, undefined, false)) ?? '');
  }
  return wrong.filter(Boolean);
}

test('what the page says is typed in a repository of another owner, and the first pull request is approved', async () => {
  writeNpm();
  expect(home.repository.startsWith('acme/')).toBe(false);
  github = await startGithub({ owner: 'acme', settings: { actionsMayOpenPulls: false } });
  await using box = await openClone();
  const session = new Session(box);
  expect((await typePage(session)).join('\n')).toBe('');

  // Steps 2 and 3, and the example that step 1 says to delete.
  expect(section).toContain('**Allow GitHub Actions to create and approve pull requests**');
  Object.assign(github.state.settings, { actionsMayOpenPulls: true, secrets: ['ANTHROPIC_API_KEY'] });
  rmSync(join(box.repo, 'tasks/example.yml'));
  box.git('add', '--all');
  box.git('commit', '--quiet', '--message', 'Let gza work here');
  await remotely(box, 'push', '--quiet', 'origin', 'HEAD:main');
  const [, doctor = ''] = /`(GH_TOKEN=[^`]+)`/.exec(section) ?? [];
  const asked = { command: doctor, printed: ['…'] };
  const enabled = { status: 200, body: { enabled: true, allowed_actions: 'all' } };
  github.faults.add({
    match: { path: /\/actions\/permissions$/ },
    effect: { kind: 'answer', answer: enabled },
  });
  expect(await session.check(asked, undefined, false)).toBe(null);

  const report = await runWorkflows({
    github,
    repositories: { [home.repository]: product },
    secrets: { ANTHROPIC_API_KEY: 'the-key' },
    path: tools,
  });
  const said = report.transcript();
  const { issues } = github.state;
  const pulls = issues.filter(isPull).map(({ title, labels, pull }) => [title, pull.draft, labels]);
  expect({ ended: new Set(report.runs.map(({ conclusion }) => conclusion)), pulls, said }).toEqual({
    ended: new Set(['success']),
    pulls: [['Say how to contribute', false, ['gza', 'gza: approved']]],
    said,
  });
  expect(issues.filter((one) => !isPull(one)).map(({ title }) => title)).toEqual(['gza: task board']);
  const lanes = report.jobs.filter(({ name }) => /\/ (agent|review)/.test(name));
  expect(lanes.map(({ secrets }) => secrets.join())).toEqual(['ANTHROPIC_API_KEY', 'ANTHROPIC_API_KEY']);
  expect(await brokenInvariants(github)).toEqual([]);
});
