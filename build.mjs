// Builds dist/: self-contained entries, byte for byte the same on every machine. `--check` says whether
// what is committed is what would be built.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, transform } from 'esbuild';

const root = dirname(fileURLToPath(import.meta.url));
const check = process.argv.includes('--check');
const version = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version;
const options = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node20',
  // CommonJS: what a lazily loaded module requires is then read when it is first used, not at the start.
  format: 'cjs',
  // As require(): import() of a CommonJS file first searches its whole text for exports, which takes longer than
  // to run it.
  supported: { 'dynamic-import': false },
  define: { __GZA_VERSION__: JSON.stringify(version), 'import.meta.dirname': '__dirname' },
  legalComments: 'none',
  write: false,
  logLevel: 'warning',
};
/** These become files of their own beside the entries; whoever imports them lazily finds them there. */
const lazyPart = {
  name: 'lazy-part',
  setup(builder) {
    builder.onResolve({ filter: /\/(lazy-[a-z]+|main)\.ts$|^simple-git$/ }, ({ kind, path }) =>
      kind === 'dynamic-import' ? { path: fileOf(path), external: true } : undefined,
    );
    builder.onResolve({ filter: /^markdown-it$/ }, () => ({ path: './markdown-it.js', external: true }));
  },
};

function fileOf(path) {
  if (path === 'simple-git') return './simple-git.js';
  return path.endsWith('/main.ts') ? './main.js' : './lazy.js';
}

/** What others wrote is taken along small, without comments and with short local names: every job downloads it. */
const madeSmall = {
  name: 'made-small',
  setup(builder) {
    builder.onLoad({ filter: /[\\/]node_modules[\\/].*\.js$/ }, async ({ path }) => {
      const { code } = await transform(readFileSync(path, 'utf8'), {
        minify: true,
        legalComments: 'none',
        platform: 'node',
      });
      return { contents: code, loader: 'js' };
    });
  },
};
/** What every call loads is made small: reading its text is most of a short call. The rest stays readable. */
const parts = [
  { entries: { cli: 'src/cli/cli.ts', main: 'src/cli/main.ts' }, minify: true },
  {
    entries: {
      index: 'src/action/index.ts',
      lazy: 'src/cli/lazy.ts',
      'simple-git': 'simple-git',
      'markdown-it': 'node_modules/markdown-it/dist/markdown-it.cjs.js',
    },
    minify: false,
    // Every job downloads them: without indentation they are a fifth smaller, and still readable line by line.
    minifyWhitespace: true,
  },
];
const results = await Promise.all(
  parts.map(({ entries, ...smaller }) =>
    build({
      ...options,
      ...smaller,
      entryPoints: entries,
      outdir: 'dist',
      plugins: [lazyPart, madeSmall],
      metafile: true,
    }),
  ),
);

const outputs = new Map(
  results
    .flatMap(({ outputFiles }) => outputFiles)
    .map((file) => [relative(file.path), Buffer.from(lateModules(file.text))]),
);
outputs.set('dist/report.html', Buffer.from(await reportPage()));
outputs.set('dist/package.json', Buffer.from('{ "type": "commonjs" }\n'));
outputs.set(
  'dist/licenses.txt',
  Buffer.from(licenses(results.flatMap(({ metafile }) => Object.keys(metafile.inputs)))),
);
const generated = await generatedFiles();
for (const [path, text] of generated) outputs.set(path, Buffer.from(text));

if (check) reportDrift();
else write();

function relative(path) {
  return path.slice(root.length + 1).replaceAll('\\', '/');
}

/**
 * Modules of node that take a millisecond or more to load, and markdown-it, are loaded when something of them is first
 * used: most calls use none.
 */
