/** This product as GitHub would fetch it for `uses: gza-dev/gza@v1`: its workflows, its action.yml, and the action built from these sources. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

export function buildProduct(): string {
  const folder = mkdtempSync(join(tmpdir(), 'gza-product-'));
  cpSync(join(root, 'action.yml'), join(folder, 'action.yml'));
  cpSync(join(root, '.github/workflows'), join(folder, '.github/workflows'), { recursive: true });
  mkdirSync(join(folder, 'dist'));
  writeFileSync(join(folder, 'dist/package.json'), '{ "type": "commonjs" }\n');
  const run = process.env['GZA_TEST_RUN'] ?? '';
  cpSync(bundle(run), join(folder, 'dist/bundle.js'), { preserveTimestamps: true });
  const cache = JSON.stringify(join(run, 'code-cache.cjs'));
  writeFileSync(join(folder, 'dist/index.js'), `require(${cache});\nrequire('./bundle.js');\n`);
  return folder;
}

/** Made by the first suite of a run that needs it. */
function bundle(run: string): string {
  const file = join(run, 'bundle.js');
  if (existsSync(file)) return file;
  const options = ['--bundle', '--platform=node', '--target=node20', '--format=cjs', '--log-level=error'];
  // As what is shipped is built.
  const supported = '--supported:dynamic-import=false';
  // A second between writes, and what GitHub asks for when it is asked too often: said, and not waited for.
  const waits = `--alias:node:timers/promises=${join(root, 'test/jobs/short-waits.mjs')}`;
  const output = `${file}.${process.pid}`;
  const args = ['src/index.ts', ...options, supported, waits, `--outfile=${output}`];
  execFileSync(join(root, 'node_modules/.bin/esbuild'), args, { cwd: root });
  renameSync(output, file);
  return file;
}
