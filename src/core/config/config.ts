/** The values of `gza.yaml` and `.project-config.json`, with built-in values filled in. */
import type { FileTask, Task, TaskSettings } from '../task/task.ts';
import { namesOf, settingRows } from '../task/task-fields.ts';
import type { FieldRow } from '../task/task-json.ts';
import type { Problem } from '../yaml/problem.ts';
import type { ConfigInput } from './config-schema.ts';

/** The defaults. This file must not import the schema: commands that only read load it. */
export const builtInConfig: Config = {
  branch_prefix: 'gza/',
  state_ref: 'refs/tasks',
  defaults: {},
  task_types: {},
  agents: {},
  parallel_workers: 1,
  limit_wait_minutes: 360,
  budget: {},
  prices: {},
  isolation: 'auto',
  network: ['open'],
  sandbox: { read: [] },
  task_size_limits: {
    max_files_to_create: 5,
    max_files_to_modify: 8,
    max_acceptance_criteria: 7,
    max_input_tokens: 6000,
    max_time_minutes: 5,
    complexity_threshold: 5,
  },
  complexity_layers: {},
  milestones: [],
  reviewers: [],
  ci_workflow: [],
  protected: { paths: [], wait: [], name: [], except: [] },
  agent_tasks: 'wait',
  commands: {},
  bots: [],
  integrations: { linear: { enabled: false }, github: { enabled: false } },
  push: false,
  env: [],
};

/** Keys without a default. */
type Unset =
  | 'base'
  | 'max_tasks'
  | 'setup'
  | 'verify'
  | 'test_command'
  | 'build_verify'
  | 'prompts_dir'
  | 'auto_merge'
  | 'docker';
/** These become parts of `defaults`. */
type OfDefaults = 'agent' | 'requires';

/** Every key is described in config-schema.ts. */
export interface Config
  extends Required<Omit<ConfigInput, Unset | OfDefaults | 'task_size_limits' | 'integrations'>>,
    Pick<ConfigInput, Unset> {
  task_size_limits: TaskSizeLimits;
  integrations: Required<NonNullable<ConfigInput['integrations']>>;
}

type GivenLimits = NonNullable<ConfigInput['task_size_limits']>;
/** Splitting is off unless set; without it `gza check` only reports large tasks. */
type TaskSizeLimits = Required<Omit<GivenLimits, 'auto_split'>> & Pick<GivenLimits, 'auto_split'>;
export type AgentConfig = Config['agents'][string];
export type LinearConfig = Config['integrations']['linear'];

export const builtInSettings: TaskSettings = Object.fromEntries(
  Object.entries<FieldRow>(settingRows).flatMap(([name, { builtIn }]) =>
    builtIn === undefined ? [] : [[name, builtIn]],
  ),
);

const configFiles: ReadonlySet<string> = new Set(['gza.yaml', 'gza.yml', '.project-config.json']);

/** Errors in the configuration. The values that they concern are not in force. */
export function configMistakes(problems: readonly Problem[]): Problem[] {
  return problems.filter(({ file, severity }) => severity === 'error' && configFiles.has(file));
}

/** The programs that gza knows by name. */
export const knownAgents = ['claude', 'codex', 'opencode', 'gemini', 'copilot'] as const;

/**
 * Model names → the agent they belong to, as far as names show. This is enough to notice that an agent is
 * asked for another's model.
 */
const families: readonly (readonly [agent: string, names: RegExp])[] = [
  ['claude', /^(?:claude|opus|sonnet|haiku)\b/i],
  ['codex', /^(?:gpt|o\d|codex)\b/i],
  ['gemini', /^gemini\b/i],
];

/** The model to request from this agent. A plain name applies only to the first agent listed. */
export function modelOf(
  model: string | Readonly<Record<string, string>> | undefined,
  agent: string,
  first: string | undefined,
): string | undefined {
  if (typeof model !== 'object') return agent === first ? model : undefined;
  return Object.hasOwn(model, agent) ? model[agent] : undefined;
}

