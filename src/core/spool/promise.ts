import { proseLines, withoutCode } from '../markdown/markdown-lines.ts';

/** What an agent prints, anywhere on a line, when it believes that everything is done. */
export const donePromise = '<promise>DONE</promise>';

const said = /<promise>\s{0,5}DONE\s{0,5}<\/promise>/u;
const sentenceEnd = /[.!?:;✅]["')*_]{0,4}\s+/gu;
const talkedAbout =
  /\b(?:will|would|should|shall|can(?:not)?|could|may|might|must|not|never|no|when|until|unless|before|once|if|yet|asks?|asked|print|output|emit)\b|n['’]t\b/iu;

/** Counts only as the agent's own words: not in code, not quoted, not as a topic ("I will print … when"). */
export function saidDone(text: string): boolean {
  return proseLines(text).some((line) => isPromise(line.text));
}

function isPromise(text: string): boolean {
  if (!text.includes('<promise>')) return false;
  const line = withoutCode(text).slice(-2_000);
  const sentence = line.split(sentenceEnd).find((one) => said.test(one));
  return sentence !== undefined && !talkedAbout.test(sentence.replace(said, ' '));
}
