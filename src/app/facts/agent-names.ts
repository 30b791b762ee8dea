import type { Project } from '../project.ts';

/** Names that `assigned_agent` may have for a task to be picked: the agents there are, not people. */
export function agentNames({ config }: Pick<Project, 'config'>): string[] {
  return [...new Set(['claude', 'codex', 'opencode', 'gemini', 'copilot', ...Object.keys(config.agents)])];
}
