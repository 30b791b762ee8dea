/**
 * What a review says, sentence by sentence, as signs that can be weighed: the words of the sentence, those that stand
 * next to each other or one apart, words that are denied, the words of the title above it, and where it stands.
 */
import type { MarkdownLine } from '../../markdown/markdown-lines.ts';
import { ownStatements, type Statement, sentencesOf } from './own-words.ts';

export interface Said {
  readonly line: number;
  readonly text: string;
  readonly kind: 'title' | Statement['kind'];
  /** In lower case; empty where there is none. */
  readonly title: string;
  readonly isFirst: boolean;
  /** Behind a verdict that ended the review. */
  readonly isAdded: boolean;
}

/** `verdictLines`: with what they say beside the verdict; what was said before them is closed. */
export function saidIn(
  lines: readonly MarkdownLine[],
  verdictLines: ReadonlyMap<number, string>,
): readonly Said[] {
  const said: Said[] = [];
  const statements = ownStatements(
    lines.map((line) => ({ ...line, text: verdictLines.get(line.number) ?? line.text })),
  );
  const ends = [...verdictLines.keys()].sort((a, b) => b - a);
  let [title, heading, leadIn, isAdded] = ['', '', '', false];
  for (const [index, { line, text, kind }] of statements.entries()) {
    while ((ends.at(-1) ?? line) < line) {
      ends.pop();
      [title, heading, leadIn] = ['', '', ''];
      isAdded = said.some((one) => one.kind !== 'title');
    }
    if (/^[\s`~=|:-]*$/.test(text)) continue;
    const isTitle = kind !== 'row' && opens(text, kind, statements[index + 1]);
    if (kind === 'heading') heading = text;
    if (isTitle) title = text;
    else if (kind === 'paragraph' && statements[index - 1]?.kind === 'item') title = heading;
    const above = kind === 'item' && leadIn !== '' ? leadIn : title;
    const sentences = sentencesOf(text);
    const last = sentences.at(-1) ?? '';
    if (kind !== 'item') leadIn = last.endsWith(':') ? last : '';
    for (const [at, sentence] of sentences.entries()) {
      if (repeats.test(sentence)) continue;
      const [own, upper] = isTitle ? (['title', ''] as const) : [kind, above];
      said.push({ line, text: sentence, kind: own, title: upper, isFirst: at === 0, isAdded });
    }
  }
  return said;
}

/** Says only that the verdict is meant, as who is asked twice does, or what comes. */
const repeats =
  /^(?:(?:i|we) (?:still )?(?:stand by|confirm|keep|repeat) (?:it|that|this|my (?:verdict|answer|approval))|my (?:verdict|answer) (?:stands|is (?:unchanged|final|the same))|confirmed|done|results?|output|review|as (?:i )?said(?: before)?)[.!:]?$/i;

function opens(text: string, kind: Statement['kind'], next: Statement | undefined): boolean {
  if (kind === 'heading' || /^[^.!?]{1,80}:$/.test(text)) return true;
  return kind === 'paragraph' && next?.kind === 'item' && text.length <= 60 && /[\p{L}\p{N})]$/u.test(text);
}

const wordsMax = 60;
const titleWordsMax = 14;
/** How far a denial reaches. */
const reach = 5;
const denial = /^(?:no|not|without|never|none|nothing|zero|neither|nor)$/;

/** The signs of a sentence; one too long to be one is read in parts. */
export function signsOf(said: Said): readonly (readonly string[])[] {
  const words = wordsOf(said.text);
  const parts: string[][] = [];
  for (let at = 0; at === 0 || at < words.length; at += wordsMax) {
    parts.push(signsOfPart(said, words.slice(at, at + wordsMax)));
  }
  return parts;
}

function signsOfPart({ kind, title, isFirst, isAdded }: Said, words: readonly string[]): string[] {
  const signs = new Set([`k:${kind}`]);
  if (isAdded) signs.add('added');
  if (isFirst) signs.add('first');
  if (isForeign(words)) signs.add('foreign');
  if (words.length < 4) signs.add('short');
  else if (words.length > 25) signs.add('long');
  const stems = words.map(stemOf);
  let denied = 0;
  for (const [at, stem] of stems.entries()) {
    signs.add(stem);
    signs.add(`${stems[at - 1] ?? '<'} ${stem}`);
    if (at > 1) signs.add(`${stems[at - 2]} _ ${stem}`);
    if (denied > 0) signs.add(`!${stem}`);
    denied = denial.test(words[at] ?? '') ? reach : denied - 1;
  }
  signs.add(`${stems.at(-1) ?? '<'} >`);
  for (const word of wordsOf(title).slice(0, titleWordsMax)) signs.add(`h:${stemOf(word)}`);
  return [...signs];
}

const common =
  /^(?:the|an?|is|are|was|were|be|it|its|to|of|and|in|no|not|for|on|with|that|this|i|all|at|by|from)$/;

/** Words that none of these signs tell much of. */
function isForeign(words: readonly string[]): boolean {
  if (words.some((word) => /(?!\p{Script=Latin})\p{L}/u.test(word))) return true;
  return words.length > 4 && !words.some((word) => common.test(word));
}

/** Numbers are alike, but for none. */
function wordsOf(text: string): readonly string[] {
  const plain = text.replace(/\b0(?![.\w])/g, 'zero').replace(/\b(?=[a-f]*\d)[\da-f]{6,}\b|\d[\d.,]*/g, '#');
  return plain.match(/[\p{L}#]+(?:[-'][\p{L}#]+)*|[?!:☐✓✔✅❌🔴⚠→]/gu) ?? [];
}

function stemOf(word: string): string {
  return word.length > 4 ? word.replace(/(?:ings?|ed|es|s|ly)$/, '') : word;
}
