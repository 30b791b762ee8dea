/**
 * The thin intake: 👀 on the comment that woke this run, at once, while pick may wait for its turn. From a stranger who
 * may not command it is 👎, and no pick is started: the next one finds the comment and says why. It does nothing of
 * what the comment says; that is pick's.
 */
import { isGzaError } from '../../core/errors.ts';
import { isAtLeast } from '../api/role.ts';
import { commentOfEvent, isOfMember } from '../comments/event-comment.ts';
import { commandsIn } from '../comments/intake.ts';
import type { Ci } from './ci.ts';

export async function intakeJob(ci: Ci): Promise<void> {
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
