import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  builtInConfig,
  builtInSettings,
  explainSettings,
  settingNames,
  settingsOf,
} from '../../src/core/config/config.ts';
import { configSchema } from '../../src/core/config/config-schema.ts';
import { parseConfig } from '../../src/core/config/parse-config.ts';
import { parseTaskFile } from '../../src/core/task/parse-task-file.ts';
import type { TaskSettings } from '../../src/core/task/task.ts';
import { settingFields } from '../../src/core/task/task-schema.ts';
import { printProblems } from '../../src/core/yaml/problem.ts';

function configIn(gza: string, project?: string) {
  const { config, problems } = parseConfig({ gza, project });
  expect(printProblems(problems)).toBe('');
  return config;
}

const everyKey = `base: main
branch_prefix: bot/
state_ref: refs/heads/gza-state
defaults: {model: opus, max_turns: 50}
task_types:
  plan: {max_turns: 30}
  implement:
    # inherits defaults
  review: {model: sonnet, max_turns: 10}
agent: [claude, codex]
agents:
  codex:
  aider: {command: aider --yes, prompt_via: stdin, model: m, review_model: n, env: [KEY], access: full, proxy: off, prices: {input: 1, output: 2, cached_input: 0}, max_turns: 4}
parallel_workers: 3
max_tasks: 7
limit_wait_minutes: 30
requires: merged
budget: {run: 10, day: 50, task: 5}
prices: {m: {input: 1.5}}
setup: npm ci
verify: npm test
test_command: npm test -- {files}
build_verify: npm run build
isolation: required
network: [model-only, '*.example.com:8443']
docker: host
sandbox: {read: ~/.m2, memory_gb: 1.5, processes: 100, tmp_gb: 1}
task_size_limits: {max_files_to_create: 4, max_criteria_per_task: 6, complexity_threshold: 6.5, auto_split: true}
complexity_layers: {data: src/data/**, ui: [src/ui/**]}
milestones: [M1, {id: 007, name: Bond}]
reviewers: ann
auto_merge: { lines: 50, paths: docs/** }
ci_workflow: ci.yml
protected: {paths: infra/**, except: [.github/dependabot.yml]}
prompts_dir: prompts
agent_tasks: run
commands: {work: maintain}
bots: [49699333]
integrations: {linear: {enabled: true, team_id: TEAM, create_project: true}}
push: true
env: [NPM_TOKEN]
`;

test('gza.yaml may have every key', () => {
  const tried = [...everyKey.matchAll(/^(\w+):/gm)].map(([, key]) => key);
  expect(new Set(tried)).toEqual(new Set(Object.keys(configSchema.shape)));
  const config = configIn(everyKey);
  expect(config).toMatchObject({
    base: 'main',
    branch_prefix: 'bot/',
    state_ref: 'refs/heads/gza-state',
    defaults: {
      agents: ['claude', 'codex'],
      requires: 'merged',
      verify: 'npm test',
      budget: 5,
      model: 'opus',
      max_turns: 50,
    },
    task_types: { plan: { max_turns: 30 }, implement: {}, review: { model: 'sonnet', max_turns: 10 } },
    agents: {
      codex: {},
      aider: { command: ['aider', '--yes'], prompt_via: 'stdin', env: ['KEY'], access: 'full', proxy: 'off' },
    },
    complexity_layers: { data: ['src/data/**'], ui: ['src/ui/**'] },
    milestones: [{ id: 'M1' }, { id: '007', name: 'Bond' }],
    reviewers: ['ann'],
    ci_workflow: ['ci.yml'],
    protected: { paths: ['infra/**'], except: ['.github/dependabot.yml'] },
    isolation: 'required',
    network: ['model-only', '*.example.com:8443'],
    docker: 'host',
    sandbox: { read: ['~/.m2'], memory_gb: 1.5, processes: 100, tmp_gb: 1 },
    integrations: { linear: { enabled: true, team_id: 'TEAM', create_project: true } },
  });
  expect(config.task_size_limits).toEqual({
    max_files_to_create: 4,
    max_files_to_modify: 8,
    max_acceptance_criteria: 6,
    max_input_tokens: 6000,
    max_time_minutes: 5,
    complexity_threshold: 6.5,
    auto_split: true,
  });
});

