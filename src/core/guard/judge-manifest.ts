/**
 * Judges manifests and lock files: where packages come from, and what they run. Compares the whole text
 * before and after, because a patch does not show which key a changed line belongs to. Only new entries
 * count, so a team's own registry, which its files already name, raises no objection.
 */
import { isRecord } from '../shape.ts';
import { type FileKind, fileKinds, fileRows } from './file-classes.ts';
import type { GuardRule, Objection } from './guard-patch.ts';
import { compileGlobs, foldPath, type Matcher, pathLengthMax } from './paths.ts';

export interface ManifestChange {
  readonly path: string;
  /** Null where the file is not there. */
  readonly before: string | null;
  readonly after: string | null;
}

/** Patterns are matched against this many characters of a line, which bounds their time. */
const lineMax = 1_000;
const linesMax = 20_000;

type Found = Pick<Objection, 'rule' | 'action' | 'why'>;

/** Larger files wait for a person without being read. */
export const manifestBytesMax = 8 << 20;

const found = (rule: GuardRule, action: 'wait' | 'name', why: string): Found => ({ rule, action, why });
const kind = (of: FileKind, action: 'wait' | 'name', what: string) =>
  found(of, action, `${what}: ${fileKinds[of]}`);

interface JsonRule {
  readonly files: string;
  /** Keys from the top, `*` for any. */
  readonly keys: string;
  readonly judge: (what: string, value: unknown) => Found | null;
}

const lifecycle =
  /^(?:pre|post)?(?:install|prepare|pack|publish|uninstall|version)$|^prepublishOnly$|^dependencies$/;