function lateModules(text) {
  const found =
    /([\w$]+ ?= ?)(require\("node:(?:fs\/promises|child_process|crypto|zlib|http|https|net|os|readline|stream|tls|worker_threads)[\w/]*"\)|__toESM\(require\("\.\/markdown-it\.js"\)(?:, 1)?\))/g;
  const late = text.replace(found, '$1lateModule(() => $2)');
  if (late === text) return text;
  const helper = 'function lateModule(load) { return new Proxy({}, { get: (_, name) => load()[name] }); }';
  return late.replace(/^(#!.*\n)?("use strict";\n?)?/, (first) => `${first}${helper}\n`);
}

/** The report without its data: one file that allows its own style and program, by their hashes, and nothing else. */
async function reportPage() {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ['src/report/page.ts', 'src/report/page.css'],
    bundle: true,
    minify: true,
    platform: 'browser',
    target: 'es2022',
    charset: 'utf8',
    outdir: 'dist',
    write: false,
    logLevel: 'warning',
  });
  const textOf = (ending) => outputFiles.find(({ path }) => path.endsWith(ending)).text.trim();
  const [style, program] = [textOf('.css'), textOf('.js')];
  const hashOf = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
  const policy = [
    "default-src 'none'",
    `script-src ${hashOf(program)}`,
    `style-src ${hashOf(style)}`,
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
  const into = { 'content=""': `content="${policy}"` };
  into['<link rel="stylesheet" href="page.css">'] = `<style>${style}</style>`;
  into['<script src="page.ts"></script>'] = `<script>${program}</script>`;
  const page = readFileSync(join(root, 'src', 'report', 'page.html'), 'utf8');
  return Object.entries(into).reduce((text, [from, to]) => text.replace(from, () => to), page);
}

/** Texts that other tools read (JSON Schemas, man pages) come from the same source as the code. */
async function generatedFiles() {
  const entry = join(root, 'src', 'cli', 'generate.ts');
  if (!existsSync(entry)) return new Map();
  const bundled = await build({ ...options, entryPoints: ['src/cli/generate.ts'] });
  const file = join(root, 'node_modules', '.cache', `gza-generate-${process.pid}.cjs`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, bundled.outputFiles[0].contents);
  try {
    const { generate } = await import(pathToFileURL(file).href);
    return await generate((path) => readFileSync(join(root, path), 'utf8'));
  } finally {
    rmSync(file, { force: true });
  }
}

/** The licence text of every package that ended up in a bundle. */
function licenses(inputs) {
  const packages = new Set();
  for (const input of inputs) {
    const match = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input);
    if (match) packages.add(match[1]);
  }
  const texts = [...packages]
    .sort((a, b) => (a < b ? -1 : 1))
    .map((path) => {
      const {
        name,
        version: packageVersion,
        license,
      } = JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8'));
      const file = readdirSync(join(root, path)).find((entry) => /^licen[cs]e/i.test(entry));
      const text = file
        ? readFileSync(join(root, path, file), 'utf8').trim()
        : `(no licence file; package.json says ${license})`;
      return `${name} ${packageVersion} (${license})\n\n${text.replaceAll('\r\n', '\n')}\n`;
    });
  return texts.join(`\n${'-'.repeat(80)}\n\n`);
}

function write() {
  for (const [path, contents] of outputs) {
    const mode = path === 'dist/cli.js' ? 0o755 : 0o644;
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), contents, { mode });
    console.log(`${path.padEnd(28)} ${String(contents.length).padStart(9)} bytes`);
  }
}

function reportDrift() {
  const hash = (data) => createHash('sha256').update(data).digest('hex');
  const stale = [...outputs].filter(([path, contents]) => {
    const file = join(root, path);
    return !existsSync(file) || hash(readFileSync(file)) !== hash(contents);
  });
  if (stale.length === 0) {
    console.log(`dist is what the sources build (${outputs.size} files)`);
    return;
  }
  for (const [path] of stale) console.error(`${path} is not what the sources build`);
  console.error('Run: npm run build, and commit the result.');
  process.exitCode = 1;
}
