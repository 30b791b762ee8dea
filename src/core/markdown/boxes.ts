/**
 * Boxes that people tick in what gza wrote: each carries a hidden marker that says what it asks for. Checklists
 * have boxes too, without a marker: a tick there asks for nothing. Used in pull requests and on the board issue.
 */
import { taskIdPattern } from '../task/task.ts';

export const boxNames = [
  'review',
  'improve',
  'retry',
  'approve',
  'pause',
  'resume',
  'run',
  'run-group',
  'skip',
  'pause-all',
  'resume-all',
] as const;
export type BoxName = (typeof boxNames)[number];

export interface Box {
  readonly name: BoxName;
  /** The task it is about; null where the place says it: the lane of a pull request. */
  readonly task: string | null;
  /** The commit that people saw when it was printed: of another one it says nothing. */
  readonly at?: string | undefined;
}

/** More than any board shows. */
const boxesReadMax = 1_000;

const line =
  /^(\s{0,3}[-*+] \[)([ xX])(\] <!-- gza:box ([a-z-]{1,20})(?: (\S{1,200}))?(?: at ([0-9a-f]{7,64}))? -->)/gm;

/** The line of one box, not ticked. `label` is gza's own text. */
export function printBox({ name, task, at }: Box, label: string): string {
  // Two hyphens end a comment for some readers.
  const about = task === null ? '' : ` ${task.replaceAll('--', '-%2D')}`;
  return `- [ ] <!-- gza:box ${name}${about}${at === undefined ? '' : ` at ${at}`} -->${label}`;
}

/** The boxes in a piece of text that gza wrote, in their order, and whether each is ticked. */
export function readBoxLines(text: string): (Box & { readonly isTicked: boolean })[] {
  const boxes: (Box & { isTicked: boolean })[] = [];
  for (const match of text.matchAll(line)) {
    const box = boxOf(match[4], match[5], match[6]);
    if (box && boxes.length < boxesReadMax) boxes.push({ ...box, isTicked: match[2] !== ' ' });
  }
  return boxes;
}

/** The text with these boxes ticked, nothing else changed. */
export function tickBoxes(text: string, ticked: readonly Box[]): string {
  const wanted = new Set(ticked.map(keyOf));
  return text.replace(line, (whole, start: string, _mark, rest: string, ...about: (string | undefined)[]) => {
    const box = boxOf(...about);
    return box && wanted.has(keyOf(box)) ? `${start}x${rest}` : whole;
  });
}

export function isSameBox(a: Box, b: Box): boolean {
  return keyOf(a) === keyOf(b);
}

function keyOf({ name, task, at }: Box): string {
  return `${name} ${task ?? ''} ${at ?? ''}`;
}

function boxOf(word?: string, about?: string, at?: string): Box | null {
  const name = boxNames.find((one) => one === word);
  const task = about?.replaceAll('%2D', '-');
  if (!name || (task !== undefined && !taskIdPattern.test(task))) return null;
  return { name, task: task ?? null, ...(at === undefined ? {} : { at }) };
}
