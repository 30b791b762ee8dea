/**
 * Separates an author's own words from quoted text. A verdict or a command counts only in the author's own
 * words: quoted text may come from someone who wants to forge one. markdown-it finds paragraphs, code and
 * quotes; this file decides what that means for each line:
 *
 * 1. Lines in code, quotes and HTML comments are `hidden`.
 * 2. Lines are `doubtful` where Markdown is ambiguous (an unclosed fence, a fence inside a fence, a line that
 *    continues a quote), or where the parser found no paragraph because of deep nesting. They prove nothing,
 *    but may raise a doubt.
 * 3. Only blocks are parsed, because inline rules can take more than linear time. The length is limited
 *    first.
 *
 * Text in `<details>` is the author's; text in `<pre>`, `<code>`, `<blockquote>` and the like is not.
 */
import MarkdownIt, { type MarkdownIt as Parser, type Token } from 'markdown-it';
import { GzaError } from '../errors.ts';

export type Standing = 'prose' | 'doubtful' | 'hidden';

export interface MarkdownLine {
  /** From 1, in the text as it was given. */
  readonly number: number;
  /** As written, but without HTML comments. */
  readonly text: string;
  readonly standing: Standing;
  /** The heading that begins here, outside of lists and quotes. */
  readonly heading?: { readonly level: number; readonly text: string };
  /** An item of a list begins here. */
  readonly isItem?: boolean;
  /** In a fenced block, or one of its fences. */
  readonly isFenced?: boolean;
}

interface FencedBlock {
  readonly info: string;
  /** The line of its opening fence. */
  readonly line: number;
  readonly text: string;
}

export interface Markdown {
  readonly lines: readonly MarkdownLine[];
  readonly blocks: readonly FencedBlock[];
  /** How many characters were left out at the start because the text is too long. */
  readonly charsCut: number;
}

const markdownCharsMax = 200_000;
/** A list takes two levels, a quote one. Parsing time grows with the length of the text times this limit. */
const nestingMax = 20;

export const lineEnd = /\r\n|\r|\n/;

export function readMarkdown(text: string): Markdown {
  const charsCut = Math.max(0, text.length - markdownCharsMax);
  const linesCut = charsCut === 0 ? 0 : text.slice(0, charsCut).split(lineEnd).length - 1;
  const source = text.slice(charsCut).replace(/^\uFEFF/, '');
  const reader = new LineReader(source, linesCut);
  reader.read(parseBlocks(source));
  return { lines: reader.lines, blocks: reader.blocks, charsCut };
}

/** For texts that must not be cut. */
export function refuseTooLong(name: string, text: string): void {
  if (text.length <= markdownCharsMax) return;
  throw new GzaError('input', `${name} is too long to read: ${text.length} characters`, {
    hint: `At most ${markdownCharsMax} are read. Divide it into several files.`,
  });
}

/** The lines that are the author's own words beyond doubt. */
export function proseLines(text: string): readonly MarkdownLine[] {
  return readMarkdown(text).lines.filter((line) => line.standing === 'prose');
}

let parser: Parser | null = null;

function parseBlocks(text: string): Token[] {
  if (parser === null) {
    parser = new MarkdownIt({ html: true, maxNesting: nestingMax });
    parser.core.ruler.enableOnly(['normalize', 'block']);
    parser.block.ruler.disable('table');
  }
  return parser.parse(text, {});
}

interface Draft {
  readonly number: number;
  text: string;
  standing: Standing;
  heading?: { level: number; text: string };
  isItem?: boolean;
  isFenced?: boolean;
}

class LineReader {
  readonly lines: readonly Draft[];
  readonly blocks: FencedBlock[] = [];
  /** The index from which on every line is doubtful. */
  #doubtFrom = Number.POSITIVE_INFINITY;
  #firstFence = Number.POSITIVE_INFINITY;
  /** The open HTML element that quotes someone else's text. */
  #quoting: { readonly from: number; readonly tag: string; readonly depth: number } | null = null;

  constructor(source: string, linesBefore: number) {
    this.lines = source.split(lineEnd).map((text, at) => ({
      number: linesBefore + at + 1,
      text,
      standing: text.trim() === '' ? 'prose' : 'doubtful',
    }));
  }

