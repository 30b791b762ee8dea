/** What people wrote on the pull requests of lanes, for the steps that answer it, and gza's replies. */
import * as z from 'zod';
import type { Project } from '../../app/project.ts';
import { writeToTask } from '../../app/tasks/change-task.ts';
import type { TaskView } from '../../core/board/board.ts';
import type { Event } from '../../core/ledger/event.ts';
import type { Decision, OpenCommand } from '../../core/policy/decide.ts';
import {
  answeredIn,
  type PeopleSaid,
  type PersonAnswer,
  peopleSaid,
  personAnswersPath,
  readPersonAnswers,
  speakers,
} from '../../core/review/conversation.ts';
import { parseJson } from '../../core/shape.ts';
import { printReplies, printReply } from '../../core/text/github/person-answer.ts';
import { addSeconds } from '../../core/time.ts';
import {
  type CommentFacts,
  type Forge,
  type ForgeRead,
  isAtLeast,
  type PullFacts,
  type Role,
} from '../api/forge.ts';
import type { JobContext, ReadingContext } from '../jobs/job-context.ts';
import { openWishes, wishEvent } from '../pick/claims.ts';
import type { LaneWorld } from '../pick/lane-world.ts';

/** Looking up the role of each costs one request. */
const speakersMax = 40;

/** Tasks whose next step uses people's comments. */
export function tasksThatListen(decisions: readonly Decision[]): string[] {
  return decisions.flatMap(({ task, action }) =>
    action.kind === 'run' && (action.step === 'improve' || action.step === 'review') ? [task] : [],
  );
}

/** Task → people's open comments. Makes one request for all tasks, and none when there are no tasks. */
export async function peopleFor(
  ci: ReadingContext,
  project: Project,
  worlds: ReadonlyMap<string, LaneWorld>,
  ids: readonly string[],
): Promise<Map<string, PeopleSaid>> {
  const pulls = new Map<string, Pick<PullFacts, 'number'>>();
  for (const task of ids) {
    const { lane, pull_request: noted } = project.board.views.get(task)?.record ?? {};
    const pull = worlds.get(lane?.branch ?? '')?.pull ?? noted;
    if (pull?.state === 'open' || pull?.state === 'draft') pulls.set(task, pull);
  }
  const said = new Map<string, PeopleSaid>();
  if (pulls.size === 0) return said;
  const forge = ci.forge();
  const conversations = await forge.conversations([...pulls.values()].map(({ number }) => number));
  const roles = await rolesOf(ci, forge, speakers([...conversations.values()].flat()));
  for (const [task, { number }] of pulls) {
    const view = project.board.views.get(task);
    const tasks = worlds.get(view?.record?.lane?.branch ?? '')?.tasks ?? (view ? [view] : []);
    const answered = new Set((await laneAnswers(project, tasks)).map(({ fingerprint }) => fingerprint));
    const mayWrite = (login: string) => isAtLeast(roles.get(login) ?? 'none', 'write');
    said.set(task, peopleSaid(conversations.get(number) ?? [], mayWrite, answered));
  }
  return said;
}

export async function rolesOf(
  ci: Pick<ReadingContext, 'warn'>,
  forge: ForgeRead,
  logins: readonly string[],
): Promise<Map<string, Role>> {
  const roles = new Map<string, Role>();
  if (logins.length > speakersMax)
    ci.warn(`${logins.length} people spoke; of the last ${speakersMax} it was asked whether they may write.`);
  for (const login of logins.slice(-speakersMax)) roles.set(login, await forge.role(login));
  return roles;
}

/** All answers that were given to people on a lane. */
export async function laneAnswers(
  project: Project,
  tasks: readonly TaskView[],
): Promise<readonly PersonAnswer[]> {
  const all: PersonAnswer[] = [];
  for (const { id, record } of tasks) {
    const branch = record?.lane?.branch ?? project.view.base;
    all.push(...readPersonAnswers((await project.view.artifact(branch, personAnswersPath(id))) ?? ''));
  }
  return all;
}

/** `isFresh`: this job wrote the answers, so nobody can have posted them. */
export async function postAnswers(
  forge: Forge,
  { number }: PullFacts,
  missing: readonly PersonAnswer[],
  isFresh: boolean,
): Promise<void> {
  if (missing.length === 0) return;
  const posted = isFresh
    ? new Set<string>()
    : answeredIn((await forge.conversations([number])).get(number) ?? []);
  const open = missing.filter(({ fingerprint }) => !posted.has(fingerprint));
  const together: PersonAnswer[] = [];
  for (const answer of open) {
    const isOnLine = answer.kind === 'line';
    if (!isOnLine || !(await forge.reply(number, answer.id, printReply(answer)))) together.push(answer);
  }
  if (together.length > 0) await forge.comment(number, printReplies(together));
}

