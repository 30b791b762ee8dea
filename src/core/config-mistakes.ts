import { type Problem, printProblems } from './problem.ts';

const configFiles: readonly string[] = ['gza.yaml', 'gza.yml', '.project-config.json'];

/** What is wrong with the configuration, and so is not in force; null when all of it is. */
export function configMistakes(problems: readonly Problem[]): string | null {
  const found = problems.filter(({ file, severity }) => severity === 'error' && configFiles.includes(file));
  return found.length > 0 ? printProblems(found) : null;
}
