/**
 * The author's own words in a review, as statements that can be weighed one by one: code, quotations and
 * what Markdown adds are taken out, and wrapped lines are joined.
 */
import { codeSpans, type MarkdownLine } from '../../markdown/markdown-lines.ts';
import { foldLookAlikes } from '../../markdown/neutralise.ts';

export interface Statement {
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
/** A verdict of a list of choices that was not taken. */
const openChoice =
  /^\s{0,40}[-*+]\s{1,8}\[ \]\s{1,8}[*_`]{0,3}(?:approved?|changes[_ ]requested|request[_ ]changes|needs[_ ]discussion)[*_`]{0,3}\s{0,8}$/i;
const heading = /^\s{0,3}#{1,6}\s/;
/** "Blockers: none", a line of its own also without a blank line between. */
const labelled = /^[\s>*_~#]{0,8}(?:[^\p{L}\p{N}\s]\uFE0F?\s?)?[\p{L}][\p{L}\p{N} _/'’-]{0,40}[*_]{0,3}:/u;

export function ownStatements(lines: readonly MarkdownLine[]): readonly Statement[] {
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

/** Each piece of inline code becomes a word that says nothing. */
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

/** Whole sentences where they are short enough to be read as one. */
export function sentencesOf(text: string): readonly string[] {
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
