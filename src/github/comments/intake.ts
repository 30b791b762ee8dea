/**
 * Collects what people requested since the last pick: the comment that started this run, comments whose
 * events never arrived, ticked boxes, and the inputs of a dispatch. Each request counts once.
 */
import * as z from 'zod';
import type { Project } from '../../app/project.ts';
import { isGzaError } from '../../core/errors.ts';
import type { Event } from '../../core/ledger/event.ts';
import type { Box } from '../../core/markdown/body-block.ts';
import { type CommentReading, parseCommentCommands } from '../../core/markdown/parse-comment-commands.ts';
import { parseJson } from '../../core/shape.ts';
import { addSeconds } from '../../core/time.ts';
import { withinDeadline } from '../../system/outside.ts';
import {
  type CommentFacts,
  type Forge,
  type IssueFacts,
  isAtLeast,
  type PullFacts,
  type Role,
  weakest,
} from '../api/forge.ts';
import type { JobContext } from '../jobs/job-context.ts';
import { type Dispatched, dispatchKey, endedClaims, takeDispatch } from '../pick/dispatch.ts';
import { keepReplies, postOnce, type Reply, replyOf } from '../pick/replies.ts';
import { type Asked, handleComment, takeBoardTicks, takeTicks } from './handle-comment.ts';
import { heldBackText, keyOf, type RecentCommands, recentCommands, takeBackChanged } from './people.ts';

export interface Intake {
  /** Claims whose jobs have ended, as reported by the last of those jobs. */
  readonly ended: ReadonlySet<string>;
  /** The answer to a run that was started by hand, shown in its summary. */
  readonly dispatched: Dispatched | null;
  /** Answers to post after everything was written. */
  readonly answers: readonly Reply[];
  /** Answers left by an earlier pick, which may have died before it posted them. */
  readonly kept: readonly Reply[];
  /** Number of a pull request → its boxes that were handled. */
  readonly ticks: ReadonlyMap<number, readonly Box[]>;
  /** Handled boxes of the board issue. */
  readonly boardTicks: readonly Box[];
}

const watermarkName = 'comments';
const watermarkShape = z.strictObject({
  since: z.iso.datetime(),
  seen: z.array(z.string().max(40)).max(1000),
});
type Watermark = z.infer<typeof watermarkShape>;

/** How far back the first pick looks, before there is a watermark. */
const firstLookSeconds = 2 * 3600;
const lagSeconds = 300;
/**
 * At most this many comments without a request are read again each time; with more, the watermark moves on.
 */
const idleCommentsMax = 50;

/** What this pick has read so far. */
export interface Seen {
  readonly mark: Watermark;
  /** Comments since the watermark. */
  readonly comments: readonly CommentFacts[];
  readonly pulls: readonly PullFacts[];
  readonly board: IssueFacts | null;
  readonly decideNow: Asked['decideNow'];
}

export async function collectRequests(
  ci: JobContext,
  project: Project,
  { mark, comments: since, pulls, board, decideNow }: Seen,
): Promise<Intake> {
  const ended = endedClaims(ci);
  const comments = newComments(ci, project, mark, since);
  const answers: Reply[] = [];
  await takeBackChanged(ci, project, since);
  const lately = await recentCommands(project);
  const dispatched = await takeDispatch(ci, project, mark.seen);
  const seen: string[] = dispatched?.isTaken === true ? [dispatchKey(ci)] : [];
  for (const comment of comments) {
    const asked = await askedBy(ci.forge(), comment, { pulls, decideNow, lately });
    if (asked === null) continue;
    seen.push(keyOf(comment));
    if (asked === 'held') continue;
    if (asked === 'told') {
      const until = addSeconds(comment.createdAt, 3600);
      answers.push(replyOf({ comment, reaction: '-1', text: heldBackText(until) }));
      continue;
    }
    answers.push(postOnce(replyOf(await handleComment(ci, project, asked)), seen, mark.seen));
  }
  if (seen.length > 0 || comments.length > idleCommentsMax) {
    await writeWatermark(ci, project, mark, comments, seen, lately.event(ci.ports.now()));
  }
  const kept = await keepReplies(ci, project, answers);
  const ticks = await takeTicks(ci, project, pulls);
  const boardTicks = board ? await takeBoardTicks(ci, project, board) : [];
  return { ended, dispatched, answers, kept, ticks, boardTicks };
}

