/**
 * Answers to people, kept in the base ledger by the push that holds what they asked for. A pick that died right after
 * it did not give them: the next one asks how its run ended, looks, and gives what is missing. Where a lane of the
 * same run lands, the pick before it did end well, and they are forgotten: GitHub's lists may lag behind.
 */
import * as z from 'zod';
import type { Project } from '../commands/project.ts';
import type { Event } from '../core/event.ts';
import { answeredComment } from '../core/text/command-answer.ts';
import type { Forge } from '../forge/forge.ts';
import type { Ci } from './ci.ts';
import { ciRun, parseCiRun } from './claim-life.ts';
import type { Answer } from './obey.ts';

export function answersMark(run: string): string {
  return `answers:${run}`;
}

/** A longer one is a list that can be asked for again. */
const textCharsMax = 10_000;
const keptMax = 100;

const shape = z
  .array(
    z.strictObject({
      id: z.int().min(1),
      kind: z.enum(['comment', 'review-comment']),
      on: z.int().min(1),
      at: z.iso.datetime(),
      reaction: z.enum(['rocket', 'confused', '-1']),
      text: z.string().max(textCharsMax).nullable(),
    }),
  )
  .max(keptMax);

export interface KeptAnswer extends Kept {
  /** Of the pick that should have given it. */
  readonly run: string;
}

type Kept = z.infer<typeof shape>[number];

/** Keeps these, and returns those of picks before. */
export async function keepAnswers(
  { ports, run }: Pick<Ci, 'ports' | 'run'>,
  { ledger, view }: Project,
  answers: readonly Answer[],
): Promise<KeptAnswer[]> {
  const marks = Object.entries((await view.meta(view.base))?.marks ?? {});
  const before = marks.filter(([name]) => name.startsWith(answersMark('')));
  if (before.length === 0 && answers.length === 0) return [];
  const at = ports.now();
  const kept = answers.slice(0, keptMax).map(asKept);
  const events = before.map(([name]): Event => ({ kind: 'mark', at, name, value: null }));
  if (kept.length > 0)
    events.push({ kind: 'mark', at, name: answersMark(ciRun(run)), value: JSON.stringify(kept) });
  await ledger.write(async ({ base }) => ({ changes: [{ branch: base, events }] }));
  return before.flatMap(([name, value]) =>
    parsed(value).map((one) => ({ ...one, run: name.slice(answersMark('').length) })),
  );
}

/** Without those that a pick beside this one gives: it took them in too, and wrote that down first. */
export async function onlyOurs(
  { run }: Pick<Ci, 'run'>,
  { view }: Project,
  answers: readonly Answer[],
): Promise<readonly Answer[]> {
  if (answers.length === 0) return answers;
  const marks = Object.entries((await view.meta(view.base))?.marks ?? {});
  const others = marks.filter(
    ([name]) => name.startsWith(answersMark('')) && name !== answersMark(ciRun(run)),
  );
  const given = new Set(others.flatMap(([, value]) => parsed(value).map(({ kind, id }) => `${kind} ${id}`)));
  return answers.filter(({ comment: { kind, id } }) => !given.has(`${kind} ${id}`));
}

/** Those that could not be given now; no run stands for them. */
export async function keepForNext(
  { ports }: Pick<Ci, 'ports'>,
  { ledger }: Project,
  answers: readonly Answer[],
): Promise<void> {
  const value = JSON.stringify(answers.slice(0, keptMax).map(asKept));
  await ledger.write(async ({ base }) => ({
    changes: [
      { branch: base, events: [{ kind: 'mark', at: ports.now(), name: answersMark('unsaid'), value }] },
    ],
  }));
}

function asKept({ comment, reaction, text }: Answer): Kept {
  const { id, kind, on, createdAt: at } = comment;
  return { id, kind, on, at, reaction, text: text !== null && text.length > textCharsMax ? null : text };
}

function parsed(text: string): Kept[] {
  try {
    const found = shape.safeParse(JSON.parse(text));
    return found.success ? found.data : [];
  } catch {
    return [];
  }
}

/** The same reaction twice is one; words are looked for first. */
export async function giveAgain(
  forge: Forge,
  { id, kind, on, at, reaction, text, run }: KeptAnswer,
): Promise<void> {
  const of = parseCiRun(run);
  const ended = of ? await forge.run(of.id) : null;
  if (ended?.isCompleted && ended.conclusion === 'success') return;
  await forge.react({ id, kind }, reaction);
  if (text === null) return;
  const since = await forge.commentsSince(at);
  if (!since.some((one) => one.isBot && answeredComment(one.text) === id)) await forge.comment(on, text);
}
