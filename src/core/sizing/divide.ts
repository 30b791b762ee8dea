/** Divides a task's files and criteria by layer, directory or criterion, until every part is easy enough. */

import { compareText, groupBy } from '../shape.ts';
import { normalisePaths, type Task } from '../task/task.ts';
import { type Layer, type LayerRule, layerOf, stackedLayers } from './layers.ts';
import type { Score, ScoreComponent } from './score.ts';

export type Strategy = 'files' | 'layers' | 'criteria';

export interface Part {
  readonly create: readonly string[];
  readonly modify: readonly string[];
  readonly tests: readonly string[];
  readonly criteria: readonly string[];
  /** Set when the part belongs to exactly one layer. */
  readonly layer?: Layer;
}

export interface DivideRules {
  readonly scoreOf: (part: Part) => Score;
  readonly threshold: number;
  readonly layerRules: readonly LayerRule[];
}

interface Scored {
  readonly part: Part;
  readonly score: Score;
}

const strategyFor: Readonly<Record<ScoreComponent, Strategy>> = {
  file_scope: 'files',
  cross_file_deps: 'layers',
  semantic_complexity: 'criteria',
  requirement_uncertainty: 'criteria',
  token_penalty: 'files',
};

export function wholePart(task: Task): Part {
  const create = normalisePaths(task.files_to_create);
  const modify = normalisePaths(task.files_to_modify).filter((file) => !create.includes(file));
  const declared = new Set([...create, ...modify]);
  const tests = normalisePaths(task.test_files).filter((file) => !declared.has(file));
  return { create, modify, tests, criteria: [...new Set(task.acceptance_criteria)] };
}

/**
 * Undefined when no strategy makes every part easier. Tries the strategy for the dominant component first.
 */
export function divide(whole: Scored, rules: DivideRules): { parts: Part[]; strategy: Strategy } | undefined {
  const preferred = strategyFor[whole.score.dominant];
  const strategies = new Set<Strategy>([preferred, 'layers', 'files', 'criteria']);
  for (const strategy of strategies) {
    const parts = apply(strategy, whole, rules).map((part) => ({ part, score: rules.scoreOf(part) }));
    if (parts.length < 2 || parts.some(({ score }) => score.total >= whole.score.total)) continue;
    return { parts: parts.flatMap((scored) => furtherParts(scored, rules)), strategy };
  }
  return undefined;
}

function furtherParts(scored: Scored, rules: DivideRules): Part[] {
  if (scored.score.total <= rules.threshold) return [scored.part];
  return divide(scored, rules)?.parts ?? [scored.part];
}

function apply(strategy: Strategy, { part, score }: Scored, rules: DivideRules): Part[] {
  const count = Math.max(2, Math.ceil(score.total / rules.threshold));
  switch (strategy) {
    case 'files':
      return byFiles(part, count);
    case 'layers':
      return byLayers(part, rules.layerRules);
    case 'criteria':
      return byCriteria(part, count);
  }
}

/** Keeps file_scope alone below the built-in threshold. */
const filesPerPartMax = 8;

/** Keeps the files of a directory together, unless there are too many. */
function byFiles(part: Part, atLeast: number): Part[] {
  const files = filesOf(part);
  if (files.length < 2) return [];
  const size = Math.min(filesPerPartMax, Math.ceil(files.length / atLeast));
  const groups: string[][] = [[]];
  for (const together of groupBy(files.toSorted(byDirectory), directoryOf).values()) {
    if (groups.at(-1)!.length > 0 && groups.at(-1)!.length + together.length > size) groups.push([]);
    for (const file of together) {
      if (groups.at(-1)!.length >= size) groups.push([]);
      groups.at(-1)!.push(file);
    }
  }
  return distribute(
    part,
    groups.map((files) => ({ files })),
  );
}

function byLayers(part: Part, layerRules: readonly LayerRule[]): Part[] {
  const byLayer = groupBy(filesOf(part), (file) => layerOf(file, layerRules));
  const found = stackedLayers.filter((layer) => byLayer.has(layer));
  if (found.length < 2) return [];
  const rest = [...byLayer].flatMap(([layer, files]) => (found.some((one) => one === layer) ? [] : files));
  const subjects = found.map((layer) => subjectOf(byLayer.get(layer)!));
  const joined = assign(rest, subjects, fileAffinity, 'first');
  return distribute(
    part,
    found.map((layer, at) => ({ layer, files: [...byLayer.get(layer)!, ...joined[at]!] })),
  );
}

/**
 * Divides by criteria. A file that the criteria of only one part name belongs to that part. All parts share
 * the others: the first part creates them, and the later ones modify them.
 */
