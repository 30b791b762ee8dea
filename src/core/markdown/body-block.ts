/**
 * The part of a pull request's or an issue's body that gza owns: from a line `<!-- gza:begin … -->` to the
 * next line `<!-- gza:end -->`. Everything outside belongs to people and is kept byte for byte, even unpaired
 * markers, markers quoted in code, other line endings, and unclosed fences.
 */

import { taskIdPattern } from '../task/task.ts';
import { readMarkdown } from './markdown-lines.ts';

/** GitHub refuses longer bodies and comments. */
export const bodyCharsMax = 65_536;

const begin = '<!-- gza:begin (written by gza, which writes it anew; your text outside of it is kept) -->';
const end = '<!-- gza:end -->';
const beginLine = /^<!-- gza:begin\b[^>]{0,300}-->[ \t]*$/;
const endLine = /^<!-- gza:end -->[ \t]*$/;

/** Characters that the markers and the empty lines around a block take. */
export const blockFrameChars = begin.length + end.length + 8;

/** `content` is gza's own Markdown. Marker lines in it would end the block early, so they are disarmed. */
export function printBlock(content: string): string {
  const safe = content.replaceAll(/<!-- gza:(?=begin|end)/g, '<！-- gza:').trim();
  return `${begin}\n${safe}\n${end}`;
}

interface Place {
  readonly start: number;
  /** After the end marker, before its line break. */
  readonly end: number;
}

/** The first block in the body. Markers inside code or quotes do not count. */
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
 * Replaces the block in the body. A body without one gets the block at its end, or at its start if people's
 * text leaves a fence or comment open that would swallow it. An equal block changes no byte.
 */
export function replaceBlock(body: string, block: string): string {
  const place = findBlock(body);
  if (place) {
    // GitHub's editor turns line endings into CRLF, which alone is not a change.
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
 * Copies to `rendered` every unanswered tick of `fresh` (the body as read right before the write), so that no
 * tick made while gza worked is lost. `answered`: ticks whose result `rendered` already shows.
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

/** Whether a new paragraph at the end would be read as the author's own words. */
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
 * A box that gza prints in a pull request or on the board issue, for people to tick. A hidden marker says
 * what a tick requests. Boxes of checklists have no marker, so ticking them requests nothing.
 */
export interface Box {
  readonly name: BoxName;
  /** The task it is about; null when it is about the pull request's whole lane, or the whole board. */
  readonly task: string | null;
  /** The commit that people saw when they ticked. The tick does not hold for any other commit. */
  readonly at?: string | undefined;
}

/** No board shows more boxes. */
const boxesReadMax = 1_000;

const line =
  /^(\s{0,3}[-*+] \[)([ xX])(\] <!-- gza:box ([a-z-]{1,20})(?: (\S{1,200}))?(?: at ([0-9a-f]{7,64}))? -->)/gm;

/** The line of one box, not ticked. `label` is gza's own text. */
export function printBox({ name, task, at }: Box, label: string): string {
  // Some parsers end a comment at two hyphens.
  const about = task === null ? '' : ` ${task.replaceAll('--', '-%2D')}`;
  return `- [ ] <!-- gza:box ${name}${about}${at === undefined ? '' : ` at ${at}`} -->${label}`;
}

/** The boxes in a text that gza wrote, in order, and whether each is ticked. */
export function readBoxLines(text: string): (Box & { readonly isTicked: boolean })[] {
  const boxes: (Box & { isTicked: boolean })[] = [];
  for (const match of text.matchAll(line)) {
    const box = boxOf(match[4], match[5], match[6]);
    if (box && boxes.length < boxesReadMax) boxes.push({ ...box, isTicked: match[2] !== ' ' });
  }
  return boxes;
}

/** Ticks these boxes and changes nothing else. */
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
