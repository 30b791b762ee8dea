/** The text that a plan or an exploration produced, from its ledger. */
import type { TaskView } from '../../core/board/board.ts';
import type { Project } from '../project.ts';

const folders: Readonly<Record<string, string>> = { plan: 'plans', explore: 'explorations' };

function writtenPath({ id, task }: Pick<TaskView, 'id' | 'task'>): string | null {
  const folder = folders[task.type];
  return folder === undefined ? null : `${folder}/${id}.md`;
}

export interface Written {
  readonly text: string;
  /** The branch whose ledger has it. */
  readonly branch: string;
  readonly path: string;
}

/** Null when it has not been written yet. */
export async function writtenText({ view }: Pick<Project, 'view'>, of: TaskView): Promise<Written | null> {
  const path = writtenPath(of);
  if (path === null) return null;
  const own = (await view.task(of.id))?.branch ?? view.base;
  for (const branch of new Set([own, view.base])) {
    const text = await view.artifact(branch, path);
    if (text !== null) return { text, branch, path };
  }
  return null;
}
