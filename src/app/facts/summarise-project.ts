import { type Summary, summarise } from '../../core/board/summary.ts';
import type { Project } from '../project.ts';
import { escalationsOf } from './escalations-of.ts';

export async function summariseProject(project: Project): Promise<Summary> {
  const { board, read, view } = project;
  const meta = await view.meta(view.base);
  return summarise(board, read.milestones, escalationsOf(project), meta ?? {});
}
