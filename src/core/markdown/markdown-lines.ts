/**
 * Tells an author's own words from what the author quotes. A verdict or a command counts only when it is the
 * author's, and everything else in a text may come from someone who wants it to be read as one. So:
 *
 * 1. Lines in code, quotes and HTML comments are `hidden`.
 * 2. Where Markdown can be read in two ways (a fence that is never closed, a fence inside a fence, a line
 *    that continues a quote) the lines concerned are `doubtful`: they prove nothing, but may raise a doubt.
 * 3. One pass, linear in the text, and bounded.
 *
 * Text in `<details>` is the author's; text in `<pre>`, `<code>`, `<blockquote>` and the like is not.
 */
import { codeSpans, withoutCode } from './code-spans.ts';
import { indentOf, isRule, openItems } from './list-items.ts';
import { closesFence, type Fence, type FenceMark, fenceMark, nestedFences } from './markdown-fence.ts';

export type Standing = 'prose' | 'doubtful' | 'hidden';

export interface MarkdownLine {
  /** From 1, in the text as it was given. */
  readonly number: number;
  /** As written, HTML comments taken out. */
  readonly text: string;
  readonly standing: Standing;
}

export interface FencedBlock {
  readonly info: string;
  readonly line: number;
  readonly text: string;
}

export interface Markdown {
  readonly lines: readonly MarkdownLine[];
  readonly blocks: readonly FencedBlock[];
  /** How many characters were left out at the start because the text is too long. */
  readonly charsCut: number;
}

const markdownCharsMax = 1_000_000;

interface Draft {
  number: number;
  text: string;
  standing: Standing;
  isFenced: boolean;
  /** Continues the paragraph of the line before. */
  continues: boolean;
}

interface OpenBlock {
  info: string;
  line: number;
  lines: string[];
}

interface Scan {
  readonly drafts: Draft[];
  readonly blocks: FencedBlock[];
  fence: (Fence & { container: number; block: OpenBlock }) | null;
  /** The fences open if a fence with an info string inside another is meant as a nested one. */
  nested: readonly Fence[];
  firstFence: number | null;
  comment: { from: number; startsLine: boolean } | null;
  html: { from: number; tag: string; depth: number } | null;
  /** Content columns of the list items that are open. */
  lists: number[];
  inQuote: boolean;
  inDiff: boolean;
  inParagraph: boolean;
}

export function readMarkdown(text: string): Markdown {
  const charsCut = Math.max(0, text.length - markdownCharsMax);
  const cutLines = charsCut === 0 ? 0 : (text.slice(0, charsCut).match(/\r\n|\r|\n/g)?.length ?? 0);
  const scan: Scan = {
    drafts: [],
    blocks: [],
    fence: null,
    nested: [],
    firstFence: null,
    comment: null,
    html: null,
    lists: [],
    inQuote: false,
    inDiff: false,
    inParagraph: false,
  };
  const raw = text
    .slice(charsCut)
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\r|\n/);
  for (const [index, line] of raw.entries()) readLine(scan, line, cutLines + index + 1);
  doubtUnclosed(scan);
  doubtSpans(scan.drafts);
  const lines = scan.drafts.map(({ number, text, standing }) => ({ number, text, standing }));
  return { lines, blocks: scan.blocks, charsCut };
}

/** The lines that are the author's own words beyond doubt. */
export function proseLines(text: string): readonly MarkdownLine[] {
  return readMarkdown(text).lines.filter((line) => line.standing === 'prose');
}

function readLine(scan: Scan, line: string, number: number): void {
  const draft: Draft = { number, text: line, standing: 'hidden', isFenced: false, continues: false };
  scan.drafts.push(draft);
  if (scan.fence !== null) return readFenced(scan, draft);
  if (scan.comment !== null) return readComment(scan, draft);
  if (scan.html !== null) return followTags(scan, draft);
  if (line.trim() === '') {
    draft.standing = 'prose';
    scan.inQuote = false;
    scan.inParagraph = false;
    return;
  }
  if (isDiffLine(scan, line)) {
    draft.standing = 'doubtful';
    scan.inParagraph = false;
    return;
  }
  readBlock(scan, draft);
}

function readFenced(scan: Scan, draft: Draft): void {
  const fence = scan.fence;
  if (fence === null) return;
  const indent = indentOf(draft.text);
  const mark = indent - fence.container < 4 ? fenceMark(draft.text.trim()) : null;
  const isLeft = indent < fence.container && draft.text.trim() !== '' && mark === null;
  draft.isFenced = true;
  draft.standing = scan.nested.length === 0 || isLeft ? 'doubtful' : 'hidden';
  if (mark !== null) scan.nested = nestedFences(scan.nested, mark);
  if (mark === null || !closesFence(mark, fence)) {
    fence.block.lines.push(draft.text);
    return;
  }
  closeBlock(scan, fence.block);
  scan.fence = null;
}

function closeBlock(scan: Scan, block: OpenBlock): void {
  scan.blocks.push({ info: block.info, line: block.line, text: block.lines.join('\n') });
}

function readComment(scan: Scan, draft: Draft): void {
  const open = scan.comment;
  if (open === null) return;
  const end = draft.text.indexOf('-->');
  // Markdown ends a comment inside a paragraph with the paragraph: what follows is shown, and is in doubt.
  draft.standing = open.startsLine ? 'hidden' : 'doubtful';
  if (end === -1) return;
  scan.comment = null;
  draft.standing = 'doubtful';
  takeComments(scan, draft, draft.text.slice(end + 3));
}

