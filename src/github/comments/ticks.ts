/** Boxes that people ticked in what gza wrote: on pull requests, and on the board issue. */
import { createHash } from 'node:crypto';
import type { Project } from '../../app/project.ts';
import type { Event } from '../../core/ledger/event.ts';
import { type Box, readBoxes } from '../../core/markdown/body-block.ts';
import { type IssueFacts, isAtLeast, type PullFacts, type Role } from '../api/forge.ts';
import type { JobContext } from '../jobs/job-context.ts';
import { readPosted } from '../publish/posted-state.ts';
import { handleBox, verbOfBox } from './handle-comment.ts';

export interface Ticked {
  readonly box: Box;
  /** Null when nobody can tell. */
  readonly by: string | null;
}

/**
 * Only in bodies that gza opened; the editor is who ticked. What is noted of others counts while gza itself was the
 * last who wrote: anyone else may have written the note.
 */
export function tickedBoxes(on: Pick<PullFacts | IssueFacts, 'body' | 'isOurs' | 'bodyEditedBy'>): Ticked[] {
  if (!on.isOurs) return [];
  const noted = readPosted(on.body).ticks ?? {};
  return readBoxes(on.body)
    .filter(({ isTicked }) => isTicked)
    .map(({ name, task, at }) => ({ box: { name, task, at }, by: on.bodyEditedBy ?? noted[name] ?? null }));
}

/** Number of the pull request → boxes that are answered: the body is to be written without their ticks. */
export async function takeTicks(
  ci: JobContext,
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

/** The board's, also those that no event told of. */
export function takeBoardTicks(ci: JobContext, project: Project, board: IssueFacts): Promise<Box[]> {
  return take(ci, project, board, null);
}

/** Of a body that a pick took in and could not write anew: whoever writes it takes the ticks away. */
export async function answeredBefore({ view }: Project, on: PullFacts): Promise<Box[]> {
  const known = (await view.meta(view.base))?.marks?.[markOf(on)];
  return known === digestOf(on) ? tickedBoxes(on).map(({ box }) => box) : [];
}

function markOf({ number }: PullFacts | IssueFacts): string {
  return `ticks:${number}`;
}

function digestOf({ body }: PullFacts | IssueFacts): string {
  return createHash('sha256').update(body).digest('hex').slice(0, 32);
}

/** A body that was read before and not yet written anew asks for nothing twice. */
async function take(
  ci: JobContext,
  project: Project,
  on: PullFacts | IssueFacts,
  pull: PullFacts | null,
): Promise<Box[]> {
  const ticked = tickedBoxes(on);
  if (ticked.length === 0) return [];
  const { ledger, view } = project;
  const [name, value] = [markOf(on), digestOf(on)];
  if ((await view.meta(view.base))?.marks?.[name] !== value) {
    const roles = new Map<string, Role>();
    for (const { box, by } of ticked) {
      // What bots may do they say in a comment, which tells who they are.
      if (by === null || by.endsWith('[bot]')) continue;
      const role = roles.get(by) ?? (await ci.forge().role(by));
      roles.set(by, role);
      if (isAtLeast(role, neededFor(project, box))) await handleBox(ci, project, { box, by, pull });
    }
    const event: Event = { kind: 'mark', at: ci.ports.now(), name, value };
    await ledger.write(async ({ base }) => ({ changes: [{ branch: base, events: [event] }] }));
  }
  return ticked.map(({ box }) => box);
}

/** A box asks for as much as the command of its name. */
function neededFor({ config }: Project, box: Box): Role {
  return config.commands[verbOfBox(box)] ?? 'write';
}
