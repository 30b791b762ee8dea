import { expect, test } from '@jest/globals';
import { judgeRepository } from '../../src/core/doctor/judge-repository.ts';
import { worstOf } from '../../src/core/doctor/judged.ts';
import { repositoryOfUrl } from '../../src/core/doctor/repository-of-url.ts';
import type { RepositorySeen } from '../../src/core/doctor/repository-seen.ts';
import { workflowTraits } from '../../src/core/doctor/workflow-traits.ts';
import { printDoctor } from '../../src/core/text/doctor/doctor.ts';
import { plain } from '../../src/core/text/terminal/lines.ts';

const path = '.github/workflows/gza.yml';
const caller = `name: gza
on:
  push: { branches: [main], paths: ['tasks/**'] }
  schedule: [{ cron: '17 * * * *' }]
  workflow_dispatch:
  repository_dispatch: { types: [gza] }
  issue_comment: { types: [created] }
  pull_request_target: { types: [closed] }
  pull_request_review: { types: [submitted] }
  issues: { types: [edited, labeled] }
jobs:
  gza:
    permissions:
      actions: write
      contents: write
      issues: write
      pull-requests: write
      statuses: write
    uses: someone/gza/.github/workflows/gza.yml@v1
    secrets:
      ANTHROPIC_API_KEY: \${{ secrets.ANTHROPIC_API_KEY }}
`;

const claude = { agent: 'claude', names: ['ANTHROPIC_API_KEY', 'CLAUDE_CODE_OAUTH_TOKEN'], isGiven: true };
const codex = { agent: 'codex', names: ['OPENAI_API_KEY'], isGiven: true };
const copilot = { agent: 'copilot', names: ['COPILOT_GITHUB_TOKEN'], isGiven: false };

function seen(changes: Partial<RepositorySeen> = {}): RepositorySeen {
  return {
    repository: 'olive/demo',
    now: '2026-08-01T00:00:00Z',
    isServer: false,
    isPrivate: false,
    isFork: false,
    isArchived: false,
    hasIssues: true,
    defaultBranch: 'main',
    defaultBranchHere: 'main',
    configuredBase: null,
    config: { parallelWorkers: 3, timeoutMinutes: 60, allowsWorkflowFiles: false },
    linearKey: 'unused',
    agentKeys: [claude],
    secrets: ['ANTHROPIC_API_KEY'],
    called: { state: 'ready', hasBareSelf: false },
    ciWorkflows: [],
    merges: { methods: ['merge', 'squash', 'rebase'], deletesBranches: true },
    pushedAt: '2026-07-30T00:00:00Z',
    role: 'admin',
    lacking: [],
    actions: { isOn: true, allowed: 'all' },
    jobDefaults: { permissions: 'read', mayOpenPulls: true },
    workflow: { path, state: 'active', traits: workflowTraits(path, caller) },
    runsWaiting: 0,
    laneBranch: 'gza/example',
    laneRules: [],
    defaultRules: [],
    requiredChecks: [],
    pushRulesets: [],
    ...changes,
  };
}

const withWorkflow = (change: (text: string) => string): Partial<RepositorySeen> => ({
  workflow: { path, state: 'active', traits: workflowTraits(path, change(caller)) },
});
const called = (state: 'repository' | 'ref' | 'file' | 'private') => ({
  called: { state, hasBareSelf: false },
});
const rule = (type: string, contexts: string[] = []) => ({ type, contexts });
const disabled = (state: string) => ({ workflow: { path, state, traits: workflowTraits(path, caller) } });

test('a repository as gza wants it has nothing to say but ok', () => {
  const judged = judgeRepository(seen());
  expect(judged.filter((one) => one.level !== 'ok')).toEqual([]);
  expect(worstOf(judged)).toBe('ok');
  expect(printDoctor('olive/demo', judged, plain)).toMatch(/olive\/demo: gza can work here\.$/);
});

test('a key that may stand in lines, which nobody sees, is no fault where the workflow hands them on', () => {
  const lines = withWorkflow((text) => text.replace('secrets:\n', 'secrets:\n      GZA_AGENT_ENV: a=b\n'));
  const judged = judgeRepository(seen({ agentKeys: [codex], secrets: [], ...lines }));
  expect(judged.filter((one) => one.level !== 'ok')).toEqual([]);
  expect(printDoctor('olive/demo', judged, plain)).toContain('codex may have its key in GZA_AGENT_ENV');
  expect(worstOf(judgeRepository(seen({ agentKeys: [codex], secrets: [] })))).toBe('problem');
});

