export interface Fence {
  readonly char: string;
  readonly length: number;
}

export interface FenceMark extends Fence {
  readonly info: string;
}

/** Reads a trimmed line as the start or the end of a fenced block. */
export function fenceMark(body: string): FenceMark | null {
  const match = /^(?:(`{3,})([^`]*)|(~{3,})(?!~)(.*))$/.exec(body);
  if (match === null) return null;
  const run = match[1] ?? match[3] ?? '';
  return { char: run.charAt(0), length: run.length, info: (match[2] ?? match[4] ?? '').trim() };
}

export function closesFence(mark: FenceMark, fence: Fence): boolean {
  return mark.info === '' && mark.char === fence.char && mark.length >= fence.length;
}

/**
 * The fences open after a mark, if agents mean what they write: ```` ```ts ```` inside a fence of the same kind
 * opens another, although Markdown says that it is text and that the next bare fence closes the first.
 */
export function nestedFences(open: readonly Fence[], mark: FenceMark): readonly Fence[] {
  const top = open.at(-1);
  if (top === undefined) return [mark];
  if (mark.char !== top.char || mark.length < top.length) return open;
  if (mark.info === '') return open.slice(0, -1);
  return open.length < depthMax ? [...open, mark] : open;
}

const depthMax = 20;
