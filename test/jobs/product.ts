/** This product as GitHub would fetch it for `uses: gza-dev/gza@v1`: its workflows, its action.yml, and the action built from these sources. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

export function buildProduct(): string {
  const folder = mkdtempSync(join(tmpdir(), 'gza-product-'));
  buildInto(folder, 'bundle.js', []);
  return folder;
}

function buildInto(folder: string, name: string, more: readonly string[]): void {
  for (const path of ['action.yml', 'action', '.github/workflows'])
    cpSync(join(root, path), join(folder, path), { recursive: true });
  mkdirSync(join(folder, 'dist'));
  writeFileSync(join(folder, 'dist/package.json'), '{ "type": "commonjs" }\n');
  // What the shells of agents are given beside the action.
  for (const name of ['report.html', 'cli.js', 'main.js', 'lazy.js', 'markdown-it.js', 'simple-git.js'])
    cpSync(join(root, 'dist', name), join(folder, 'dist', name));
  const run = process.env['GZA_TEST_RUN'] ?? '';
  cpSync(bundle(join(run, name), more), join(folder, 'dist/index.js'), { preserveTimestamps: true });
}

/** Made by the first suite of a run that needs it. */
function bundle(file: string, more: readonly string[]): string {
  if (existsSync(file)) return file;
  const options = ['--bundle', '--platform=node', '--target=node20', '--format=cjs', '--log-level=error'];
  // As what is shipped is built.
  const shipped = [
    '--supported:dynamic-import=false',
    '--define:import.meta.dirname=__dirname',
    '--define:__GZA_VERSION__="0.1.0"',
  ];
  // A second between writes, and what GitHub asks for when it is asked too often: said, and not waited for.
  const waits = [
    `--alias:node:timers/promises=${join(root, 'test/jobs/short-waits.mjs')}`,
    `--alias:bottleneck/light.js=${join(root, 'test/jobs/short-spacing.mjs')}`,
  ];
  const output = `${file}.${process.pid}`;
  const args = ['src/action/index.ts', ...options, ...shipped, ...more, ...waits, `--outfile=${output}`];
  execFileSync(join(root, 'node_modules/.bin/esbuild'), args, { cwd: root });
  renameSync(output, file);
  return file;
}

/** The same, but what may take a minute or more of the network's time has a few seconds. */
export function impatient(product: string): string {
  const folder = join(product, 'impatient');
  const limits = join(root, 'test/jobs/short-limits.mjs');
  if (!existsSync(folder)) {
    mkdirSync(folder);
    buildInto(folder, 'impatient.js', [`--inject:${limits}`, '--define:AbortSignal.timeout=timeoutSoon']);
  }
  return folder;
}

/** The same, but picks do not wait for each other. */
export function unqueued(product: string): string {
  const folder = join(product, 'unqueued');
  if (existsSync(folder)) return folder;
  mkdirSync(folder);
  for (const one of ['action.yml', 'action', '.github', 'dist'])
    cpSync(join(product, one), join(folder, one), { recursive: true });
  const file = join(folder, '.github/workflows/gza.yml');
  const queue = / {4}concurrency:\n(?: {6}.*\n)+/;
  const text = readFileSync(file, 'utf8');
  if (!queue.test(text)) throw new Error('pick has no queue that could be taken away');
  writeFileSync(file, text.replace(queue, ''));
  return folder;
}
