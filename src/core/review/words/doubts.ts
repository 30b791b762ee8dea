/**
 * What in the author's own words does not go with an approval. Nobody can list all ways to say that something is
 * wrong, missing, unsure or not meant, so the words are weighed: each sign of a sentence (said.ts) has a weight that
 * was learned from sentences of approvals and of what is none (doubt-weights.ts), and their sum says how little the
 * sentence belongs into an approval. The more a review says, the more a sentence needs to stand out.
 */

import type { MarkdownLine } from '../../markdown/markdown-lines.ts';
import { bias, weightLines } from './doubt-weights.ts';
import { type Said, saidIn, signsOf } from './said.ts';

export interface Doubt {
  readonly line: number;
  readonly what: string;
  /** A clear answer when asked again settles it. */
  readonly isSoft?: true;
}

const doubtsMax = 50;
/** No review that is read by people has more. */
const sentencesMax = 6000;
/** Where a sentence may be a doubt, and where it surely is one. */
export const softFrom = -2.15;
export const hardFrom = -0.3;
const quoteCharsMax = 120;

export function doubtsIn(
  lines: readonly MarkdownLine[],
  verdictLines: ReadonlySet<number>,
): readonly Doubt[] {
  const said = saidIn(lines, verdictLines);
  const over = said[sentencesMax];
  if (over !== undefined) return [{ line: over.line, what: 'is one of too many sentences' }];
  const allowance = allowanceOf(said.length);
  const doubts = new Map<number, number>();
  for (const one of said) {
    const score = weigh(one) - allowance;
    if (score > (doubts.get(one.line) ?? softFrom)) doubts.set(one.line, score);
  }
  const texts = new Map(lines.map(({ number, text }) => [number, text]));
  return [...doubts].slice(0, doubtsMax).map(([line, score]) => ({
    line,
    what: `${score < hardFrom ? 'may speak' : 'speaks'} against it (${quoted(texts.get(line) ?? '')})`,
    ...(score < hardFrom ? { isSoft: true } : {}),
  }));
}

/** Among many sentences one stands out by chance. */
export function allowanceOf(sentences: number): number {
  return 2 * Math.log(1 + Math.min(sentences, 40));
}

/** The beginning of the line, on one line, with nothing that opens or ends something where it is shown. */
function quoted(text: string): string {
  const plain = text
    .replace(/[^\p{L}\p{N} .,:;!?'/_-]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return plain.length > quoteCharsMax ? `${plain.slice(0, quoteCharsMax).toWellFormed()}…` : plain;
}

let weights: ReadonlyMap<string, number> | null = null;

function weigh(said: Said): number {
  weights ??= readWeights();
  const known = weights;
  const sums = signsOf(said).map((signs) => signs.reduce((sum, sign) => sum + (known.get(sign) ?? 0), bias));
  return Math.max(...sums);
}

function readWeights(): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const line of weightLines.trim().split('\n')) {
    const at = line.indexOf('=');
    for (const sign of line.slice(at + 1).split(';')) found.set(sign, Number(line.slice(0, at)) / 10);
  }
  return found;
}
