import { fileSizes } from '../../backlog/file-sizes.ts';
import { type Score, scoreTask } from '../../core/sizing/score.ts';
import { type SizeWarning, scoreInput, sizeWarnings } from '../../core/sizing/soft-limits.ts';
import type { Task } from '../../core/task/task.ts';
import type { Project } from '../project.ts';

export interface Scored {
  readonly score: Score;
  readonly warnings: readonly SizeWarning[];
}

/** Scores tasks by the configuration and the files as they are. */
export function scorer(
  { config, repository }: Pick<Project, 'config' | 'repository'>,
  tasks: readonly Task[],
): (task: Task) => Scored {
  const input = scoreInput(config, fileSizes(repository.workTree, tasks));
  return (task) => {
    const score = scoreTask(task, input);
    return { score, warnings: sizeWarnings(task, score, input.limits) };
  };
}
