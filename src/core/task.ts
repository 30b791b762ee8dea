/**
 * What should be done: a task as its author wrote it, with every field that a task may have under the name it
 * has in YAML, in the ledger and in `--json`. A field that was not set is absent: the effective value comes
 * from the configuration (see settings.ts). Absent lists and texts keep a stored line short.
 */
export const taskTypes = ['task', 'explore', 'plan', 'implement', 'review', 'improve'] as const;
export type TaskType = (typeof taskTypes)[number];

export const priorities = ['critical', 'high', 'medium', 'low'] as const;
export type Priority = (typeof priorities)[number];

export const complexities = ['low', 'medium', 'high'] as const;
export type Complexity = (typeof complexities)[number];

/** Settings may stand on a task, in a file's `defaults`, under a task type or in the configuration's defaults. */
export interface TaskSettings {
  requires?: 'completed' | 'merged';
  approval?: 'required' | 'none';
  /** Of a plan: its branch holds the plan and the task files that it comes to. */
  breakdown?: boolean;
  create_review?: boolean;
  auto_review?: boolean;
  max_review_cycles?: number;
  review_model?: string;
  model?: string;
  /** The programs that may run it, in order of preference; `agent: claude` is a list of one. */
  agents?: string[];
  max_turns?: number;
  timeout_minutes?: number;
  review_timeout_minutes?: number;
  improve_timeout_minutes?: number;
  max_attempts?: number;
  max_slices?: number;
  /** Dollars. */
  budget?: number;
  loop?: 'until-verified' | 'none';
  /** Globs of what the task may touch. */
  allow?: string[];
  /** A command that must succeed after the step. */
  verify?: string;
}

export interface Task extends TaskSettings {
  id: string;
  type: TaskType;
  /** At most 80 characters; the first line of `content` when not given. */
  title: string;
  /** What the agent is asked to do. */
  content: string;
  user_story?: string;
  acceptance_criteria?: string[];
  group?: string;
  /** The milestone's id. */
  milestone?: string;
  priority?: Priority;
  estimated_complexity?: Complexity;
  depends_on?: string[];
  same_branch?: boolean;
  branch?: string;
  /** The only holder that may claim it. */
  assigned_agent?: string;
  files_to_create?: string[];
  files_to_modify?: string[];
  test_files?: string[];
  parent?: string;
  plan_file?: string;
  project?: string;
  linear_issue_id?: string;
  tags?: string[];
}

export interface Milestone {
  id: string;
  name?: string;
  description?: string;
}
