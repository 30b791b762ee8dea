/**
 * Describes every key of gza.yaml once: accepted values, the text that editors show, and the type in the
 * configuration. A single value for a list becomes a list of one, and a key that was left out is absent.
 */
import * as z from 'zod';
import { fieldsOf, idSchema, line, settingFields, type TaskInput, word } from '../task/task-schema.ts';
import type { IssueState } from '../trackers/tracker.ts';

const dollars = z.number().positive().max(1_000_000);
const oneOrMany = z.union([word, z.array(word).max(1000)]).transform(listOf);
const variable = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/)
  .meta({ title: 'the name of an environment variable', examples: ['NPM_TOKEN'] });

const host = z
  .string()
  .max(260)
  .regex(/^(open|model-only|registries|(\*\.)?([a-z0-9-]+\.)+[a-z0-9-]+(:\d{1,5})?)$/i)
  .meta({
    title: '`open`, `model-only`, `registries` or the name of a host',
    examples: ['registries', '*.example.com'],
  });

const workflowFile = z
  .string()
  .regex(/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,100}\.ya?ml$/)
  .meta({ title: 'the file name of a workflow, without its folder' });

const settingsOf = (given: TaskInput | null) => fieldsOf(given ?? {}).settings;
const settings = z.strictObject(settingFields);
const typeSettings = settings.nullable().transform(settingsOf).optional();

const prices = z
  .strictObject({
    input: z.number().nonnegative().optional().describe('Dollars for a million input tokens.'),
    output: z.number().nonnegative().optional().describe('Dollars for a million output tokens.'),
    cached_input: z
      .number()
      .nonnegative()
      .optional()
      .describe('Dollars for a million input tokens read from a cache.'),
  })
  .transform(defined);

const agent = z
  .strictObject({
    command: z
      .union([word, z.array(word).max(1000)])
      .meta({ examples: ['aider --yes'] })
      .transform((command) => (typeof command === 'string' ? command.split(/\s+/) : command))
      .optional()
      .describe(
        'Program and arguments, run without a shell. Not needed for the agents that gza knows by name.',
      ),
    prompt_via: z
      .enum(['argument', 'stdin', 'file'])
      .optional()
      .describe('How the prompt reaches it. Default `argument`: as the last one.'),
    model: word.optional().describe('Its model, where a task names none.'),
    review_model: word.optional().describe('Its model for reviews.'),
    env: z
      .array(variable)
      .max(100)
      .optional()
      .describe('Environment variables that it gets, besides the usual ones.'),
    access: z
      .enum(['read', 'workspace', 'full'])
      .optional()
      .describe("How far the agent's own sandbox lets it go."),
    proxy: z
      .enum(['off'])
      .optional()
      .describe('`off` gives it its key itself, with no model proxy between it and its model.'),
    prices: prices.optional().describe('What its tokens cost, where it does not say.'),
    max_turns: settingFields['max_turns'] as z.ZodOptional<z.ZodType<number>>,
  })
  .nullable()
  .transform((given): Given<NonNullable<typeof given>> => defined(given ?? {}));

const limit = z.number().positive().max(10_000_000).optional();
export const taskSizeLimitsSchema = z
  .strictObject({
    max_files_to_create: limit.describe('Files that a task should create at most. Default 5.'),
    max_files_to_modify: limit.describe('Files that a task should change at most. Default 8.'),
    max_acceptance_criteria: limit.describe('Acceptance criteria of a task at most. Default 7.'),
    max_criteria_per_task: limit.describe('The same as `max_acceptance_criteria`.'),
    max_input_tokens: limit.describe('Tokens that the context of a task should need at most. Default 6000.'),
    max_time_minutes: limit.describe('Minutes that a task should take at most. Default 5.'),
    complexity_threshold: limit.describe('Score above which a task is split or reported. Default 5.'),
    auto_split: z.boolean().optional().describe('Split tasks above the threshold.'),
  })
  .transform(({ max_criteria_per_task: criteria, ...limits }) =>
    defined<typeof limits>(
      criteria === undefined ? limits : { max_acceptance_criteria: criteria, ...limits },
    ),
  );

const stateName = word.optional();
const stateNames = {
  pending: stateName,
  blocked: stateName,
  in_progress: stateName,
  in_review: stateName.describe('For completed tasks whose pull request is not merged yet.'),
  completed: stateName,
  failed: stateName,
  skipped: stateName,
} satisfies Record<IssueState, unknown>;

