/**
 * The part of a pull request's or an issue's body that gza owns: from a line `<!-- gza:begin … -->` to the next line
 * `<!-- gza:end -->`. What stands outside is people's and stays byte for byte, whatever is in it: markers that lack
 * a partner, markers quoted in code, other line ends, text that leaves a fence open.
 */
import { type Box, isSameBox, readBoxLines, tickBoxes } from './boxes.ts';
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
