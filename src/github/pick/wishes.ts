/**
 * Steps that a person asked for, by comment, box or dispatch: each is a mark of the base ledger until a claim answers
 * it, then a part of that claim's job, and again a mark where the job dies or ends without an answer.
 */
import * as z from 'zod';
import type { Project } from '../../app/project.ts';
import type { Event } from '../../core/ledger/event.ts';
import { type StepOutcome, type StepRecord, stepNames } from '../../core/ledger/record/record.ts';
import type { OpenCommand } from '../../core/policy/decide.ts';
import { parseJson } from '../jobs/parse-json.ts';

type Marks = Readonly<Record<string, string>>;

/** Whoever can push can write marks. */
export const wishShape = z.strictObject({
  step: z.enum(stepNames),
  guidance: z.string().max(10_000).optional(),
  by: z.string().max(100),
  tries: z.int().min(0).max(100).optional(),
  said: z
    .strictObject({
      key: z.string().max(40),
      at: z.iso.datetime(),
      role: z.string().max(20),
      text: z.string().max(10_000),
    })
    .optional(),
});

const prefix = 'command:';

export function wishEvent(task: string, wish: OpenCommand | null, at: string): Event {
  return { kind: 'mark', at, name: prefix + task, value: wish && JSON.stringify(wish) };
}

export async function openWishes({ view }: Pick<Project, 'view'>): Promise<Map<string, OpenCommand>> {
  const wishes = new Map<string, OpenCommand>();
  for (const [name, value] of Object.entries((await view.meta(view.base))?.marks ?? {})) {
    const parsed = name.startsWith(prefix) ? wishShape.safeParse(parseJson(value)) : null;
    if (parsed?.success) wishes.set(name.slice(prefix.length), parsed.data as OpenCommand);
  }
  return wishes;
}

/** A step that ends its machine each time is not begun for ever. */
const triesMax = 3;
/** A usage limit is nobody's fault, and what is put off until it ends is cheap. */
const limitedTriesMax = 10;

/**
 * Its try answered nothing, and nobody has to be asked first: what was said goes to the next try. A run that was
 * cancelled as well: whoever does not want the step any more says so with a command, as for any other step.
 */
export function isUnanswered({ outcome }: Pick<StepRecord, 'outcome'>, isStopped: boolean): boolean {
  const unanswered: readonly StepOutcome[] = ['failed', 'slice', 'limit', 'cancelled', 'lost'];
  return !isStopped && unanswered.includes(outcome);
}

/** None when it was tried often, or something newer was asked for. */
export function askAgain(
  task: string,
  wish: OpenCommand,
  {
    marks,
    outcome = 'lost',
    at,
  }: { readonly marks: Marks; readonly outcome?: StepOutcome; readonly at: string },
): Event[] {
  const tries = (wish.tries ?? 0) + 1;
  const isOften = tries >= (outcome === 'limit' ? limitedTriesMax : triesMax);
  return marks[prefix + task] !== undefined || isOften ? [] : [wishEvent(task, { ...wish, tries }, at)];
}
