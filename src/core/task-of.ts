/** From the words of a file to a Task: names that mean one thing become one, lists of one become lists. */
import type { Task, TaskSettings } from './task.ts';
import { type DefaultsInput, settingsFields, type TaskInput, titleCharsMax } from './task-schema.ts';

/** What the tasks of one file share. */
export interface Shared {
  /** Fields that a task takes over unless it sets its own. */
  readonly own: Partial<Task>;
  readonly settings: TaskSettings;
  readonly lines: Readonly<Record<string, number>>;
}

type Report = (message: string, field: string) => void;

export function taskOf(id: string, input: TaskInput, shared: Partial<Task>, report: Report): Task {
  const { own, settings } = defaultsOf(input, report);
  const { prompt, content, title } = input;
  if (prompt !== undefined && content !== undefined) {
    report('prompt and content are the same field: give one of them', 'content');
  }
  const asked = prompt ?? content ?? '';
  const depends_on = dependenciesOf(input);
  const fields: Unfinished = {
    user_story: input.user_story,
    acceptance_criteria: many(input.acceptance_criteria),
    depends_on: depends_on.length > 0 ? depends_on : undefined,
    same_branch: input.same_branch,
    branch: input.branch,
    files_to_create: many(input.files_to_create),
    files_to_modify: many(input.files_to_modify),
    test_files: many(input.test_files),
    parent: input.parent,
    linear_issue_id: input.linear_issue_id,
  };
  const heading = title ?? (asked === '' ? id : firstLine(asked));
  const merged = { ...shared, ...own };
  return {
    ...merged,
    ...defined<Partial<Task>>(fields),
    ...settings,
    id,
    type: merged.type ?? 'task',
    title: heading,
    content: asked === '' ? heading : asked,
  };
}

/** Splits what a file's `defaults` (or a task) set into fields that a task has and settings with layers. */
export function defaultsOf(
  input: DefaultsInput,
  report?: Report,
): { own: Partial<Task>; settings: TaskSettings } {
  const { milestone, milestone_id } = input;
  const [one, other] = [milestoneId(milestone), milestoneId(milestone_id)];
  if (one !== undefined && other !== undefined && one !== other) {
    report?.('milestone and milestone_id name different milestones: give one of them', 'milestone_id');
  }
  const { group, project, plan_file, type, priority, estimated_complexity, assigned_agent, tags } = input;
  const own: Unfinished = {
    type,
    group,
    milestone: one ?? other,
    priority,
    estimated_complexity,
    assigned_agent,
    plan_file,
    project,
    tags: many(tags),
  };
  return { own: defined<Partial<Task>>(own), settings: settingsOfInput(input) };
}

/** Only the settings among the fields; `agent: claude` is a list of one. */
export function settingsOfInput(input: DefaultsInput): TaskSettings {
  const { agent, agents, allow, ...rest } = input;
  const programs = [...new Set([...(many(agent) ?? []), ...(many(agents) ?? [])])];
  const settings: Unfinished = {};
  for (const name of settingNames) if (name in rest) settings[name] = rest[name as keyof typeof rest];
  if (programs.length > 0) settings['agents'] = programs;
  if (allow !== undefined) settings['allow'] = many(allow);
  return defined<TaskSettings>(settings);
}

const settingNames = Object.keys(settingsFields);

function dependenciesOf({ depends_on, based_on, dependencies, after }: TaskInput): string[] {
  return [...new Set([depends_on, based_on, dependencies, after].flatMap((ids) => many(ids) ?? []))];
}

function milestoneId(milestone: DefaultsInput['milestone']): string | undefined {
  return typeof milestone === 'object' ? milestone.id : milestone;
}

function firstLine(text: string): string {
  const line = (text.trim().split(/[\r\n]/, 1)[0] ?? '').replace(/^#+\s+/, '').trim();
  const letters = Array.from(line);
  return letters.length > titleCharsMax
    ? `${letters
        .slice(0, titleCharsMax - 1)
        .join('')
        .trimEnd()}…`
    : line;
}

type Unfinished = Record<string, unknown>;

/** The schemas give `undefined` for what is not set; a Task leaves it out. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- says what the caller knows
function defined<T>(fields: Unfinished): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}

function many<T>(value: T | T[] | undefined): T[] | undefined {
  return value === undefined ? undefined : Array.isArray(value) ? value : [value];
}
