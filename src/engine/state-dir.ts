import type { Project } from '../commands/project.ts';

/** `.gza` of the repository: logs, homes of agents, clones, copies of artifacts. */
export function stateDirOf({ repository }: Pick<Project, 'repository'>): string {
  return `${repository.workTree ?? repository.commonDir}/.gza`;
}