test('without files everything is built in', () => {
  expect(parseConfig({})).toEqual({ config: builtInConfig, problems: [] });
  expect(configIn('# nothing yet\n')).toEqual(builtInConfig);
});

test('.project-config.json is read below gza.yaml, and what other programs keep there is theirs', () => {
  const project =
    '{\n\t"name": "shop",\n\t"parallel_workers": 4,\n\t"task_size_limits": {"max_files_to_create": 2, "max_time_minutes": 9},\n\t"integrations": {"linear": {"enabled": true, "team_id": "T"}}\n}\n';
  const config = configIn('task_size_limits: {max_time_minutes: 7}\n', project);
  expect(config).toMatchObject({
    parallel_workers: 4,
    task_size_limits: { max_files_to_create: 2, max_time_minutes: 7 },
    integrations: { linear: { enabled: true, team_id: 'T' } },
  });
  const { problems } = parseConfig({ project: '{\n\t"parallel_workers": "many"\n}' });
  expect(printProblems(problems)).toBe(
    '.project-config.json:2:22: parallel_workers has a wrong value\n    expected: a whole number from 1 to 64\n    found:    many',
  );
});

test('mistakes are told with the place and the nearest right key; the rest holds', () => {
  const { config, problems } = parseConfig({
    gza: `base_branch: main
task_type: {}
paralel_workers: 2
defaults: {max_turn: 5, timeout: 3}
task_types: {implment: {}}
agents: {claude: {comand: x}}
budget: {day: $5}
branch_prefix: a..b
state_ref: tasks
milestones: [{id: M1, nam: x}]
push: true
`,
  });
  expect(printProblems(problems)).toMatchInlineSnapshot(`
"gza.yaml:1:1: base_branch is not a field of gza.yaml: did you mean base?
gza.yaml:2:1: task_type is not a field of gza.yaml: did you mean task_types?
gza.yaml:3:1: paralel_workers is not a field of gza.yaml: did you mean parallel_workers?
gza.yaml:4:12: max_turn is not a field of defaults: did you mean max_turns?
gza.yaml:4:25: timeout is not a field of defaults: did you mean timeout_minutes?
gza.yaml:5:14: implment is not a field of task_types: did you mean implement?
gza.yaml:6:19: comand is not a field of agents.claude: did you mean command?
gza.yaml:7:15: budget.day has a wrong value
    expected: a number above 0, at most 1000000
    found:    $5
gza.yaml:8:16: branch_prefix has two dots in a row
gza.yaml:9:12: state_ref does not begin with refs/
gza.yaml:10:23: nam is not a field of milestones.0: did you mean name?"
`);
  expect(config).toMatchObject({
    push: true,
    parallel_workers: 1,
    branch_prefix: 'gza/',
    state_ref: 'refs/tasks',
  });
});

test('the nearest source of a setting wins', () => {
  const sources = fc.record({
    flag: fc.option(fc.integer({ min: 1, max: 99 }), { nil: undefined }),
    task: fc.option(fc.integer({ min: 1, max: 99 }), { nil: undefined }),
    type: fc.option(fc.integer({ min: 1, max: 99 }), { nil: undefined }),
    file: fc.option(fc.integer({ min: 1, max: 99 }), { nil: undefined }),
    config: fc.option(fc.integer({ min: 1, max: 99 }), { nil: undefined }),
  });
  const of = (max_attempts: number | undefined): TaskSettings =>
    max_attempts === undefined ? {} : { max_attempts };
  fc.assert(
    fc.property(sources, ({ flag, task, type, file, config }) => {
      const whole = {
        ...builtInConfig,
        defaults: of(config),
        task_types: { implement: of(type), plan: of(1) },
      };
      const settings = settingsOf({ type: 'implement', ...of(task) }, of(file), whole, of(flag));
      expect(settings.max_attempts).toBe(flag ?? task ?? type ?? file ?? config ?? 3);
    }),
  );
});

