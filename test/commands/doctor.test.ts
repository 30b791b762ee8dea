import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import type { Ports } from '../../src/app/command.ts';
import { command } from '../../src/commands/setup/doctor.ts';
import { judgeCaller } from '../../src/core/doctor/judge-caller.ts';
import { workflowTraits } from '../../src/core/doctor/workflow-traits.ts';
import { home } from '../../src/core/text/doctor/home.ts';
import { inlinePaths, inlineWorkflow } from '../../src/core/text/doctor/inline-workflows.ts';
import { plain } from '../../src/core/text/terminal/lines.ts';
import { openGit } from '../../src/git/git.ts';
import { root } from '../e2e/cli.ts';
import { type Github, startGithub } from '../github/github.ts';

let github: Github;
let dir: string;
beforeEach(() => void (dir = mkdtempSync(join(tmpdir(), 'gza-doctor-'))));
afterEach(async () => {
  rmSync(dir, { recursive: true, force: true });
  await github?.close();
});

const caller = `on: { push: { branches: [main] }, schedule: [{ cron: '17 * * * *' }], workflow_dispatch: , repository_dispatch: , issue_comment: , pull_request_target: , pull_request_review: , issues: }
permissions: { actions: write, contents: write, issues: write, pull-requests: write, statuses: write }
jobs: { gza: { uses: olive/demo/.github/workflows/gza.yml@main, secrets: { KEY: '\${{ secrets.ANTHROPIC_API_KEY }}' } } }
`;

function ports(env: Record<string, string>): Ports {
  return {
    cwd: dir,
    env,
    now: () => new Date(github.state.now).toISOString(),
    random: () => '0',
    program: 'gza',
    stdin: async () => null,
    style: plain,
    columns: null,
    progress: () => {},
    signal: new AbortController().signal,
  };
}

/** The fake has no switch for all of Actions. */
function actionsAre(enabled: boolean) {
  github.faults.add({
    match: { path: /\/actions\/permissions$/ },
    effect: { kind: 'answer', answer: { status: 200, body: { enabled, allowed_actions: 'all' } } },
  });
}

async function doctor(options = {}, env: Record<string, string> = {}) {
  const token = github.token({ kind: 'user', login: 'olive' });
  const given = { GH_TOKEN: token, GITHUB_API_URL: github.apiUrl, ...env };
  const outcome = await command.run({ args: [], options }, ports(given));
  expect(`${outcome.text}${JSON.stringify(outcome.json)}`).not.toContain(token);
  const { checks } = outcome.json as { checks: { kind: string; level: string; says: string }[] };
  const wrong = checks.filter(({ kind, level }) => level !== 'ok' && kind !== 'sandbox');
  return { ...outcome, checks, wrong: wrong.map((one) => one.kind) };
}

test('a repository made ready passes, in few requests, and nothing is written', async () => {
  const secrets = ['ANTHROPIC_API_KEY'];
  github = await startGithub({ settings: { secrets }, files: { '.github/workflows/gza.yml': caller } });
  actionsAre(true);
  const { wrong, exit, text } = await doctor({ repo: 'olive/demo' });
  // The fake is a server of its own as far as its address tells.
  expect([wrong, exit]).toEqual([['server'], 0]);
  expect(text).toContain('ok       .github/workflows/gza.yml is on the default branch and active.');
  expect(github.seen.every((one) => one.method === 'GET')).toBe(true);
  expect(github.seen).toHaveLength(16);
});

test('this machine is looked at too, and alone where that is asked for', async () => {
  github = await startGithub({ files: { '.github/workflows/gza.yml': caller } });
  actionsAre(true);
  const { checks } = await doctor({ repo: 'olive/demo' }, { GZA_ISOLATION: 'off' });
  const says = 'This machine has no sandbox: GZA_ISOLATION=off in the environment.';
  expect(checks.at(-1)).toMatchObject({ kind: 'sandbox', level: 'warning', says });
  const asked = github.seen.length;
  const { text, json, exit } = await doctor({ machine: true }, { GZA_ISOLATION: 'off' });
  expect({ text, exit }).toEqual({
    text: expect.stringMatching(/^warning  This machine has no sandbox: [^]*required.*$/m),
    exit: 0,
  });
  expect(json).toMatchObject({ repository: null, level: 'warning' });
  expect(github.seen).toHaveLength(asked);
  const found = await doctor({ machine: true });
  expect(found.text).toMatch(
    /^(ok {7}This machine has a sandbox|warning {2}This machine has no sandbox: bubblewrap)/m,
  );
});