  read(tokens: readonly Token[]): void {
    let quoteEnd = 0;
    for (const [at, token] of tokens.entries()) {
      const [from, to] = token.map ?? [-1, -1];
      if (from < quoteEnd) continue;
      if (token.type === 'blockquote_open') quoteEnd = to;
      this.#readToken(token, from, to, tokens[at + 1]);
    }
    this.#doubtDiffs();
    this.#doubtFrom = Math.min(this.#doubtFrom, this.#quoting?.from ?? Number.POSITIVE_INFINITY);
    for (const line of this.lines.slice(this.#doubtFrom)) line.standing = 'doubtful';
  }

  #readToken(token: Token, from: number, to: number, next: Token | undefined): void {
    const lines = this.lines.slice(from, to);
    switch (token.type) {
      case 'blockquote_open':
        for (const line of lines) line.standing = quoteMark.test(line.text) ? 'hidden' : 'doubtful';
        return;
      case 'fence':
        this.#readFence(token, from, to);
        return;
      case 'code_block':
        for (const line of lines) line.standing = 'hidden';
        return;
      case 'list_item_open':
        if (lines[0]) lines[0].isItem = true;
        return;
      case 'heading_open':
        for (const line of lines) line.standing = 'prose';
        if (lines[0] && token.level === 0)
          lines[0].heading = {
            level: Number(token.tag.slice(1)),
            text: withoutComments(next?.content ?? ''),
          };
        return;
      case 'hr':
        for (const line of lines) line.standing = 'prose';
        return;
      case 'inline':
      case 'html_block':
        this.#readText(lines, from, token);
    }
  }

  #readFence({ markup, info, content }: Token, from: number, to: number): void {
    const lines = this.lines.slice(from, to);
    const last = to - from > 1 ? (lines.at(-1)?.text.trim() ?? '') : '';
    const isClosed = last.startsWith(markup) && last === markup.charAt(0).repeat(last.length);
    // Agents nest fences of the same kind, but in Markdown the end of the inner fence closes the outer one.
    const isNested = lines.slice(1).some(({ text }) => opensFence(text.trim(), markup));
    for (const line of lines) Object.assign(line, { standing: 'hidden', isFenced: true });
    this.blocks.push({
      info: info.trim(),
      line: lines[0]?.number ?? 0,
      text: content.replace(/\n$/, ''),
    });
    this.#firstFence = Math.min(this.#firstFence, from);
    // An unclosed fence may be a mistake, and so may every fence before it.
    if (!isClosed) this.#doubtFrom = Math.min(this.#doubtFrom, this.#firstFence);
    else if (isNested) this.#doubtFrom = Math.min(this.#doubtFrom, to);
  }

  /** A paragraph, a heading or a block of HTML. */
  #readText(lines: readonly Draft[], from: number, { type, level }: Token): void {
    const isHtml = type === 'html_block';
    const whole = lines.map(({ text }) => text).join('\n');
    const code = isHtml ? [] : codeSpans(whole);
    const comments = findComments(isHtml ? whole : withoutCode(whole));
    const inCode = linesBegunIn(code, whole);
    const inComment = linesBegunIn(comments, whole);
    const own = withoutRanges(whole, comments).split('\n');
    for (const [at, line] of lines.entries()) {
      const isIndented = at > 0 && level <= 1 && /^(?: {4}| {0,3}\t)/.test(line.text);
      line.text = own[at] ?? '';
      line.standing = inCode.has(at) || inComment.has(at) || isIndented ? 'doubtful' : 'prose';
      if (inComment.has(at) && line.text.trim() === '') line.standing = 'hidden';
      this.#followTags(line, from + at);
    }
    // In a browser, an unclosed comment continues after the block.
    if (isHtml && whole.includes('<!--', comments.at(-1)?.end))
      this.#doubtFrom = Math.min(this.#doubtFrom, from);
  }

  /** Hides text inside HTML elements for quotes and code, from the opening tag to the closing one. */
  #followTags(line: Draft, at: number): void {
    const was = this.#quoting;
    let open = was;
    for (const [, slash, name = ''] of withoutCode(line.text).matchAll(quotingTag)) {
      const tag = name.toLowerCase();
      if (open === null && slash === '') open = { from: at, tag, depth: 1 };
      else if (open?.tag === tag) open = { ...open, depth: open.depth + (slash === '' ? 1 : -1) };
      if (open !== null && open.depth <= 0) open = null;
    }
    this.#quoting = open;
    if (was !== null && open !== null) line.standing = 'hidden';
    else if (was !== open) line.standing = 'doubtful';
  }

  /** Marks a diff that was pasted without a fence, because its lines look like list items and paragraphs. */
  #doubtDiffs(): void {
    let isInDiff = false;
    for (const line of this.lines) {
      if (line.standing === 'hidden' || line.text.trim() === '') continue;
      isInDiff = diffStart.test(line.text) || (isInDiff && diffRest.test(line.text));
      if (isInDiff || line.text.startsWith('+')) line.standing = 'doubtful';
    }
  }
}

