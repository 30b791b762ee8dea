/** The values that hold for a task, and where each came from. The nearest source that sets one wins. */
import { builtInSettings, type Config } from '../config/config.ts';
import type { FileTask, Task, TaskSettings } from './task.ts';
import { settingRows } from './task-fields.ts';
import { namesOf } from './task-json.ts';

type SettingName = keyof typeof settingRows;
type Built = {
  [K in SettingName]: (typeof settingRows)[K] extends { readonly builtIn: unknown } ? K : never;
}[SettingName];

/** Every setting has a value, but those that have no sensible one. */
export interface Settings
  extends Required<Pick<TaskSettings, Built>>,
    Pick<TaskSettings, Exclude<SettingName, Built>> {}

type Typed = Pick<Task, 'type'> & TaskSettings;

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

/** Such a plan becomes a file on a branch of its own, for people to read, change and merge. */
export function isPlanFiled({ approval, breakdown }: Pick<Settings, 'approval' | 'breakdown'>): boolean {
  return approval === 'required' || breakdown;
}

/** What waits for it goes on when a person approved it, or merged its branch. */
export function needsApproval(
  { type }: Pick<Task, 'type'>,
  settings: Pick<Settings, 'approval' | 'breakdown'>,
): boolean {
  return settings.approval === 'required' || (type === 'plan' && settings.breakdown);
}

/** One value alone, for what asks about many tasks. */
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
