/**
 * Turns the open boxes of a person's checklist, in a pull request or an issue, into tasks in the same order.
 * When a task is done, its box is ticked, and the commit is added at the end of its line. No other byte
 * changes. A task is identified by its box's text, so that a second handover files no task twice.
 */
import { fnv1a64 } from '../review/same-finding.ts';
import { findBlock } from './body-block.ts';
import { parseChecklist } from './parse-checklist.ts';

/** A longer list is a plan, which belongs in task files. */
export const handedMax = 100;

export interface HandedTask {
  /** Stays the same while the texts of the box and its parents do. */
  readonly key: string;
  /** The box's text as written. */
  readonly text: string;
  /** The key of the open box that contains it. */
  readonly parent: string | null;
  /** From 1. */
  readonly line: number;
}

export interface Handover {
  readonly tasks: readonly HandedTask[];
  /** Boxes that were ticked already. */
  readonly done: number;
  /** Open boxes beyond the limit. */
  readonly left: number;
}

const box = /^(\s*(?:[-*+]|\d{1,4}[.)])\s+\[)([ xX])(\]\s)/;
const doneMark = / \([0-9a-f]{7,40}\)<!-- gza:commit -->(?=[ \t]*$)/gm;

export function handOver(body: string): Handover {
  const items = boxesIn(body);
  const open = items.filter(({ done }) => !done);
  const isOpen = new Set(open.slice(0, handedMax).map(({ key }) => key));
  const tasks = open.slice(0, handedMax).map(({ key, text, parent, line }) => {
    const above = parent === null ? undefined : items[parent];
    return { key, text, parent: above && isOpen.has(above.key) ? above.key : null, line };
  });
  return { tasks, done: items.length - open.length, left: open.length - tasks.length };
}

const wholePrefix = 'text-';

/** An issue without boxes becomes one task, identified by its text. A changed text makes a new task. */
export function handOverWhole({ title, body }: { readonly title: string; readonly body: string }): Handover {
  const key = wholePrefix + fnv1a64(`${title.trim()}\n${body.replaceAll(/\r\n?/g, '\n').trim()}`);
  return { tasks: [{ key, text: title, parent: null, line: 1 }], done: 0, left: 0 };
}

export function isWhole(key: string): boolean {
  return key.startsWith(wholePrefix);
}

export type Ticked =
  | { readonly kind: 'ticked' | 'already'; readonly body: string }
  /** The person changed or removed the box. */
  | { readonly kind: 'gone' };

/** Ticks the box with this key and names the commit. */
export function tickItem(body: string, key: string, commit: string): Ticked {
  if (isWhole(key)) return { kind: 'gone' };
  const item = boxesIn(body).find((one) => one.key === key);
  if (!item) return { kind: 'gone' };
  if (item.done) return { kind: 'already', body };
  const start = lineStart(body, item.line);
  const line = /^[^\r\n]*/.exec(body.slice(start))?.[0] ?? '';
  const said = line.trimEnd();
  const short = /^[0-9a-f]{7,40}$/.test(commit) ? ` (${commit.slice(0, 7)})<!-- gza:commit -->` : '';
  const ticked = said.replace(box, '$1x$3') + short + line.slice(said.length);
  return { kind: 'ticked', body: body.slice(0, start) + ticked + body.slice(start + line.length) };
}

/** The boxes in people's own text. Plain list items and gza's own block do not count. */
function boxesIn(body: string): ReturnType<typeof parseChecklist> {
  const block = findBlock(body);
  const own = block
    ? body.slice(0, block.start) +
      body.slice(block.start, block.end).replaceAll(/[^\r\n]+/g, '') +
      body.slice(block.end)
    : body;
  const lines = own.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/);
  const items = parseChecklist(lines.map((line) => line.replace(doneMark, '')).join('\n'));
  return items.some(({ line }) => box.test(lines[line - 1] ?? '')) ? items : [];
}

/** The offset at which a line begins. */
function lineStart(body: string, number: number): number {
  if (number === 1) return 0;
  let at = 1;
  for (const brk of body.matchAll(/\r\n|\r|\n/g)) {
    at += 1;
    if (at === number) return brk.index + brk[0].length;
  }
  return body.length;
}
