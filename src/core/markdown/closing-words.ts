/** What an agent said at the end, as people read it: without the data that it was asked for. */
import { cleanText } from './neutralise.ts';

const textCharsMax = 100_000;
const fenceLine = /^ {0,3}(`{3,}|~{3,})\s{0,8}(\w{0,20})/;

/** Its words, bounded. Blocks of JSON were asked for by gza, and tell people nothing. */
export function closingWords(text: string, charsMax = 2_000): string {
  const kept: string[] = [];
  let open = '';
  let isHidden = false;
  for (const line of cleanText(text.slice(0, textCharsMax)).split('\n')) {
    const [, mark = '', language = ''] = fenceLine.exec(line) ?? [];
    if (mark !== '' && open === '') [open, isHidden] = [mark, /^json/i.test(language)];
    else if (mark !== '' && mark.startsWith(open)) {
      if (!isHidden) kept.push(line.trimEnd());
      [open, isHidden] = ['', false];
      continue;
    }
    if (!isHidden) kept.push(line.trimEnd());
  }
  const words = kept
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
  return words.length <= charsMax ? words : `${words.slice(0, charsMax).toWellFormed().trimEnd()} …`;
}

const label =
  /^(?:#{1,6}\s|\*{0,2}(?:summary|changes|what changed|what i did|done|result)\*{0,2}\s?:?\*{0,2}\s{0,4}$)/i;
/** Says that something was done, and not what. */
const empty =
  /^(?:done|ok|okay|fixed|finished|i have finished|(?:i(?:['’]ve| have)? )?(?:address|fix|resolv|handl|implement|appl)\w{0,5} (?:all|both|each|every|the|your)\b.{0,40}\b(?:findings?|points?|reviews?|feedback|comments?|issues?|changes|blockers?|follow-ups?)\b|(?:all|both|every|the)\b.{0,40}\b(?:findings?|points?|feedback|comments?|issues?|blockers?|follow-ups?)\b.{0,20}\b(?:address|fix|resolv|handl|implement|appl|done))/i;

/** The first sentence that says what was done; empty where none does. */
export function firstSentence(text: string): string {
  const lines = closingWords(text, 1_000).split('\n');
  const line = lines.find((one) => one.trim() !== '' && !label.test(one.trim())) ?? '';
  const bare = line.replace(/^\s{0,8}(?:[-*+>]|\d{1,2}[.)])\s{1,8}/, '').replaceAll(/\*\*|__/g, '');
  const [sentence = ''] = bare.split(/(?<=[\p{L}\p{N})`"”’])[.:;!?](?:\s|$)/u);
  const words = sentence.trim();
  return words.length < 10 || empty.test(words) ? '' : words;
}
