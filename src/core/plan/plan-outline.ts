/** Divides a plan into sections, and a list into items with the lines that belong to them. */
import { type MarkdownLine, readMarkdown } from '../markdown/markdown-lines.ts';
import { itemOf } from '../markdown/parse-checklist.ts';

export interface PlanSection {
  readonly level: number;
  readonly title: string;
  readonly lines: readonly MarkdownLine[];
}

export interface PlanItem {
  readonly text: string;
  readonly isDone: boolean;
  readonly hasBox: boolean;
  /** Lines below it that belong to it, without its indentation. */
  readonly lines: readonly string[];
}

/** The text before the first heading is a section of level 0. */
export function planSections(markdown: string): PlanSection[] {
  const sections: { level: number; title: string; lines: MarkdownLine[] }[] = [
    { level: 0, title: '', lines: [] },
  ];
  for (const line of readMarkdown(markdown).lines) {
    const { heading, standing } = line;
    if (heading && standing === 'prose')
      sections.push({ level: heading.level, title: plainText(heading.text), lines: [] });
    else sections.at(-1)?.lines.push(line);
  }
  return sections;
}

/** Removes emphasis, code marks and links. */
export function plainText(text: string): string {
  return text
    .replaceAll(/!?\[([^\]]{0,500})\]\([^)]{0,2000}\)/g, '$1')
    .replaceAll(/\*\*|__|`|(?<!\w)[*_]|[*_](?!\w)/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/**
 * The outermost items. If some have boxes, the others are explanations and are left out. With `inner`, all
 * outermost items count, and also the nested ones that match it.
 */
export function planItems(lines: readonly MarkdownLine[], inner?: RegExp): PlanItem[] {
  const items: (PlanItem & { lines: string[] })[] = [];
  const read = lines.map((line) => (line.standing === 'hidden' ? null : itemOf(line)));
  const outer = read.reduce((least, one) => Math.min(least, one?.indent ?? least), Number.POSITIVE_INFINITY);
  let open: (typeof items)[number] | null = null;
  for (const [at, { text }] of lines.entries()) {
    const item = read[at];
    if (item && (item.indent <= outer || inner?.test(plainText(item.text)))) {
      const { box } = item;
      open = { text: item.text, isDone: (box ?? ' ') !== ' ', hasBox: box !== undefined, lines: [] };
      items.push(open);
    } else if (open && (text.trim() === '' || widthOf(text) > outer)) open.lines.push(text);
    else open = null;
  }
  const chosen = !inner && items.some(({ hasBox }) => hasBox) ? items.filter(({ hasBox }) => hasBox) : items;
  return chosen.map((item) => ({ ...item, lines: withoutIndent(item.lines) }));
}

function widthOf(text: string): number {
  const line = text.replaceAll('\t', '    ');
  return line.length - line.trimStart().length;
}

function withoutIndent(lines: readonly string[]): string[] {
  const cut = lines.reduce(
    (least, line) => (line.trim() === '' ? least : Math.min(least, widthOf(line))),
    Number.POSITIVE_INFINITY,
  );
  return lines.map((line) => line.replaceAll('\t', '    ').slice(cut));
}
