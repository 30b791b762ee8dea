/**
 * One line of outside text, made harmless inside Markdown that others will render: no mention, no closing
 * keyword with an effect, no marker comment, no table break, no hidden character.
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

/** Before `#1`, `owner/repo#1`, `GH-1` or an address. */
const closingKeyword =
  /\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)(?=:?\s+(?:#\d|gh-\d|[\w.-]+\/[\w.-]+#\d|https?:))/gi;

/** A squashed merge may carry a pull request's text into a commit message. */
const skipMark = /\[(?=(?:skip ci|ci skip|no ci|skip actions|actions skip)\])/gi;
