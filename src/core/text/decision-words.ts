/**
 * Adapts the sentences of a decision for comments on GitHub. Commands that work in comments get a slash, and
 * `#a` becomes a plain task name, because GitHub would link `#12` to one of its issues.
 */
import { commentVerbs } from '../markdown/parse-comment-commands.ts';
import { inlineText } from './github/inline-text.ts';

const names = /(?<![\w/#])(?:gza ([a-z]+)(?: (?=([\w.-]{1,64})))?|#([\w.-]{1,64}))/g;
const flags = /^(?: (?:--[a-z-]+(?: APPROVED)?|"[^"`]{0,40}"))+/;
const charsMax = 4_500;

export function decisionWords(text: string, isTask: (id: string) => boolean): string {
  const sentence = text.slice(0, charsMax);
  const idIn = (word = '') => [word, word.replace(/(?<!\.)\.+$/, '')].find(isTask);
  const parts: string[] = [];
  let from = 0;
  for (const match of sentence.matchAll(names)) {
    const [whole, verb, word, name] = match;
    const id = idIn(word ?? name);
    if (verb === undefined && id === undefined) continue;
    parts.push(between(sentence.slice(from, match.index)));
    from = match.index + (verb === undefined ? 1 + (id ?? '').length : whole.trimEnd().length);
    if (verb === undefined) {
      parts.push(`\`${id}\``);
      continue;
    }
    const rest = sentence.slice(from);
    const args = id === undefined ? '' : ` ${id}${flags.exec(rest.slice(id.length + 1))?.[0] ?? ''}`;
    const slash = commentVerbs.some((one) => one === verb) ? '/' : '';
    parts.push(`\`${slash}gza ${verb}${args}\``);
    from += args.length;
  }
  return [...parts, between(sentence.slice(from))].join('').trim();
}

function between(text: string): string {
  const inner = inlineText(text, charsMax);
  if (inner === '') return text === '' ? '' : ' ';
  return `${/^\s/.test(text) ? ' ' : ''}${inner}${/\s$/.test(text) ? ' ' : ''}`;
}
