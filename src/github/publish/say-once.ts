/**
 * Who may command is said once in a conversation, or anyone could make gza talk. What was said lately stands among
 * what pick has seen, as GitHub's lists may lag behind; what was said before that is looked for.
 */
import { isGzaError } from '../../core/errors.ts';
import { whoMayCommandMark } from '../../core/text/github/command-answer.ts';
import type { Forge } from '../api/forge.ts';
import type { Reply } from '../pick/replies.ts';

/** Without its words when they stand there already; `seen` learns where they are said. */
export function sayOnce(answer: Reply, seen: string[], before: readonly string[]): Reply {
  if (!isSaidOnce(answer.text)) return answer;
  const key = `w${answer.on}`;
  if (before.includes(key) || seen.includes(key)) return { ...answer, text: null };
  seen.push(key);
  return answer;
}

export async function sayAnswer(
  forge: Pick<Forge, 'comment' | 'hasBotComment'>,
  on: number,
  text: string,
): Promise<void> {
  try {
    if (isSaidOnce(text) && (await forge.hasBotComment(on, whoMayCommandMark))) return;
    await forge.comment(on, text);
  } catch (error) {
    // A conversation that was deleted has nobody who waits.
    if (!isGzaError(error) || !gone.includes(error.data['status'])) throw error;
  }
}

const gone: readonly unknown[] = [404, 410];

export function isSaidOnce(text: string | null): boolean {
  return text?.endsWith(whoMayCommandMark) === true;
}
