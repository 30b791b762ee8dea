/**
 * One line of outside text, made harmless inside Markdown that others will render: no mention, no closing
 * keyword with an effect, no marker comment, no table break, no hidden character.
 */
export function neutraliseMarkdown(text: string): string {
  return text
    .replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ')
    .replaceAll('<!--', '&lt;!--')
    .replaceAll(/(^|[^\w`])@(?=[\w-])/g, '$1@\u200b')
    .replaceAll(/\b(close[sd]?|fix(?:e[sd])?|resolve[sd]?)(:?\s+)#(?=\d)/gi, '$1$2#\u200b')
    .replaceAll('|', '\\|')
    .trim();
}