/**
 * Decides which comments are handled at all, and whether a request still holds. Each person may send a
 * limited number of commands an hour, so that a stranger or a broken script cannot fill the queue. Further
 * commands are held back, and their author is told once. A request that waits for its claim holds only while
 * the comment's text and its author's role stay the same.
 */

export const commandsAnHour = 60;
const markName = 'asked-lately';
/** Author id, time, and whether the command was held back. */
const shape = z.array(z.tuple([z.int(), z.iso.datetime(), z.boolean()])).max(2_000);

export interface RecentCommands {
  /** Whether this comment is over the limit, and whether to tell its author now. */
  count(comment: Pick<CommentFacts, 'authorId' | 'createdAt'>): { isHeld: boolean; isTold: boolean };
  /** The event that stores the counts; null when nothing was counted. */
  event(at: string): Event | null;
}

export async function recentCommands({ view }: Project): Promise<RecentCommands> {
  const text = (await view.meta(view.base))?.marks?.[markName];
  const parsed = shape.safeParse(parseJson(text ?? ''));
  let all = parsed.success ? parsed.data : [];
  let isNew = false;
  return {
    count({ authorId, createdAt }) {
      const since = addSeconds(createdAt, -3600);
      const own = all.filter(([author, at]) => author === authorId && at > since);
      const isHeld = own.length >= commandsAnHour;
      const isTold = isHeld && !own.some(([, , wasHeld]) => wasHeld);
      // Of the held-back commands only the first is stored, to remember that the author was told.
      if (!isHeld || isTold) all = [...all, [authorId, createdAt, isHeld]];
      isNew ||= !isHeld || isTold;
      return { isHeld, isTold };
    },
    event(at) {
      const since = addSeconds(at, -2 * 3600);
      const value = JSON.stringify(all.filter(([, when]) => when > since).slice(-2_000));
      return isNew ? { kind: 'mark', at, name: markName, value } : null;
    },
  };
}

export function heldBackText(until: string): string {
  return `More than ${commandsAnHour} commands came from one person within an hour. This one and those after it are not obeyed: say them again after ${until.slice(11, 16)} UTC.`;
}

/** A permanent name for a comment. */
export function keyOf({ kind, id, on, createdAt }: CommentFacts): string {
  if (kind === 'label') return `l${on}:${createdAt}`;
  return `${{ comment: 'c', 'review-comment': 'r', review: 'v' }[kind]}${id}`;
}

const textCharsMax = 10_000;

/** Normalises line ends, which can differ between an event and a list. */
function plain(text: string): string {
  return text.replaceAll('\r\n', '\n').slice(0, textCharsMax).toWellFormed();
}

/** What is stored about a comment with the step that it requests. */
export function saidIn(comment: CommentFacts, role: Role): NonNullable<OpenCommand['said']> {
  const text = plain(comment.text);
  return { key: keyOf(comment), at: comment.createdAt, role, text };
}

/** Withdraws earlier requests that no longer hold, before anything is claimed. */
export async function takeBackChanged(
  ci: JobContext,
  project: Project,
  comments: readonly CommentFacts[],
): Promise<void> {
  const now = new Map(comments.map((one) => [keyOf(one), plain(one.text)]));
  for (const [task, { said, by, step }] of await openWishes(project)) {
    if (said === undefined) continue;
    const isOther = now.has(said.key) && now.get(said.key) !== said.text;
    const needed = project.config.commands[step] ?? 'write';
    if (!isOther && isAtLeast(await ci.forge().role(by), needed)) continue;
    const why = isOther ? 'the comment was edited since' : `${by} may not command any more`;
    const text = `what ${by} asked for (${step}) is not done: ${why}`;
    ci.warn(`${task}: ${text}`);
    const at = ci.ports.now();
    await project.ledger.write(async (view) => ({
      changes: [{ branch: view.base, events: [wishEvent(task, null, at)] }],
    }));
    if (project.board.views.get(task)?.record)
      await writeToTask(project, task, ci.ports, () => [{ kind: 'note', at, by: 'gza', id: task, text }]);
  }
}
