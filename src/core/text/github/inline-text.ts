/**
 * Makes untrusted text safe inside Markdown that GitHub renders. It can cause no mention, closing keyword,
 * marker, link, picture, tag, table break or emphasis. Inline code stays code, because people use it to name
 * things.
 */
import { codeSpans } from '../../markdown/markdown-lines.ts';
import { fence, neutraliseLine, neutraliseText } from '../../markdown/neutralise.ts';
import { taskIdPattern } from '../../task/task.ts';

/** For a part of a line. The result is up to twice as long as `charsMax`, because escapes add characters. */
export function inlineText(text: string, charsMax = 200): string {
  const line = neutraliseLine(text.slice(0, charsMax * 8), 'body', charsMax);
  let safe = '';
  let from = 0;
  for (const span of codeSpans(line)) {
    safe += escapeInline(line.slice(from, span.start)) + line.slice(span.start, span.end);
    from = span.end;
  }
  return safe + escapeInline(line.slice(from));
}

/** For a table's cell. Escapes bars, because they divide cells even inside code. */
export function cellText(text: string, charsMax = 120): string {
  return inlineText(text, charsMax).replaceAll(/(?<!\\)\|/g, String.raw`\|`);
}

/** A name (branch, file, command) as code. In a table, pass it through `cellText` instead. */
export function codeText(text: string, charsMax = 120): string {
  const name = neutraliseLine(text.slice(0, charsMax * 8), 'body', charsMax).replaceAll('`', "'");
  return name === '' ? '(none)' : `\`${name}\``;
}

/** A task's id, unchanged except for escapes. */
export function idText(id: string): string {
  return taskIdPattern.test(id) ? escapeInline(id) : inlineText(id, 80);
}

const closingWord = /(?:clos|fix|resolv|implement)[a-z]{0,20}$/i;

/** `id: title`. Both are escaped together where they could form a closing keyword like "closes: #1". */
export function namedTitle(id: string, title: string, charsMax: number): string {
  if (closingWord.test(id)) return inlineText(`${id}: ${title}`, id.length + 2 + charsMax);
  const text = charsMax > 0 ? inlineText(title, charsMax) : '';
  return text === '' ? idText(id) : `${idText(id)}: ${text}`;
}

/**
 * Several lines as a quote, so that nobody takes them for gza's own words. A fenced block if they contain
 * one.
 */
export function quotedText(text: string, charsMax: number): string {
  const safe = neutraliseText(text.slice(0, charsMax * 2).replaceAll(/\r\n?/g, '\n'), 'body').trim();
  const cut = safe.length > charsMax ? `${safe.slice(0, charsMax).toWellFormed()}\n…` : safe;
  if (cut === '') return '';
  if (/^[\s>]{0,8}(?:```|~~~)/m.test(cut)) return fence(cut);
  return cut
    .split('\n')
    .map((line) => `> ${lineStart(inlineText(line, charsMax))}`.trimEnd())
    .join('\n');
}

/** Escapes what would start a heading, quote, rule or numbered list. Plain list items stay. */
function lineStart(line: string): string {
  return line.replace(/^(?=[#+=>]|-(?! \S))/, '\\').replace(/^(\d{1,9})(?=[.)])/, '$1\\');
}

function escapeInline(text: string): string {
  return text
    .replaceAll(/[\\`*[\]|~]/g, String.raw`\$&`)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll(/(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/g, String.raw`\_`);
}

/**
 * Makes one line of untrusted text harmless in Markdown: no mention, effective closing keyword, marker
 * comment, table break or hidden character.
 */
export function neutraliseMarkdown(text: string): string {
  return text
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .replaceAll(/&(?=#|\w+;)/g, '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll(/(^|[^\w])@(?=[\w-])/g, '$1@\u200b')
    .replaceAll(closingKeyword, '$&\u200b')
    .replaceAll(skipMark, '[\u200b')
    .replaceAll('|', '\\|')
    .trim();
}

/** Matches a closing keyword before `#1`, `owner/repo#1`, `GH-1` or a URL. */
const closingKeyword =
  /\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)(?=:?\s+(?:#\d|gh-\d|[\w.-]+\/[\w.-]+#\d|https?:))/gi;

/** A squash merge may copy a pull request's text into a commit message, where this mark would skip CI. */
const skipMark = /\[(?=(?:skip ci|ci skip|no ci|skip actions|actions skip)\])/gi;