const linear = z
  .strictObject({
    enabled: z.boolean().describe('Mirror tasks to Linear.'),
    team_id: word
      .optional()
      .describe('Team in Linear: the key before its issue numbers, its name or its id.'),
    project: line
      .optional()
      .describe("Project in Linear that the issues belong to. With `create_project`, the repository's name."),
    create_project: z.boolean().optional().describe('Create the project when it is not there.'),
    states: z
      .strictObject(stateNames)
      .transform(defined)
      .optional()
      .describe("Workflow states by state of a task. Default: the team's first state of the fitting type."),
    import_label: word.optional().describe('Label of issues that become tasks. Default `gza`.'),
  })
  .transform(defined);

const github = z
  .strictObject({
    enabled: z.boolean().describe('Mirror tasks to issues and milestones of the repository on GitHub.'),
    label: word.max(50).optional().describe('Label that all of these issues have. Default `gza-task`.'),
  })
  .transform(defined);

export const integrationsSchema = z
  .strictObject({ linear: linear.optional(), github: github.optional() })
  .transform(defined);
export const parallelWorkersSchema = z.number().int().min(1).max(64);

const milestone = z
  .strictObject({
    id: idSchema,
    name: line.optional(),
    description: z.string().trim().max(10_000).optional(),
  })
  .transform(defined);

