/** The headings of a plan with what stands below them, and the items of a list with what belongs to them. */
import { readMarkdown } from './markdown-lines.ts';

export interface PlanLine {
  readonly text: string;
  /** Not code, a quote or a comment. */
  readonly isProse: boolean;
}

export interface PlanSection {
  readonly level: number;
  readonly title: string;
  readonly lines: readonly PlanLine[];
}

export interface PlanItem {
  readonly text: string;
  readonly isDone: boolean;
  readonly hasBox: boolean;
  /** Lines below it that belong to it, without its indentation. */
  readonly lines: readonly string[];
}

/** What stands before the first heading is a section of level 0. */
export function planSections(markdown: string): PlanSection[] {
  const sections: { level: number; title: string; lines: PlanLine[] }[] = [
    { level: 0, title: '', lines: [] },
  ];
  for (const { text, standing } of readMarkdown(markdown).lines) {
    const isProse = standing !== 'hidden';
    const match = standing === 'prose' ? /^ {0,3}(#{1,6})\s+(.*?)\s*#*\s*$/.exec(text) : null;
    if (match)
      sections.push({ level: (match[1] as string).length, title: plainText(match[2] as string), lines: [] });
    else sections.at(-1)?.lines.push({ text, isProse });
  }
  return sections;
}

/** Without emphasis, code marks and links. */
export function plainText(text: string): string {
  return text
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/\*\*|__|`|(?<!\w)[*_]|[*_](?!\w)/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

const item = /^(\s*)(?:[-*+]|\d{1,4}[.)])\s+(?:\[([ xX])\]\s+)?(.*\S)\s*$/;

/** The outermost items. Where there are boxes, items without one are explanations. */
export function planItems(lines: readonly PlanLine[]): PlanItem[] {
  const items: { text: string; isDone: boolean; hasBox: boolean; indent: number; lines: string[] }[] = [];
  const indents = lines.flatMap(({ text, isProse }) => (isProse && item.test(text) ? [widthOf(text)] : []));
  const outer = Math.min(...indents);
  let open: (typeof items)[number] | null = null;
  for (const { text, isProse } of lines) {
    const match = isProse ? item.exec(text.replaceAll('\t', '    ')) : null;
    if (match && (match[1] as string).length <= outer) {
      const box = match[2];
      open = {
        text: match[3] as string,
        isDone: (box ?? ' ') !== ' ',
        hasBox: box !== undefined,
        indent: outer,
        lines: [],
      };
      items.push(open);
    } else if (open && (text.trim() === '' || widthOf(text) > open.indent)) open.lines.push(text);
    else open = null;
  }
  const chosen = items.some(({ hasBox }) => hasBox) ? items.filter(({ hasBox }) => hasBox) : items;
  return chosen.map(({ text, isDone, hasBox, lines: own }) => ({
    text,
    isDone,
    hasBox,
    lines: withoutIndent(own),
  }));
}

function widthOf(text: string): number {
  const line = text.replaceAll('\t', '    ');
  return line.length - line.trimStart().length;
}

function withoutIndent(lines: readonly string[]): string[] {
  const widths = lines.filter((line) => line.trim() !== '').map(widthOf);
  const cut = widths.length === 0 ? 0 : Math.min(...widths);
  return lines.map((line) => line.replaceAll('\t', '    ').slice(cut));
}
