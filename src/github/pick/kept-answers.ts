/**
 * Answers to people, kept in the base ledger by the push that holds what they asked for. A pick that died right after
 * it did not give them: the next one asks how its run ended, takes them over, looks, and gives what is missing. Where a lane of the
 * same run lands, the pick before it did end well, and they are forgotten: GitHub's lists may lag behind.
 */
import * as z from 'zod';
import type { Project } from '../../app/project.ts';
import type { Event } from '../../core/ledger/event.ts';
import { answeredComment } from '../../core/text/github/command-answer.ts';
import { addSeconds } from '../../core/time.ts';
import type { Forge } from '../api/forge.ts';
import type { Answer } from '../comments/obey.ts';
import type { Ci } from '../jobs/ci.ts';
import { sayAnswer } from '../publish/say-once.ts';
import { ciRun, parseCiRun } from './claim-life.ts';

export function answersMark(run: string): string {
  return `answers:${run}`;
}

/** A longer one is a list that can be asked for again. */
const textCharsMax = 10_000;
const keptMax = 100;

const toComment = z.strictObject({
  id: z.int().min(1),
  kind: z.enum(['comment', 'review-comment']),
  on: z.int().min(1),
  at: z.iso.datetime(),
  reaction: z.enum(['rocket', 'confused', '-1']),
  text: z.string().max(textCharsMax).nullable(),
});
/** Said in a comment of its own, by a pick that may be another than the one that read the wish. */
const remark = z.strictObject({
  key: z.string().regex(/^[a-z0-9:]{1,100}$/),
  on: z.int().min(1),
  at: z.iso.datetime(),
  text: z.string().max(textCharsMax),
});
const shape = z.array(z.union([toComment, remark])).max(keptMax);

export type Remark = z.infer<typeof remark>;

export type KeptAnswer = Kept & {
  /** Of the pick that should have given it. */
  readonly run: string;
};

type Kept = z.infer<typeof shape>[number];

/** Keeps these and those that picks before may owe, which it returns: this pick too may die before it gives them. */
export async function keepAnswers(
  { ports, run, forge }: Pick<Ci, 'ports' | 'run' | 'forge'>,
  { ledger, view }: Project,
  answers: readonly Answer[],
): Promise<KeptAnswer[]> {
  const marks = Object.entries((await view.meta(view.base))?.marks ?? {});
  const before = marks.filter(([name]) => name.startsWith(answersMark('')));
  if (before.length === 0 && answers.length === 0) return [];
  const at = ports.now();
  const owed: KeptAnswer[] = [];
  for (const [name, value] of before) {
    const of = name.slice(answersMark('').length);
    if (!(await endedWell(forge(), of))) owed.push(...parsed(value).map((one) => ({ ...one, run: of })));
  }
  const kept = [...owed, ...answers].slice(0, keptMax).map(asKept);
  const events = before.map(([name]): Event => ({ kind: 'mark', at, name, value: null }));
  if (kept.length > 0)
    events.push({ kind: 'mark', at, name: answersMark(ciRun(run)), value: JSON.stringify(kept) });
  await ledger.write(async ({ base }) => ({ changes: [{ branch: base, events }] }));
  return owed;
}

async function endedWell(forge: Forge, run: string): Promise<boolean> {
  const of = parseCiRun(run);
  const ended = of ? await forge.run(of.id) : null;
  return ended?.isCompleted === true && ended.conclusion === 'success';
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
  const given = new Set(
    others.flatMap(([, value]) =>
      parsed(value).map((one) => ('key' in one ? one.key : `${one.kind} ${one.id}`)),
    ),
  );
  return answers.filter(({ comment: { kind, id } }) => !given.has(`${kind} ${id}`));
}

/** The mark of this run, with one more. */
export function keptWith(
  marks: Readonly<Record<string, string>>,
  run: Ci['run'],
  one: Remark,
): { readonly name: string; readonly value: string } {
  const name = answersMark(ciRun(run));
  return { name, value: JSON.stringify([...parsed(marks[name] ?? '[]'), one].slice(-keptMax)) };
}

const keptSeconds = 3 * 86_400;

/** Those that could not be given now; no run stands for them. All others of this run were, however it ends. */
export async function keepForNext(
  { ports, run, warn }: Pick<Ci, 'ports' | 'run' | 'warn'>,
  { ledger }: Project,
  answers: readonly (KeptAnswer | Answer | Remark)[],
): Promise<void> {
  const at = ports.now();
  const since = addSeconds(at, -keptSeconds);
  const kept = answers.map(asKept).filter((one) => one.at >= since);
  if (kept.length < answers.length)
    warn('An answer could not be given for three days. It is not tried any more.');
  const value = kept.length > 0 ? JSON.stringify(kept.slice(0, keptMax)) : null;
  const events: Event[] = [
    { kind: 'mark', at, name: answersMark(ciRun(run)), value: null },
    { kind: 'mark', at, name: answersMark('unsaid'), value },
  ];
  await ledger.write(async ({ base }) => ({ changes: [{ branch: base, events }] }));
}

function asKept(answer: KeptAnswer | Answer | Remark): Kept {
  if ('run' in answer) {
    const { run: _run, ...kept } = answer;
    return kept;
  }
  if ('key' in answer) return answer;
  const { comment, reaction, text } = answer;
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
export async function giveAgain(forge: Forge, kept: KeptAnswer): Promise<void> {
  if ('key' in kept) {
    // Its time is this machine's, which may be ahead of GitHub's.
    const since = await forge.commentsSince(addSeconds(kept.at, -clockSeconds));
    if (!since.some((one) => one.isBot && one.text.includes(remarkMark(kept)))) await giveRemark(forge, kept);
    return;
  }
  const { id, kind, on, at, reaction, text } = kept;
  await forge.react({ id, kind }, reaction);
  if (text === null) return;
  const since = await forge.commentsSince(at);
  if (!since.some((one) => one.isBot && answeredComment(one.text) === id)) await sayAnswer(forge, on, text);
}

const clockSeconds = 600;

function remarkMark({ key }: Remark): string {
  return `<!-- gza:said ${key} -->`;
}

export async function giveRemark(forge: Forge, one: Remark): Promise<void> {
  await forge.comment(one.on, `${one.text}\n\n${remarkMark(one)}`);
}
