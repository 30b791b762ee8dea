import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import type { Ports } from '../../src/app/command.ts';
import { command } from '../../src/commands/setup/init.ts';
import { parseConfig } from '../../src/core/config/parse-config.ts';
import { callerPath } from '../../src/core/text/doctor/caller-workflow.ts';
import { home } from '../../src/core/text/doctor/home.ts';
import { plain } from '../../src/core/text/terminal/lines.ts';
import { diagnose } from '../github/official-parser.ts';

let dir: string;
beforeEach(() => void (dir = mkdtempSync(join(tmpdir(), 'gza-init-'))));
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const person = ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.com'];
const git = (...args: string[]) => execFileSync('git', [...person, ...args], { cwd: dir, stdio: 'pipe' });

async function init(
  folder: string,
  options: Record<string, string | boolean | string[]> = {},
  more: Partial<Ports> = {},
): Promise<string> {
  const ports: Ports = {
    cwd: join(dir, folder),
    env: {},
    now: () => '2026-11-18T00:00:00Z',
    random: () => '0',
    program: 'gza',
    stdin: async () => null,
    style: plain,
    columns: null,
    progress: () => {},
    signal: new AbortController().signal,
    ...more,
  };
  return (await command.run({ args: [], options }, ports)).text;
}

const read = (folder: string, path: string) => readFileSync(join(dir, folder, path), 'utf8');

interface Caller {
  readonly on: { readonly push: { readonly branches: readonly string[] } };
  readonly jobs: { readonly gza: { readonly uses: string; readonly with: { readonly setup: string } } };
}

const callerIn = (folder: string) => parse(read(folder, callerPath)) as Caller;

/** A remote with the branches main and trunk, which names trunk as its default. */
function makeRemote(): void {
  git('init', '-q', '-b', 'trunk', 'first');
  git('-C', 'first', 'commit', '-q', '--allow-empty', '-m', 'Begin');
  git('-C', 'first', 'branch', 'main');
  git('clone', '-q', '--bare', 'first', 'hub.git');
}

const places: [string, () => void, string, RegExp][] = [
  [
    'a clone on a feature branch',
    () => {
      makeRemote();
      git('clone', '-q', 'hub.git', 'work');
      git('-C', 'work', 'switch', '-q', '-c', 'feature/x');
    },
    'trunk',
    /pushes to trunk: the default branch of origin\. You are on feature\/x; nothing runs before the workflow is on trunk\./,
  ],
  [
    'a repository that was made here and has a remote since',
    () => {
      makeRemote();
      git('clone', '-q', 'hub.git', 'work');
      git('-C', 'work', 'remote', 'set-head', 'origin', '--delete');
      git('-C', 'work', 'switch', '-q', 'main');
    },
    'trunk',
    /the default branch of origin/,
  ],
  [
    'a repository whose remote does not answer',
    () => {
      git('init', '-q', '-b', 'main', 'work');
      git('-C', 'work', 'commit', '-q', '--allow-empty', '-m', 'Begin');
      git('-C', 'work', 'remote', 'add', 'origin', join(dir, 'gone.git'));
      git('-C', 'work', 'switch', '-q', '-c', 'feature');
    },
    'main',
    /pushes to main: the default branch by its name.*You are on feature;/,
  ],
  [
    'a new repository',
    () => git('init', '-q', '-b', 'develop', 'work'),
    'develop',
    /pushes to develop: the current branch, as nothing says which/,
  ],
];

test.each(places)(
  'in %s the workflow listens to the default branch, and init says which it takes',
  async (...[, make, branch, says]) => {
    make();
    const text = await init('work', { github: true });
    expect([callerIn('work').on.push.branches, text]).toEqual([[branch], expect.stringMatching(says)]);
  },
);

test('--from says whose gza is called, and a mistake in it writes nothing', async () => {
  git('init', '-q', '-b', 'main', 'work');
  const wrong: [Record<string, string | boolean>, string][] = [
    [{ from: 'acme/gza@v2' }, '--from says whose gza the workflow calls: it goes with --github'],
    [{ github: true, from: 'acme/gza' }, '--from "acme/gza" is not owner/name@ref'],
    [{ github: true, from: 'acme/gza@' }, '--from "acme/gza@" is not owner/name@ref'],
    [{ github: true, from: 'gza@v1' }, '--from "gza@v1" is not owner/name@ref'],
    [{ github: true, from: 'https://github.com/acme/gza@v1' }, 'is not owner/name@ref'],
    [{ github: true, from: 'acme/gza@a..b' }, '--from "acme/gza@a..b" has two dots in a row'],
    [{ github: true, from: 'acme/gza@v1 # x' }, '--from "acme/gza@v1 # x" has " "'],
  ];
  for (const [options, message] of wrong)
    await expect(init('work', options)).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining(message),
    });
  expect(() => read('work', 'gza.yaml')).toThrow('ENOENT');
  await init('work', { github: true, from: 'acme/gza@v2' });
  expect(callerIn('work').jobs.gza.uses).toBe('acme/gza/.github/workflows/gza.yml@v2');
  expect(read('work', callerPath)).not.toContain(home.repository);
  const again = await init('work', { github: true, from: 'acme/gza@v3' });
  expect(again).toContain(`${callerPath} was there and is left as it is, so --from has no effect.`);
});

