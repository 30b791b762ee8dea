/**
 * The part of a pull request's or an issue's body that gza owns: from a line `<!-- gza:begin … -->` to the next line
 * `<!-- gza:end -->`. What stands outside is people's and stays byte for byte, whatever is in it: markers that lack
 * a partner, markers quoted in code, other line ends, text that leaves a fence open.
 */

import { taskIdPattern } from '../task/task.ts';
import { readMarkdown } from './markdown-lines.ts';

/** GitHub refuses longer bodies and comments. */
export const bodyCharsMax = 65_536;

const begin = '<!-- gza:begin (written by gza, which writes it anew; your text outside of it is kept) -->';
const end = '<!-- gza:end -->';
const beginLine = /^<!-- gza:begin\b[^>]{0,300}-->[ \t]*$/;
const endLine = /^<!-- gza:end -->[ \t]*$/;

/** What the markers and the empty lines around a block take. */
export const blockFrameChars = begin.length + end.length + 8;

/** `content` is gza's own Markdown; marker lines in it would end the block early, so they lose their meaning. */
export function printBlock(content: string): string {
  const safe = content.replaceAll(/<!-- gza:(?=begin|end)/g, '<！-- gza:').trim();
  return `${begin}\n${safe}\n${end}`;
}

interface Place {
  readonly start: number;
  /** After the end marker, before its line break. */
  readonly end: number;
}

/** The first block in the body; a marker inside code or a quote begins none. */
export function findBlock(body: string): Place | null {
  if (!body.includes('<!-- gza:end')) return null;
  const hidden = new Set<number>();
  for (const line of readMarkdown(body).lines) if (line.standing === 'hidden') hidden.add(line.number);
  let start: number | null = null;
  for (const line of linesOf(body)) {
    if (beginLine.test(line.text) && !hidden.has(line.number)) start = line.start;
    else if (start !== null && endLine.test(line.text)) {
      return { start, end: line.start + line.text.trimEnd().length };
    }
  }
  return null;
}

/** The text of gza's block, or an empty text. */
export function blockOf(body: string): string {
  const place = findBlock(body);
  return place ? body.slice(place.start, place.end) : '';
}

/**
 * The body with this block instead of the one it has. A body without one gets it at its end, or at its start when
 * people's text leaves something open that would swallow it. The same block again changes no byte.
 */
export function replaceBlock(body: string, block: string): string {
  const place = findBlock(body);
  if (place) {
    // GitHub's editor turns every line end into CRLF: that alone is no change.
    if (body.slice(place.start, place.end).replaceAll('\r\n', '\n') === block) return body;
    return body.slice(0, place.start) + block + body.slice(place.end);
  }
  if (body === '') return block;
  return endsInProse(body) ? `${body}\n\n${block}` : `${block}\n\n${body}`;
}

/** How many characters a block may have in this body; negative when people's text alone is too long. */
export function roomForBlock(body: string): number {
  const place = findBlock(body);
  const outside = place ? body.length - (place.end - place.start) : body.length + 2;
  return bodyCharsMax - outside;
}

/** The boxes in gza's block, ticked or not. Empty for a body without one. */
export function readBoxes(body: string): ReturnType<typeof readBoxLines> {
  return readBoxLines(blockOf(body));
}

/**
 * `rendered` with every tick that `fresh` (the body as read right before the write) has and that nobody answered
 * yet, so that a tick made while gza worked is not lost. `answered` are those whose work `rendered` tells of.
 */
export function mergeTicks(fresh: string, rendered: string, answered: readonly Box[] = []): string {
  const place = findBlock(rendered);
  if (!place) return rendered;
  const open = readBoxes(fresh).filter(
    (box) => box.isTicked && !answered.some((other) => isSameBox(box, other)),
  );
  const block = tickBoxes(rendered.slice(place.start, place.end), open);
  return rendered.slice(0, place.start) + block + rendered.slice(place.end);
}

/** Whether a line added after an empty one would be read as the author's own words. */
function endsInProse(body: string): boolean {
  return readMarkdown(`${body}\n\nprobe`).lines.at(-1)?.standing === 'prose';
}

interface Line {
  readonly text: string;
  readonly start: number;
  /** From 1. */
  readonly number: number;
}

function* linesOf(body: string): Generator<Line> {
  let [start, number] = [0, 1];
  for (const brk of body.matchAll(/\r\n|\r|\n/g)) {
    yield { text: body.slice(start, brk.index), start, number };
    start = brk.index + brk[0].length;
    number += 1;
  }
  yield { text: body.slice(start), start, number };
}

export const boxNames = [
  'review',
  'improve',
  'retry',
  'approve',
  'merge',
  'pause',
  'resume',
  'run',
  'run-group',
  'skip',
  'pause-all',
  'resume-all',
] as const;
export type BoxName = (typeof boxNames)[number];

/**
 * Boxes that people tick in what gza wrote: each carries a hidden marker that says what it asks for. Checklists
 * have boxes too, without a marker: a tick there asks for nothing. Used in pull requests and on the board issue.
 */
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
