/**
 * Characters that a person does not see and a program or a model does: control characters, zero-width and
 * direction marks, fillers, tag characters. Joiners and variation selectors are visible inside an emoji.
 */
const hidden =
  // oxlint-disable-next-line no-control-regex, no-misleading-character-class
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]|[\ud800-\udfff]/gu;
const emojiJoin =
  /(?<=\p{Extended_Pictographic}\ufe0f?|[\u{1f3fb}-\u{1f3ff}])\u200d(?=\p{Extended_Pictographic})|(?<=\p{Extended_Pictographic}|[0-9#*])\ufe0f/gu;

/** Tabs and line breaks count too: for names. */
export function hiddenCharacter(text: string): boolean {
  return /[\t\n]/.test(text) || removeHidden(text) !== text;
}

/** The text as a person sees it. Line breaks become `\n`, tabs stay. */
export function removeHidden(text: string): string {
  const lines = text.replace(/\r\n?/g, '\n');
  const kept = new Set<number>();
  for (const match of lines.matchAll(emojiJoin)) kept.add(match.index);
  return lines.replace(hidden, (char, offset: number) => (kept.has(offset) ? char : ''));
}
