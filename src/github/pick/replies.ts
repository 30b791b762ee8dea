/**
 * Replies that gza owes to people, stored in the base ledger by the push that contains what they requested.
 * If a pick dies before it posts them, the next pick checks how that run ended, takes them over, and posts
 * the missing ones. When a lane of the same run lands, its pick must have ended well, so its replies are
 * removed.
 */
import * as z from 'zod';
import type { Project } from '../../app/project.ts';
import { isGzaError } from '../../core/errors.ts';
import type { Event } from '../../core/ledger/event.ts';
import { parseJson } from '../../core/shape.ts';
import { answeredComment, whoMayCommandMark } from '../../core/text/github/command-answer.ts';
import { addSeconds } from '../../core/time.ts';
import type { Forge, ForgeRead } from '../api/forge.ts';
import type { Answer } from '../comments/handle-comment.ts';
import type { JobContext, ReadingContext } from '../jobs/job-context.ts';
import { ciRun, parseCiRun } from './claims.ts';

const prefix = 'answers:';

export function repliesMark(run: string): string {
  return prefix + run;
}

/** Longer replies are lists that a person can request again. */
const textCharsMax = 10_000;
const keptMax = 100;

const shape = z.strictObject({
  /** Identifies the reply, so that it is posted only once. */
  key: z.string().regex(/^[a-z0-9:-]{1,100}$/),
  /** The comment that it answers; null for a reply in a comment of its own. */
  comment: z
    .strictObject({
      id: z.int().min(1),
      kind: z.enum(['comment', 'review-comment', 'review']),
      nodeId: z.string().max(200).optional(),
    })
    .nullable(),
  /** Number of the issue or pull request. */
  on: z.int().min(1),
  at: z.iso.datetime(),
  reaction: z.enum(['rocket', 'confused', '-1']).nullable(),
  text: z.string().nullable(),
});

export type Reply = z.infer<typeof shape>;

export function replyOf({ comment, reaction, text }: Answer): Reply {
  const { id, kind, nodeId, on, createdAt: at } = comment;
  if (kind === 'label')
    return { key: `label:${on}:${Date.parse(at)}`, comment: null, on, at, reaction: null, text };
  const named = kind === 'review' && nodeId !== undefined ? { id, kind, nodeId } : { id, kind };
  return { key: `${kind}:${id}`, comment: named, on, at, reaction, text };
}

type Marks = Readonly<Record<string, string>>;

async function repliesKept({ view }: Pick<Project, 'view'>): Promise<Map<string, readonly Reply[]>> {
  const marks = (await view.meta(view.base))?.marks ?? {};
  const kept = Object.keys(marks).filter((name) => name.startsWith(prefix));
  return new Map(kept.map((name) => [name.slice(prefix.length), parsed(marks[name])]));
}

function parsed(text = '[]'): readonly Reply[] {
  return z.array(shape).max(keptMax).safeParse(parseJson(text)).data ?? [];
}

function markOf(run: string, replies: readonly Reply[], at: string): Event {
  const kept = replies.slice(0, keptMax).map((one) => ({ ...one, text: fit(one.text) }));
  return { kind: 'mark', at, name: repliesMark(run), value: kept.length > 0 ? JSON.stringify(kept) : null };
}

function fit(text: string | null): string | null {
  return text !== null && text.length > textCharsMax ? null : text;
}

/**
 * Stores these replies together with those that earlier picks did not post, and returns the latter. This pick
 * may die too before it posts them.
 */
export async function keepReplies(
  { ports, run, forge }: Pick<ReadingContext, 'ports' | 'run' | 'forge'>,
  project: Project,
  replies: readonly Reply[],
): Promise<readonly Reply[]> {
  const before = await repliesKept(project);
  if (before.size === 0 && replies.length === 0) return [];
  const owed: Reply[] = [];
  for (const [of, kept] of before) if (!(await endedWell(forge(), of))) owed.push(...kept);
  const at = ports.now();
  const events = [...before.keys()].map((of) => markOf(of, [], at));
  events.push(markOf(ciRun(run), [...owed, ...replies], at));
  await project.ledger.write(async ({ base }) => ({ changes: [{ branch: base, events }] }));
  return owed;
}

