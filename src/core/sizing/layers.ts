/**
 * Finds the layer of a program to which a file belongs, by its path. A repository's own rules come before the
 * built-in ones.
 */
import type { Config } from '../config/config.ts';
import { matchName } from '../guard/paths.ts';
import { normalisePath } from '../task/task.ts';

export const layers = ['data', 'business', 'presentation', 'tests', 'config'] as const;
export type Layer = (typeof layers)[number];

/**
 * A change across these layers is cross-cutting. They are in the order in which each builds on the one
 * before.
 */
export const stackedLayers: readonly Layer[] = ['data', 'business', 'presentation'];

export interface LayerRule {
  readonly layer: Layer;
  /**
   * `db/queries` (with a slash): that directory, from the root. `*.sql`: a file name. `models`: a directory
   * of that name anywhere, or the last word of a file name (`user-model.ts`, `UserModel.java`).
   */
  readonly patterns: readonly string[];
}

/** Splits a table of words at spaces, which keeps the tables readable. */
function words(table: string): string[] {
  return table.trim().split(/\s+/);
}

const surely: readonly LayerRule[] = [
  { layer: 'tests', patterns: words('*.test.* *.spec.* *_test.* test_* conftest.py *.snap') },
  {
    layer: 'config',
    patterns: words(`
      Dockerfile* Makefile package.json tsconfig*.json *.config.* *.lock .env* go.mod Cargo.toml
      pyproject.toml *.tf
    `),
  },
  { layer: 'data', patterns: words('*.sql *.prisma') },
  {
    layer: 'presentation',
    patterns: words(`
      *.css *.scss *.less *.html *.vue *.svelte *.tsx *.jsx *.erb *.hbs
    `),
  },
];

const byWord: readonly LayerRule[] = [
  { layer: 'tests', patterns: words('test tests spec specs __tests__ e2e fixtures __mocks__') },
  {
    layer: 'data',
    patterns: words(`
      db database data model models entity entities migration migrations migrate schema schemas
      repository repositories persistence store stores storage dao orm sql prisma queries query seeds
    `),
  },
  {
    layer: 'business',
    patterns: words(`
      service services domain core logic usecase usecases use-cases business workflow workflows job
      jobs worker workers rules policy policies engine manager managers processor calculator validator
      validators
    `),
  },
  {
    layer: 'presentation',
    patterns: words(`
      ui view views component components page pages screen screens template templates controller
      controllers route routes router api graphql resolvers frontend client web public styles layouts
      widgets cli
    `),
  },
  {
    layer: 'config',
    patterns: words(`
      config configs settings .github deploy infra terraform docker helm ci
    `),
  },
];

const otherwise: readonly LayerRule[] = [
  { layer: 'config', patterns: words('*.json *.yml *.yaml *.toml *.ini') },
];

/** Undefined when no rule matches the path. */
export function layerOf(path: string, own: readonly LayerRule[] = []): Layer | undefined {
  const segments = normalisePath(path).split('/');
  const name = segments.at(-1)!;
  const directories = segments.slice(0, -1);
  const last = lastWord(name);
  return (
    own.find((rule) => rule.patterns.some((pattern) => fits(pattern, segments)))?.layer ??
    byName(surely, name) ??
    (directories.some((directory) => byNamedWord(directory) === 'tests') ? 'tests' : undefined) ??
    byNamedWord(last) ??
    directories
      .toReversed()
      .map(byNamedWord)
      .find((layer) => layer !== undefined) ??
    byName(otherwise, name)
  );
}

function byName(rules: readonly LayerRule[], name: string): Layer | undefined {
  return rules.find((rule) => rule.patterns.some((pattern) => matchName(pattern, name)))?.layer;
}

const layerOfWord = new Map(
  byWord.flatMap(({ layer, patterns }) => patterns.map((word) => [word, layer] as const)),
);

function byNamedWord(word: string): Layer | undefined {
  return layerOfWord.get(word.toLowerCase());
}

function fits(pattern: string, segments: readonly string[]): boolean {
  if (pattern.includes('/')) {
    const wanted = normalisePath(pattern.replace(/\/\*\*?$/, '')).split('/');
    return wanted.length <= segments.length && wanted.every((part, i) => matchName(part, segments[i]!));
  }
  const name = segments.at(-1)!;
  if (pattern.includes('*')) return matchName(pattern, name);
  const word = pattern.toLowerCase();
  return segments.some((segment) => segment.toLowerCase() === word) || lastWord(name) === word;
}

/** `user-service.ts`, `user_service.rb` and `UserService.java` end in `service`. */
function lastWord(name: string): string {
  const stem = name.includes('.') && !name.startsWith('.') ? name.slice(0, name.indexOf('.')) : name;
  return stem
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .split(/[-_]/)
    .at(-1)!
    .toLowerCase();
}

/**
 * Repositories can choose the names of their layers. Unknown names are mapped by their order: the first is
 * data, the last is presentation, and those between are business.
 */
export function layerRulesOf(configured: Config['complexity_layers']): LayerRule[] {
  const names = Object.keys(configured).filter((name) => !isOther(name));
  return Object.entries(configured).map(([name, patterns]) => ({ layer: layerNamed(name, names), patterns }));
}

function isOther(name: string): boolean {
  return name === 'tests' || name === 'config';
}

function layerNamed(name: string, inOrder: readonly string[]): Layer {
  const own = layers.find((layer) => layer === name);
  if (own) return own;
  const at = inOrder.indexOf(name);
  if (at === 0) return stackedLayers[0]!;
  return at === inOrder.length - 1 ? stackedLayers[2]! : stackedLayers[1]!;
}
