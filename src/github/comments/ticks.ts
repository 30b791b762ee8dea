/** Boxes that people ticked in texts that gza wrote: pull requests and the board issue. */
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
  /** Null when it is unknown. */
  readonly by: string | null;
}

/**
 * Reads only bodies that gza opened. The last editor is the person who ticked. The note about earlier editors
 * counts only while gza itself edited last, because anyone else could have forged it.
 */
export function tickedBoxes(on: Pick<PullFacts | IssueFacts, 'body' | 'isOurs' | 'bodyEditedBy'>): Ticked[] {
  if (!on.isOurs) return [];
  const noted = readPosted(on.body).ticks ?? {};
  return readBoxes(on.body)
    .filter(({ isTicked }) => isTicked)
    .map(({ name, task, at }) => ({ box: { name, task, at }, by: on.bodyEditedBy ?? noted[name] ?? null }));
}

/** Number of a pull request → its handled boxes. Their ticks must be removed when the body is written. */
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

/** Ticks of the board, including those whose events never arrived. */
export function takeBoardTicks(ci: JobContext, project: Project, board: IssueFacts): Promise<Box[]> {
  return take(ci, project, board, null);
}

/** Boxes that a pick handled without writing the body. Whoever writes it next removes their ticks. */
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

/** Remembers the ticks of a body, so that one that was not rewritten yet requests nothing twice. */
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
      // Bots must use a comment, which shows who they are.
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

/** A box needs the same role as the command of its name. */
function neededFor({ config }: Project, box: Box): Role {
  return config.commands[verbOfBox(box)] ?? 'write';
}
