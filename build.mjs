// Builds dist/: self-contained entries, byte for byte the same on every machine. `--check` says whether
// what is committed is what would be built.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = dirname(fileURLToPath(import.meta.url));
const check = process.argv.includes('--check');
const version = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version;
const entries = ['cli', 'index'].filter((name) => existsSync(join(root, 'src', `${name}.ts`)));

const result = await build({
  absWorkingDir: root,
  entryPoints: entries.map((name) => `src/${name}.ts`),
  outdir: 'dist',
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
  define: { __GZA_VERSION__: JSON.stringify(version) },
  loader: { '.md': 'text' },
  legalComments: 'none',
  metafile: true,
  write: false,
  logLevel: 'warning',
});

const outputs = new Map(result.outputFiles.map((file) => [relative(file.path), Buffer.from(file.contents)]));
outputs.set('dist/licenses.txt', Buffer.from(licenses(Object.keys(result.metafile.inputs))));
const generated = await generatedFiles();
for (const [path, text] of generated) outputs.set(path, Buffer.from(text));

if (check) reportDrift();
else write();

function relative(path) {
  return path.slice(root.length + 1).replaceAll('\\', '/');
}

/** Texts that other tools read (JSON Schemas, man pages) come from the same source as the code. */
async function generatedFiles() {
  const entry = join(root, 'src', 'generate.ts');
  if (!existsSync(entry)) return new Map();
  const bundled = await build({
    absWorkingDir: root,
    entryPoints: ['src/generate.ts'],
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
    define: { __GZA_VERSION__: JSON.stringify(version) },
    loader: { '.md': 'text' },
    write: false,
    logLevel: 'warning',
  });
  const file = join(root, 'node_modules', '.cache', `gza-generate-${process.pid}.mjs`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, bundled.outputFiles[0].contents);
  try {
    const { generate } = await import(file);
    return generate();
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
  const texts = [...packages].sort().map((path) => {
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
