/**
 * What a release is made of, in the folder `release/`: the package, checksums of it and of what the action runs, and
 * the notes from CHANGELOG.md, the ref that workflows name. `node release.mjs v0.1.0` refuses a tag that is not the version in package.json, and a
 * version that the changelog does not know; `--dry-run` takes what stands under Unreleased. It publishes nothing.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const root = import.meta.dirname ?? new URL('.', import.meta.url).pathname;
const read = (path) => readFileSync(join(root, path), 'utf8');

function fail(message) {
  console.error(`Error: ${message}`);
  process.exit(2);
}

const { values, positionals } = parseArgs({
  options: { 'dry-run': { type: 'boolean', default: false } },
  allowPositionals: true,
});
const { name, version } = JSON.parse(read('package.json'));
const isDry = values['dry-run'];
const [tag = isDry ? `v${version}` : ''] = positionals;
if (tag !== `v${version}`)
  fail(`the tag is ${JSON.stringify(tag)}, but package.json has version ${version}. Expected: v${version}`);

// Workflows name the action by this ref, which each release moves: it must be that of its major version.
const home = read('src/core/text/doctor/home.ts');
const [, ref = ''] = /ref: '([^']+)'/.exec(home) ?? [];
const major = Number(version.split('.')[0]);
if (major > 0 && ref !== `v${major}`)
  fail(`workflows name ${ref} (src/core/text/doctor/home.ts), and this is ${tag}. Expected there: v${major}`);

const heading = isDry ? 'Unreleased' : version;
const sections = read('CHANGELOG.md').split(/^## /m);
const section = sections.find((one) => one.startsWith(`[${heading}]`));
if (!section) fail(`CHANGELOG.md has no section "## [${heading}]": say there what the release brings`);

const out = join(root, 'release');
rmSync(out, { recursive: true, force: true });
mkdirSync(out);
writeFileSync(join(out, 'ref.txt'), `${ref}\n`);
writeFileSync(join(out, 'notes.md'), `${section.slice(section.indexOf('\n')).trim()}\n`);
const pack = ['pack', '--ignore-scripts', '--json', '--pack-destination', out];
const [{ filename }] = JSON.parse(execFileSync('npm', pack, { cwd: root, encoding: 'utf8' }));

const sha256 = (path) => createHash('sha256').update(readFileSync(path)).digest('hex');
const sums = [
  `${sha256(join(out, filename))}  ${filename}`,
  ...['dist/index.js', 'dist/cli.js'].map((path) => `${sha256(join(root, path))}  ${path}`),
];
writeFileSync(join(out, 'checksums.txt'), `${sums.join('\n')}\n`);
console.log(`${name} ${version}: release/${filename}, release/checksums.txt, release/notes.md`);
