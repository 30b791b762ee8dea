/**
 * Which tasks must be split, or waved through by a person, before they start. Only a task that names its files
 * can reach the critical level: words, vagueness and size alone give at most 6 of the 11 points. So most tasks
 * are ruled out by counting their files, and their long texts need not be read.
 */

import type { TaskRecord } from '../ledger/record/record.ts';
import { declaredFiles } from '../task/declared-files.ts';
import type { Task } from '../task/task.ts';
import { isTooComplex, pointsMax, type Score, type ScoreInput, scoreTask } from './score.ts';

/** What the components that need the texts and the disk can add at most. */
const unseenMax = pointsMax.semantic_complexity + pointsMax.requirement_uncertainty + pointsMax.token_penalty;
const criticalFrom = 11;

/** By its files alone: whether the whole text could make it critical. */
export function mayBeTooComplex(task: Task, input: ScoreInput): boolean {
  if (task.type !== 'task' && task.type !== 'implement') return false;
  const named = (task.files_to_create?.length ?? 0) + (task.files_to_modify?.length ?? 0);
  if (named * 0.5 + pointsMax.cross_file_deps + unseenMax < criticalFrom) return false;
  if (declaredFiles(task).length === 0) return false;
  const { points } = scoreTask(task, input);
  return points.file_scope + points.cross_file_deps + unseenMax >= criticalFrom;
}

/** A person's word (`gza approve`) stands for a split; what has begun or ended is past it. */
export function isPastComplexity(record: TaskRecord | null): boolean {
  return (
    record?.approved_at !== undefined || record?.started_at !== undefined || record?.closed_at !== undefined
  );
}

/** The text that a blocked task shows after "blocked by"; null when it may start. */
export function tooComplexText(score: Score): string | null {
  if (!isTooComplex(score)) return null;
  return `its complexity: ${score.total.toFixed(1)} of 13, which must be split or approved`;
}
