/**
 * Learns the weights of words by which a review's approval is doubted, and writes src/core/review/words/doubt-weights.ts:
 *
 *     node test/core/reviews/train.mjs            learn and write
 *     node test/core/reviews/train.mjs --without  how each set of texts is read by what was learned from the others
 *
 * Two things are learned. Of a sentence: a text that is no approval holds at least one that gives it away, and nobody
 * said which, so the chance that it is none is that of any of its sentences (noisy-or), and what is learned finds the
 * sentence too. Of a text: the plain logistic regression of all its signs. The texts of held-out.json and
 * blind-second.txt are never learned from.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const here = new URL('.', import.meta.url);
const root = new URL('../../../', here);
const target = new URL('src/core/review/words/doubt-weights.ts', root);
const signsMax = 7000;
const passes = 250;
const sureMargin = 1.2;

const margin = 0.4;
/** A sentence is doubted a little sooner than the texts that were learned from ask for. */
const caution = 0.3;
const rounds = 30;
const rate = 0.07;
const decay = 0.003;

const reader = await load();

async function load() {
  const outfile = join(tmpdir(), `gza-train-${process.pid}.cjs`);
  const entry = `export { saidIn, signsOf } from './said.ts';
    export { allowanceOf, countOf, hardFrom, lengthOf, softFrom, wholeFrom, wholeSignsMin } from './doubts.ts';
    export { readMarkdown } from '../../markdown/markdown-lines.ts';
    export { verdictTable } from '../../../../test/core/verdict-table.ts';
    export { verdictLinesOf, verdictOf } from '../parse-verdict.ts';`;
  await build({
    stdin: { contents: entry, resolveDir: new URL('src/core/review/words', root).pathname, loader: 'ts' },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    outfile,
    logLevel: 'error',
  });
  return (await import(pathToFileURL(outfile).href)).default;
}

function sectionsOf(file) {
  return readFileSync(new URL(file, here), 'utf8')
    .split(/^=== /m)
    .slice(1)
    .map((part) => ({
      kind: part.slice(0, part.indexOf('\n')),
      text: part.slice(part.indexOf('\n') + 1).trim(),
    }));
}

