export interface Body {
  readonly body: string;
  readonly indent: number;
  readonly hasMarker: boolean;
  /** Five spaces after a list marker begin indented code. */
  readonly isCode: boolean;
}

const listMarker = /^(?:[-*+]|\d{1,9}[.)])(?=\s|$)/;
const markersMax = 6;

/**
 * Closes the list items that the line has left and opens those that it starts; `columns` are where the contents
 * of the open items begin.
 */
export function openItems(columns: number[], line: string): Body {
  let indent = indentOf(line);
  let body = line.trimStart();
  let hasMarker = false;
  while (columns.length > 0 && indent < (columns.at(-1) ?? 0)) columns.pop();
  for (let count = 0; count < markersMax; count += 1) {
    const marker = indent - (columns.at(-1) ?? 0) < 4 && !isRule(body) ? listMarker.exec(body) : null;
    if (marker === null) break;
    hasMarker = true;
    const rest = body.slice(marker[0].length);
    const gap = indentOf(rest);
    const column = indent + marker[0].length + (gap >= 5 || rest.trim() === '' ? 1 : gap);
    columns.push(column);
    if (gap >= 5 && rest.trim() !== '') return { body: rest.trimStart(), indent, hasMarker, isCode: true };
    indent = column;
    body = rest.trimStart();
  }
  return { body: body.trimEnd(), indent, hasMarker, isCode: false };
}

/** A heading; its text is without the marks that may close it. */
const heading = /^ {0,3}(#{1,6})\s+([^]*)/;

export function headingOf(line: string): { level: number; text: string } | null {
  const [, marks, rest = ''] = heading.exec(line) ?? [];
  if (marks === undefined) return null;
  return {
    level: marks.length,
    text: rest
      .trimEnd()
      .replace(/(?<=^|\s)#+$/, '')
      .trimEnd(),
  };
}

const item = /^(\s*)(?:[-*+]|\d{1,4}[.)])\s+(?:\[([ xX])\]\s+)?(\S.*)$/;

/** An item of a list; `box` is what stands in its box, undefined when it has none. */
export function itemOf(line: string): { indent: number; box: string | undefined; text: string } | null {
  const [, indent, box, text = ''] = item.exec(line.replaceAll('\t', '    ').trimEnd()) ?? [];
  return indent === undefined ? null : { indent: indent.length, box, text };
}

export function isRule(body: string): boolean {
  return /^(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$/.test(body);
}

export function indentOf(line: string): number {
  let column = 0;
  for (const char of line) {
    if (char === ' ') column += 1;
    else if (char === '\t') column += 4 - (column % 4);
    else break;
  }
  return column;
}
