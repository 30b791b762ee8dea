/** How much a criterion or a file has to do with a group of files: counted in common words. */
import type { Layer } from './layers.ts';

export interface Subject {
  readonly words: ReadonlySet<string>;
  /** What people say when they mean its layer. */
  readonly talk: ReadonlySet<string>;
}

export function subjectOf(texts: readonly string[], layer?: Layer): Subject {
  const talk = layer === undefined ? [] : layerTalk[layer].map(singular);
  return { words: wordsOf(texts.join(' ')), talk: new Set(talk) };
}

export function criterionAffinity(criterion: string, { words, talk }: Subject): number {
  const own = wordsOf(criterion);
  return common(own, talk) * 2 + common(own, words);
}

export function fileAffinity(file: string, { words }: Subject): number {
  return common(wordsOf(file), words);
}

/** By the file's name alone, not its directories. */
export function nameAffinity(file: string, { words }: Subject): number {
  return common(wordsOf(file.slice(file.lastIndexOf('/') + 1)), words);
}

const layerTalk: Readonly<Record<Layer, readonly string[]>> = {
  data: [
    'table',
    'column',
    'database',
    'schema',
    'persisted',
    'stored',
    'saved',
    'row',
    'rows',
    'record',
    'records',
    'query',
    'queries',
    'migration',
    'index',
    'indexed',
    'constraint',
    'unique',
  ],
  business: [
    'rule',
    'rules',
    'calculated',
    'computed',
    'validated',
    'validates',
    'rejected',
    'rejects',
    'applied',
    'limit',
    'policy',
    'logic',
    'algorithm',
    'retried',
    'scheduled',
    'service',
  ],
  presentation: [
    'page',
    'button',
    'form',
    'screen',
    'shown',
    'shows',
    'displayed',
    'displays',
    'sees',
    'see',
    'click',
    'clicks',
    'list',
    'menu',
    'dialog',
    'endpoint',
    'response',
    'renders',
    'layout',
    'message',
  ],
  tests: ['test', 'tests', 'coverage'],
  config: ['setting', 'configuration', 'environment', 'deployed'],
};

/** Too common in paths and sentences to mean anything. */
const empty = new Set([
  'src',
  'lib',
  'app',
  'index',
  'the',
  'and',
  'for',
  'with',
  'test',
  'tests',
  'spec',
  'js',
  'ts',
  'tsx',
  'py',
  'rb',
  'go',
  'are',
  'can',
  'from',
  'that',
  'this',
  'not',
]);

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
