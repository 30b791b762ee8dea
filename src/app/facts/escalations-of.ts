/** Every task that waits for a person, why, and the commands that go on. */

import { isLeaf, oldestFirst, type TaskView } from '../../core/board/board.ts';
import { type Summary, summarise } from '../../core/board/summary.ts';
import type { Waiting } from '../../core/text/terminal/work-summary.ts';
import type { Project } from '../project.ts';
import { agentNames } from './facts.ts';

export function escalationsOf(project: Pick<Project, 'board' | 'config'>): Waiting[] {
  const agents = new Set(agentNames(project));
  return oldestFirst(project.board).flatMap((view) => {
    const why = reasonOf(view) ?? assignedTo(view, agents);
    return why
      ? [{ id: view.id, title: view.task.title, ...why, commands: commandsFor(view, why.reason) }]
      : [];
  });
}

function reasonOf(view: TaskView): { reason: string; detail: string } | null {
  const { record, invalid, status, blockers, awaitsApproval, unapproved } = view;
  if (record?.stop && !record.merged_at) return record.stop;
  // A parent that failed with a subtask has nothing of its own to try again.
  if (status === 'failed' && record?.closed_as === 'failed')
    return { reason: 'failed', detail: record.closed_reason ?? record.error ?? 'it failed' };
  if (unapproved && record?.final_verdict) {
    return {
      reason: record.final_verdict.toLowerCase().replaceAll('_', '-'),
      detail: record.closed_reason ?? `it ended ${record.final_verdict}`,
    };
  }
  if (awaitsApproval) return { reason: 'approval', detail: 'it is done and waits for approval' };
  if (invalid) return { reason: 'invalid', detail: invalid };
  const complex = blockers.find(({ kind }) => kind === 'complex');
  if (complex) return { reason: 'too-complex', detail: `it waits for ${complex.text}` };
  const cycle = blockers.find(({ kind }) => kind === 'cycle');
  return cycle ? { reason: 'cycle', detail: cycle.text } : null;
}

/** What nothing blocks and is assigned to a person is theirs to do. */
function assignedTo(view: TaskView, agents: ReadonlySet<string>): { reason: string; detail: string } | null {
  const holder = view.task.assigned_agent;
  if (view.status !== 'pending' || !isLeaf(view) || !holder || agents.has(holder)) return null;
  return { reason: 'assigned', detail: `it is assigned to ${holder}` };
}

function commandsFor({ id }: TaskView, reason: string): string[] {
  switch (reason) {
    case 'failed':
      return [`gza retry ${id}`, `gza skip ${id}`, `gza done ${id}`];
    case 'approval':
      return [`gza show ${id}`, `gza approve ${id}`];
    case 'assigned':
      return [`gza claim ${id}`, `gza done ${id}`, `gza assign ${id} ""`];
    case 'too-complex':
      return [`gza score ${id}`, `gza split ${id} --write`, `gza approve ${id}`];
    case 'invalid':
    case 'cycle':
      return ['gza check'];
    case 'max-cycles':
    case 'max-cycles-reached':
    case 'changes-requested':
    case 'needs-discussion':
    case 'same-findings':
    case 'improve-without-effect':
    case 'diff-undone':
    case 'same-blocker-again':
      return [
        `gza improve ${id} --review "what to do"`,
        `gza approve ${id}`,
        `gza edit ${id} --verdict APPROVED`,
      ];
    case 'no-verdict':
      return [`gza resume ${id}`, `gza edit ${id} --verdict APPROVED`];
    case 'agent-blocked':
      return [`gza note ${id} "the answer"`, `gza resume ${id}`];
    case 'slices-spent':
      return [`gza resume ${id}`, `gza split ${id}`];
    case 'refused-changes':
      return [`gza kept ${id} --patch`, `gza kept ${id} --discard`, `gza retry ${id}`, `gza skip ${id}`];
    case 'changes-wait':
      return [`gza show ${id}`, `gza approve ${id}`, `gza improve ${id} "take them out"`];
    case 'rebase-conflict':
      return [`gza resume ${id}`, `gza skip ${id}`];
    case 'no-breakdown':
      return [`gza show ${id}`, `gza note ${id} "what the plan lacks"`, `gza unblock ${id}`];
    case 'agent-task':
      return [`gza show ${id}`, `gza unblock ${id}`, `gza delete ${id}`];
    default:
      return [`gza unblock ${id}`, `gza retry ${id}`, `gza skip ${id}`];
  }
}

export async function summariseProject(project: Project): Promise<Summary> {
  const { board, read, view } = project;
  const meta = await view.meta(view.base);
  return summarise(board, read.milestones, escalationsOf(project), meta ?? {});
}