function byCriteria(part: Part, count: number): Part[] {
  const { criteria } = part;
  if (criteria.length < 2) return [];
  const size = Math.ceil(criteria.length / Math.min(count, criteria.length));
  const chunks: string[][] = [];
  for (let at = 0; at < criteria.length; at += size) chunks.push(criteria.slice(at, at + size));
  const subjects = chunks.map((chunk) => subjectOf(chunk));
  const tests = assign(part.tests, subjects, nameAffinity, 'last');
  const owners = new Map(filesOf(part).map((file) => [file, onlyNamedBy(file, subjects)]));
  const owned = (file: string, at: number) => (owners.get(file) ?? at) === at;
  const made = (file: string, at: number) => (owners.get(file) ?? 0) === at;
  return chunks.map((chunk, at) => ({
    create: part.create.filter((file) => made(file, at)),
    modify: [...part.modify, ...part.create.filter((file) => !made(file, at))].filter((file) =>
      owned(file, at),
    ),
    tests: tests[at]!,
    criteria: chunk,
  }));
}

function onlyNamedBy(file: string, subjects: readonly Subject[]): number | undefined {
  const named = [...subjects.keys()].filter((at) => nameAffinity(file, subjects[at]!) > 0);
  return named.length === 1 ? named[0] : undefined;
}

interface FileGroup {
  readonly files: readonly string[];
  readonly layer?: Layer;
}

/**
 * Puts criteria and tests with the files that they mention. Those that mention no file go to the last part.
 */
function distribute(part: Part, groups: readonly FileGroup[]): Part[] {
  const subjects = groups.map(({ files, layer }) => subjectOf(files, layer));
  const criteria = assign(part.criteria, subjects, criterionAffinity, 'last');
  const tests = assign(part.tests, subjects, fileAffinity, 'last');
  const created = new Set(part.create);
  return groups.map(({ files, layer }, at) => ({
    create: files.filter((file) => created.has(file)),
    modify: files.filter((file) => !created.has(file)),
    tests: tests[at]!,
    criteria: criteria[at]!,
    ...(layer === undefined ? {} : { layer }),
  }));
}

/**
 * Assigns each item to its closest group, the first one if equal. `without`: the group for items close to
 * none.
 */
function assign<T, G>(
  items: readonly T[],
  groups: readonly G[],
  near: (item: T, group: G) => number,
  without: 'first' | 'last',
) {
  const assigned: T[][] = groups.map(() => []);
  for (const item of items) {
    const scores = groups.map((group) => near(item, group));
    const best = Math.max(...scores);
    const at = best > 0 ? scores.indexOf(best) : without === 'first' ? 0 : groups.length - 1;
    assigned[at]!.push(item);
  }
  return assigned;
}

function filesOf(part: Part): string[] {
  return [...part.create, ...part.modify];
}

function directoryOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

function byDirectory(a: string, b: string): number {
  return compareText(directoryOf(a), directoryOf(b)) || compareText(a, b);
}

interface Subject {
  /** Names of its files as written. */
  readonly names: readonly string[];
  readonly words: ReadonlySet<string>;
  /** Words that people use for its layer. */
  readonly talk: ReadonlySet<string>;
}

function subjectOf(texts: readonly string[], layer?: Layer): Subject {
  const names = texts.flatMap((text) => (/\s/.test(text) ? [] : [text.slice(text.lastIndexOf('/') + 1)]));
  return {
    names,
    words: wordsOf(texts.join(' ')),
    talk: wordsOf(layer === undefined ? '' : layerTalk[layer]),
  };
}

/** A named file outweighs all words in common. */
function criterionAffinity(criterion: string, { names, words, talk }: Subject): number {
  const own = wordsOf(criterion);
  const named = names.filter((name) => criterion.includes(name)).length;
  return named * 100 + common(own, talk) * 2 + common(own, words);
}

function fileAffinity(file: string, { words }: Subject): number {
  return common(wordsOf(file), words);
}

/** Compares only the file's name, not its directories. */
function nameAffinity(file: string, { words }: Subject): number {
  return common(wordsOf(file.slice(file.lastIndexOf('/') + 1)), words);
}

/** Words that people use for each layer. */
const layerTalk: Readonly<Record<Layer, string>> = {
  data: `
    table column database schema persisted stored saved row rows record records query queries migration
    index indexed constraint unique
  `,
  business: `
    rule rules calculated computed validated validates rejected rejects applied limit policy logic
    algorithm retried scheduled service
  `,
  presentation: `
    page button form screen shown shows displayed displays sees see click clicks list menu dialog
    endpoint response renders layout message
  `,
  tests: 'test tests coverage',
  config: 'setting configuration environment deployed',
};

/** Too common in paths and sentences to mean anything. */
const empty = new Set(
  'src lib app index the and for with test tests spec js ts tsx py rb go are can from that this not'.split(
    ' ',
  ),
);

function wordsOf(text: string): Set<string> {
  const spaced = text.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase();
  const found = spaced.match(/[\p{L}\p{N}]{3,}/gu) ?? [];
  return new Set(found.map(singular).filter((word) => !empty.has(word)));
}

function singular(word: string): string {
  return word.length > 4 && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word;
}

function common(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let count = 0;
  for (const word of a) if (b.has(word)) count++;
  return count;
}
