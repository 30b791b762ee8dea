/** Steps that a person asked for, kept in the base ledger until a claim answers them. */
import * as z from 'zod';
import type { Project } from '../commands/project.ts';
import type { OpenCommand } from '../core/decide.ts';
import { stepNames } from '../core/record.ts';

export function commandMark(task: string): string {
  return `command:${task}`;
}

const commandShape = z.strictObject({
  step: z.enum(stepNames),
  guidance: z.string().max(10_000).optional(),
  by: z.string().max(100),
});

export async function openCommands({ view }: Pick<Project, 'view'>): Promise<Map<string, OpenCommand>> {
  const marks = (await view.meta(view.base))?.marks ?? {};
  const commands = new Map<string, OpenCommand>();
  for (const [name, value] of Object.entries(marks)) {
    if (!name.startsWith(commandMark(''))) continue;
    const parsed = commandShape.safeParse(json(value));
    if (parsed.success) commands.set(name.slice(commandMark('').length), parsed.data as OpenCommand);
  }
  return commands;
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
