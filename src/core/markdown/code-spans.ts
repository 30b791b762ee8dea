/** Where inline code stands in a piece of Markdown, backticks included; `end` is exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A run of backticks opens a span only if a run of the same length follows: else it is literal. Linear. */
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

/** The text with its inline code blanked out; every position stays where it was. */
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
