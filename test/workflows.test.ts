import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { parseConfig } from '../src/core/config/parse-config.ts';
import { agentSetup, callerPath, callerWorkflow } from '../src/core/text/doctor/caller-workflow.ts';
import { home } from '../src/core/text/doctor/home.ts';
import { laneKeys } from '../src/github/pick/claims.ts';
import { root } from './e2e/cli.ts';
import { diagnose } from './github/official-parser.ts';

const folder = join(root, '.github', 'workflows');
const workflows = readdirSync(folder).map(
  (name) => [name, readFileSync(join(folder, name), 'utf8')] as const,
);

/** As a `gza init --github` of before wrote it. */
const earlierCaller = readFileSync(join(root, 'test/fixtures/earlier-caller.yml'), 'utf8');

interface Workflow {
  readonly permissions?: object;
  readonly jobs: Readonly<
    Record<string, { readonly permissions?: object; readonly needs?: readonly string[] }>
  >;
}

interface Called {
  readonly concurrency?: unknown;
  readonly on: { readonly workflow_call: { readonly inputs: object; readonly secrets: object } };
  readonly jobs: Readonly<
    Record<
      string,
      {
        readonly permissions?: Readonly<Record<string, string>>;
        readonly concurrency?: unknown;
        readonly needs?: unknown;
        readonly with?: object;
        readonly secrets?: object;
        readonly steps?: readonly { readonly uses?: string; readonly with?: Record<string, unknown> }[];
      }
    >
  >;
}

/** What a caller calls, with all that is called in turn. */
const called = workflows.map(([name]) => name).filter((name) => /^gza[.-]/.test(name));

interface Action {
  readonly inputs: object;
  readonly outputs: object;
}

interface Caller {
  readonly on: { readonly workflow_dispatch: { readonly inputs: object } };
  readonly jobs: {
    readonly gza: { readonly permissions: object; readonly secrets: object; readonly uses: string };
  };
}

test.each(workflows)('%s is accepted by GitHub’s own parser', async (name, text) => {
  expect(await diagnose(name, text)).toEqual([]);
});

