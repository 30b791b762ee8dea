/** What GitHub refused, as a line of the board: gone as soon as it is not refused any more. */

import { type Trap, trapText } from '../doctor/trap-texts.ts';
import { codeText, inlineText } from './inline-text.ts';

export function trapNotice(trap: Trap, more = ''): string {
  const { happened, kept, next } = trapText(trap);
  return `- **${happened}** ${kept}<br>${next.join('; ')}.${more === '' ? '' : ` ${more}`}`;
}

/** GitHub's refusal of one thing that had to be said. `on`: a branch, or the permission that lacks. */
export function errorNotice(on: string, message: string, hint: string | undefined): string {
  return `- ${codeText(on)}: **${inlineText(message, 400)}**${hint ? `<br>${inlineText(hint, 400)}` : ''}`;
}
