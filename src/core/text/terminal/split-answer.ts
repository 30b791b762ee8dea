/** What was made of a task that was split, for the comment that asked for it. */
import type { Task } from '../../task/task.ts';
import { idText, inlineText } from '../github/inline-text.ts';

export function splitAnswer(segments: readonly Task[]): string {
  return segments
    .map(({ id, title, depends_on: after = [] }, at) => {
      const waits = after.length > 0 ? `, after ${after.map(idText).join(', ')}` : '';
      return `${at + 1}. ${idText(id)}: ${inlineText(title, 120)}${waits}`;
    })
    .join('\n');
}
