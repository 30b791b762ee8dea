/**
 * The items of a Markdown checklist or plan, as a tree. In a checklist they are the boxes (or, where there are
 * none, the list items) by indentation. In a plan, which has headings such as `### Task 2: Add login endpoint`,
 * those are items too, with their section as text, under the plan's title. Items are known again by their path of
 * texts, so that an import may be repeated.
 */
import { fnv1a64 } from '../review/fingerprint.ts';
import { type MarkdownLine, proseLines } from './markdown-lines.ts';

export interface ChecklistItem {
  readonly text: string;
  readonly done: boolean;
  /** Index of the item it is a part of. */
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
  /** Of the box; undefined when there is none. */
  readonly box: string | undefined;
  readonly text: string;
}

export function parseChecklist(markdown: string): ChecklistItem[] {
  const found = proseLines(markdown).flatMap((line) => read(line) ?? []);
  const isPlan = found.some(isPlanHeading);
  // Where there are boxes, and in a plan, plain list items are explanations.
  const boxesOnly = isPlan || found.some(({ kind, box }) => kind === 'item' && box !== undefined);
  const items = new Items();
  const lines = isPlan ? markdown.split(/\r\n|\r|\n/) : [];
  const ends = sectionEnds(found, lines.length);
  for (const [at, one] of found.entries()) {
    if (items.all.length >= itemsMax) break;
    if (one.kind === 'item') {
      if (!boxesOnly || one.box !== undefined) items.addItem(one);
    } else if (!isPlan) {
      items.closeLists();
    } else {
      const isTitle = one.depth === 1 && items.all.length === 0;
      items.enter(one, isPlanHeading(one) ? sectionOf(lines, one.line, ends[at]) : isTitle ? '' : null);
    }
  }
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

/** The item of a list that begins on the line; `box` is what stands in its box, undefined when it has none. */
export function itemOf({ text: line, isItem }: MarkdownLine) {
  const [, indent, box, text = ''] = (isItem && item.exec(line.replaceAll('\t', '    ').trimEnd())) || [];
  return indent === undefined ? null : { indent: indent.length, box, text };
}

function isPlanHeading({ kind, text }: Found): boolean {
  return kind === 'heading' && planHeading.test(text);
}

/** For each: the last line that stands below it, down to the next heading that is a task or not below it. */
function sectionEnds(found: readonly Found[], lineCount: number): number[] {
  // By depth, the line before the next heading that ends a section of that depth.
  const next = Array.from({ length: 7 }, () => lineCount);
  const ends: number[] = [];
  for (const one of found.toReversed()) {
    ends.push(one.kind === 'heading' ? (next[one.depth] ?? lineCount) : lineCount);
    if (one.kind === 'heading') next.fill(one.line - 1, isPlanHeading(one) ? 0 : one.depth);
  }
  return ends.reverse();
}

function sectionOf(lines: readonly string[], heading: number, end: number | undefined): string {
  return lines.slice(heading, end).join('\n').trim().slice(0, bodyCharactersMax);
}

class Items {
  readonly all: ChecklistItem[] = [];
  #headings: { depth: number; index: number }[] = [];
  #lists: { depth: number; index: number }[] = [];
  readonly #seen = new Map<string, number>();

  closeLists(): void {
    this.#lists = [];
  }

  /** A heading ends those it is not below; with a body it is an item itself. */
  enter({ depth, text, box, line }: Found, body: string | null): void {
    this.closeLists();
    this.#headings = this.#headings.filter((one) => one.depth < depth);
    if (body === null) return;
    const index = this.#add({ text, box, line }, this.#headings.at(-1)?.index ?? null, body);
    this.#headings.push({ depth, index });
  }

  addItem({ depth, text, box, line }: Found): void {
    this.#lists = this.#lists.filter((one) => one.depth < depth);
    const parent = this.#lists.at(-1) ?? this.#headings.at(-1);
    this.#lists.push({ depth, index: this.#add({ text, box, line }, parent?.index ?? null) });
  }

  #add({ text, box, line }: Pick<Found, 'text' | 'box' | 'line'>, parent: number | null, body = ''): number {
    const path = `${parent === null ? '' : (this.all[parent] as ChecklistItem).key}/${text}`;
    const repeat = this.#seen.get(path) ?? 0;
    this.#seen.set(path, repeat + 1);
    const done = (box ?? ' ') !== ' ';
    const key = fnv1a64(`${path}#${repeat}`);
    this.all.push({ text, done, parent, key, line, ...(body ? { body } : {}) });
    return this.all.length - 1;
  }
}