test('the traps of a fresh repository are told with what to do, and the exit code says so', async () => {
  const settings = { actionsMayOpenPulls: false, protectedBranches: ['gza/example'] };
  github = await startGithub({ settings, files: { 'gza.yaml': 'base: develop\n' } });
  actionsAre(false);
  const { wrong, exit, text } = await doctor({ repo: 'olive/demo' });
  expect([wrong, exit]).toEqual([
    ['server', 'base', 'actions', 'pulls-by-actions', 'workflow', 'lane-rewrites'],
    1,
  ]);
  expect(text).toContain('problem  Actions may not open pull requests');
  expect(text).toContain('Allow GitHub Actions to create and approve pull requests');
});

test('the inline form is judged by its caller, and an earlier caller by what it lacks', async () => {
  const inline = caller.replace(/\buses: \S+/, 'uses: ./.github/workflows/gza.jobs.yml,');
  const files = {
    '.github/workflows/gza.jobs.yml':
      'on: workflow_call\njobs: { a: { steps: [{ uses: gza-dev/gza/action@v1 }] } }\n',
    '.github/workflows/gza.yml': inline,
  };
  github = await startGithub({
    files,
    settings: { actionsMayOpenPulls: true, secrets: ['ANTHROPIC_API_KEY'] },
  });
  const seen = async () => {
    actionsAre(true);
    const { checks } = await doctor({ repo: 'olive/demo' });
    return checks.filter(({ kind }) => kind === 'workflow' || kind === 'triggers');
  };
  expect(await seen()).toMatchObject([
    { path: '.github/workflows/gza.yml', level: 'ok' },
    { kind: 'triggers', level: 'ok' },
  ]);
  const earlier = inline.replace(', pull_request_review: , issues: ', '');
  await github.commit({ branch: 'main', files: { '.github/workflows/gza.yml': earlier } });
  expect((await seen())[1]).toMatchObject({
    missing: ['pull_request_review', 'issues: labeled'],
    todo: expect.stringContaining('gza init --github --update'),
  });
});

test('an inline form that is old is named by its files and its commit, with the command that renews it', async () => {
  const pin = 'a'.repeat(40);
  const written = Object.fromEntries(
    Object.entries(inlinePaths).map(([name, path]) => [
      path,
      inlineWorkflow(readFileSync(join(root, '.github/workflows', name), 'utf8'), home, pin),
    ]),
  );
  const inline = caller.replace(/\buses: \S+/, 'uses: ./.github/workflows/gza.jobs.yml,');
  github = await startGithub({ files: { ...written, '.github/workflows/gza.yml': inline } });
  const judged = async () => {
    actionsAre(true);
    return (await doctor({ repo: 'olive/demo' })).checks.find(({ kind }) => kind === 'inline');
  };
  expect(await judged()).toMatchObject({ level: 'ok', pin, missing: [], others: [] });
  const lane = '.github/workflows/gza.lane.yml';
  const older = (written[lane] ?? '').replace(/^ +GZA_AGENT_ENV:\n.*\n/m, '');
  await github.commit({ branch: 'main', files: { [lane]: older } });
  expect(await judged()).toMatchObject({
    level: 'warning',
    others: [lane],
    todo: expect.stringContaining('gza init --github --update'),
  });
  await github.commit({ branch: 'main', files: { [lane]: null } });
  expect(await judged()).toMatchObject({ level: 'problem', missing: [lane] });
  expect(
    judgeCaller({
      inline: { missing: [], others: [], pin: { from: home, commit: pin }, now: 'b'.repeat(40) },
      agentKeys: [],
      workflow: { path: 'x', state: null, traits: workflowTraits('x', inline) },
    } as never),
  ).toContainEqual(
    expect.objectContaining({
      level: 'warning',
      says: expect.stringContaining('v1 of gza-dev/gza is bbbbbbb by now'),
    }),
  );
});