export async function readWatermark(ci: JobContext, { view }: Project): Promise<Watermark> {
  const text = (await view.meta(view.base))?.marks?.[watermarkName];
  const parsed = watermarkShape.safeParse(parseJson(text ?? ''));
  if (parsed.success) return parsed.data;
  return { since: addSeconds(ci.ports.now(), -firstLookSeconds), seen: [] };
}

async function writeWatermark(
  ci: JobContext,
  { ledger }: Project,
  mark: Watermark,
  comments: readonly CommentFacts[],
  seen: readonly string[],
  also: Event | null,
): Promise<void> {
  const newest = comments.map(({ createdAt }) => createdAt).reduce((a, b) => (a > b ? a : b), '');
  // A list may lag: comments a little older than the newest may be missing from it.
  const behind = newest === '' ? mark.since : addSeconds(newest, -lagSeconds);
  const since = behind > mark.since ? behind : mark.since;
  // Only comments of the last minutes can appear again. Keeping a few more does no harm.
  const value = JSON.stringify({ since, seen: [...mark.seen, ...seen].slice(-200) });
  const event: Event = { kind: 'mark', at: ci.ports.now(), name: watermarkName, value };
  await ledger.write(async (view) => ({
    changes: [{ branch: view.base, events: also ? [event, also] : [event] }],
  }));
}