/** Ignores comments that are not closed. */
function findComments(text: string): readonly Span[] {
  const comments: Span[] = [];
  for (let start = text.indexOf('<!--'); start !== -1; ) {
    const close = text.indexOf('-->', start + 2);
    if (close === -1) break;
    comments.push({ start, end: close + 3 });
    start = text.indexOf('<!--', close + 3);
  }
  return comments;
}

/** Replaces each range with a space, but keeps line breaks. */
function withoutRanges(text: string, ranges: readonly Span[]): string {
  let kept = '';
  let from = 0;
  for (const { start, end } of ranges) {
    kept += `${text.slice(from, start)} ${text.slice(start, end).replace(/[^\n]+/g, '')}`;
    from = end;
  }
  return kept + text.slice(from);
}

/** The lines, counted from 0, that begin inside a range. */
function linesBegunIn(ranges: readonly Span[], text: string): ReadonlySet<number> {
  const found = new Set<number>();
  let [line, from] = [0, 0];
  for (const { start, end } of ranges) {
    line += text.slice(from, start).split('\n').length - 1;
    const last = line + text.slice(start, end).split('\n').length - 1;
    while (line < last) found.add((line += 1));
    from = end;
  }
  return found;
}

function withoutComments(text: string): string {
  return withoutRanges(text, findComments(withoutCode(text)))
    .replaceAll('\n', ' ')
    .trim();
}

/** Whether a line inside a block fenced with `outer` is a fence with a language. */
function opensFence(line: string, outer: string): boolean {
  const language = line.startsWith(outer) ? line.replace(outer.startsWith('`') ? /^`+/ : /^~+/, '') : '';
  return language.trim() !== '' && !(outer.startsWith('`') && language.includes('`'));
}

const quoteMark = /^(?:\s|[-*+](?=\s)|\d{1,9}[.)](?=\s))*>/;
const quotingTag = /<(\/?)(pre|code|blockquote|script|style|textarea|template|samp|kbd|xmp|q)\b[^<>]*>/gi;
const diffStart = /^(?:diff --git |@@ -\d|--- (?:a\/|\/dev\/null)|\+\+\+ (?:b\/|\/dev\/null))/;
const diffRest = /^(?:[ +\-@\\]|index |new file|deleted file|similarity |rename |copy |old mode|new mode)/;

/** A range of text; `end` is exclusive. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * Finds inline code, with its backticks. A run of backticks without a later equal run is literal. Linear
 * time.
 */
export function codeSpans(text: string): readonly Span[] {
  const runs = [...text.matchAll(/`+/g)].map((match) => ({ start: match.index, length: match[0].length }));
  const partner = partners(runs.map((run) => run.length));
  const spans: Span[] = [];
  let index = 0;
  while (index < runs.length) {
    const run = runs[index];
    const close = partner[index];
    const closing = close === undefined ? undefined : runs[close];
    if (run === undefined || close === undefined || closing === undefined || isEscaped(text, run.start)) {
      index += 1;
      continue;
    }
    spans.push({ start: run.start, end: closing.start + closing.length });
    index = close + 1;
  }
  return spans;
}

/** Replaces inline code with spaces, which keeps every position. */
export function withoutCode(text: string): string {
  let masked = '';
  let from = 0;
  for (const span of codeSpans(text)) {
    masked += text.slice(from, span.start) + ' '.repeat(span.end - span.start);
    from = span.end;
  }
  return masked + text.slice(from);
}

function partners(lengths: readonly number[]): readonly (number | undefined)[] {
  const next: (number | undefined)[] = [];
  const seen = new Map<number, number>();
  for (let index = lengths.length - 1; index >= 0; index -= 1) {
    const length = lengths[index] ?? 0;
    next[index] = seen.get(length);
    seen.set(length, index);
  }
  return next;
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0;
  while (text[at - 1 - slashes] === '\\') slashes += 1;
  return slashes % 2 === 1;
}

/** The cells of a table's row. */
export function cellsOf(line: string): readonly string[] {
  const cells = line
    .replace(/\\\|/g, '\u00a6')
    .split('|')
    .map((cell) => cell.replace(/\*\*|__/g, '').trim());
  return cells.slice(1, cells.at(-1) === '' ? -1 : undefined);
}