const json = (file) => JSON.parse(readFileSync(new URL(file, here), 'utf8'));
const jsonLines = (file) =>
  readFileSync(new URL(file, here), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

/** What no second answer undoes. */
const sure = new Set(['condition', 'blocker', 'severity', 'mind', 'data']);

/** Sets that were written together, so that none is judged by its own kind. */
function readSets() {
  const of = (texts, isClean) =>
    texts.map((one) => ({ text: one.text, isClean: isClean(one), isSure: sure.has(one.kind) }));
  return {
    known: [
      ...of(sectionsOf('approved.txt'), () => true),
      ...of(sectionsOf('in-doubt.txt'), () => false),
      ...of(sectionsOf('changes-requested.txt'), () => false),
      ...of(reader.verdictTable, ({ expected }) => expected === 'APPROVED'),
    ],
    'clean and hostile': [
      ...of(sectionsOf('clean.txt'), () => true),
      ...of(sectionsOf('hostile.txt'), () => false),
    ],
    prose: of(sectionsOf('prose.txt'), ({ kind }) => kind === 'clean'),
    blind: of(json('blind.json'), ({ careful }) => careful === 'APPROVED'),
    styles: of(json('blind-styles.json'), ({ careful }) => careful === 'APPROVED'),
    kinds: of(json('blind-kinds.json'), (one) => one.class === 'clean'),
    'blind, third': of(jsonLines('blind-third.jsonl'), (one) => one.class === 'clean'),
    'blind, fourth': of(jsonLines('blind-fourth.jsonl'), (one) => one.class === 'clean'),
    'held out': of(json('held-out.json'), (one) => one.class === 'clean'),
    'blind, second': of(sectionsOf('blind-second.txt'), ({ kind }) => kind === 'clean'),
  };
}

const neverLearned = ['held out', 'blind, second'];

function readStatements() {
  return readFileSync(new URL('statements.txt', here), 'utf8')
    .split('\n')
    .filter((line) => /^(?:ok|no): /.test(line))
    .map((line) => ({ text: line.slice(4).replaceAll(' ⏎ ', '\n'), isClean: line.startsWith('ok') }));
}

function withSigns(one) {
  const markdown = reader.readMarkdown(one.text);
  const said = reader.saidIn(markdown.lines, reader.verdictLinesOf(markdown));
  const parts = said.flatMap((sentence) => reader.signsOf(sentence));
  return { ...one, count: said.length, parts, times: timesIn(parts) };
}

function timesIn(parts) {
  const times = new Map();
  for (const sign of parts.flat()) times.set(sign, (times.get(sign) ?? 0) + 1);
  return times;
}

/** Whether all but the words would let it pass: the others teach nothing about words. */
function isApprovedByForm(text) {
  const reading = reader.verdictOf(reader.readMarkdown(text));
  if (reading.kind === 'verdict') return reading.verdict === 'APPROVED';
  return (
    reading.kind === 'contradiction' &&
    reading.doubts?.every(({ what }) => /^(?:may speak|speaks) against it/.test(what)) === true
  );
}

function learn(texts, keep = null) {
  const counts = new Map();
  for (const { parts } of texts) {
    for (const sign of new Set(parts.flat())) counts.set(sign, (counts.get(sign) ?? 0) + 1);
  }
  const names = [...counts]
    .filter(([sign, count]) => count > 1 && (keep?.has(sign) ?? true))
    .map(([sign]) => sign);
  const ids = new Map(names.map((sign, id) => [sign, id]));
  const data = texts.map(({ isClean, parts, count }) => ({
    isClean,

    allowance: reader.allowanceOf(count),
    parts: parts.map((signs) => signs.flatMap((sign) => ids.get(sign) ?? [])),
  }));
  const state = {
    weights: new Float64Array(names.length),
    squares: new Float64Array(names.length).fill(1e-3),
    bias: -2,
    biasSquares: 1e-3,
  };
  const random = randomFrom(7);
  for (let round = 0; round < rounds; round += 1) {
    shuffle(data, random);
    for (const one of data) step(state, one);
    for (let id = 0; id < names.length; id += 1) state.weights[id] *= 1 - decay * rate * 10;
  }
  const weights = names.map((sign, id) => [sign, state.weights[id]]);
  if (keep !== null) return { weights: new Map(weights), bias: state.bias };
  const most = weights.sort((a, b) => Math.abs(b[1]) - Math.abs(a[1])).slice(0, signsMax);
  const kept = new Set(most.map(([sign]) => sign));
  return mended(learn(texts, kept), texts);
}

/** What is still read wrongly is put right by the least change of the weights of its most doubtful sentence. */
function mended({ weights, bias }, texts) {
  for (let pass = 0; pass < passes; pass += 1) {
    let wrong = 0;
    for (const one of texts) {
      const least = one.isSure ? reader.hardFrom + sureMargin : reader.softFrom + caution + margin;
      const most = reader.softFrom + caution - margin;
      for (const { score, signs } of sentencesOf({ weights, bias }, one).slice(0, one.isClean ? 99 : 1)) {
        const gap = one.isClean ? Math.min(0, most - score) : Math.max(0, least - score);
        const known = signs.filter((sign) => weights.has(sign));
        if (gap === 0 || known.length === 0) continue;
        wrong += 1;
        for (const sign of known) weights.set(sign, weights.get(sign) + gap / known.length);
      }
    }
    if (wrong === 0) break;
  }
  return { weights, bias };
}

/** With their scores, the most doubtful first. */
function sentencesOf({ weights, bias }, { parts, count }) {
  const allowance = reader.allowanceOf(count);
  return parts
    .map((signs) => ({
      signs,
      score: signs.reduce((sum, sign) => sum + (weights.get(sign) ?? 0), bias) - allowance,
    }))
    .sort((a, b) => b.score - a.score);
}

function step(state, { isClean, parts, allowance }) {
  const chances = parts.map(
    (ids) => 1 / (1 + Math.exp(allowance - ids.reduce((sum, id) => sum + state.weights[id], state.bias))),
  );
  const none = Math.exp(chances.reduce((sum, chance) => sum + Math.log(Math.max(1e-12, 1 - chance)), 0));
  for (const [at, ids] of parts.entries()) {
    const chance = chances[at] ?? 0;
    const slope = isClean ? chance : -(none / Math.max(1e-9, 1 - none)) * chance;
    if (Math.abs(slope) < 1e-5) continue;
    state.biasSquares += slope * slope;
    state.bias -= (rate * slope) / Math.sqrt(state.biasSquares);
    for (const id of ids) {
      const whole = slope + decay * state.weights[id];
      state.squares[id] += whole * whole;
      state.weights[id] -= (rate * whole) / Math.sqrt(state.squares[id]);
    }
  }
}

/** The same in each run. */
function randomFrom(seed) {
  let state = seed;
  return () => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return state / 2147483648;
  };
}

function shuffle(list, random) {
  for (let at = list.length - 1; at > 0; at -= 1) {
    const other = Math.floor(random() * (at + 1));
    [list[at], list[other]] = [list[other], list[at]];
  }
}

function scoreOf(learned, one) {
  return sentencesOf(learned, one)[0]?.score ?? -99;
}

const sets = Object.fromEntries(
  Object.entries(readSets()).map(([name, texts]) => [
    name,
    texts.map((one) => ({ ...withSigns(one), isApproved: isApprovedByForm(one.text) })),
  ]),
);
const statements = readStatements().map(withSigns);

const wholeSignsMax = 9000;
const wholeRounds = 100;
const wholeRate = 6;
const wholeDecay = 1e-6;

