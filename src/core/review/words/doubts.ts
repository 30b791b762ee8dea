/**
 * Finds words of the author that do not fit an approval. There are too many ways to say that something is
 * wrong, missing or unsure, so a classifier weighs the words. Each sign of a sentence (said.ts) has two
 * weights, learned from approvals and from other reviews (doubt-weights.ts). The first scores single
 * sentences: in a longer review, a sentence must score higher to count. The second scores the text as a
 * whole, from all its signs together.
 */
import type { Markdown, MarkdownLine } from '../../markdown/markdown-lines.ts';
import { sentenceBias, sentenceWeights, wholeBias, wholeWeights } from './doubt-weights.ts';
import { type Said, saidIn, signsOf } from './said.ts';

export interface Doubt {
  readonly line: number;
  readonly what: string;
  /** A clear second answer settles it. */
  readonly isSoft?: true;
}

const doubtsMax = 50;
/** No review for people has more sentences. */
const sentencesMax = 6000;
/** Scores from which a sentence may be a doubt, and from which it certainly is one. */
export const softFrom = -2.15;
export const hardFrom = -0.3;
/** Score from which the text as a whole is doubtful. */
export const wholeFrom = -2;
/** A text with fewer signs is judged only by its sentences. */
export const wholeSignsMin = 25;
const quoteCharsMax = 120;

export function doubtsIn(
  lines: readonly MarkdownLine[],
  verdictLines: ReadonlyMap<number, string>,
): readonly Doubt[] {
  const said = saidIn(lines, verdictLines);
  const over = said[sentencesMax];
  if (over !== undefined) return [{ line: over.line, what: 'is one of too many sentences' }];
  const weighed = weigh(said);
  const isDoubtful = weighed.whole > wholeFrom;
  // If the text as a whole is doubtful, at least its most doubtful sentence counts.
  const from = isDoubtful ? Math.min(softFrom, Math.max(...weighed.scores)) : softFrom;
  const doubts = new Map<number, number>();
  for (const [at, { line }] of said.entries()) {
    const score = weighed.scores[at] ?? 0;
    const isDoubt = isDoubtful ? score >= from : score > from;
    if (isDoubt) doubts.set(line, Math.max(score, doubts.get(line) ?? score));
  }
  const texts = new Map(lines.map(({ number, text }) => [number, text]));
  return [...doubts].slice(0, doubtsMax).map(([line, score]) => ({
    line,
    what: `${score < hardFrom ? 'may speak' : 'speaks'} against it (${quoted(texts.get(line) ?? '')})`,
    ...(score < hardFrom ? { isSoft: true } : {}),
  }));
}

/** Subtracted from each score, because among many sentences one stands out by chance. */
export function allowanceOf(sentences: number): number {
  return 2 * Math.log(1 + Math.min(sentences, 40));
}

/**
 * `countOf` dampens the weight of a repeated sign. `lengthOf` is the divisor that keeps long texts from
 * scoring higher.
 */
export const countOf = (times: number): number => 1 + Math.log(times);
export const lengthOf = (counts: Iterable<number>): number => {
  let squares = 0;
  for (const times of counts) squares += countOf(times) ** 2;
  return Math.max(1, squares ** 0.25);
};