const traps: [string, Partial<RepositorySeen>, string, string, RegExp][] = [
  ['no key of Linear', { linearKey: 'missing' }, 'linear-key', 'warning', /gh secret set LINEAR_API_KEY/],
  ['a key that cannot be seen', { linearKey: null }, 'linear-key', 'warning', /New API key/],
  ['a key that is not handed on', { linearKey: 'there' }, 'linear-key', 'warning', /secrets: \{ LINEAR/],
  [
    'secrets that are inherited from another owner',
    withWorkflow((text) => text.replace(/secrets:\n.*\n/, 'secrets: inherit\n')),
    'secrets-inherited',
    'problem',
    /instead of it: secrets: \{ ANTHROPIC_API_KEY: "\$\{\{ secrets\.ANTHROPIC_API_KEY \}\}", .*GZA_APP_PRIVATE_KEY/,
  ],
  ['no key of the agent', { secrets: ['OTHER'] }, 'agent-key', 'problem', /gh secret set ANTHROPIC_API_KEY/],
  ['a key that nobody may list', { secrets: null }, 'agent-key', 'warning', /Secrets and variables/],
  [
    'a key that is there and not handed on',
    { secrets: ['CLAUDE_CODE_OAUTH_TOKEN'] },
    'agent-key',
    'problem',
    /secrets: \{ ANTHROPIC_API_KEY: .*, CLAUDE_CODE_OAUTH_TOKEN: /,
  ],
  [
    'one agent of two without a key',
    { agentKeys: [claude, codex] },
    'agent-key',
    'warning',
    /OPENAI_API_KEY/,
  ],
  [
    'a token that gza.yaml does not name',
    { agentKeys: [copilot], secrets: ['COPILOT_GITHUB_TOKEN'] },
    'agent-key',
    'problem',
    /copilot: \{ env: \[COPILOT_GITHUB_TOKEN\]/,
  ],
  ['no repository to call', called('repository'), 'called', 'problem', /--from owner\/name@ref/],
  ['no such ref of it', called('ref'), 'called', 'problem', /Change uses:/],
  ['no such file in it', called('file'), 'called', 'problem', /Change uses:/],
  [
    'a private one',
    called('private'),
    'called',
    'warning',
    /someone\/gza: Settings → Actions → General → Access/,
  ],
  ['an old one', { called: { state: 'ready', hasBareSelf: true } }, 'called', 'problem', /call a newer one/],
  [
    'an action without a path',
    withWorkflow((text) => `${text}  more: { steps: [{ uses: $/ }] }\n`),
    'called',
    'problem',
    /uses: \$\/action/,
  ],
  ['archived', { isArchived: true }, 'archived', 'problem', /Unarchive/],
  ['a fork', { isFork: true }, 'fork', 'warning', /enable workflows/],
  ['no issues', { hasIssues: false }, 'issues', 'warning', /Features → Issues/],
  ['a server', { isServer: true }, 'server', 'warning', /Mirror the action/],
  [
    'a renamed default branch',
    { defaultBranchHere: 'master' },
    'default-branch',
    'warning',
    /set-head origin --auto/,
  ],
  ['another base', { configuredBase: 'develop' }, 'base', 'warning', /take base out/],
  ['actions off', { actions: { isOn: false, allowed: null } }, 'actions', 'problem', /Actions permissions/],
  [
    'few actions',
    { actions: { isOn: true, allowed: 'selected' } },
    'actions',
    'warning',
    /actions\/upload-artifact/,
  ],
  [
    'no pulls by actions',
    { jobDefaults: { permissions: 'read', mayOpenPulls: false } },
    'pulls-by-actions',
    'problem',
    /Allow GitHub Actions to create/,
  ],
  ['unknown whether', { jobDefaults: null }, 'pulls-by-actions', 'warning', /Allow GitHub Actions to create/],
  [
    'jobs may write',
    { jobDefaults: { permissions: 'write', mayOpenPulls: true } },
    'job-defaults',
    'warning',
    /Read repository contents/,
  ],
  ['no workflow', { workflow: null }, 'workflow', 'problem', /gza init --github/],
  ['an unreadable workflow', withWorkflow(() => 'a: [b'), 'workflow', 'problem', /Actions tab/],
  ['a sleeping workflow', disabled('disabled_inactivity'), 'workflow', 'problem', /workflow enable/],
  ['a workflow that is off', disabled('disabled_manually'), 'workflow', 'problem', /workflow enable/],
  [
    'a missing permission',
    withWorkflow((text) => text.replace('      statuses: write\n', '')),
    'permissions',
    'problem',
    /of that job: statuses: write\.$/,
  ],
  [
    'unnamed permissions',
    withWorkflow((text) => text.replace(/ {4}permissions:\n( {6}.*\n)+/, '')),
    'permissions',
    'problem',
    /actions: write, contents: write/,
  ],
  [
    'no dispatch of gza’s',
    withWorkflow((text) => text.replace('types: [gza]', 'types: [other]')),
    'triggers',
    'warning',
    /repository_dispatch/,
  ],
  [
    'no dispatch',
    withWorkflow((text) =>
      text.replace('types: [gza]', 'types: [other]').replace(/ {2}workflow_dispatch.*\n/, ''),
    ),
    'triggers',
    'problem',
    /repository_dispatch/,
  ],
  [
    'no comments',
    withWorkflow((text) => text.replace(/ {2}issue_comment.*\n/, '')),
    'triggers',
    'warning',
    /schedule picks up/,
  ],
  [
    'pushes of another branch',
    withWorkflow((text) => text.replace('[main]', '[master]')),
    'push-branches',
    'problem',
    /Name main/,
  ],
  [
    'no schedule',
    withWorkflow((text) => text.replace(/ {2}schedule.*\n/, '')),
    'schedule',
    'warning',
    /cron/,
  ],
  [
    'no commit for long',
    { pushedAt: '2026-06-10T00:00:00Z' },
    'schedule',
    'warning',
    /starts the count again/,
  ],
  [
    'a kept runner',
    withWorkflow((text) => `${text}    with: { runner: '["self-hosted"]' }\n`),
    'runners',
    'warning',
    /ephemeral/,
  ],
  ['runs that wait', { runsWaiting: 2 }, 'runs-waiting', 'warning', /GitHub App/],
  ['signed branches', { laneRules: [rule('required_signatures')] }, 'lane-rules', 'problem', /exclude gza/],
  ['no force pushes', { laneRules: [rule('non_fast_forward')] }, 'lane-rewrites', 'warning', /Exclude gza/],
  [
    'required checks',
    { defaultRules: [rule('required_status_checks', ['ci'])] },
    'required-checks',
    'warning',
    /ci_workflow in gza\.yaml/,
  ],
  [
    'classic required checks',
    { requiredChecks: ['ci'] },
    'required-checks',
    'warning',
    /ci_workflow in gza\.yaml/,
  ],
  [
    'a ci_workflow that is not there',
    { ciWorkflows: [{ name: 'ci.yml', state: 'missing' }] },
    'ci-workflow',
    'warning',
    /as it stands there/,
  ],
  [
    'a ci_workflow that cannot be started',
    { requiredChecks: ['ci'], ciWorkflows: [{ name: 'ci.yml', state: 'no-dispatch' }] },
    'ci-workflow',
    'warning',
    /workflow_dispatch: below on:/,
  ],
  [
    'many lanes',
    { config: { parallelWorkers: 30, timeoutMinutes: 60, allowsWorkflowFiles: false } },
    'load',
    'warning',
    /fewer parallel_workers/,
  ],
  [
    'longer than a job',
    { config: { parallelWorkers: 3, timeoutMinutes: 600, allowsWorkflowFiles: false } },
    'timeouts',
    'warning',
    /at most 340/,
  ],
  [
    'workflow files',
    { config: { parallelWorkers: 3, timeoutMinutes: 60, allowsWorkflowFiles: true } },
    'workflow-files',
    'warning',
    /by hand/,
  ],
  ['push rulesets', { pushRulesets: ['No big files'] }, 'push-rulesets', 'warning', /bypass/],
  ['a token that sees little', { lacking: ['administration: read'] }, 'token', 'warning', /gh auth token/],
];

test.each(traps)('%s: detected, said, with what to do', (_name, changes, kind, level, todo) => {
  const judged = judgeRepository(seen(changes));
  const wrong = judged.filter((one) => one.level !== 'ok').map((one) => [one.kind, one.level]);
  expect(wrong).toContainEqual([kind, level]);
  const one = judged.find((each) => each.kind === kind && each.level === level);
  expect(one?.todo).toMatch(todo);
  for (const each of judged)
    expect([each.kind, each.todo === null]).toEqual([each.kind, each.level === 'ok']);
});

test('with the token of an App neither the switch nor required checks matter', () => {
  const app = withWorkflow((text) => text.replace('    uses:', '    secrets:\n      app-id: x\n    uses:'));
  const judged = judgeRepository(
    seen({ ...app, jobDefaults: { permissions: 'read', mayOpenPulls: false }, requiredChecks: ['ci'] }),
  );
  expect(worstOf(judged)).toBe('ok');
});

test('required statuses of gza’s own, and a merge queue, are no trap', () => {
  const judged = judgeRepository(
    seen({ requiredChecks: ['gza/review', 'gza/verify'], defaultRules: [rule('merge_queue')] }),
  );
  expect(worstOf(judged)).toBe('ok');
  expect(judged.map((one) => one.kind)).toContain('merge-queue');
});

test('required checks are no trap where gza starts their workflow itself', () => {
  const judged = judgeRepository(
    seen({ requiredChecks: ['ci'], ciWorkflows: [{ name: 'ci.yml', state: 'ready' }] }),
  );
  expect(worstOf(judged)).toBe('ok');
  expect(judged.map((one) => one.says)).toContain(
    'Required checks (ci): gza starts ci.yml on what it pushes.',
  );
});

test('how pull requests are merged, and what becomes of their branches, is told', () => {
  const says = (deletesBranches: boolean) =>
    judgeRepository(seen({ merges: { methods: ['squash'], deletesBranches } }))
      .filter((one) => one.kind === 'merge-methods')
      .map((one) => [one.level, one.says]);
  expect(says(true)).toEqual([
    ['ok', expect.stringMatching(/merged by squash; .* moves what is built on it/)],
  ]);
  expect(says(false)).toEqual([['ok', expect.stringMatching(/not by git/)]]);
});

test('gza is found in a workflow by what it uses', () => {
  const uses = (name: string) =>
    workflowTraits('x.yml', `jobs: { a: { steps: [{ run: x }, { uses: '${name}' }] } }`).usesGza;
  for (const one of ['someone/gza@v1', 'someone/gza/.github/workflows/gza.yml@main'])
    expect([one, uses(one)]).toEqual([one, true]);
  for (const one of ['actions/checkout@v5', 'someone/gzar@v1', 'x/y@gza'])
    expect([one, uses(one)]).toEqual([one, false]);
  const text = 'on: [push, workflow_dispatch]\npermissions: write-all\njobs: { a: { uses: x/gza@1 } }\n';
  expect(workflowTraits('x.yml', text)).toMatchObject({
    usesGza: true,
    triggers: ['push', 'workflow_dispatch'],
    permissions: 'write-all',
  });
});

test('names from outside cannot act in what is printed', () => {
  const judged = judgeRepository(seen({ requiredChecks: ['\u001b[31m', '@everyone\u202e'] }));
  const text = printDoctor('olive/demo', judged, plain);
  for (const one of ['\u001b', '\u202e', '@everyone']) expect(text).not.toContain(one);
});

test('the address of a remote names host and repository, whatever its form, and no token', () => {
  const at = (url: string) => repositoryOfUrl(url);
  const demo = { host: 'github.com', repository: 'olive/demo' };
  for (const url of [
    'https://github.com/olive/demo.git',
    'https://github.com/olive/demo/',
    'https://x-access-token:ghs_secret@github.com/olive/demo',
    'git@github.com:olive/demo.git',
    'ssh://git@github.com:22/olive/demo.git',
    'github.com:olive/demo',
  ])
    expect([url, at(url)]).toEqual([url, demo]);
  for (const url of [
    '/srv/git/demo.git',
    '../demo',
    'https://github.com/olive',
    'file:///x/y',
    'https://h/a/b/c',
    'h:../x',
  ])
    expect([url, at(url)]).toEqual([url, null]);
});

test('one owner may inherit, and a file of the same commit is not looked for', () => {
  const own = (uses: string) =>
    judgeRepository(
      seen({
        called: null,
        ...withWorkflow((text) => text.replace(/ uses: .*\n[^]*/, ` uses: ${uses}\n    secrets: inherit\n`)),
      }),
    ).filter(({ level }) => level !== 'ok');
  for (const uses of ['Olive/gza/.github/workflows/gza.yml@v1', './.github/workflows/gza.yml'])
    expect([uses, own(uses)]).toEqual([uses, []]);
  expect(own('others/gza/.github/workflows/gza.yml@v1').map(({ kind }) => kind)).toEqual([
    'secrets-inherited',
  ]);
});
