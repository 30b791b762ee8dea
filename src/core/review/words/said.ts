/**
 * Splits a review into sentences, and each sentence into signs that can be weighed: its words, pairs of words
 * next to each other or one apart, negated words, the words of the title above, and its position.
 */
import { codeSpans, type MarkdownLine } from '../../markdown/markdown-lines.ts';
import { foldLookAlikes } from '../../markdown/neutralise.ts';

export interface Said {
  readonly line: number;
  readonly text: string;
  readonly kind: 'title' | Statement['kind'];
  /** In lower case; empty when there is none. */
  readonly title: string;
  readonly isFirst: boolean;
  /** It comes after the verdict that ended the review. */
  readonly isAdded: boolean;
}

/** `verdictLines`: line number → text beside the verdict. A verdict ends the part of the review before it. */
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

/** Sentences that only confirm the verdict, as after a second question, or announce what follows. */
const repeats =
  /^(?:(?:i|we) (?:still )?(?:stand by|confirm|keep|repeat) (?:it|that|this|my (?:verdict|answer|approval))|my (?:verdict|answer) (?:stands|is (?:unchanged|final|the same))|confirmed|done|results?|output|review|as (?:i )?said(?: before)?)[.!:]?$/i;

function opens(text: string, kind: Statement['kind'], next: Statement | undefined): boolean {
  if (kind === 'heading' || /^[^.!?]{1,80}:$/.test(text)) return true;
  return kind === 'paragraph' && next?.kind === 'item' && text.length <= 60 && /[\p{L}\p{N})]$/u.test(text);
}

const wordsMax = 60;
const titleWordsMax = 14;
/** The number of words that a negation affects. */
const reach = 5;
const denial = /^(?:no|not|without|never|none|nothing|zero|neither|nor)$/;

/** The signs of a sentence. A very long one is read in parts. */
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

/** Whether the words are in another language, for which the signs mean little. */
function isForeign(words: readonly string[]): boolean {
  if (words.some((word) => /(?!\p{Script=Latin})\p{L}/u.test(word))) return true;
  return words.length > 4 && !words.some((word) => common.test(word));
}

