import { withoutCode } from '../markdown/code-spans.ts';
import { proseLines } from '../markdown/markdown-lines.ts';

/** What an agent says, as a line of its own or after a sentence, when it believes that all is done. */
export const donePromise = '<promise>DONE</promise>';

const said =
  /^(?:.*[.!✅]["')*_]{0,4}\s+)?[-*_#\s]{0,8}<promise>\s{0,5}DONE\s{0,5}<\/promise>[*_.!\s]{0,8}$/u;

/**
 * Only as the agent's own words: not in code, not quoted, and not in the middle of a sentence, where it is
 * talked about ("I will print … when the tests pass").
 */
export function saidDone(text: string): boolean {
  return proseLines(text).some((line) => isPromise(line.text));
}

function isPromise(text: string): boolean {
  return text.includes('<promise>') && said.test(withoutCode(text).trim().slice(-300));
}