export const configSchema = z
  .strictObject({
    base: word
      .optional()
      .describe("Branch that work starts from and returns to. Default: the repository's default branch."),
    branch_prefix: z.string().max(100).optional().describe('Begins the branch of each task. Default `gza/`.'),
    state_ref: word
      .optional()
      .describe('Where state is kept. Default `refs/tasks`.')
      .meta({ examples: ['refs/heads/gza-state'] }),
    defaults: settings
      .transform(settingsOf)
      .optional()
      .describe('Settings of every task that nothing nearer sets.'),
    task_types: z
      .strictObject({
        task: typeSettings,
        explore: typeSettings,
        plan: typeSettings,
        implement: typeSettings,
        review: typeSettings,
        improve: typeSettings,
      })
      .transform(defined)
      .optional()
      .describe('Settings by type of task; an empty entry takes all from `defaults`.'),
    agent: settingFields['agent']!,
    agents: z.record(word, agent).optional().describe('Programs that do the work, by name.'),
    parallel_workers: parallelWorkersSchema
      .optional()
      .describe('Tasks that may be worked on at once. Default 1.'),
    max_tasks: z.number().int().min(1).max(10_000).optional().describe('Tasks that one run may work on.'),
    limit_wait_minutes: z
      .number()
      .min(0)
      .max(10_080)
      .optional()
      .describe(
        'How long `gza work --all` waits, in all, for usage limits to end. Default 360; 0 never waits.',
      ),
    requires: settingFields['requires']!,
    budget: z
      .strictObject({
        run: dollars.optional().describe('Dollars that one run may cost.'),
        day: dollars.optional().describe('Dollars that a day (UTC) may cost.'),
        task: dollars.optional().describe('Dollars that one task may cost.'),
      })
      .transform(defined)
      .optional()
      .describe('Bounds on cost, in dollars.'),
    prices: z
      .record(word, prices)
      .optional()
      .describe('Prices by model, for agents that report tokens and no cost.'),
    setup: line
      .optional()
      .describe('Command that makes a fresh checkout ready for the checks: it installs what they need.')
      .meta({ examples: ['npm ci'] }),
    verify: (settingFields['verify'] as z.ZodOptional<z.ZodType<string>>).describe(
      'Command that must succeed after every task.',
    ),
    test_command: line
      .optional()
      .describe("Command that runs tests; `{files}` stands for the task's `test_files`.")
      .meta({ examples: ['npm test -- {files}'] }),
    build_verify: line
      .optional()
      .describe('Command that must succeed on the whole when the last task is done.'),
    isolation: z
      .enum(['auto', 'required', 'off'])
      .optional()
      .describe(
        'Whether agents and checks run in a sandbox: where the machine can (`auto`), or nowhere else (`required`).',
      ),
    network: z
      .union([host, z.array(host).max(200)])
      .transform(listOf)
      .optional()
      .describe('What agents and checks reach from the sandbox. Default `open`.')
      .meta({ examples: ['open', ['model-only', 'registries']] }),
    docker: z
      .literal('host')
      .optional()
      .describe("Gives the sandbox the machine's docker. Whoever may use that can leave the sandbox."),
    sandbox: z
      .strictObject({
        read: oneOrMany.optional().describe('More files and folders of the machine that may be read in it.'),
        memory_gb: z
          .number()
          .positive()
          .max(100_000)
          .optional()
          .describe("Memory of one command with all it starts. Default: four fifths of the machine's."),
        processes: z
          .number()
          .int()
          .min(10)
          .max(1_000_000)
          .optional()
          .describe('Processes of one command. Default 4096.'),
        tmp_gb: z
          .number()
          .positive()
          .max(100_000)
          .optional()
          .describe('Size of its `/tmp`. Default: a quarter of the memory that it may use.'),
      })
      .transform(({ read = [], ...limits }) => ({ read, ...defined<typeof limits>(limits) }))
      .optional()
      .describe('What may be read in the sandbox, and how much may be used.'),
    task_size_limits: taskSizeLimitsSchema.optional().describe('What counts as a large task.'),
    complexity_layers: z
      .record(word, oneOrMany)
      .optional()
      .describe('Layers of the code from the lowest up, each with its globs; splits follow them.'),
    milestones: z
      .array(z.union([idSchema.transform((id) => ({ id })), milestone]))
      .max(1000)
      .optional()
      .describe('Milestones in their order.'),
    reviewers: oneOrMany.optional().describe('People asked to review pull requests.'),
    auto_merge: z
      .strictObject({
        lines: z
          .number()
          .int()
          .min(1)
          .max(100_000)
          .optional()
          .describe('Lines that its pull request may change. Default 300.'),
        paths: oneOrMany.optional().describe('Globs: every changed file must match one. Default all files.'),
      })
      .transform(defined)
      .optional()
      .describe(
        'Merges by itself what a review approved, when its checks are green and no file waited for a person. Default off; `{}` sets it on.',
      )
      .meta({ examples: [{ lines: 100, paths: ['docs/**'] }] }),
    ci_workflow: z
      .union([workflowFile, z.array(workflowFile).max(5)])
      .meta({ examples: ['ci.yml'] })
      .transform(listOf)
      .optional()
      .describe(
        'Workflows with `on: workflow_dispatch` that are started on every branch that gza pushes on GitHub.',
      ),
    protected: z
      .strictObject({
        paths: oneOrMany.optional().describe('More globs that no task may touch.'),
        wait: oneOrMany
          .optional()
          .describe('More globs of files that wait for a person when a task changed them.'),
        name: oneOrMany.optional().describe('More globs of files that are named when a task changed them.'),
        except: oneOrMany
          .optional()
          .describe('Globs that tasks may touch although they are protected by default.'),
      })
      .transform(({ paths = [], wait = [], name = [], except = [] }) => ({ paths, wait, name, except }))
      .optional()
      .describe('What tasks may not touch, besides the repository configuration that is always protected.'),
    prompts_dir: word.optional().describe('Folder with prompts that replace the built-in ones.'),
    agent_tasks: z
      .enum(['run', 'wait'])
      .optional()
      .describe('Whether tasks filed by an agent run by themselves. Default `wait`.'),
    commands: z
      .record(word, z.enum(['write', 'maintain', 'admin']))
      .optional()
      .describe('Permission that a command in a comment needs, where it is not `write`.'),
    bots: z
      .array(z.number().int().min(1).max(Number.MAX_SAFE_INTEGER))
      .max(100)
      .optional()
      .describe('Account ids of bots whose `/gza` comments are obeyed. Default none.')
      .meta({ examples: [[49699333]] }),
    integrations: integrationsSchema.optional().describe('Other systems.'),
    push: z
      .boolean()
      .optional()
      .describe('Push branches and state while working. Default false on a laptop.'),
    env: z.array(variable).max(100).optional().describe('Environment variables that every agent gets.'),
  })
  .describe('Configuration of gza.');

/** The configuration with only the keys that were set. */
export type ConfigInput = Given<ConfigOutput>;
export type ConfigOutput = z.output<typeof configSchema>;

/** An optional field is absent or has a value. */
type Given<T> = { [K in keyof T]: Exclude<T[K], undefined> };

export function defined<T extends object>(fields: T): Given<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<T>;
}

function listOf(value: string | string[]): string[] {
  return typeof value === 'string' ? [value] : value;
}

export const configSynonyms: Readonly<Record<string, string>> = {
  base_branch: 'base',
  default_branch: 'base',
  branch: 'base',
  prefix: 'branch_prefix',
  workers: 'parallel_workers',
  concurrency: 'parallel_workers',
  types: 'task_types',
  test: 'test_command',
  build: 'build_verify',
  install: 'setup',
  hosts: 'network',
  linear: 'integrations',
  prompts: 'prompts_dir',
};