/** Why this agent most likely does not know this model; null if there is no reason to think so. */
export function modelFault(
  agent: string,
  model: string,
  agents: Readonly<Record<string, { readonly command?: readonly string[] }>>,
): string | null {
  if (Object.hasOwn(agents, agent) && agents[agent]!.command !== undefined) return null;
  if (!knownAgents.some((name) => name === agent)) return `no agent has the name ${agent}`;
  if (agent === 'opencode' && !model.includes('/')) {
    return `opencode names a model with its provider, such as anthropic/${model}`;
  }
  const isPicky = families.some(([name]) => name === agent);
  const owner = families.find(([, names]) => names.test(model))?.[0];
  return isPicky && owner !== undefined && owner !== agent ? `${model} is a model of ${owner}` : null;
}

type SettingName = keyof typeof settingRows;
type Built = {
  [K in SettingName]: (typeof settingRows)[K] extends { readonly builtIn: unknown } ? K : never;
}[SettingName];

/** Every setting has a value, except those without a sensible default. */
export interface Settings
  extends Required<Pick<TaskSettings, Built>>,
    Pick<TaskSettings, Exclude<SettingName, Built>> {}

type Typed = Pick<Task, 'type'> & TaskSettings;

/** The values that hold for a task. The nearest source that sets one wins. */
export function settingsOf(
  task: Typed,
  fileDefaults: TaskSettings,
  config: Config,
  flags: TaskSettings = {},
): Settings {
  const settings: Record<string, unknown> = {};
  for (const field of settingNames) {
    const value = flags[field] ?? settingOf(field, task, fileDefaults, config);
    if (value !== undefined) settings[field] = value;
  }
  return settings as unknown as Settings;
}

/** Such a plan becomes a file on a branch of its own, so that people can read, change and merge it. */
export function isPlanFiled({ approval, breakdown }: Pick<Settings, 'approval' | 'breakdown'>): boolean {
  return approval === 'required' || breakdown;
}

/** Dependents of such a task continue only after a person approved it, or merged its branch. */
export function needsApproval(
  { type }: Pick<Task, 'type'>,
  settings: Pick<Settings, 'approval' | 'breakdown'>,
): boolean {
  return settings.approval === 'required' || (type === 'plan' && settings.breakdown);
}

/** One setting alone, for code that asks about many tasks. */
export function settingOf<Field extends keyof TaskSettings>(
  field: Field,
  task: Typed,
  fileDefaults: TaskSettings,
  config: Config,
): Settings[Field] {
  const value =
    task[field] ??
    config.task_types[task.type]?.[field] ??
    fileDefaults[field] ??
    config.defaults[field] ??
    builtInSettings[field];
  return value as Settings[Field];
}

interface Explained {
  readonly field: keyof TaskSettings;
  /** undefined when nothing sets it. */
  readonly value: TaskSettings[keyof TaskSettings];
  readonly from: string;
}

export function explainSettings(
  fileTask: Pick<FileTask, 'task' | 'defaults' | 'file' | 'line' | 'lines'>,
  config: Config,
  flags: TaskSettings = {},
): Explained[] {
  const { task, defaults, file, line, lines } = fileTask;
  return settingNames.map((field) => {
    const lineOf = (prefix: string) =>
      namesOf(field, settingRows[field])
        .map((name) => lines?.[prefix + name])
        .find((at) => at !== undefined);
    const ofDefaults = lineOf('defaults.');
    const sources: [TaskSettings | undefined, () => string][] = [
      [flags, () => `flag ${field === 'agents' ? '--agent' : `--${field.replaceAll('_', '-')}`}`],
      [task, () => `task file ${file}:${lineOf('') ?? line}`],
      [config.task_types[task.type], () => `gza.yaml task_types.${task.type}`],
      [defaults, () => `defaults of ${file}${ofDefaults ? `:${ofDefaults}` : ''}`],
      [config.defaults, () => 'gza.yaml defaults'],
      [builtInSettings, () => 'built-in'],
    ];
    const found = sources.find(([source]) => source?.[field] !== undefined);
    return { field, value: found?.[0]?.[field], from: found ? found[1]() : 'not set' };
  });
}

export const settingNames = Object.keys(settingRows) as (keyof TaskSettings)[];
