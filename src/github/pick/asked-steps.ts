/** Steps that a person asked for, kept in the base ledger until a claim answers them. */
import * as z from 'zod';
import type { Project } from '../../app/project.ts';
import { type StepOutcome, type StepRecord, stepNames } from '../../core/ledger/record/record.ts';
import type { OpenCommand } from '../../core/policy/decide.ts';
import { parseJson } from '../jobs/parse-json.ts';

export function commandMark(task: string): string {
  return `command:${task}`;
}

const commandShape = z.strictObject({
  step: z.enum(stepNames),
  guidance: z.string().max(10_000).optional(),
  by: z.string().max(100),
  /** So many claims that answered it died, or ended without an answer. */
  tries: z.int().min(0).max(100).optional(),
});

export async function openCommands({ view }: Pick<Project, 'view'>): Promise<Map<string, OpenCommand>> {
  const marks = (await view.meta(view.base))?.marks ?? {};
  const commands = new Map<string, OpenCommand>();
  for (const [name, value] of Object.entries(marks)) {
    if (!name.startsWith(commandMark(''))) continue;
    const parsed = commandShape.safeParse(parseJson(value));
    if (parsed.success) commands.set(name.slice(commandMark('').length), parsed.data as OpenCommand);
  }
  return commands;
}

/** What a claim answers, kept beside it until its step is recorded. */
export function begunMark(claim: string): string {
  return `begun:${claim}`;
}

export function begunCommand(task: string, command: string): string {
  return JSON.stringify({ task, command });
}

const begunShape = z.strictObject({ task: z.string().min(1).max(200), command: z.string().max(12_000) });
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

/** The mark by which it is asked for again; null when it was tried often, or something newer was asked for. */
export function commandAgain(
  begun: string,
  marks: Readonly<Record<string, string>>,
  outcome: StepOutcome = 'lost',
): { readonly name: string; readonly value: string } | null {
  const found = begunShape.safeParse(parseJson(begun));
  const command = commandShape.safeParse(parseJson(found.data?.command ?? ''));
  if (!found.success || !command.success) return null;
  const name = commandMark(found.data.task);
  const tries = (command.data.tries ?? 0) + 1;
  if (marks[name] !== undefined || tries >= (outcome === 'limit' ? limitedTriesMax : triesMax)) return null;
  return { name, value: JSON.stringify({ ...command.data, tries }) };
}