test('what gza.yaml asks of GitHub, and how the repository merges, are looked at too', async () => {
  const repository = {
    archived: true,
    fork: true,
    allow_merge_commit: false,
    allow_squash_merge: true,
    allow_rebase_merge: false,
    delete_branch_on_merge: false,
  };
  const config = `parallel_workers: 40
task_types: { implement: { timeout_minutes: 400 } }
protected: { except: ['.github/**'] }
ci_workflow: [ci.yml, gone.yml]
`;
  github = await startGithub({
    settings: { repository, secrets: ['ANTHROPIC_API_KEY'] },
    files: {
      '.github/workflows/gza.yml': caller,
      '.github/workflows/ci.yml': 'on: push\njobs: { a: { steps: [{ run: x }] } }\n',
      'gza.yaml': config,
    },
  });
  actionsAre(true);
  const { wrong, checks } = await doctor({ repo: 'olive/demo' });
  expect(wrong).toEqual([
    'archived',
    'fork',
    'server',
    'schedule',
    'ci-workflow',
    'ci-workflow',
    'load',
    'timeouts',
    'workflow-files',
  ]);
  const says = (kind: string) => checks.filter((one) => one.kind === kind).map((one) => one.says);
  expect(says('merge-methods')).toEqual([expect.stringContaining('merged by squash;')]);
  expect(says('ci-workflow')).toEqual([
    expect.stringContaining('ci.yml, which has no workflow_dispatch'),
    expect.stringContaining('gone.yml, which is not in .github/workflows'),
  ]);
});

test('a token that may not ask everything says what it lacks, and what is unknown is not judged', async () => {
  github = await startGithub({
    files: {
      '.github/workflows/team.yml': caller.replace('/.github/workflows/gza.yml@', '/gza@'),
      'gza/action.yml': 'runs: { using: composite, steps: [] }\n',
    },
  });
  const secret = github.token({ permissions: { contents: 'read' } });
  github.faults.add({
    match: { path: /\/actions\/permissions$/ },
    effect: {
      kind: 'answer',
      answer: { status: 403, body: { message: 'Resource not accessible by integration' } },
    },
  });
  const { checks, exit } = await doctor({ repo: 'olive/demo' }, { GITHUB_TOKEN: secret });
  expect(checks.find((one) => one.kind === 'token')?.says).toContain(
    'secrets: read, actions: read, administration: read',
  );
  expect(checks.find((one) => one.kind === 'workflow')?.level).toBe('ok');
  expect([exit, checks.some((one) => one.kind === 'job-defaults')]).toEqual([0, false]);
});

test('the repository is that of origin; a token goes to no host that only origin names', async () => {
  github = await startGithub();
  const git = openGit(dir, { isolated: true });
  await git.text(['init', '--quiet', '.']);
  // Without a remote there is only this machine.
  expect((await doctor()).json).toMatchObject({ repository: null });
  await git.text(['remote', 'add', 'origin', 'git@github.com:olive/demo.git']);
  actionsAre(true);
  expect((await doctor()).json).toMatchObject({ repository: 'olive/demo' });
  await git.text(['remote', 'set-url', 'origin', 'https://git.example.com/olive/demo.git']);
  await expect(doctor({}, { GITHUB_API_URL: '' })).rejects.toThrow('on git.example.com');
  await expect(doctor({}, { GH_TOKEN: '' })).rejects.toThrow('needs a token');
  await expect(doctor({ repo: 'nonsense' })).rejects.toThrow('--repo wants owner/name');
});

