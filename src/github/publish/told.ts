/**
 * What was said of a lane where people look, kept in gza's block of the pull request's body, which is written last.
 * A kill before that leaves an old mark: whoever comes next sees what may be missing, looks, and completes it.
 */
import * as z from 'zod';
import {
  blockOf,
  findBlock,
  mergeTicks,
  replaceBlock,
  roomForBlock,
} from '../../core/markdown/body-block.ts';
import type { Box } from '../../core/markdown/boxes.ts';
import { type PullBlockFacts, printPullBlock } from '../../core/text/github/pull-body.ts';

const shape = z.strictObject({
  /** Keys of the reviews that were posted. */
  reviews: z.array(z.string().max(250)).max(500),
  /** Fingerprints of what people said and was answered there. */
  answers: z.array(z.string().max(40)).max(500).optional(),
  /** Findings whose threads gza resolved: one that is open all the same, a person opened again. */
  resolved: z.array(z.string().max(40)).max(500).optional(),
  /** Boxes of issues that were ticked. */
  boxes: z.array(z.string().max(300)).max(200).optional(),
  /** Status context → the commit and the words that were set. */
  statuses: z.record(z.string().max(100), z.string().max(400)),
  /** How the team's CI ended, and on which commit. */
  checks: z
    .strictObject({ head: z.string().max(64), words: z.string().max(1_000), isGreen: z.boolean().optional() })
    .optional(),
  /** Box → who ticked it, where gza has written the body since. */
  ticks: z.record(z.string().max(250), z.string().max(100)).optional(),
});

export type Told = z.infer<typeof shape>;

export const nothingTold: Told = { reviews: [], statuses: {} };

const mark = /<!-- gza:told ([A-Za-z0-9_-]+) -->/;

export function readTold(body: string): Told {
  const text = mark.exec(blockOf(body))?.[1];
  if (text === undefined) return nothingTold;
  try {
    const parsed = shape.safeParse(JSON.parse(Buffer.from(text, 'base64url').toString('utf8')));
    return parsed.success ? parsed.data : nothingTold;
  } catch {
    return nothingTold;
  }
}

/** Inside a block that was just printed, before its end. */
export function withTold(block: string, told: Told): string {
  const place = findBlock(block);
  if (!place) return block;
  const at = block.lastIndexOf('<!-- gza:end -->');
  return `${block.slice(0, at)}${printTold(told)}${block.slice(at)}`;
}

function printTold(told: Told): string {
  return `<!-- gza:told ${Buffer.from(JSON.stringify(told)).toString('base64url')} -->\n`;
}

/**
 * The body with gza's block anew, never longer than GitHub takes: people's text as it is, and ticks that nobody
 * answered yet. Null where people's text leaves no room for it.
 */
export function bodyTelling(
  facts: PullBlockFacts,
  before: string,
  told: Told,
  answered: readonly Box[] = [],
): string | null {
  const printed = printPullBlock(facts, roomForBlock(before) - printTold(told).length);
  if (!printed) return null;
  return mergeTicks(before, replaceBlock(before, withTold(printed.block, told)), answered);
}
