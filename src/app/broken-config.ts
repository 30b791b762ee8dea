/**
 * A configuration with a mistake in it is not what its author meant: a budget, a check or a protected path that
 * was misspelt would not hold. It can be looked at, but no agent starts under it.
 */
import { configMistakes } from '../core/config/config.ts';
import { GzaError } from '../core/errors.ts';
import { printProblems } from '../core/yaml/problem.ts';
import type { OpenedProject } from './project.ts';

const shownMax = 5;

export function refuseBrokenConfig({ read }: Pick<OpenedProject, 'read'>): void {
  const mistakes = configMistakes(read.problems);
  if (mistakes.length === 0) return;
  throw new GzaError('input', 'the configuration has a mistake, so no agent starts under it', {
    hint: `${printProblems(mistakes, shownMax)}\nMend it; gza check then says that all is good.`,
  });
}
