/**
 * What was said of a lane where people look, kept in gza's block of the pull request's body, which is written last.
 * A kill before that leaves an old mark: whoever comes next sees what may be missing, looks, and completes it.
 */
import * as z from 'zod';
import { blockOf, findBlock } from '../core/body-block.ts';

const shape = z.strictObject({
  /** Keys of the reviews that were posted. */
  reviews: z.array(z.string().max(250)).max(500),
  /** Fingerprints of what people said and was answered there. */
  answers: z.array(z.string().max(40)).max(500).optional(),
  /** Boxes of issues that were ticked. */
  boxes: z.array(z.string().max(300)).max(200).optional(),
  /** Status context → the commit and the words that were set. */
  statuses: z.record(z.string().max(100), z.string().max(400)),
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
  const text = Buffer.from(JSON.stringify(told)).toString('base64url');
  const place = findBlock(block);
  if (!place) return block;
  const at = block.lastIndexOf('<!-- gza:end -->');
  return `${block.slice(0, at)}<!-- gza:told ${text} -->\n${block.slice(at)}`;
}