/** Uses the text from the event even when the comment was edited since. */
function newComments(
  ci: JobContext,
  { config }: Project,
  mark: Watermark,
  since: readonly CommentFacts[],
): readonly CommentFacts[] {
  const delivered = commentOfEvent(ci);
  const all = [...(delivered ? [delivered] : []), ...since.filter((one) => one.createdAt >= mark.since)];
  const known = new Set(mark.seen);
  const isHeard = (one: CommentFacts) => !one.isBot || config.bots.includes(one.authorId);
  const fresh = new Map<string, CommentFacts>();
  for (const comment of all) {
    const key = keyOf(comment);
    if (!known.has(key) && !fresh.has(key) && isHeard(comment)) fresh.set(key, comment);
  }
  return [...fresh.values()].toSorted((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
}

/** Null for a comment without a request; `held` or `told` for one over the limit. */
async function askedBy(
  forge: Forge,
  comment: CommentFacts,
  { pulls, decideNow, lately }: Pick<Seen, 'pulls' | 'decideNow'> & { readonly lately: RecentCommands },
): Promise<Asked | 'held' | 'told' | null> {
  const { commands, problems } = commandsIn(comment.text);
  if (commands.length + problems.length === 0) return null;
  const { isHeld, isTold } = lately.count(comment);
  if (isHeld) return isTold ? 'told' : 'held';
  // A bot was allowed by its id in the configuration. GitHub has no role for an app.
  const known: Role = comment.isBot ? 'write' : await forge.role(comment.author);
  // No answer to form labels: everybody who opens an issue by the form would get a refusal.
  if (comment.isFromForm && !isAtLeast(known, 'write')) return null;
  // Everybody with write access can edit a comment, so an edited one counts as no more than that.
  const role = comment.updatedAt === comment.createdAt ? known : weakest(known, 'write');
  const ofLane = pulls.find(({ number }) => number === comment.on) ?? null;
  // The comment may be on a lane that was merged long ago, or on another person's pull request.
  const pull = ofLane ?? (comment.isPull ? await forge.pull(comment.on) : null);
  return { comment, commands, problems, role, pull, decideNow };
}

/** A comment that cannot be parsed in time gets an answer and delays nobody else. */
export function commandsIn(text: string): CommentReading {
  try {
    return withinDeadline('a comment', () => parseCommentCommands(text));
  } catch (error) {
    if (!isGzaError(error)) throw error;
    return { commands: [], problems: [{ kind: 'too-long', line: 1, word: '', near: null }] };
  }
}

/**
 * The small intake job: reacts at once to the comment that started this run, because pick may wait for its
 * turn. 👀 means that it was seen. A stranger who may not command gets 👎 and starts no pick: the next one
 * finds the comment and explains. This job does nothing that the comment asks for.
 */
export async function intakeJob(ci: JobContext): Promise<void> {
  const comment = commentOfEvent(ci);
  if (!comment || comment.isBot || !asksForSomething(comment.text)) {
    ci.say('No comment with a command woke this run.');
    return;
  }
  try {
    const forge = ci.forge();
    const mayCommand = isOfMember(ci) || isAtLeast(await forge.role(comment.author), 'write');
    if (!mayCommand) ci.output('done', 'true');
    await forge.react(comment, mayCommand ? 'eyes' : '-1');
    ci.say(mayCommand ? 'The comment was seen (👀); pick answers it.' : 'Its author may not command (👎).');
  } catch (error) {
    if (!isGzaError(error)) throw error;
    ci.warn(`The comment got no 👀, and pick answers it all the same: ${error.message}`);
  }
}

function asksForSomething(text: string): boolean {
  const { commands, problems } = commandsIn(text);
  return commands.length + problems.length > 0;
}

const subject = { number: z.int(), title: z.string(), body: z.string().nullable() };
const words = {
  id: z.int(),
  node_id: z.string().optional(),
  body: z.string(),
  user: z.object({ login: z.string(), id: z.int(), type: z.string() }),
  author_association: z.string().optional(),
};

const commentEvent = z.object({
  action: z.enum(['created', 'submitted']),
  comment: z.object({ ...words, created_at: z.string(), path: z.string().optional() }).optional(),
  review: z.object({ ...words, submitted_at: z.string() }).optional(),
  issue: z.object({ ...subject, pull_request: z.unknown().optional() }).optional(),
  pull_request: z.object(subject).optional(),
});

const kinds: Readonly<Record<string, CommentFacts['kind']>> = {
  issue_comment: 'comment',
  pull_request_review_comment: 'review-comment',
  pull_request_review: 'review',
};

/** The comment or review summary that started this run, with the text of the event. */
export function commentOfEvent({ event }: JobContext): CommentFacts | null {
  const kind = kinds[event.name];
  const parsed = commentEvent.safeParse(event.payload).data;
  const said = parsed?.comment ?? parsed?.review;
  if (kind === undefined || !parsed || !said) return null;
  const { comment, review, issue, pull_request } = parsed;
  const on = issue ?? pull_request;
  const at = new Date(comment?.created_at ?? review?.submitted_at ?? 0).toISOString();
  return {
    id: said.id,
    kind,
    ...(said.node_id === undefined ? {} : { nodeId: said.node_id }),
    on: on?.number ?? 0,
    ...(on ? { subject: { title: on.title, body: on.body ?? '' } } : {}),
    isPull: kind !== 'comment' || issue?.pull_request !== undefined,
    author: said.user.login,
    authorId: said.user.id,
    isBot: said.user.type === 'Bot',
    text: said.body,
    createdAt: at,
    updatedAt: at,
    file: comment?.path ?? null,
    line: null,
  };
}

/** Whether GitHub's event marks the author as a member of the repository. Some members are not marked. */
export function isOfMember({ event }: JobContext): boolean {
  const parsed = commentEvent.safeParse(event.payload).data;
  const { author_association = '' } = parsed?.comment ?? parsed?.review ?? {};
  return ['OWNER', 'MEMBER', 'COLLABORATOR'].includes(author_association);
}