/** `keep`: only these signs. A rare one, and one that leans to a side, counts more from the start. */
function learnWhole(data, keep = null) {
  const found = new Map();
  const [clean, not] = [data.filter(({ isClean }) => isClean), data.filter(({ isClean }) => !isClean)];
  for (const { isClean, times } of data) {
    for (const sign of times.keys()) {
      const counts = found.get(sign) ?? [0, 0];
      counts[isClean ? 0 : 1] += 1;
      found.set(sign, counts);
    }
  }
  const names = [...found]
    .filter(([sign, [a, b]]) => a + b > 1 && (keep?.has(sign) ?? true))
    .map(([sign]) => sign);
  const scale = names.map((sign) => {
    const [inClean, inNot] = found.get(sign);
    const rarity = Math.log(data.length / (inClean + inNot)) / 3;
    const lean = Math.abs(Math.log((inNot + 1) / (not.length + 2) / ((inClean + 1) / (clean.length + 2))));
    return rarity * (0.5 + 0.5 * lean);
  });
  const idOf = new Map(names.map((sign, id) => [sign, id]));
  const rows = data.map(({ isClean, times }) => {
    const length = reader.lengthOf(times.values()) * 4;
    const row = [];
    for (const [sign, count] of times) {
      const id = idOf.get(sign);
      if (id !== undefined) row.push([id, (scale[id] * reader.countOf(count)) / length]);
    }
    return { aim: isClean ? 0 : 1, row };
  });
  const weights = new Float64Array(names.length);
  const random = randomFrom(3);
  let [bias, shrink] = [0, 1];
  for (let at = 0; at < wholeRounds * rows.length; at += 1) {
    const { aim, row } = rows[Math.floor(random() * rows.length)];
    const step = wholeRate / (1 + at / rows.length / 2);
    let sum = 0;
    for (const [id, value] of row) sum += weights[id] * value;
    const slope = 1 / (1 + Math.exp(-(bias + sum * shrink))) - aim;
    shrink *= 1 - step * wholeDecay;
    for (const [id, value] of row) weights[id] -= (step * slope * value) / shrink;
    bias -= step * 0.1 * slope;
  }
  const all = names.map((sign, id) => [sign, (weights[id] * shrink * scale[id]) / 4]);
  if (keep !== null) return { weights: new Map(all), bias };
  const most = all.sort((a, b) => Math.abs(b[1]) - Math.abs(a[1])).slice(0, wholeSignsMax);
  return learnWhole(data, new Set(most.map(([sign]) => sign)));
}

function wholeScoreOf({ weights, bias }, { times }) {
  let sum = 0;
  for (const [sign, count] of times) sum += (weights.get(sign) ?? 0) * reader.countOf(count);
  return times.size < reader.wholeSignsMin ? -99 : bias + sum / reader.lengthOf(times.values());
}

function learnAll(names) {
  const texts = Object.entries(sets)
    .flatMap(([name, list]) => (names.includes(name) ? [] : list))
    .filter(({ isClean, isApproved }) => isClean || isApproved);
  return { sentence: learn([...texts, ...statements]), whole: learnWhole(texts) };
}

/** Approvals that are asked about, and others that are read as one: by what was learned from the other sets, and by all. */
function compare() {
  const all = learnAll(neverLearned);
  for (const [name, texts] of Object.entries(sets)) {
    const without = neverLearned.includes(name) ? all : learnAll([...neverLearned, name]);
    const cells = [without, all].map(({ sentence, whole }) => {
      const passes = (one) =>
        one.isApproved &&
        scoreOf(sentence, one) <= reader.softFrom &&
        wholeScoreOf(whole, one) <= reader.wholeFrom;
      const [clean, not] = [texts.filter(({ isClean }) => isClean), texts.filter(({ isClean }) => !isClean)];
      const asked = clean.filter((one) => !passes(one)).length;
      return `asked ${asked}/${clean.length} leaked ${not.filter(passes).length}/${not.length}`.padEnd(34);
    });
    console.log(name.padEnd(20), ...cells);
  }
}

function print({ sentence, whole }) {
  return `/** Learned by test/core/reviews/train.mjs. Each line: twentieths, and the signs (said.ts) that weigh so much; above 0 speaks against an approval. */

export const sentenceBias = ${sentence.bias.toFixed(2)};

export const sentenceWeights = \`
${linesOf(sentence)}
\`;

export const wholeBias = ${whole.bias.toFixed(2)};

export const wholeWeights = \`
${linesOf(whole)}
\`;
`;
}

function linesOf({ weights }) {
  const byWeight = new Map();
  for (const [sign, weight] of weights) {
    const level = Math.round(weight * 20);
    if (level !== 0) byWeight.set(level, [...(byWeight.get(level) ?? []), sign]);
  }
  return [...byWeight]
    .sort(([a], [b]) => b - a)
    .flatMap(([level, signs]) => wrapped(level, signs.sort()))
    .join('\n');
}

function wrapped(level, signs) {
  const lines = [];
  for (const sign of signs) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + sign.length < 1000) lines[lines.length - 1] = `${last};${sign}`;
    else lines.push(`${level}=${sign}`);
  }
  return lines;
}

if (process.argv.includes('--without')) compare();
else {
  const learned = learnAll(neverLearned);
  writeFileSync(target, print(learned));
  console.log(`${learned.sentence.weights.size + learned.whole.weights.size} signs written`);
}