/** The beginning of a line, without characters that could act as markup where it is shown. */
function quoted(text: string): string {
  const plain = text
    .replace(/[^\p{L}\p{N} .,:;!?'/_-]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return plain.length > quoteCharsMax ? `${plain.slice(0, quoteCharsMax).toWellFormed()}…` : plain;
}

interface Weighed {
  /** One score for each sentence. */
  readonly scores: readonly number[];
  readonly whole: number;
}

function weigh(said: readonly Said[]): Weighed {
  weights ??= { sentence: readWeights(sentenceWeights), whole: readWeights(wholeWeights) };
  const { sentence, whole } = weights;
  const times = new Map<string, number>();
  const allowance = allowanceOf(said.length);
  const scores = said.map((one) => {
    const sums = signsOf(one).map((signs) => {
      for (const sign of signs) times.set(sign, (times.get(sign) ?? 0) + 1);
      return signs.reduce((sum, sign) => sum + (sentence.get(sign) ?? 0), sentenceBias);
    });
    const least = isOtherScript(one.text) ? softFrom + 0.1 : Number.NEGATIVE_INFINITY;
    return Math.max(least, conditional.test(one.text) ? hardFrom : -99, Math.max(...sums) - allowance);
  });
  let sum = 0;
  for (const [sign, count] of times) sum += (whole.get(sign) ?? 0) * countOf(count);
  return { scores, whole: times.size < wholeSignsMin ? -99 : wholeBias + sum / lengthOf(times.values()) };
}

/** `Approve once the test is there` is a condition and no approval, even when the text has few signs. */
const conditional =
  /\bappro(?:ve|ved|val)\s+(?:only\s+)?(?:after|once|when|if|provided|as soon as|pending|subject to|conditional)\b(?!\s+(?:re-?)?(?:review|read|check|test|look|verif|run|a (?:second|careful|close|full))\w*)/i;

/** The weights were learned from Latin text only, so other scripts get a soft doubt. */
function isOtherScript(text: string): boolean {
  const others = text.match(/(?!\p{Script=Latin})\p{L}/gu)?.length ?? 0;
  return others > 3 && others > (text.match(/\p{Script=Latin}/gu)?.length ?? 0);
}

type Weights = ReadonlyMap<string, number>;
let weights: { readonly sentence: Weights; readonly whole: Weights } | null = null;

function readWeights(lines: string): Weights {
  const found = new Map<string, number>();
  for (const line of lines.trim().split('\n')) {
    const at = line.indexOf('=');
    for (const sign of line.slice(at + 1).split(';')) found.set(sign, Number(line.slice(0, at)) / 20);
  }
  return found;
}

/** A verdict or blocker in the data of a review: JSON or YAML, in a fence or not. It is read line by line. */
interface DataSign {
  readonly line: number;
  /** What speaks against an approval, in words. */
  readonly what: string;
}

const lineCharsMax = 4000;
const signsMax = 20;
/** A YAML field outside a fence. */
const verdictField =
  /^\s{0,8}(?:- )?(?:decision|recommendation|review_decision|approved|mergeable|lgtm)\s?[:=]\s/i;
/** `<verdict>rejected</verdict>` */
const tag = /<([a-z][a-z_-]{1,30})>([^<>]{1,200})<\/[a-z_-]{2,31}>/gi;
const grade =
  /^\W{0,8}(?:overall|final|review)(?: (?:result|status|outcome|assessment|rating))?\W{0,4}[:=]\W{0,6}(?:fail|reject|not\b|no\b|block|declin|den(?:y|ied)|negative)/i;
const startsAsJson = /^\s{0,40}["'{[]/;
const verdictKey =
  /["']?\b(verdict|decision|recommendation|review_?decision|review_?status|review_?result|conclusion|outcome|status|result|state|event|action|assessment|approved|approve|lgtm|mergeable|merge|ready_?to_?merge|safe_?to_?merge|is_?approved|can_?merge|should_?merge|ship|blocking|blocker|is_?blocking|is_?blocker|must_?fix|severity|priority|level|blockers?_?count|blockers|blocking_?issues|critical_?issues|critical|required_?changes|changes_?requested|conditions?|requirements?|must_?fixes)\b["']?\s{0,4}[:=]\s{0,4}("[^"]{0,200}"|'[^']{0,200}'|\[\s{0,20}\]?|\{\s{0,20}\}?|[^\s,}\]]{1,60})?/gi;
const approving =
  /^(?:✅_?)?(?:approve[ds]?|approved_with_(?:follow_?ups|suggestions)|lgtm|accept(?:ed)?|pass(?:ed)?|ok|okay|merge|ship(?:_it)?|yes|good|true|ready(?:_to_merge)?)(?:_?✅|[.!])?$/;

export function dataAgainst(markdown: Markdown): readonly DataSign[] {
  const signs: DataSign[] = [];
  for (const block of markdown.blocks) {
    const language = block.info.split(/[\s{:]/)[0] ?? '';
    if (!/^(?:json[c5l]?|ya?ml|toml|)$/i.test(language)) continue;
    const lines = block.text.slice(0, 200_000).split('\n');
    for (const [index, line] of lines.entries()) {
      // In YAML, a list begins on the line below its key.
      const isList = /:\s{0,8}$/.test(line) && /^\s{0,40}- /.test(lines[index + 1] ?? '');
      const isData = language !== '' || startsAsJson.test(line);
      readLine(signs, isList ? `${line} [` : line, block.line + 1 + index, isData);
    }
  }
  for (const { text, standing, number } of markdown.lines) {
    if (standing === 'hidden') continue;
    if (grade.test(text)) signs.push({ line: number, what: 'gives another verdict' });
    readLine(signs, text, number, startsAsJson.test(text) || verdictField.test(text));
  }
  return signs;
}

function readLine(signs: DataSign[], line: string, number: number, isData: boolean): void {
  if (signs.length >= signsMax) return;
  const tagged = line.slice(0, lineCharsMax).replace(tag, ' $1: "$2" ');
  if (!isData && tagged === line) return;
  for (const [, key = '', raw = ''] of tagged.matchAll(verdictKey)) {
    const value = raw
      .replace(/["'`*_]{1,4}(?=\w)|(?<=\w)["'`*]{1,4}/g, '')
      .replace(/["']/g, '')
      .trim()
      .toLowerCase()
      .replace(/[\s-]+/g, '_');
    if (isAgainst(key.toLowerCase().replaceAll('_', ''), value)) {
      signs.push({ line: number, what: `has ${key}: ${value.slice(0, 40)} in its data` });
    }
  }
}

/** Values that speak against an approval, by kind of key. The first matching name decides. */
const kinds: readonly (readonly [name: RegExp, isAgainst: (value: string) => boolean])[] = [
  [
    /^(?:status|result|state|event|action|outcome)$/,
    (value) =>
      /chang\w*_?requ|request_?chang|needs_?(?:chang|disc|work)|not_?approv|^reject|^block/.test(value),
  ],
  [
    /^(?:verdict|decision|recommendation|review\w+|conclusion|assessment)$/,
    (value) => value !== '' && !approving.test(value),
  ],
  [
    /^(?:severity|priority|level)$/,
    (value) => /^(?:blocker|blocking|critical|crit|high|major|severe|p[01]|urgent|must_fix)$/.test(value),
  ],
  [/^blocking$/, (value) => /^(?:true|yes|[1-9])/.test(value)],
  [/^(?:(?:is)?blocker|isblocking|mustfix)$/, (value) => /^(?:true|yes)/.test(value) || isFilled(value)],
  [
    /^(?:approved?|lgtm|(?:can|should)?merge(?:able)?|(?:ready|safe)tomerge|isapproved|ship)$/,
    (value) => /^(?:false|no|0|null)$/.test(value),
  ],
];

function isAgainst(key: string, value: string): boolean {
  return (kinds.find(([name]) => name.test(key))?.[1] ?? isFilled)(value);
}

/** Whether the value is not empty, zero, a boolean or a word for nothing. */
function isFilled(value: string): boolean {
  return !/^(?:|\[_?\]|\{_?\}|0|none|null|~|false|no|n\/a|nil|true|yes)$/.test(value);
}