test('a value of false or 0 is a value', () => {
  const config = configIn('defaults: {auto_review: true}\ntask_types: {implement: {auto_review: false}}\n');
  expect(settingsOf({ type: 'implement', max_slices: 0 }, {}, config)).toMatchObject({
    auto_review: false,
    max_slices: 0,
  });
  expect(settingsOf({ type: 'plan' }, {}, config).auto_review).toBe(true);
});

test('where each value comes from is told', () => {
  const config = configIn(
    'defaults: {model: opus, max_turns: 50}\ntask_types: {implement: {max_turns: 30}}\n',
  );
  const file =
    'defaults: {timeout_minutes: 5, max_turns: 9}\ntasks:\n  - id: x\n    type: implement\n    title: X\n    agent: codex\n';
  const [task] = parseTaskFile('tasks/x.yml', file).tasks;
  const explained = explainSettings(task!, config, { budget: 2 });
  const lines = explained.map(({ field, value, from }) => `${field} = ${value as string} (${from})`);
  expect(lines.join('\n')).toMatchInlineSnapshot(`
"requires = completed (built-in)
approval = none (built-in)
breakdown = false (built-in)
create_review = false (built-in)
auto_review = false (built-in)
max_review_cycles = 3 (built-in)
review_model = undefined (not set)
model = opus (gza.yaml defaults)
agents = codex (task file tasks/x.yml:6)
max_turns = 30 (gza.yaml task_types.implement)
timeout_minutes = 5 (defaults of tasks/x.yml:1)
review_timeout_minutes = 10 (built-in)
improve_timeout_minutes = 30 (built-in)
max_attempts = 3 (built-in)
max_slices = 2 (built-in)
budget = 2 (flag --budget)
loop = none (built-in)
allow = undefined (not set)
baseline = check (built-in)
verify = undefined (not set)"
`);
});

test('every setting is explained, and what is built in is what is documented', () => {
  expect([...settingNames, 'agent'].sort()).toEqual(Object.keys(settingFields).sort());
  expect(builtInSettings).toMatchObject({
    max_attempts: 3,
    max_slices: 2,
    max_review_cycles: 3,
    timeout_minutes: 60,
  });
  expect(builtInSettings).toMatchObject({
    review_timeout_minutes: 10,
    improve_timeout_minutes: 30,
    auto_review: false,
  });
});

test('a budget under which no task could start is warned of, and in force', () => {
  const warned = (gza: string) => printProblems(parseConfig({ gza }).problems);
  expect(warned('budget: { run: 1, task: 5 }')).toBe(
    'gza.yaml:1:16: warning: budget.run is $1, but a task may cost $5, so none would start',
  );
  expect(warned('defaults: { budget: 3 }\nbudget: { day: 2, task: 1 }')).toContain('budget.day is $2');
  expect(warned('budget: { run: 5, day: 9, task: 5 }')).toBe('');
  expect(parseConfig({ gza: 'budget: { run: 1, task: 5 }' }).config.budget).toEqual({ run: 1, task: 5 });
});

test('ledgers are not kept where branches, tags or what git fetches are', () => {
  const faulty = (ref: string) => parseConfig({ gza: `state_ref: ${ref}\n` }).problems.length > 0;
  const taken = [
    'refs/heads',
    'refs/tags',
    'refs/remotes',
    'refs/remotes/origin',
    'refs/notes/x',
    'refs/gza/local',
  ];
  expect(taken.filter((ref) => !faulty(ref))).toEqual([]);
  expect(['refs/tasks', 'refs/heads/gza-state', 'refs/team/tasks', 'refs/notes2'].filter(faulty)).toEqual([]);
});
