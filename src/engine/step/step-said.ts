/** What an agent said with its own commands during a step. */
import { rm } from 'node:fs/promises';
import { redactSpool } from '../../agents/redact-spool.ts';
import type { Project } from '../../app/project.ts';
import type { TaskView } from '../../core/board/board.ts';
import { parseSpool, type SpoolReading } from '../../core/spool/spool.ts';
import type { Step } from './step.ts';

export async function whatItSaid(
  { input, parts, spool }: Step,
  secrets: readonly string[],
): Promise<SpoolReading> {
  const { project, view } = input;
  const { board } = project;
  const lane = view.record?.lane?.branch;
  const laneTasks = [...board.views.values()].filter(
    ({ id, record }) => id === view.id || (lane !== undefined && record?.lane?.branch === lane),
  );
  const { text, isCut } = await parts.spool(spool);
  const reading = parseSpool(redactSpool(text, secrets), {
    runTask: view.id,
    laneTasks: new Set(laneTasks.map(({ id }) => id)),
    checklist: new Set(view.children),
    idsKnown: new Set(board.views.keys()),
    capLeft: capLeft(project, view),
    isCut,
  });
  await rm(spool, { force: true });
  return reading;
}

const agentTasksMax = 20;

/** Tasks that agents may still file under the root of this one. */
function capLeft({ board }: Project, view: TaskView): number {
  const root = rootOf(view);
  let filed = 0;
  for (const { record } of board.views.values()) if (record?.key?.startsWith(`agent:${root}:`)) filed += 1;
  return Math.max(0, agentTasksMax - filed);
}

/** Tasks that a task filed by an agent brings about count for the one that a person asked for. */
export function rootOf({ id, record }: Pick<TaskView, 'id' | 'record'>): string {
  return /^agent:([^:]+):/.exec(record?.key ?? '')?.[1] ?? id;
}

const refusedShown = 5;

export function refusedNotes({ refused }: SpoolReading): string[] {
  if (refused.length === 0) return [];
  const shown = refused.slice(0, refusedShown).map(({ why }) => why);
  const more = refused.length - shown.length;
  return [`not filed: ${shown.join('; ')}${more > 0 ? `; and ${more} more` : ''}`];
}