async function endedWell(forge: ForgeRead, run: string): Promise<boolean> {
  const of = parseCiRun(run);
  const ended = of ? await forge.run(of.id) : null;
  return ended?.isCompleted === true && ended.conclusion === 'success';
}

/** Leaves out replies that another pick posts: it handled the same comments and recorded that first. */
export async function onlyOurs(
  { run }: Pick<JobContext, 'run'>,
  project: Project,
  replies: readonly Reply[],
): Promise<readonly Reply[]> {
  const others = [...(await repliesKept(project))].filter(([of]) => of !== ciRun(run));
  const said = new Set(others.flatMap(([, kept]) => kept.map(({ key }) => key)));
  return replies.filter(({ key }) => !said.has(key));
}

/** This run's mark with one more reply. */
export function withReply(marks: Marks, run: JobContext['run'], one: Reply): Event {
  const before = parsed(marks[repliesMark(ciRun(run))]);
  return markOf(ciRun(run), [...before, one].slice(-keptMax), one.at);
}

const keptSeconds = 3 * 86_400;

/** Stores replies that could not be posted now. All others of this run were posted, however it ends. */
export async function keepForNext(
  { ports, run, warn }: Pick<JobContext, 'ports' | 'run' | 'warn'>,
  { ledger }: Project,
  replies: readonly Reply[],
): Promise<void> {
  const at = ports.now();
  const since = addSeconds(at, -keptSeconds);
  const kept = replies.filter((one) => one.at >= since);
  if (kept.length < replies.length)
    warn('An answer could not be given for three days. It is not tried any more.');
  const events = [markOf(ciRun(run), [], at), markOf('unsaid', kept, at)];
  await ledger.write(async ({ base }) => ({ changes: [{ branch: base, events }] }));
}

/** This machine's clock may be ahead of GitHub's. */
const clockSeconds = 600;

/** `isAgain`: it may have been posted before, so search first. Repeating a reaction has no effect. */
export async function say(forge: Forge, reply: Reply, isAgain: boolean): Promise<void> {
  const { comment, key, on, at, reaction, text } = reply;
  if (comment !== null && reaction !== null) await forge.react(comment, reaction);
  if (text === null) return;
  const mark = `<!-- gza:said ${key} -->`;
  const since = isAgain ? await forge.commentsSince(comment ? at : addSeconds(at, -clockSeconds)) : [];
  const isSaid = since.some(
    ({ isBot, text: said }) =>
      isBot && (comment ? answeredComment(said) === comment.id : said.includes(mark)),
  );
  if (isSaid) return;
  await postAnswer(forge, on, comment || isPostedOnce(text) ? text : `${text}\n\n${mark}`);
}

/** Drops the text if it was posted there before. `seen` collects where it is posted. */
export function postOnce(answer: Reply, seen: string[], before: readonly string[]): Reply {
  if (!isPostedOnce(answer.text)) return answer;
  const key = `w${answer.on}`;
  if (before.includes(key) || seen.includes(key)) return { ...answer, text: null };
  seen.push(key);
  return answer;
}

/**
 * Who may command is explained once in a conversation, or anyone could make gza post endlessly. Recent posts
 * are remembered by pick, since GitHub's lists may lag; older ones are searched for.
 */
export async function postAnswer(
  forge: Pick<Forge, 'comment' | 'hasBotComment'>,
  on: number,
  text: string,
): Promise<void> {
  try {
    if (isPostedOnce(text) && (await forge.hasBotComment(on, whoMayCommandMark))) return;
    await forge.comment(on, text);
  } catch (error) {
    // The conversation was deleted, so nobody waits for an answer.
    if (!isGzaError(error) || !gone.includes(error.data['status'])) throw error;
  }
}

const gone: readonly unknown[] = [404, 410];

function isPostedOnce(text: string | null): boolean {
  return text?.endsWith(whoMayCommandMark) === true;
}
