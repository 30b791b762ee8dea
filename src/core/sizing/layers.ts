/**
 * Which layer of a program a file belongs to, told by its path. The rules are data; a repository puts its own
 * in front.
 */
import { normalisePath } from '../task/declared-files.ts';

export const layers = ['data', 'business', 'presentation', 'tests', 'config'] as const;
export type Layer = (typeof layers)[number];

/** The three that make a change cross-cutting, in the order in which work on them builds up. */
export const stackedLayers: readonly Layer[] = ['data', 'business', 'presentation'];

export interface LayerRule {
  readonly layer: Layer;
  /**
   * `db/queries` (with a slash): that directory, from the root. `*.sql`: a file name. `models`: a directory of
   * that name anywhere, or the last word of a file name (`user-model.ts`, `UserModel.java`).
   */
  readonly patterns: readonly string[];
}

const surely: readonly LayerRule[] = [
  { layer: 'tests', patterns: ['*.test.*', '*.spec.*', '*_test.*', 'test_*', 'conftest.py', '*.snap'] },
  {
    layer: 'config',
    patterns: [
      'Dockerfile*',
      'Makefile',
      'package.json',
      'tsconfig*.json',
      '*.config.*',
      '*.lock',
      '.env*',
      'go.mod',
      'Cargo.toml',
      'pyproject.toml',
      '*.tf',
    ],
  },
  { layer: 'data', patterns: ['*.sql', '*.prisma'] },
  {
    layer: 'presentation',
    patterns: [
      '*.css',
      '*.scss',
      '*.less',
      '*.html',
      '*.vue',
      '*.svelte',
      '*.tsx',
      '*.jsx',
      '*.erb',
      '*.hbs',
    ],
  },
];

const byWord: readonly LayerRule[] = [
  {
    layer: 'tests',
    patterns: ['test', 'tests', 'spec', 'specs', '__tests__', 'e2e', 'fixtures', '__mocks__'],
  },
  {
    layer: 'data',
    patterns: [
      'db',
      'database',
      'data',
      'model',
      'models',
      'entity',
      'entities',
      'migration',
      'migrations',
      'migrate',
      'schema',
      'schemas',
      'repository',
      'repositories',
      'persistence',
      'store',
      'stores',
      'storage',
      'dao',
      'orm',
      'sql',
      'prisma',
      'queries',
      'query',
      'seeds',
    ],
  },
  {
    layer: 'business',
    patterns: [
      'service',
      'services',
      'domain',
      'core',
      'logic',
      'usecase',
      'usecases',
      'use-cases',
      'business',
      'workflow',
      'workflows',
      'job',
      'jobs',
      'worker',
      'workers',
      'rules',
      'policy',
      'policies',
      'engine',
      'manager',
      'managers',
      'processor',
      'calculator',
      'validator',
      'validators',
    ],
  },
  {
    layer: 'presentation',
    patterns: [
      'ui',
      'view',
      'views',
      'component',
      'components',
      'page',
      'pages',
      'screen',
      'screens',
      'template',
      'templates',
      'controller',
      'controllers',
      'route',
      'routes',
      'router',
      'api',
      'graphql',
      'resolvers',
      'frontend',
      'client',
      'web',
      'public',
      'styles',
      'layouts',
      'widgets',
      'cli',
    ],
  },
  {
    layer: 'config',
    patterns: [
      'config',
      'configs',
      'settings',
      '.github',
      'deploy',
      'infra',
      'terraform',
      'docker',
      'helm',
      'ci',
    ],
  },
];

const otherwise: readonly LayerRule[] = [
  { layer: 'config', patterns: ['*.json', '*.yml', '*.yaml', '*.toml', '*.ini'] },
];

/** Undefined when no rule knows the path. */
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
  return rules.find((rule) => rule.patterns.some((pattern) => matches(pattern, name)))?.layer;
}

const words = new Map(
  byWord.flatMap(({ layer, patterns }) => patterns.map((word) => [word, layer] as const)),
);

function byNamedWord(word: string): Layer | undefined {
  return words.get(word.toLowerCase());
}

function fits(pattern: string, segments: readonly string[]): boolean {
  if (pattern.includes('/')) {
    const wanted = normalisePath(pattern.replace(/\/\*\*?$/, '')).split('/');
    return wanted.length <= segments.length && wanted.every((part, i) => matches(part, segments[i]!));
  }
  const name = segments.at(-1)!;
  if (pattern.includes('*')) return matches(pattern, name);
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

/** `*` stands for any characters. Greedy with one step back, so linear in practice and never exponential. */
function matches(pattern: string, name: string): boolean {
  let p = 0;
  let n = 0;
  let star = -1;
  let retry = 0;
  while (n < name.length) {
    if (pattern[p] === '*') {
      star = p++;
      retry = n;
    } else if (p < pattern.length && pattern[p] === name[n]) {
      p++;
      n++;
    } else if (star >= 0) {
      p = star + 1;
      n = ++retry;
    } else return false;
  }
  while (pattern[p] === '*') p++;
  return p === pattern.length;
}