test('what the project installs and tests with stands in gza.yaml, a missing tool in the workflow, and init says it', async () => {
  git('init', '-q', '-b', 'main', 'work');
  writeFileSync(join(dir, 'work', 'package.json'), '{"scripts":{"test":"vitest"}}');
  writeFileSync(join(dir, 'work', 'pnpm-lock.yaml'), '');
  const text = await init('work', { github: true });
  const { config } = parseConfig({ gza: read('work', 'gza.yaml') });
  expect([config.setup, config.defaults.verify]).toEqual(['pnpm install --frozen-lockfile', 'pnpm test']);
  expect(callerIn('work').jobs.gza.with.setup).toMatch(/^npm install --global \S+ && corepack enable$/);
  expect(text).toContain(
    'After every task gza runs `pnpm install --frozen-lockfile`, then `pnpm test` in a fresh checkout.',
  );
  expect(text).toContain(
    'tasks/example.yml is a real task: it runs as soon as it is pushed to main. Edit or delete it first.',
  );
});

test('where nothing is plain to see, init says what is missing; tasks of a team are not told of an example', async () => {
  git('init', '-q', '-b', 'main', 'work');
  mkdirSync(join(dir, 'work', 'tasks'));
  const text = await init('work');
  expect(text).toContain('gza.yaml names no command that checks the work: set `verify`');
  expect(text).not.toContain('example.yml');
  expect(parseConfig({ gza: read('work', 'gza.yaml') })).toMatchObject({ problems: [], config: {} });
});

const sha = '0123456789abcdef0123456789abcdef01234567';
const inlinePaths = ['jobs', 'lane', 'agent', 'verify', 'land'].map(
  (name) => `.github/workflows/gza.${name}.yml`,
);

test('--inline writes the whole workflow: what is shipped, every action by its commit, called from beside it', async () => {
  git('init', '-q', '-b', 'main', 'work');
  await init('work', { github: true, inline: true, from: `acme/gza@${sha}` });
  expect(callerIn('work').jobs.gza.uses).toBe('./.github/workflows/gza.jobs.yml');
  const texts = inlinePaths.map((path) => read('work', path));
  for (const [at, text] of texts.entries()) {
    expect(await diagnose(inlinePaths[at] ?? '', text)).toEqual([]);
    expect(text).not.toContain('$/');
    const used = [...text.matchAll(/^\s*(?:- )?uses: (\S+)/gm)].map(([, name = '']) => name);
    expect(used.filter((name) => !name.startsWith('./') && !/@[0-9a-f]{40}$/.test(name))).toEqual([]);
  }
  expect(texts[0]).toContain('uses: ./.github/workflows/gza.lane.yml');
  expect(texts[1]).toContain(`uses: acme/gza/action@${sha}`);

  // Written anew, also when nobody says again that it is inline; a caller that holds what people chose stays.
  writeFileSync(join(dir, 'work', inlinePaths[1] ?? ''), 'name: old\n');
  const chosen = read('work', callerPath).replace('    secrets:', '    # ours\n    secrets:');
  writeFileSync(join(dir, 'work', callerPath), chosen);
  const text = await init('work', { github: true, update: true, from: `acme/gza@${sha}` });
  expect(text).toContain('updated   .github/workflows/gza.lane.yml');
  expect(inlinePaths.map((path) => read('work', path))).toEqual(texts);
  expect(read('work', callerPath)).toBe(chosen);
});

test('--inline asks which commit a tag is, and says what to do where nobody answers', async () => {
  makeRemote();
  git('-C', 'first', 'tag', '-a', '-m', 'One', 'v1');
  git('clone', '-q', '--bare', 'first', 'acme/gza');
  git('init', '-q', '-b', 'main', 'work');
  const commit = git('-C', 'first', 'rev-parse', 'v1^{commit}').toString().trim();
  const env = { GITHUB_SERVER_URL: `file://${dir}` };
  await init('work', { github: true, inline: true, from: 'acme/gza@v1' }, { env });
  expect(read('work', inlinePaths[0] ?? '')).toContain(`uses: acme/gza/action@${commit} # v1`);
  await expect(
    init('work', { github: true, inline: true, update: true, from: 'acme/gza@v9' }, { env }),
  ).rejects.toMatchObject({ hint: expect.stringContaining('--from acme/gza@<40 hex digits>') });
});

