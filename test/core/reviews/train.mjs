/**
 * Learns the weights of words by which a review's approval is doubted, and writes src/core/review/words/doubt-weights.ts:
 *
 *     node test/core/reviews/train.mjs            learn and write
 *     node test/core/reviews/train.mjs --without  how each set of texts is read by what was learned from the others
 *
 * A text that is no approval holds at least one sentence that gives it away, and nobody said which: so the chance
 * that it is none is that of any of its sentences (noisy-or), and what is learned finds the sentence too. The texts
 * of held-out.json and blind-second.txt are never learned from.
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
const passes = 4;

const margin = 0.4;
/** A sentence is doubted a little sooner than the texts that were learned from ask for. */
const caution = 0.3;
const rounds = 30;
const rate = 0.07;
const decay = 0.003;

const reader = await load();
let ids = 0;

async function load() {
  const outfile = join(tmpdir(), `gza-train-${process.pid}.cjs`);
  const entry = `export { saidIn, signsOf } from './said.ts';
    export { allowanceOf, hardFrom, softFrom } from './doubts.ts';
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
  ids += 1;
  return { ...one, id: ids, count: said.length, parts: said.flatMap((sentence) => reader.signsOf(sentence)) };
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

function learn(texts, keep = null, weightOf = () => 1) {
  const counts = new Map();
  for (const { parts } of texts) {
    for (const sign of new Set(parts.flat())) counts.set(sign, (counts.get(sign) ?? 0) + 1);
  }
  const names = [...counts]
    .filter(([sign, count]) => count > 1 && (keep?.has(sign) ?? true))
    .map(([sign]) => sign);
  const ids = new Map(names.map((sign, id) => [sign, id]));
  const data = texts.map(({ isClean, parts, count, id }) => ({
    isClean,
    weight: weightOf(id),
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
  const emphasis = new Map();
  let learned = learn(texts, kept);
  for (let pass = 0; pass < passes; pass += 1) {
    for (const one of texts) {
      const score = scoreOf(learned, one);
      const least = one.isSure ? reader.hardFrom + 0.5 : reader.softFrom + caution;
      if (one.isClean ? score > reader.softFrom + caution - margin : score < least + margin)
        emphasis.set(one.id, (emphasis.get(one.id) ?? 1) * 2);
    }
    learned = learn(texts, kept, (id) => emphasis.get(id) ?? 1);
  }
  return learned;
}

function step(state, { isClean, parts, allowance, weight }) {
  const chances = parts.map(
    (ids) => 1 / (1 + Math.exp(allowance - ids.reduce((sum, id) => sum + state.weights[id], state.bias))),
  );
  const none = Math.exp(chances.reduce((sum, chance) => sum + Math.log(Math.max(1e-12, 1 - chance)), 0));
  for (const [at, ids] of parts.entries()) {
    const chance = chances[at] ?? 0;
    const slope = weight * (isClean ? chance : -(none / Math.max(1e-9, 1 - none)) * chance);
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

function scoreOf({ weights, bias }, { parts, count }) {
  const sums = parts.map((signs) => signs.reduce((sum, sign) => sum + (weights.get(sign) ?? 0), bias));
  return Math.max(-99, ...sums) - reader.allowanceOf(count);
}

const sets = Object.fromEntries(
  Object.entries(readSets()).map(([name, texts]) => [
    name,
    texts.map((one) => ({ ...withSigns(one), isApproved: isApprovedByForm(one.text) })),
  ]),
);
const statements = readStatements().map(withSigns);

function learnWithout(names) {
  const texts = Object.entries(sets).flatMap(([name, list]) => (names.includes(name) ? [] : list));
  return learn([...texts.filter(({ isClean, isApproved }) => isClean || isApproved), ...statements]);
}

function compare(limits) {
  console.log('limit'.padEnd(16), limits.map((limit) => String(limit).padEnd(14)).join(''));
  for (const [name, texts] of Object.entries(sets)) {
    const learned = learnWithout([...neverLearned, name]);
    const scored = texts.map((one) => ({ ...one, score: scoreOf(learned, one) }));
    const cells = limits.map((limit) => {
      const asked = scored.filter((one) => one.isClean && !(one.isApproved && one.score <= limit)).length;
      const leaked = scored.filter((one) => !one.isClean && one.isApproved && one.score <= limit).length;
      const clean = scored.filter(({ isClean }) => isClean).length;
      return `${asked}/${clean} ${leaked}/${scored.length - clean}`.padEnd(14);
    });
    console.log(name.padEnd(16), cells.join(''));
  }
  const all = learnWithout(neverLearned);
  for (const [name, texts] of Object.entries(sets)) {
    const scored = texts.map((one) => ({ ...one, score: scoreOf(all, one) }));
    const cells = limits.map((limit) => {
      const asked = scored.filter((one) => one.isClean && !(one.isApproved && one.score <= limit)).length;
      const leaked = scored.filter((one) => !one.isClean && one.isApproved && one.score <= limit).length;
      return `${asked} ${leaked}`.padEnd(14);
    });
    console.log(name.padEnd(16), cells.join(''));
  }
}

function print({ weights, bias }) {
  const byWeight = new Map();
  for (const [sign, weight] of weights) {
    const level = Math.round(weight * 10);
    if (level !== 0) byWeight.set(level, [...(byWeight.get(level) ?? []), sign]);
  }
  const lines = [...byWeight]
    .sort(([a], [b]) => b - a)
    .flatMap(([level, signs]) => wrapped(level, signs.sort()));
  return `/** Learned by test/core/reviews/train.mjs. Each line: tenths, and the signs (said.ts) that weigh so much; above 0 speaks against an approval. */

export const bias = ${bias.toFixed(2)};

export const weightLines = \`
${lines.join('\n')}
\`;
`;
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

if (process.argv.includes('--without')) compare([-3, -2.5, -2, -1.5, -1, -0.5, 0]);
else {
  const learned = learnWithout(neverLearned);
  writeFileSync(target, print(learned));
  console.log(`${learned.weights.size} signs written`);
}