const elsewhere =
  /^(?:git|ssh|https?|ftp|github|gitlab|bitbucket|gist|exec)\b[+:]|^[\w.-]+\/[\w.-]+(?:#|$)|@.*:.*\//i;
/** Options that make a check test nothing, or ignore failures. */
const toothless =
  /--collect-only|--co\b|pass-?with-?no-?tests|--list-?tests|--dry-run|--exit-zero|--suppress-tests|skipTests|maven\.test\.(?:skip|failure\.ignore)|ignoreFailures|continue-on-error|(?:test|check|lint|verify|jest|tsc|build|audit)[^\n]{0,80}(?:\|\||;)\s*(?:true|:|exit 0|echo)/i;
const runsOnInstall = (what: string) => found('lifecycle', 'wait', `${what} runs, or may run, on install`);
const fromElsewhere = (what: string, value: unknown) => {
  if (typeof value !== 'string') return null;
  if (elsewhere.test(value.slice(0, 500))) return kind('registry', 'wait', what);
  return /^npm:/i.test(value) ? kind('dependencies', 'name', `${what} is another package`) : null;
};
const judged = (of: FileKind, action: 'wait' | 'name') => (what: string) => kind(of, action, what);

const jsonRules: readonly JsonRule[] = [
  {
    files: '**/package.json',
    keys: 'scripts.*',
    judge: (what, value) =>
      lifecycle.test(what.replace('scripts.', ''))
        ? runsOnInstall(what)
        : kind('checks', toothless.test(String(value).slice(0, lineMax)) ? 'wait' : 'name', what),
  },
  ...['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies', 'resolutions'].map(
    (keys): JsonRule => ({ files: '**/package.json', keys: `${keys}.*`, judge: fromElsewhere }),
  ),
  ...['overrides.**', 'pnpm.overrides.**', 'catalog.*'].map(
    (keys): JsonRule => ({ files: '**/package.json', keys, judge: fromElsewhere }),
  ),
  ...[
    'gypfile',
    'trustedDependencies',
    'allowScripts',
    'dependenciesMeta',
    'pnpm.onlyBuiltDependencies',
    'pnpm.neverBuiltDependencies',
    'pnpm.allowBuilds',
    'pnpm.dangerouslyAllowAllBuilds',
    'pnpm.onlyBuiltDependenciesFile',
    'pnpm.patchedDependencies',
    'lavamoat',
  ].map((keys): JsonRule => ({ files: '**/package.json', keys, judge: runsOnInstall })),
  ...['husky', 'simple-git-hooks', 'lint-staged', 'pre-commit', 'pre-push', 'gitHooks', 'ghooks'].map(
    (keys): JsonRule => ({ files: '**/package.json', keys, judge: judged('hooks', 'wait') }),
  ),
  ...['renovate', 'release', 'release-it', 'snyk'].map(
    (keys): JsonRule => ({ files: '**/package.json', keys, judge: judged('bot', 'wait') }),
  ),
  ...['packageManager', 'devEngines', 'volta', 'pnpm.executionEnv'].map(
    (keys): JsonRule => ({ files: '**/package.json', keys, judge: judged('toolchain', 'wait') }),
  ),
  { files: '**/package.json', keys: 'publishConfig', judge: judged('registry', 'wait') },
  ...['jest', 'vitest', 'ava', 'mocha', 'nyc', 'c8', 'tap', 'babel', 'eslintConfig', 'prettier', 'xo'].map(
    (keys): JsonRule => ({ files: '**/package.json', keys, judge: judged('checks', 'name') }),
  ),
  { files: '**/composer.json', keys: 'scripts', judge: runsOnInstall },
  { files: '**/composer.json', keys: 'repositories', judge: judged('registry', 'wait') },
  ...['allow-plugins', 'secure-http', 'disable-tls', 'bin-dir', 'vendor-dir', 'github-protocols'].map(
    (key): JsonRule => ({
      files: '**/composer.json',
      keys: `config.${key}`,
      judge: judged('registry', 'wait'),
    }),
  ),
  { files: '**/{deno,import_map,importmap}.json', keys: 'imports.*', judge: fromElsewhere },
];

/**
 * Rules for new lines of files that are not JSON. An escaped name also counts, as it could stand for any
 * name.
 */
const lineRules: readonly (readonly [files: string, lines: RegExp, of?: FileKind])[] = [
  [
    '**/{requirements*,constraints*}.{txt,in}',
    /^\s*-{1,2}(?:i|f|index-url|extra-index-url|find-links|trusted-host|pre)\b|:\/\/|^\s*(?:git|hg|svn|bzr)\+/i,
  ],
  [
    '**/requirements/**/*.{txt,in}',
    /^\s*-{1,2}(?:i|f|index-url|extra-index-url|find-links|trusted-host|pre)\b|:\/\/|^\s*(?:git|hg|svn|bzr)\+/i,
  ],
  [
    '**/{pyproject.toml,Pipfile,setup.cfg}',
    /index-url|index_url|\[\[?\s*(?:tool\.(?:uv\.(?:index|sources)|poetry\.source|pdm\.source)|source)\b|git\+|["'@ =]https?:\/\/\S+\.(?:whl|zip|t?gz)|["']?(?:git|url)["']?\s*=\s*["']|backend-path|\\u00|\\x/i,
  ],
  [
    '**/Cargo.toml',
    /["']?\b(?:git|registry|registry-index)["']?\s*=|^\s*\[\s*["']?(?:patch|source|replace|registries)\b|\\u00/i,
  ],
  ['**/go.mod', /^\s*replace\b|=>|^\s*toolchain\b/],
  [
    '**/{Gemfile,gems.rb,*.gemspec}',
    /\bsource\b(?!\s*\(?\s*["']https:\/\/rubygems\.org\/?["'])|\bgit(?:hub|lab)?\b\s*(?::|=>|\()|:git(?:hub)?\b|\bgist\b\s*:|\beval_gemfile\b|\bplugin\b/,
  ],
  [
    '**/*.gradle{,.kts}',
    /\b(?:maven|ivy)\s*[({]|\bmavenLocal\b|\burl\s*[=(]|\bapply\s*\(?\s*from|\binitscript\b|\bincludeBuild\b/,
  ],
  ['**/gradle.properties', /javaagent|proxy|init\.script|systemProp|jvmargs/i],
  [
    '**/pom.xml',
    /<\s*(?:plugin)?repositor(?:y|ies)\b|exec-maven|antrun|groovy-maven|<\s*(?:systemPath|extensions?)\b/i,
  ],
  [
    '**/*.{csproj,fsproj,vbproj,proj,props,targets}',
    /<\s*(?:Exec|UsingTask|Import|RestoreSources|RestoreAdditionalProjectSources)\b|http:\/\//i,
  ],
  ['**/Podfile', /\bsource\b|:git\b|:http\b|:podspec\b|\bplugin\b/],
  ['**/pubspec.yaml', /^\s*(?:git|hosted|url)\s*:|["']?git["']?\s*:/],
  ['**/mix.exs', /\b(?:git|github|repo|organization)\s*:/],
  ...fileRows
    .filter((one) => one.kind === 'checks')
    .flatMap(({ globs }) => globs.map((files) => [files, toothless, 'checks'] as const)),
  ['**/{turbo,nx}.json', /remoteCache|apiUrl|nxCloud/i],
  ['**/.gitignore', /^!.*(?:\.env|\.npmrc|node_modules)/],
];

const known = new Set([
  'https://registry.npmjs.org',
  'https://registry.yarnpkg.com',
  'https://npm.jsr.io',
  'https://jsr.io',
  'https://github.com/rust-lang/crates.io-index',
  'https://index.crates.io',
  'https://static.crates.io',
  'https://pypi.org',
  'https://files.pythonhosted.org',
  'https://rubygems.org',
  'https://proxy.golang.org',
  'https://sum.golang.org',
  'https://repo.packagist.org',
  'https://packagist.org',
  'https://repo.hex.pm',
  'https://pub.dev',
  'https://pub.dartlang.org',
  'https://repo.maven.apache.org',
  'https://repo1.maven.org',
  'https://plugins.gradle.org',
  'https://api.nuget.org',
  'https://cdn.cocoapods.org',
  'https://registry.terraform.io',
  'https://bcr.bazel.build',
]);

/** Lock files of tools without a registry: their packages may come from any host. */
const hostsAnywhere =
  /(?:^|\/)(?:Package\.resolved|flake\.lock|MODULE\.bazel\.lock|shard\.lock|Manifest\.toml|renv\.lock|verification-metadata\.xml|bun\.lockb)$/i;
/** Packagist serves no packages itself: Composer downloads them from these hosts of source code. */
const composerHosts =
  /^https:\/\/(?:api\.github\.com|github\.com|codeload\.github\.com|gitlab\.com|bitbucket\.org)\//;
const isLockFile = compileGlobs(
  fileRows.filter(({ kind: of }) => of === 'dependencies').flatMap(({ globs }) => globs.map(foldPath)),
);

/** Whether this file is judged by its whole text, and not only by the patch. */
export function isManifest(path: string): boolean {
  if (path.length > pathLengthMax) return false;
  const { json, lines } = rulesOf(path);
  return isLockFile(foldPath(path)) || json.length + lines.length > 0;
}

export function judgeManifest({ path, before, after }: ManifestChange): Objection[] {
  if (after === null) return [];
  const all: Found[] = [];
  const { json, lines } = rulesOf(path);
  if (json.length > 0) all.push(...changedKeys(json, before, after));
  const old = new Set((before ?? '').split('\n'));
  const fresh = after.split('\n').filter((line) => !old.has(line));
  if (lines.length > 0 && (fresh.length > linesMax || fresh.some((line) => line.length > lineMax)))
    all.push(kind('registry', 'wait', 'more text than can be judged'));
  for (const [pattern, of = 'registry'] of lines) {
    const line = fresh
      .slice(0, linesMax)
      .find((one) => !/^\s*(?:#|\/\/)/.test(one) && pattern.test(one.slice(0, lineMax)));
    if (line !== undefined) all.push(kind(of, 'wait', JSON.stringify(line.trim().slice(0, 80))));
  }
  if (isLockFile(foldPath(path))) all.push(...newOrigins(path, before ?? '', after));
  return all.map((one) => ({ path, ...one }));
}

function rulesOf(path: string) {
  const folded = foldPath(path);
  const isOf = (files: string) => matchers.get(files)?.(folded) === true;
  return {
    json: jsonRules.filter(({ files }) => isOf(files)),
    lines: lineRules.filter(([files]) => isOf(files)).map(([, lines, of]) => [lines, of] as const),
  };
}

const matchers: ReadonlyMap<string, Matcher> = new Map(
  [...jsonRules.map(({ files }) => files), ...lineRules.map(([files]) => files)].map((files) => [
    files,
    compileGlobs([foldPath(files)]),
  ]),
);

function changedKeys(rules: readonly JsonRule[], before: string | null, after: string): Found[] {
  const is = parse(after);
  if (!isRecord(is))
    return [found('lifecycle', 'wait', 'it cannot be read as JSON, so nobody knows what it says')];
  const was = parse(before ?? '{}');
  const all: Found[] = [];
  for (const { keys, judge } of rules) {
    const [old, now] = [pick(was, keys.split('.'), ''), pick(is, keys.split('.'), '')];
    for (const name of new Set([...old.keys(), ...now.keys()])) {
      const value = now.get(name);
      if (JSON.stringify(old.get(name)) === JSON.stringify(value)) continue;
      const said = judge(name, value);
      // Removing a key matters only if it weakens a check.
      if (said && (value !== undefined || said.rule === 'checks')) all.push(said);
    }
  }
  return all;
}

/** The values that match a key path, by their full path. `*` matches any key, `**` everything below. */
function pick(value: unknown, [key, ...rest]: readonly string[], at: string): Map<string, unknown> {
  if (key === undefined) return new Map([[at, value]]);
  const found = new Map<string, unknown>();
  if (!isRecord(value)) return key === '**' && value !== undefined ? new Map([[at, value]]) : found;
  for (const [name, inner] of Object.entries(value)) {
    if (key !== '*' && key !== '**' && key !== name) continue;
    const next = key === '**' ? ['**'] : rest;
    for (const [place, one] of pick(inner, next, at === '' ? name : `${at}.${name}`)) found.set(place, one);
  }
  return found;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
}

/** Hosts and repositories that packages come from after the change, but not before it. */
function newOrigins(path: string, before: string, after: string): Found[] {
  if (hostsAnywhere.test(path)) return [];
  const old = origins(path, before);
  const isComposer = /composer\.lock$/i.test(path);
  const fresh = [...origins(path, after)].filter(
    (one) => !old.has(one) && !known.has(one) && !(isComposer && composerHosts.test(one)),
  );
  const all = fresh
    .slice(0, 5)
    .map((one) => kind('registry', 'wait', `packages from ${JSON.stringify(one.slice(0, 100))}`));
  if (unchecked(path, after) > unchecked(path, before))
    all.push(kind('registry', 'wait', 'a package without the checksum that it should have'));
  return all;
}

/** Also finds addresses without a scheme: `git@host:` and `github:owner/name`. */
const address =
  /\b([a-z][a-z0-9+.-]{0,20}):\/\/([^\s"'<>()[\]{},]+)|\b(git@[^\s"':]{1,200}):|"(github|gitlab|bitbucket|gist):/gi;

function origins(path: string, text: string): Set<string> {
  const all = new Set<string>();
  for (const line of addressLines(path, text)) {
    for (const [, scheme, rest = '', ssh, host] of line.matchAll(address)) {
      if (scheme === undefined) all.add(ssh ?? `${host}:`);
      else all.add(originOf(scheme.toLowerCase().replace(/^(?:registry|sparse)\+/, ''), rest));
    }
  }
  return all;
}

function originOf(scheme: string, rest: string): string {
  const [authority = '', ...path] = rest.replace(/[?#].*$/, '').split('/');
  const host = `${scheme}://${authority.toLowerCase()}`;
  // Anyone can publish on these hosts, so the origin includes the repository.
  const isShared = /(?:^|\.)(?:github|gitlab|bitbucket|githubusercontent|codeberg|sr)\.(?:com|org|ht)$/.test(
    authority,
  );
  return isShared ? [host, ...path.slice(0, 2)].join('/') : host;
}

/**
 * The lines to search for addresses. JSON is parsed to undo escapes, and links that are meant for people are
 * skipped.
 */
function addressLines(path: string, text: string): string[] {
  if (!/\.json$|composer\.lock$|Pipfile\.lock$|deno\.lock$/i.test(path)) return text.split('\n');
  const lines: string[] = [];
  const walk = (value: unknown, depth: number) => {
    if (depth > 100) lines.push('unreadable://deep');
    else if (typeof value === 'string') lines.push(value);
    else if (Array.isArray(value)) for (const one of value) walk(one, depth + 1);
    else if (isRecord(value))
      for (const [name, one] of Object.entries(value)) {
        if (/^(?:funding|homepage|support|authors|description|notification-url)$/.test(name)) continue;
        lines.push(name);
        walk(one, depth + 1);
      }
  };
  const json = parse(text);
  if (text.trim() !== '' && json === undefined) return ['unreadable://json'];
  walk(json, 0);
  return lines;
}

/** Counts the downloaded packages of an npm lock file that have no checksum. */
function unchecked(path: string, text: string): number {
  if (!/(?:package-lock|npm-shrinkwrap)\.json$/i.test(path)) return 0;
  const json = parse(text);
  const packages = isRecord(json) && isRecord(json['packages']) ? Object.values(json['packages']) : [];
  return packages.filter(
    (one) =>
      isRecord(one) && typeof one['resolved'] === 'string' && !one['integrity'] && one['link'] !== true,
  ).length;
}