test('the key of the agent, and what the workflow calls, are looked for where they must be', async () => {
  const path = '.github/workflows/gza-caller.yml';
  const callee = 'on: { workflow_call: }\njobs: { a: { runs-on: x, steps: [{ uses: $/action }] } }\n';
  github = await startGithub({
    settings: { organizationSecrets: ['CLAUDE_CODE_OAUTH_TOKEN'] },
    files: { '.github/workflows/gza.yml': callee, 'gza.yaml': 'agent: [claude, gemini]\n' },
  });
  const calls = async (uses: string, secret = 'CLAUDE_CODE_OAUTH_TOKEN', login = 'olive') => {
    const text = caller.replace(/ uses: [^,]*/, ` uses: ${uses}`).replace('ANTHROPIC_API_KEY', secret);
    await github.commit({ branch: 'main', files: { [path]: text } });
    actionsAre(true);
    const token = github.token({ kind: 'user', login });
    const { checks } = await doctor({ repo: 'olive/demo' }, { GH_TOKEN: token });
    const of = (kind: string) =>
      checks.filter((one) => one.kind === kind).map(({ level, says }) => `${level} ${says}`);
    return { called: of('called'), keys: of('agent-key') };
  };
  const file = 'olive/demo/.github/workflows/gza.yml';
  expect(await calls(`${file}@main`)).toEqual({
    called: [`ok ${file}@main is there.`],
    keys: [
      expect.stringMatching(/^ok The agent claude has its key/),
      expect.stringMatching(/^warning There is no secret GEMINI_API_KEY: the agent gemini has no key/),
    ],
  });
  expect(await calls(`${file}@main`, 'OTHER', 'walter')).toMatchObject({
    keys: [
      expect.stringMatching(/^problem The workflow file does not hand ANTHROPIC_API_KEY or CLAUDE/),
      expect.stringMatching(/^problem The workflow file does not hand GEMINI_API_KEY/),
    ],
  });
  expect(await calls(`${file}@main`, 'GEMINI_API_KEY', 'walter')).toMatchObject({
    keys: [
      expect.stringMatching(/^warning The workflow file does not hand ANTHROPIC_API_KEY or CLAUDE/),
      expect.stringMatching(/^warning Whether there is a secret GEMINI_API_KEY .* could not be seen/),
    ],
  });
  const faults: [string, string][] = [
    [`${file}@release/9`, 'olive/demo has no branch, tag or commit release/9'],
    ['olive/demo/.github/workflows/gza.yaml@main', 'has no .github/workflows/gza.yaml at main'],
  ];
  for (const [uses, says] of faults)
    expect((await calls(uses)).called).toEqual([expect.stringMatching(`^problem ${uses}: .*${says}`)]);
  // The fake is a server of its own, which may have it from elsewhere.
  expect((await calls('someone/gza/.github/workflows/gza.yml@v1')).called).toEqual([
    expect.stringMatching(/^warning .* there is no repository someone\/gza/),
  ]);
  const bare = callee.replace('$/action', '$/');
  await github.commit({ branch: 'main', files: { '.github/workflows/gza.yml': bare } });
  expect((await calls(`${file}@main`)).called).toEqual([expect.stringContaining('uses: $/ without a path')]);
});

test('where Linear is on, a secret that is missing or cannot be seen is told', async () => {
  const linear = 'integrations: { linear: { enabled: true, team_id: ENG } }\n';
  const handing = caller.replace(/secrets: \{.*?\} \}/, 'secrets: inherit }');
  github = await startGithub({ files: { '.github/workflows/gza.yml': handing, 'gza.yaml': linear } });
  const secretsAre = (status: number, names: readonly string[]) =>
    github.faults.add({
      match: { path: /\/actions\/(organization-)?secrets/ },
      times: 2,
      effect: {
        kind: 'answer',
        answer: { status, body: { total_count: names.length, secrets: names.map((name) => ({ name })) } },
      },
    });
  const levelOf = async () => {
    actionsAre(true);
    return (await doctor({ repo: 'olive/demo' })).checks.find(({ kind }) => kind === 'linear-key');
  };
  secretsAre(200, ['OPENAI_API_KEY']);
  expect(await levelOf()).toMatchObject({ level: 'warning', says: expect.stringContaining('there is no') });
  secretsAre(200, ['LINEAR_API_KEY']);
  expect(await levelOf()).toMatchObject({ level: 'ok' });
  secretsAre(403, []);
  expect(await levelOf()).toMatchObject({
    level: 'warning',
    says: expect.stringContaining('cannot be seen'),
  });
});