test('--update adds to an earlier caller what it lacks, and keeps what its owners chose', async () => {
  git('init', '-q', '-b', 'main', 'work');
  mkdirSync(join(dir, 'work', '.github/workflows'), { recursive: true });
  const theirs = `# ours
name: gza
on:
  push: { branches: [trunk] }
  schedule: [{ cron: '3 * * * *' }] # often
  issue_comment: { types: [created] }
  issues: { types: [edited] }
  workflow_dispatch:
jobs:
  gza:
    permissions: { actions: write, contents: write, issues: read }
    uses: acme/gza/.github/workflows/gza.yml@v1
    with: { runs-on: big, setup: make tools }
    secrets:
      ANTHROPIC_API_KEY: \${{ secrets.OUR_KEY }}
`;
  writeFileSync(join(dir, 'work', callerPath), theirs);
  const text = await init('work', { github: true, update: true });
  const now = read('work', callerPath);
  const kept = theirs.split('\n').filter((line) => !/issues:|permissions/.test(line));
  expect(now.split('\n')).toEqual(expect.arrayContaining(kept));
  const { on, jobs } = parse(now) as { on: Record<string, unknown>; jobs: { gza: Record<string, object> } };
  expect(on).toMatchObject({
    issues: { types: ['edited', 'labeled'] },
    pull_request_review: { types: ['submitted'] },
    repository_dispatch: { types: ['gza'] },
  });
  expect(jobs.gza['permissions']).toEqual({
    actions: 'write',
    contents: 'write',
    issues: 'write',
    'pull-requests': 'write',
    statuses: 'write',
  });
  expect(jobs.gza['secrets']).toMatchObject({
    ANTHROPIC_API_KEY: '${{ secrets.OUR_KEY }}',
    OPENAI_API_KEY: '${{ secrets.OPENAI_API_KEY }}',
  });
  for (const one of ['on: pull_request_review', 'on: issues: labeled', 'permissions: issues'])
    expect(text).toContain(`+ ${one}\n`);
  await init('work', { github: true, update: true });
  expect(read('work', callerPath)).toBe(now);

  // Every byte that is not about what was missing stays, also in braces; `inherit` hands nothing to another owner.
  const short = `on: { push: {branches: [main]}, workflow_dispatch: , "issues": {types: [edited]} } # all
jobs:
  gza:  { uses: 'acme/gza/.github/workflows/gza.yml@v1',   secrets: inherit }
`;
  writeFileSync(join(dir, 'work', callerPath), short);
  expect(await init('work', { github: true, update: true })).toContain('+ secrets\n');
  const [first = '', , last = ''] = read('work', callerPath).split('\n');
  expect(first).toMatch(
    /^on: \{ push: \{branches: \[main\]\}, workflow_dispatch: \{inputs: .* "?issues"?: \{types: \[edited, labeled\]\}, .* \} # all$/,
  );
  expect(last).toMatch(
    /^ {2}gza: {2}\{ uses: 'acme\/gza\/\.github\/workflows\/gza\.yml@v1', {3}secrets: \{ANTHROPIC_API_KEY: /,
  );
  const asked = parse(read('work', callerPath)) as { on: { workflow_dispatch: { inputs: object } } };
  expect(Object.keys(asked.on.workflow_dispatch.inputs)).toContain('dry_run');

  writeFileSync(join(dir, 'work', callerPath), 'on: push\njobs: { a: { runs-on: x } }\n');
  await expect(init('work', { github: true, update: true })).rejects.toThrow('has no job that calls gza');
});

test('at a terminal it asks a few questions, and says what would keep a first run from working', async () => {
  git('init', '-q', '-b', 'main', 'work');
  const asked: string[] = [];
  const replies = ['codex', 'make check', 'y', '1', 'AGENTS.md,CLAUDE.md'];
  const ask = async (question: string) => {
    asked.push(question);
    return replies[asked.length - 1] ?? '';
  };
  const text = await init('work', {}, { ask });
  expect(asked).toHaveLength(5);
  expect(read('work', 'CLAUDE.md')).toBe(read('work', 'AGENTS.md'));
  expect(text).toContain(
    `  git add gza.yaml tasks/example.yml AGENTS.md CLAUDE.md ${callerPath} && git commit`,
  );
  expect(asked[0]).toMatch(/\[claude\] $/);
  const { config } = parseConfig({ gza: read('work', 'gza.yaml') });
  expect([config.defaults.agents, config.defaults.verify]).toEqual([['codex'], 'make check']);
  expect(callerIn('work').jobs.gza.with.setup).toMatch(/^npm install --global @openai\/codex@\d/);
  expect(read('work', callerPath)).toMatch(/cron: '\d+ \* \* \* \*'/);
  expect(text).toContain('Before the first run:');
  expect(text).toMatch(/^- .*codex/m);

  // Asked once: what is there was decided. Nor with --yes, nor without a terminal.
  await init('work', { github: true }, { ask });
  git('init', '-q', '-b', 'main', 'other');
  await init('other', { yes: true, tell: ['none'] }, { ask });
  expect(asked).toHaveLength(5);
  expect(() => read('other', 'AGENTS.md')).toThrow();
  expect(await init('other', { tell: ['none'] })).toContain('Nothing was written: all of it was there.');
  await expect(init('other', { tell: ['README.md'] })).rejects.toThrow(
    '--tell takes AGENTS.md, CLAUDE.md or none',
  );
});