/** Splits text into words. All numbers count as the same word, except zero. */
function wordsOf(text: string): readonly string[] {
  const plain = text.replace(/\b0(?![.\w])/g, 'zero').replace(/\b(?=[a-f]*\d)[\da-f]{6,}\b|\d[\d.,]*/g, '#');
  return plain.match(/[\p{L}#]+(?:[-'][\p{L}#]+)*|[?!:☐✓✔✅❌🔴⚠→]/gu) ?? [];
}

function stemOf(word: string): string {
  return word.length > 4 ? word.replace(/(?:ings?|ed|es|s|ly)$/, '') : word;
}

/**
 * A statement in the author's own words, without code, quotations and Markdown, and with wrapped lines
 * joined.
 */
interface Statement {
  readonly line: number;
  /** In lower case, without emphasis, code and quotations. */
  readonly text: string;
  readonly kind: 'heading' | 'item' | 'paragraph' | 'row';
}

interface Draft {
  readonly line: number;
  text: string;
  readonly kind: Statement['kind'];
}

const lineCharsMax = 4000;
const joinedCharsMax = 8000;
const marker = /^\s{0,40}(?:[-*•+]|\d{1,3}[.)])\s{1,8}(?:\[[xX]\]\s)?/;
/** An unticked verdict in a list of choices. */
const openChoice =
  /^\s{0,40}[-*+]\s{1,8}\[ \]\s{1,8}[*_`]{0,3}(?:approved?|changes[_ ]requested|request[_ ]changes|needs[_ ]discussion)[*_`]{0,3}\s{0,8}$/i;
const heading = /^\s{0,3}#{1,6}\s/;
/** A label like "Blockers: none". It begins a new statement even without an empty line before it. */
const labelled = /^[\s>*_~#]{0,8}(?:[^\p{L}\p{N}\s]\uFE0F?\s?)?[\p{L}][\p{L}\p{N} _/'’-]{0,40}[*_]{0,3}:/u;

function ownStatements(lines: readonly MarkdownLine[]): readonly Statement[] {
  const drafts: Draft[] = [];
  let open: Draft | null = null;
  for (const { text, standing, number } of lines) {
    const line = text.slice(0, lineCharsMax);
    if (standing === 'hidden' || line.trim() === '' || openChoice.test(line)) {
      open = null;
      continue;
    }
    const kind = kindOf(line);
    const isOpen = open !== null && open.kind !== 'heading' && open.kind !== 'row';
    if (
      open !== null &&
      isOpen &&
      kind === 'paragraph' &&
      !labelled.test(line) &&
      open.text.length < joinedCharsMax
    ) {
      open.text += ` ${line.trim()}`;
      continue;
    }
    open = { line: number, text: line, kind };
    drafts.push(open);
  }
  return drafts.map(({ line, text, kind }) => ({ line, kind, text: ownWords(text, kind) }));
}

function kindOf(line: string): Statement['kind'] {
  if (heading.test(line)) return 'heading';
  if (/^\s{0,3}\||\S \| \S/.test(line)) return 'row';
  return marker.test(line) ? 'item' : 'paragraph';
}

function ownWords(text: string, kind: Statement['kind']): string {
  let body = text.includes('`') ? codeAsWord(text) : text;
  if (kind === 'item') body = body.replace(marker, '').replace(/^\[ \]\s/, '☐ ');
  if (/[^\0-\x7F]/.test(body)) body = foldLookAlikes(body.replace(/[‘’]/g, "'"));
  return body
    .replace(/<([a-z][a-z_-]{2,30}) ?\/>/gi, ' $1: none. ')
    .replace(/<([a-z]{2,20}[_-][a-z_-]{1,20})>/gi, ' $1: ')
    .replace(
      /<\/?(?!(?:system|user|assistant|human|instructions?|prompt|developer)\b)[a-z][^<>]{0,200}>/gi,
      ' ',
    )
    .replace(/~~[^~]{1,300}~~/g, ' ')
    .replace(/"[^"]{1,300}"|“[^”]{1,300}”|(?<![\p{L}\p{N}])'[^']{1,80}'(?![\p{L}\p{N}])/gu, ' it ')
    .replace(/\]\([^()\s]{1,300}\)/g, ']')
    .replace(/ ?(?:\.{4,}|(?:[·.] ){3,}|·{3,}) ?/g, ': ')
    .replace(/\\([*_#-])/g, '$1')
    .replace(/[*#]+/g, ' ')
    .replace(/_+/g, ' ')
    .toLowerCase()
    .replace(/\bcannot\b/g, 'can not')
    .replace(/\bwon't\b/g, 'will not')
    .replace(/\bcan't\b/g, 'can not')
    .replace(/n't\b/g, ' not')
    .replace(/\b(it|that|there|this|what|which|here|who)'s\b/g, '$1 is')
    .replace(/\bi'm\b/g, 'i am')
    .replace(/'d (?=been\b|\w+ed\b)/g, ' had ')
    .replace(
      /\b(i|we|you|they)'(ve|d|ll|re)\b/g,
      (_, who: string, short: string) => `${who} ${long[short] ?? ''}`,
    )
    .replace(/\s+/g, ' ')
    .replace(/ (?=[.,;:!?)])/g, '')
    .trim();
}

/** Replaces each piece of inline code with a neutral word. */
function codeAsWord(text: string): string {
  let said = '';
  let from = 0;
  for (const span of codeSpans(text)) {
    const word = /\b(?:todo|fixme)\b/i.test(text.slice(span.start, span.end)) ? 'a todo' : 'it';
    said += `${text.slice(from, span.start)} ${word} `;
    from = span.end;
  }
  return said + text.slice(from);
}

const long: Readonly<Record<string, string>> = { ve: 'have', d: 'would', ll: 'will', re: 'are' };
const sentenceCharsMax = 1500;

/** Splits a text into sentences, and very long sentences into pieces. */
function sentencesOf(text: string): readonly string[] {
  return text
    .split(/(?<=[.!?;])\s+/)
    .flatMap((sentence) => pieces(sentence))
    .filter((sentence) => sentence.trim() !== '');
}

function pieces(text: string): readonly string[] {
  const found: string[] = [];
  for (let at = 0; at < text.length; at += sentenceCharsMax) {
    found.push(text.slice(Math.max(0, at - 200), at + sentenceCharsMax));
  }
  return found;
}
