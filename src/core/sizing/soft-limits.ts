/** Guidance on the size of a task. It warns; only the complexity score decides. */
import type { Config } from '../config/config.ts';
import { normalisePaths } from '../task/declared-files.ts';
import type { Task } from '../task/task.ts';
import { layerRulesOf } from './layers.ts';
import type { Score, ScoreInput } from './score.ts';

export interface SizeLimits {
  readonly max_files_to_create: number;
  readonly max_files_to_modify: number;
  readonly max_acceptance_criteria: number;
  readonly max_input_tokens: number;
  readonly max_time_minutes: number;
  /** A task that scores more is split, when auto_split is on. */
  readonly complexity_threshold: number;
  readonly auto_split: boolean;
}

export const sizeLimitsBuiltIn: SizeLimits = {
  max_files_to_create: 5,
  max_files_to_modify: 8,
  max_acceptance_criteria: 7,
  max_input_tokens: 6000,
  max_time_minutes: 5,
  complexity_threshold: 5,
  auto_split: false,
};

/** As configured; `max_criteria_per_task` is the other name of `max_acceptance_criteria`. */
export type SizeLimitsGiven = Partial<SizeLimits> & { readonly max_criteria_per_task?: number };

export function sizeLimits(given: SizeLimitsGiven = {}): SizeLimits {
  const { max_criteria_per_task, ...own } = given;
  const criteria =
    max_criteria_per_task === undefined ? {} : { max_acceptance_criteria: max_criteria_per_task };
  return { ...sizeLimitsBuiltIn, ...criteria, ...own };
}

export interface SizeWarning {
  readonly limit: keyof SizeLimits;
  readonly found: number;
  readonly max: number;
  readonly message: string;
}

export function sizeWarnings(
  task: Task,
  score: Score,
  limits: SizeLimits = sizeLimitsBuiltIn,
): SizeWarning[] {
  const checks: readonly [keyof SizeLimits, number, string][] = [
    ['max_files_to_create', normalisePaths(task.files_to_create).length, 'files to create'],
    ['max_files_to_modify', normalisePaths(task.files_to_modify).length, 'files to modify'],
    ['max_acceptance_criteria', task.acceptance_criteria?.length ?? 0, 'acceptance criteria'],
    ['max_input_tokens', score.tokens, 'estimated tokens of input'],
    ['max_time_minutes', score.minutes, 'estimated minutes'],
  ];
  return checks.flatMap(([limit, found, what]) => {
    const max = Number(limits[limit]);
    if (found <= max) return [];
    return [
      { limit, found, max, message: `#${task.id} has ${found} ${what}; up to ${max} (${limit}) is advised` },
    ];
  });
}

/** What the configuration and the files on disk say to the scorer. */
export function scoreInput(
  { task_size_limits, complexity_layers }: Pick<Config, 'task_size_limits' | 'complexity_layers'>,
  sizes?: ReadonlyMap<string, number>,
): Required<Pick<ScoreInput, 'limits' | 'layerRules'>> & ScoreInput {
  return {
    limits: sizeLimits(task_size_limits),
    layerRules: layerRulesOf(complexity_layers),
    ...(sizes ? { sizes } : {}),
  };
}