test.each(workflows)('%s gives no job more than it names, and takes actions by commit', (_name, text) => {
  const { permissions = {}, jobs } = parse(text) as Workflow;
  expect(permissions).toEqual({});
  for (const job of Object.values(jobs)) expect(job.permissions).toBeDefined();
  const used = [...text.matchAll(/^\s*(?:- )?uses: (\S+)/gm)].map(([, name = '']) => name);
  expect(used.filter((name) => !/^[.$]\//.test(name) && !/@[0-9a-f]{40}$/.test(name))).toEqual([]);
});

test('ci-ok waits for every other job', () => {
  const [, text = ''] = workflows.find(([name]) => name === 'ci.yml') ?? [];
  const { 'ci-ok': last, ...others } = (parse(text) as Workflow).jobs;
  expect(last?.needs).toEqual(Object.keys(others));
});

test('GitHub’s own parser finds nothing in action.yml and in the workflow that is written into a repository', async () => {
  expect(await diagnose('action.yml', readFileSync(join(root, 'action.yml'), 'utf8'))).toEqual([]);
  const text = callerWorkflow({ minute: 17, branch: 'main', setup: 'npm i -g some-agent@1.2.3' });
  expect(await diagnose(callerPath, text)).toEqual([]);
});

test('the intake stands in no concurrency group, has no checkout, and may only react; pick alone is one at a time', () => {
  const { jobs, concurrency } = parse(workflows.find(([one]) => one === 'gza.yml')?.[1] ?? '') as Called;
  const callers = [callerWorkflow({ minute: 17, branch: 'main' }), earlierCaller].map(
    (one) => parse(one) as Called,
  );
  const groups = [concurrency, ...callers.flatMap((one) => [one.concurrency, one.jobs['gza']?.concurrency])];
  expect(groups.filter(Boolean)).toEqual([]);
  const grouped = Object.entries(jobs).filter(([, job]) => job.concurrency !== undefined);
  expect(grouped.map(([name]) => name)).toEqual(['pick']);
  const { intake } = jobs;
  expect(intake?.permissions).toEqual({ issues: 'write', 'pull-requests': 'write' });
  expect(intake?.needs).toBeUndefined();
  expect(intake?.steps?.map(({ uses, with: given }) => [uses, given])).toEqual([
    ['$/action', { command: 'intake' }],
  ]);
});

/** A caller that grants less does not start, and one that gives an input that is gone is refused: both never change. */
test('what a caller must grant and may give is frozen', () => {
  const of = (name: string) => parse(workflows.find(([one]) => one === name)?.[1] ?? '') as Called;
  const { inputs, secrets } = of('gza.yml').on.workflow_call;
  expect(Object.keys(inputs)).toEqual(['runs-on', 'agent-runs-on', 'setup', 'agent-user', 'app-client-id']);
  expect(Object.keys(secrets)).toEqual([
    'ANTHROPIC_API_KEY',
    'CLAUDE_CODE_OAUTH_TOKEN',
    'OPENAI_API_KEY',
    'GEMINI_API_KEY',
    'COPILOT_GITHUB_TOKEN',
    'GZA_AGENT_ENV',
    'LINEAR_API_KEY',
    'GZA_APP_PRIVATE_KEY',
  ]);
  const asked = called.flatMap((name) => Object.values(of(name).jobs));
  const granted =
    (parse(callerWorkflow({ minute: 17, branch: 'main' })) as Called).jobs['gza']?.permissions ?? {};
  for (const { permissions = {} } of asked) {
    for (const [name, level] of Object.entries(permissions)) {
      expect([name, level === 'write' ? granted[name] : 'read']).toEqual([name, level]);
    }
  }
  expect(granted).toEqual({
    actions: 'write',
    contents: 'write',
    issues: 'write',
    'pull-requests': 'write',
    statuses: 'write',
  });
});

test('a lane is handed each secret by its name, and of the keys of agents those that pick names', () => {
  const of = (name: string) => parse(workflows.find(([one]) => one === name)?.[1] ?? '') as Called;
  const keys = Object.keys(of('gza-lane.yml').on.workflow_call.secrets).slice(0, -1);
  const given = keys.map((key) => [
    key,
    `\${{ contains(matrix.lane.keys, '${key}') && secrets.${key} || '' }}`,
  ]);
  expect(of('gza.yml').jobs['lane']?.secrets).toEqual({
    ...Object.fromEntries(given),
    GZA_APP_PRIVATE_KEY: '${{ secrets.GZA_APP_PRIVATE_KEY }}',
  });
  const step = of('gza-agent.yml').jobs['agent']?.steps?.find((one) => one.with?.['command'] === 'agent') as {
    env?: object;
  };
  expect(Object.keys(step?.env ?? {})).toEqual(keys);
  const { config } = parseConfig({ gza: `env: [${keys.join(', ')}]` });
  expect(laneKeys(config, { agent: 'claude' })).toEqual(keys);
  expect(laneKeys(config, { agent: 'claude', isRecheck: true })).toEqual([]);
  // And of who reviews it under the same claim.
  const none = parseConfig({ gza: '' }).config;
  const own = (agent: string) => laneKeys(none, { agent });
  expect(own('claude')).not.toEqual(own('codex'));
  expect(new Set(laneKeys(none, { agent: 'claude', reviewer: 'codex' }))).toEqual(
    new Set([...own('claude'), ...own('codex')]),
  );
  expect(laneKeys(parseConfig({ gza: '' }).config, { agent: 'nobody knows' })).toEqual([]);
});

/** Whether GitHub keeps secrets from the other jobs of a workflow is not written anywhere. */
test('no workflow that is given a key of the App runs an agent or checks, and none of those is given it', () => {
  const of = (name: string) => parse(workflows.find(([one]) => one === name)?.[1] ?? '') as Called;
  const secretsOf = (name: string) => Object.keys(of(name).on.workflow_call.secrets ?? {});
  expect(secretsOf('gza-land.yml')).toEqual(['GZA_APP_PRIVATE_KEY']);
  expect(secretsOf('gza-agent.yml')).not.toContain('GZA_APP_PRIVATE_KEY');
  expect(secretsOf('gza-verify.yml')).toEqual([]);
  const { agent, review, verify, land, reviewed } = of('gza-lane.yml').jobs;
  const given = [agent, review, verify, land, reviewed].map((job) => Object.keys(job?.secrets ?? {}));
  const [agents, landed] = [secretsOf('gza-agent.yml'), secretsOf('gza-land.yml')];
  expect(given).toEqual([agents, agents, [], landed, landed]);
  const steps = Object.values(of('gza-lane.yml').jobs).flatMap((job) => job.steps ?? []);
  expect(steps.flatMap((step) => step.with?.['command'] ?? [])).toEqual(['start', 'next']);
});

test('the agent’s and the verify job may write nothing, and no step in them that runs code of others has a token', () => {
  for (const name of ['agent', 'verify']) {
    const { jobs } = parse(workflows.find(([one]) => one === `gza-${name}.yml`)?.[1] ?? '') as Called;
    expect(jobs[name]?.permissions).toEqual({ contents: 'read' });
    const steps = jobs[name]?.steps ?? [];
    const running = steps.filter((step) => step.with?.['command'] === name);
    expect(running).toHaveLength(1);
    expect(running.map((step) => step.with?.['token'])).toEqual(['']);
  }
});

test('what is checked out is the default branch or the commit that pick saw, never a head of somebody’s', () => {
  const refs = called.flatMap((name) => {
    const { jobs } = parse(workflows.find(([one]) => one === name)?.[1] ?? '') as Called;
    const steps = Object.values(jobs).flatMap((job) => job.steps ?? []);
    expect(steps.filter(({ uses }) => uses?.startsWith('actions/checkout@'))).toEqual([]);
    return steps
      .filter((step) => ['pick', 'fetch', 'land'].includes(String(step.with?.['command'])))
      .map((step) => step.with?.['base'] ?? 'none');
  });
  expect(new Set(refs)).toEqual(
    new Set([
      // A schedule runs on the default branch, and its event does not name it.
      "${{ github.event_name == 'schedule' && github.ref_name || github.event.repository.default_branch }}",
      '${{ inputs.base }}',
    ]),
  );
});

test('the action’s own inputs and outputs are frozen', () => {
  const { inputs, outputs } = parse(readFileSync(join(root, 'action.yml'), 'utf8')) as Action;
  expect(Object.keys(inputs)).toEqual([
    'command',
    'token',
    'base',
    'claim',
    'left',
    'agent-user',
    'agent-result',
    'verified',
    'verify-result',
    'start',
    'wake',
    'told',
    'login',
    'unsafe',
  ]);
  expect(Object.keys(outputs)).toEqual([
    'matrix',
    'count',
    'base',
    'left',
    'changed',
    'checks',
    'verified',
    'outcome',
    'start',
    'wake',
    'review',
    'told',
    'done',
    'result',
    'own-setup',
  ]);
});

test('what a caller listens to and grants is what an earlier one does, and docs/github.md says what it must grant', () => {
  const now = callerWorkflow({ minute: 17, branch: 'main' });
  const fields = ['task', 'group', 'milestone', 'command', 'guidance', 'dry_run'];
  const rows = [
    [
      now,
      '17 */6 * * *',
      fields,
      { issues: { types: ['edited', 'labeled'] }, pull_request_review: { types: ['submitted'] } },
    ],
    [earlierCaller, '17 * * * *', ['event', 'task', 'command', 'guidance'], {}],
  ] as const;
  for (const [text, cron, inputs, more] of rows) {
    const { on, jobs } = parse(text) as Caller;
    const { workflow_dispatch: dispatched, ...others } = on;
    expect(others).toEqual({
      push: { branches: ['main'], paths: ['tasks/**', 'gza.yaml'] },
      schedule: [{ cron }],
      issue_comment: { types: ['created'] },
      pull_request_review_comment: { types: ['created'] },
      pull_request_target: { types: ['closed', 'edited'] },
      issues: { types: ['edited'] },
      repository_dispatch: { types: ['gza'] },
      ...more,
    });
    expect(Object.keys(dispatched.inputs)).toEqual(inputs);
    expect(jobs.gza.permissions).toEqual((parse(now) as Caller).jobs.gza.permissions);
  }
  const line = now.split('\n').find((one) => one.includes('permissions:')) ?? 'none';
  expect(readFileSync(join(root, 'docs', 'github.md'), 'utf8')).toContain(line);
});

test('this repository is worked on by the workflow that others get', () => {
  const [, own = ''] = workflows.find(([name]) => name === 'tasks.yml') ?? [];
  const [[comment = '', ...lines], [header = '', ...written]] = [
    own.split('\n'),
    callerWorkflow({ minute: 23, branch: 'main' }).split('\n'),
  ];
  expect([comment, header]).toEqual([expect.stringMatching(/^#/), expect.stringMatching(/^#/)]);
  const local = lines.join('\n').replace(/ uses: \S+/, ' uses: gza-dev/gza/.github/workflows/gza.yml@v1');
  expect(local).toBe(written.join('\n'));
});

test('docs/github.md says of each job what it may', () => {
  const page = readFileSync(join(root, 'docs', 'github.md'), 'utf8');
  const of = (name: string) => parse(workflows.find(([one]) => one === name)?.[1] ?? '') as Called;
  const { intake, pick } = of('gza.yml').jobs;
  for (const [name, job] of Object.entries({ intake, pick, ...of('gza-lane.yml').jobs })) {
    const may = ['write', 'read'].flatMap((level) => {
      const names = Object.entries(job?.permissions ?? {}).filter(([, one]) => one === level);
      return names.length > 0 ? [`${level} ${names.map(([one]) => one.replace('-', ' ')).join(', ')}`] : [];
    });
    expect(page).toContain(`| ${name} | ${may.join('; ')} |`);
  }
});

test('docs/github.md names each thing that doctor looks for', () => {
  const page = readFileSync(join(root, 'docs', 'github.md'), 'utf8');
  const folder = join(root, 'src/core/doctor');
  const judges = readdirSync(folder).filter((name) => name.startsWith('judge-'));
  const files = [...judges.map((name) => join(folder, name)), join(root, 'src/commands/setup/machine.ts')];
  const code = files.map((name) => readFileSync(name, 'utf8')).join('\n');
  const kinds = [...code.matchAll(/\b(?:fine|wrong)\(\s*'([\w-]+)'|\bkind = '([\w-]+)'/g)].map(
    ([, called, named]) => called ?? named ?? '',
  );
  expect(kinds.length).toBeGreaterThan(20);
  expect(kinds.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

test('docs/github.md describes each input and secret that a caller may give', () => {
  const page = readFileSync(join(root, 'docs', 'github.md'), 'utf8');
  const { inputs, secrets } = (parse(workflows.find(([one]) => one === 'gza.yml')?.[1] ?? '') as Called).on
    .workflow_call;
  const names = [...Object.keys(inputs), ...Object.keys(secrets)];
  expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

/** `inherit` hands on nothing to a repository of another owner. */
test('the caller names each secret that the called workflow declares, but for lines of its own making', () => {
  const { secrets } = (parse(workflows.find(([one]) => one === 'gza.yml')?.[1] ?? '') as Called).on
    .workflow_call;
  const given = (parse(callerWorkflow({ minute: 17, branch: 'main' })) as Caller).jobs.gza.secrets;
  const names = Object.keys(secrets).filter((name) => name !== 'GZA_AGENT_ENV');
  const named = names.map((name) => [name, `\${{ secrets.${name} }}`]);
  expect(Object.entries(given)).toEqual(named);
});

test('one place in the source says where gza is published, and what is written into a repository follows it', () => {
  const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' });
  const holds = files.filter(
    (name) => name.endsWith('.ts') && readFileSync(join(root, 'src', name), 'utf8').includes(home.repository),
  );
  expect(holds).toEqual(['core/text/doctor/home.ts']);
  const from = { repository: 'acme/gza-fork', ref: 'release/2' };
  const text = callerWorkflow({ minute: 17, branch: 'main', from });
  expect((parse(text) as Caller).jobs.gza.uses).toBe('acme/gza-fork/.github/workflows/gza.yml@release/2');
  expect(text).toContain('https://github.com/acme/gza-fork/blob/release/2/docs/github.md');
  expect(text).not.toContain(home.repository);
});

/** The package of that name on the registry is somebody else's. */
test('nobody is told to run what npx would find', () => {
  const inFolder = (folder: string) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
  const shown = ['src', 'docs', 'man', 'schemas', '.github', 'action', 'tasks'].flatMap(inFolder);
  const files = [...shown, ...readdirSync(root)].filter((name) => /\.(?:ts|md|1|json|ya?ml)$/.test(name));
  expect(files).toEqual(expect.arrayContaining(['README.md', 'docs/github.md', 'src/commands/commands.ts']));
  const runs = /\b(?:npx|npm exec|pnpm dlx|bunx)\b[^\n`]*?\b(?:gza|git-tasks)\b/;
  expect(files.filter((name) => runs.test(readFileSync(join(root, name), 'utf8')))).toEqual([]);
});

test('the workflow that is written into a repository is short', () => {
  const [, own = ''] = workflows.find(([name]) => name === 'tasks.yml') ?? [];
  const texts = [callerWorkflow({ minute: 17, branch: 'main', setup: agentSetup }), own];
  for (const text of texts) {
    const lines = text.replace(/\n$/, '').split('\n');
    expect(lines.length).toBeLessThanOrEqual(32);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(120);
  }
  expect(agentSetup).toMatch(/@\d+\.\d+\.\d+$/);
});

test('the action declares what its code reads and writes, and nothing else, each with words', () => {
  interface Declared {
    readonly inputs: Readonly<Record<string, { readonly description: string }>>;
    readonly outputs: Readonly<Record<string, { readonly description: string }>>;
  }
  const { inputs, outputs } = parse(readFileSync(join(root, 'action.yml'), 'utf8')) as Declared;
  const code = ['action', 'github']
    .flatMap((room) =>
      readdirSync(join(root, 'src', room), { recursive: true, encoding: 'utf8' }).map(
        (name) => `${room}/${name}`,
      ),
    )
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join(root, 'src', name), 'utf8'))
    .join('\n');
  const named = (pattern: RegExp) => [...new Set([...code.matchAll(pattern)].map(([, name = '']) => name))];
  expect(named(/\binput\('([\w-]+)'\)/g).toSorted()).toEqual(Object.keys(inputs).toSorted());
  expect(named(/\.output\('([\w-]+)'/g).toSorted()).toEqual(Object.keys(outputs).toSorted());
  for (const one of [...Object.values(inputs), ...Object.values(outputs)])
    expect(one.description.length).toBeGreaterThan(10);
});