function readBlock(scan: Scan, draft: Draft): void {
  const { body, indent, isCode, hasMarker } = openItems(scan.lists, draft.text);
  const relative = indent - (scan.lists.at(-1) ?? 0);
  if (isCode || relative >= 4) {
    draft.standing = scan.inParagraph && !isCode ? 'doubtful' : 'hidden';
    return;
  }
  const mark = fenceMark(body);
  if (mark !== null) return openFence(scan, draft, mark);
  if (body.startsWith('>')) {
    scan.inQuote = /[^>\s]/.test(body);
    scan.inParagraph = false;
    return;
  }
  const startsBlock = hasMarker || /^#{1,6}(?:\s|$)/.test(body) || isRule(body);
  if (startsBlock) scan.inQuote = false;
  draft.continues = scan.inParagraph && !startsBlock;
  draft.standing =
    scan.inQuote || scan.nested.length > 0 || draft.text.startsWith('+') ? 'doubtful' : 'prose';
  scan.inParagraph = !body.startsWith('#') && !isRule(body);
  takeComments(scan, draft, draft.text);
}

function openFence(scan: Scan, draft: Draft, mark: FenceMark): void {
  draft.isFenced = true;
  scan.inQuote = false;
  scan.inParagraph = false;
  scan.firstFence ??= scan.drafts.length - 1;
  scan.nested = nestedFences(scan.nested, mark);
  const block = { info: mark.info, line: draft.number, lines: [] };
  scan.fence = { char: mark.char, length: mark.length, container: scan.lists.at(-1) ?? 0, block };
}

/** Takes the HTML comments out of a line of prose; one that stays open hides what follows. */
function takeComments(scan: Scan, draft: Draft, text: string): void {
  const masked = text.includes('`') ? withoutCode(text) : text;
  let kept = '';
  let from = 0;
  for (let start = masked.indexOf('<!--'); start !== -1; start = masked.indexOf('<!--', from)) {
    kept += `${text.slice(from, start)} `;
    const end = text.indexOf('-->', start + 2);
    if (end === -1) {
      scan.comment = { from: scan.drafts.length, startsLine: text.slice(0, start).trim() === '' };
      from = text.length;
      break;
    }
    from = end + 3;
  }
  draft.text = kept + text.slice(from);
  followTags(scan, draft);
}

const quotingTag = /<(\/?)(pre|code|blockquote|script|style|textarea|template|samp|kbd|xmp|q)\b[^<>]*>/gi;

/** HTML has quotes and code of its own: follows them from the opening tag to the closing one. */
function followTags(scan: Scan, draft: Draft): void {
  if (!draft.text.includes('<')) return;
  const was = scan.html;
  let open = was === null ? null : { ...was };
  for (const [, slash, name] of withoutCode(draft.text).matchAll(quotingTag)) {
    const tag = (name ?? '').toLowerCase();
    if (open === null && slash === '') open = { from: scan.drafts.length, tag, depth: 1 };
    else if (open !== null && open.tag === tag) open.depth += slash === '' ? 1 : -1;
    if (open !== null && open.depth <= 0) open = null;
  }
  scan.html = open;
  if (was === null ? open !== null : open === null) draft.standing = 'doubtful';
}

const diffStart = /^(?:diff --git |@@ -\d|--- (?:a\/|\/dev\/null)|\+\+\+ (?:b\/|\/dev\/null))/;
const diffRest = /^(?:[ +\-@\\]|index |new file|deleted file|similarity |rename |copy |old mode|new mode)/;

/** A diff that was pasted without a fence: its lines look like list items and paragraphs. */
function isDiffLine(scan: Scan, line: string): boolean {
  scan.inDiff = diffStart.test(line) || (scan.inDiff && diffRest.test(line));
  return scan.inDiff;
}

/** What never ends may have begun by mistake, or to hide the rest: then nothing after it is certain. */
function doubtUnclosed(scan: Scan): void {
  if (scan.fence !== null) {
    closeBlock(scan, scan.fence.block);
    for (const draft of scan.drafts.slice(scan.firstFence ?? 0)) {
      if (draft.isFenced || draft.standing === 'prose') draft.standing = 'doubtful';
    }
  }
  const from = Math.min(scan.comment?.from ?? Infinity, scan.html?.from ?? Infinity);
  if (from === Infinity) return;
  for (const draft of scan.drafts.slice(from)) draft.standing = 'doubtful';
}

/** Inline code may run over several lines of a paragraph: a line that begins inside of it is code. */
function doubtSpans(drafts: readonly Draft[]): void {
  let start = 0;
  for (let index = 1; index <= drafts.length; index += 1) {
    if (drafts[index]?.continues === true) continue;
    if (index - start > 1) doubtParagraph(drafts.slice(start, index));
    start = index;
  }
}

function doubtParagraph(drafts: readonly Draft[]): void {
  const spans = codeSpans(drafts.map((draft) => draft.text).join('\n'));
  let at = 0;
  let next = 0;
  for (const draft of drafts) {
    while ((spans[next]?.end ?? Infinity) <= at) next += 1;
    if ((spans[next]?.start ?? Infinity) < at) draft.standing = 'doubtful';
    at += draft.text.length + 1;
  }
}
