/**
 * Answers to people, kept in the base ledger by the push that holds what they asked for, until the next pick. A job
 * that died in between may not have given them: that one looks, and gives what is missing.
 */
import * as z from 'zod';
import type { Project } from '../commands/project.ts';
import { answeredComment } from '../core/text/command-answer.ts';
import type { Forge } from '../forge/forge.ts';
import type { Ci } from './ci.ts';
import type { Answer } from './obey.ts';

const markName = 'answers';
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

export type KeptAnswer = z.infer<typeof shape>[number];

/** Keeps these, and returns those of the pick before. */
export async function keepAnswers(
  { ports }: Pick<Ci, 'ports'>,
  { ledger, view }: Project,
  answers: readonly Answer[],
): Promise<KeptAnswer[]> {
  const text = (await view.meta(view.base))?.marks?.[markName];
  if (text === undefined && answers.length === 0) return [];
  const kept = answers.slice(0, keptMax).map(asKept);
  const value = kept.length > 0 ? JSON.stringify(kept) : null;
  await ledger.write(async ({ base }) => ({
    changes: [{ branch: base, events: [{ kind: 'mark', at: ports.now(), name: markName, value }] }],
  }));
  return text === undefined ? [] : parsed(text);
}

function asKept({ comment, reaction, text }: Answer): KeptAnswer {
  const { id, kind, on, createdAt: at } = comment;
  return { id, kind, on, at, reaction, text: text !== null && text.length > textCharsMax ? null : text };
}

function parsed(text: string): KeptAnswer[] {
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
  { id, kind, on, at, reaction, text }: KeptAnswer,
): Promise<void> {
  await forge.react({ id, kind }, reaction);
  if (text === null) return;
  const since = await forge.commentsSince(at);
  if (!since.some((one) => one.isBot && answeredComment(one.text) === id)) await forge.comment(on, text);
}
