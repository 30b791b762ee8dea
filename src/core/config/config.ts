/** What `gza.yaml` (and `.project-config.json`) may say, with everything built in filled in. */
import type { Milestone, TaskSettings, TaskType } from '../task/task.ts';
import { type FieldRow, settingRows } from '../task/task-fields.ts';
import type { IssueState } from '../trackers/tracker.ts';

/** Dollars for a million tokens. */
export interface Prices {
  input?: number;
  output?: number;
  cached_input?: number;
}

export interface AgentConfig {
  /** Program and arguments; absent for the agents that gza knows by name. */
  command?: string[];
  prompt_via?: 'argument' | 'stdin' | 'file';
  model?: string;
  review_model?: string;
  /** Names of environment variables that it gets, besides the usual ones. */
  env?: string[];
  /** How far the agent's own sandbox lets it go. */
  access?: 'read' | 'workspace' | 'full';
  prices?: Prices;
  max_turns?: number;
}

export interface TaskSizeLimits {
  max_files_to_create: number;
  max_files_to_modify: number;
  max_acceptance_criteria: number;
  max_input_tokens: number;
  max_time_minutes: number;
  complexity_threshold: number;
  /** Off unless set: without it `gza check` only says what is large. */
  auto_split?: boolean;
}

export interface LinearConfig {
  enabled: boolean;
  /** Key, name or id. */
  team_id?: string;
  /** The repository's name when one is to be created. */
  project?: string;
  create_project?: boolean;
  states?: Partial<Record<IssueState, string>>;
  /** Label of issues that become tasks. */
  import_label?: string;
}

export interface GithubIssuesConfig {
  enabled: boolean;
  /** On every issue that shows a task. */
  label?: string;
}

export type CommandPermission = 'write' | 'maintain' | 'admin';

export interface Config {
  /** The base branch; the repository's default branch when absent. */
  base?: string;
  branch_prefix: string;
  /** Where ledgers live, for hosts that refuse custom refs. */
  state_ref: string;
  defaults: TaskSettings;
  task_types: Partial<Record<TaskType, TaskSettings>>;
  agents: Record<string, AgentConfig>;
  parallel_workers: number;
  /** Tasks that one run may work on. */
  max_tasks?: number;
  /** How long one run over all tasks waits for agents' limits. */
  limit_wait_minutes: number;
  /** Dollars. */
  budget: { run?: number; day?: number; task?: number };
  /** By model, for agents that report tokens and no cost. */
  prices: Record<string, Prices>;
  /** Makes a fresh checkout ready for the checks. */
  setup?: string;
  verify?: string;
  /** `{files}` stands for the task's test files. */
  test_command?: string;
  build_verify?: string;
  task_size_limits: TaskSizeLimits;
  /** Layer → globs, from the lowest layer up. */
  complexity_layers: Record<string, string[]>;
  milestones: Milestone[];
  /** People asked to review pull requests. */
  reviewers: string[];
  /** Workflow files that are started on a branch that was pushed: a job's token starts nothing by pushing. */
  ci_workflow: string[];
  /** Paths that no task may touch unless allowed: more of them, and exceptions. */
  protected: { paths: string[]; except: string[] };
  prompts_dir?: string;
  /** Whether tasks filed by an agent run by themselves. */
  agent_tasks: 'run' | 'wait';
  /** Permission that a command given in a comment needs, where it is not `write`. */
  commands: Record<string, CommandPermission>;
  /** Ids of the bots that may command. */
  bots: number[];
  integrations: { linear: LinearConfig; github: GithubIssuesConfig };
  push: boolean;
  /** Environment variables that every agent gets. */
  env: string[];
}

/** What holds when nothing says otherwise. */
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
  protected: { paths: [], except: [] },
  agent_tasks: 'wait',
  commands: {},
  bots: [],
  integrations: { linear: { enabled: false }, github: { enabled: false } },
  push: false,
  env: [],
};

export const builtInSettings: TaskSettings = Object.fromEntries(
  Object.entries<FieldRow>(settingRows).flatMap(([name, { builtIn }]) =>
    builtIn === undefined ? [] : [[name, builtIn]],
  ),
);
