/**
 * A configuration with a mistake in it is not what its author meant: a budget, a check or a protected path that
 * was misspelt would not hold. It can be looked at, but no agent starts under it.
 */
import { GzaError } from '../core/errors.ts';
import { type Problem, printProblems } from '../core/problem.ts';
import type { Opened } from './project.ts';

const configFiles = new Set(['gza.yaml', 'gza.yml', '.project-config.json']);
const shownMax = 5;

export function configMistakes({ read }: Pick<Opened, 'read'>): Problem[] {
  return read.problems.filter(({ file, severity }) => severity === 'error' && configFiles.has(file));
}

export function refuseBrokenConfig(opened: Pick<Opened, 'read'>): void {
  const mistakes = configMistakes(opened);
  if (mistakes.length === 0) return;
  throw new GzaError('input', 'the configuration has a mistake, so no agent starts under it', {
    hint: `${printProblems(mistakes, shownMax)}\nMend it; gza check then says that all is good.`,
  });
}
