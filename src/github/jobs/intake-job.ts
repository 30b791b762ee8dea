/**
 * The thin intake: 👀 on the comment that woke this run, at once, while pick may wait for its turn. It neither asks
 * who wrote it nor does anything of what it says; that is pick's.
 */
import { isGzaError } from '../../core/errors.ts';
import { commentOfEvent } from '../comments/event-comment.ts';
import { commandsIn } from '../comments/intake.ts';
import type { Ci } from './ci.ts';

export async function intakeJob(ci: Ci): Promise<void> {
  const comment = commentOfEvent(ci);
  if (!comment || comment.isBot || !asksForSomething(comment.text)) {
    ci.say('No comment with a command woke this run.');
    return;
  }
  try {
    await ci.forge().react(comment, 'eyes');
    ci.say('The comment was seen (👀); pick answers it.');
  } catch (error) {
    if (!isGzaError(error)) throw error;
    ci.warn(`The comment got no 👀, and pick answers it all the same: ${error.message}`);
  }
}

function asksForSomething(text: string): boolean {
  const { commands, problems } = commandsIn(text);
  return commands.length + problems.length > 0;
}
