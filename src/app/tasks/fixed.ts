/** Whether the definition of a task can still change, and where. */
import type { TaskView } from '../../core/board/board.ts';
import type { Project } from '../project.ts';

/** From the first claim on its definition is what was claimed. */
export function isFixed({ record, claim }: TaskView): boolean {
  return claim !== null || record?.started_at !== undefined || record?.closed_at !== undefined;
}

/** Its file is where it is changed, as long as that still has it. */
export async function isInFile({ backlog }: Pick<Project, 'backlog'>, view: TaskView): Promise<boolean> {
  return view.file !== undefined && !isFixed(view) && (await backlog.definition(view.id)) !== null;
}
