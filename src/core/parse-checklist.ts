/**
 * The items of a Markdown checklist or plan, as a tree: boxes and list items by indentation, under headings that
 * have some. Items are known again by their path of texts, so that an import may be repeated.
 */
import { fnv1a64 } from './fingerprint.ts';
import { proseLines } from './markdown-lines.ts';

export interface ChecklistItem {
  readonly text: string;
  readonly done: boolean;
  /** Index of the item it is a part of. */
  readonly parent: number | null;
  readonly key: string;
  /** From 1. */
  readonly line: number;
}

export const itemsMax = 5_000;
const item = /^(\s*)(?:[-*+]|\d{1,4}[.)])\s+(?:\[([ xX])\]\s+)?(.*\S)\s*$/;

export function parseChecklist(markdown: string): ChecklistItem[] {
  const lines = proseLines(markdown);
  // Where there are boxes, plain list items are explanations.
  const boxesOnly = lines.some(({ text }) => item.exec(text)?.[2] !== undefined);
  const items: ChecklistItem[] = [];
  const open: { indent: number; index: number }[] = [];
  const seen = new Map<string, number>();
  for (const { text: line, number } of lines) {
    if (/^\s{0,3}#{1,6}\s/.test(line)) open.length = 0;
    const match = item.exec(line.replaceAll('\t', '    '));
    if (!match || (boxesOnly && match[2] === undefined) || items.length >= itemsMax) continue;
    const indent = (match[1] as string).length;
    while (open.length > 0 && (open.at(-1)?.indent ?? 0) >= indent) open.pop();
    const parent = open.at(-1)?.index ?? null;
    const text = match[3] as string;
    const path = `${parent === null ? '' : (items[parent] as ChecklistItem).key}/${text}`;
    const repeat = seen.get(path) ?? 0;
    seen.set(path, repeat + 1);
    open.push({ indent, index: items.length });
    const key = fnv1a64(`${path}#${repeat}`);
    items.push({ text, done: (match[2] ?? ' ') !== ' ', parent, key, line: number });
  }
  return items;
}
