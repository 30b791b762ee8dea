/** Boxes that people ticked in what gza wrote: on pull requests, and on the board issue. */
import { createHash } from 'node:crypto';
import type { Project } from '../commands/project.ts';
import { readBoxes } from '../core/body-block.ts';
import type { Box } from '../core/boxes.ts';
import type { Event } from '../core/event.ts';
import { boardIssueTitle } from '../core/text/board-issue.ts';
import type { IssueFacts, PullFacts, Role } from '../forge/forge.ts';
import type { Ci } from './ci.ts';
import { obeyBox } from './obey.ts';
import { readTold } from './told.ts';

export interface Ticked {
  readonly box: Box;
  /** Null when nobody can tell. */
  readonly by: string | null;
}

/** Only in bodies that gza opened; the editor is who ticked, unless it was noted who did. */
export function tickedBoxes(on: Pick<PullFacts | IssueFacts, 'body' | 'isOurs' | 'bodyEditedBy'>): Ticked[] {
  if (!on.isOurs) return [];
  const noted = readTold(on.body).ticks ?? {};
  return readBoxes(on.body)
    .filter(({ isTicked }) => isTicked)
    .map(({ name, task }) => ({ box: { name, task }, by: noted[name] ?? on.bodyEditedBy }));
}

/** Number of the pull request → boxes that are answered: the body is to be written without their ticks. */
export async function takeTicks(
  ci: Ci,
  project: Project,
  pulls: readonly PullFacts[],
): Promise<Map<number, Box[]>> {
  const answered = new Map<number, Box[]>();
  for (const pull of pulls) {
    if (pull.state === 'merged' || pull.state === 'closed') continue;
    const boxes = await take(ci, project, pull, pull);
    if (boxes.length > 0) answered.set(pull.number, boxes);
  }
  return answered;
}

/** The board, when it was just edited, and once an hour for a tick that no event told of. */
export async function takeBoardTicks(ci: Ci, project: Project): Promise<Box[]> {
  const issue = ci.event.payload['issue'] as { title?: unknown } | undefined;
  const isEdited = ci.event.name === 'issues' && issue?.title === boardIssueTitle;
  const isDue = ci.event.name === 'schedule' && project.board.views.size > 0;
  if (!isEdited && !isDue) return [];
  const board = await ci.forge().findIssue(boardIssueTitle);
  return board ? take(ci, project, board, null) : [];
}

/** A body that was read before and not yet written anew asks for nothing twice. */
async function take(
  ci: Ci,
  project: Project,
  on: PullFacts | IssueFacts,
  pull: PullFacts | null,
): Promise<Box[]> {
  const ticked = tickedBoxes(on);
  if (ticked.length === 0) return [];
  const { ledger, view } = project;
  const name = `ticks:${on.number}`;
  const value = createHash('sha256').update(on.body).digest('hex').slice(0, 32);
  if ((await view.meta(view.base))?.marks?.[name] !== value) {
    const roles = new Map<string, Role>();
    for (const { box, by } of ticked) {
      if (by === null) continue;
      const role = roles.get(by) ?? (await ci.forge().role(by));
      roles.set(by, role);
      if (role === 'admin' || role === 'write') await obeyBox(ci, project, { box, by, pull });
    }
    const event: Event = { kind: 'mark', at: ci.ports.now(), name, value };
    await ledger.write(async ({ base }) => ({ changes: [{ branch: base, events: [event] }] }));
  }
  return ticked.map(({ box }) => box);
}
