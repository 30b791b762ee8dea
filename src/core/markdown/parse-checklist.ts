/**
 * Reads a Markdown checklist or plan as a tree of items. In a checklist, the items are the boxes (or, if
 * there are none, the list items), nested by indentation. A plan has headings such as `### Task 2: Add login
 * endpoint`: these are items too, under the plan's title, and their sections are the texts. An item is
 * identified by its own text and its parents' texts, so that an import can be repeated.
 */
import { fnv1a64 } from '../review/same-finding.ts';
import { lineEnd, type MarkdownLine, proseLines } from './markdown-lines.ts';

export interface ChecklistItem {
  readonly text: string;
  readonly done: boolean;
  /** Index of its parent. */
  readonly parent: number | null;
  readonly key: string;
  /** From 1. */
  readonly line: number;
  /** The section below a heading. */
  readonly body?: string;
}

export const itemsMax = 5_000;
const bodyCharactersMax = 20_000;
const headingBox = /^\[([ xX])\]\s+(?=\S)/;
const planHeading = /^(?:task|step|phase|stage|part)\s+\d+(?:\.\d+)*\b/i;

interface Found {
  readonly kind: 'heading' | 'item';
  /** From 1. */
  readonly line: number;
  readonly depth: number;
  /** The character in the box; undefined when there is no box. */
  readonly box: string | undefined;
  readonly text: string;
}

export function parseChecklist(markdown: string): ChecklistItem[] {
  const found = proseLines(markdown).flatMap((line) => read(line) ?? []);
  const isPlan = found.some(isPlanHeading);
  // In a plan, and in a list with boxes, plain list items are only explanations.
  const boxesOnly = isPlan || found.some(({ kind, box }) => kind === 'item' && box !== undefined);
  const items = new Items(isPlan ? markdown.split(lineEnd) : []);
  for (const one of found) {
    if (items.all.length >= itemsMax) break;
    const isTitle = one.kind === 'heading' && one.depth === 1 && items.all.length === 0;
    const isTask =
      one.kind === 'item' ? !boxesOnly || one.box !== undefined : isPlan && (isTitle || isPlanHeading(one));
    if (isTask || one.kind === 'heading') items.leave(one);
    if (isTask) items.add(one);
  }
  items.endSection();
  return items.all;
}

function read(line: MarkdownLine): Found | null {
  const { number, heading } = line;
  if (heading) {
    const [mark = '', box] = headingBox.exec(heading.text) ?? [];
    const text = heading.text.slice(mark.length);
    return text === '' ? null : { kind: 'heading', line: number, depth: heading.level, box, text };
  }
  const item = itemOf(line);
  return item && { kind: 'item', line: number, depth: item.indent, box: item.box, text: item.text };
}

const item = /^(\s*)(?:[-*+]|\d{1,4}[.)])\s+(?:\[([ xX])\]\s+)?(\S.*)$/;

/** The list item that begins on the line. `box`: the character in its box, undefined when it has none. */
export function itemOf({ text: line, isItem }: MarkdownLine) {
  const [, indent, box, text = ''] = (isItem && item.exec(line.replaceAll('\t', '    ').trimEnd())) || [];
  return indent === undefined ? null : { indent: indent.length, box, text };
}

function isPlanHeading({ kind, text }: Found): boolean {
  return kind === 'heading' && planHeading.test(text);
}

/**
 * Builds the tree of items. The text of a task's heading is its section, up to the next task or higher
 * heading.
 */
class Items {
  readonly all: ChecklistItem[] = [];
  readonly #lines: readonly string[];
  /** Possible parents of the next item, outermost first. */
  #open: { readonly depth: number; readonly index: number }[] = [];
  #section: { readonly depth: number; readonly line: number; readonly index: number } | null = null;
  readonly #seen = new Map<string, number>();

  constructor(lines: readonly string[]) {
    this.#lines = lines;
  }

  /** Closes the items and sections that do not contain `next`. */
  leave(next: Found): void {
    this.#open = this.#open.filter(({ depth }) => depth < depthOf(next));
    if (next.kind !== 'heading' || !this.#section) return;
    if (isPlanHeading(next) || next.depth <= this.#section.depth) this.endSection(next.line - 1);
  }

  add(found: Found): void {
    const { text, box, line, depth } = found;
    const parent = this.#open.at(-1)?.index ?? null;
    const path = `${parent === null ? '' : (this.all[parent] as ChecklistItem).key}/${text}`;
    const repeat = this.#seen.get(path) ?? 0;
    this.#seen.set(path, repeat + 1);
    const index = this.all.length;
    const key = fnv1a64(`${path}#${repeat}`);
    this.all.push({ text, done: (box ?? ' ') !== ' ', parent, key, line });
    this.#open.push({ depth: depthOf(found), index });
    if (isPlanHeading(found)) this.#section = { depth, line, index };
  }

  endSection(last = this.#lines.length): void {
    const { index, line } = this.#section ?? { index: -1, line: 0 };
    const item = this.all[index];
    const body = this.#lines.slice(line, last).join('\n').trim().slice(0, bodyCharactersMax);
    if (item && body !== '') this.all[index] = { ...item, body };
    this.#section = null;
  }
}

/** List items are always deeper than headings. */
function depthOf({ kind, depth }: Found): number {
  return kind === 'heading' ? depth : 10 + depth;
}
