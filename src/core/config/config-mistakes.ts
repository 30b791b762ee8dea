import type { Problem } from '../yaml/problem.ts';

const configFiles: ReadonlySet<string> = new Set(['gza.yaml', 'gza.yml', '.project-config.json']);

/** What is wrong with the configuration, and so is not in force. */
export function configMistakes(problems: readonly Problem[]): Problem[] {
  return problems.filter(({ file, severity }) => severity === 'error' && configFiles.has(file));
}
