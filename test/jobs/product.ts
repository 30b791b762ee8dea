/** This product as GitHub would fetch it for `uses: gza-dev/gza@v1`: its workflows, its action.yml, and the action built from these sources. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
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
  const options = ['--bundle', '--platform=node', '--target=node20', '--format=cjs', '--log-level=error'];
  // A second between writes, and what GitHub asks for when it is asked too often: said, and not waited for.
  const waits = `--alias:node:timers/promises=${join(root, 'test/jobs/short-waits.mjs')}`;
  const output = `--outfile=${join(folder, 'dist/index.js')}`;
  const args = ['src/index.ts', ...options, waits, output];
  execFileSync(join(root, 'node_modules/.bin/esbuild'), args, { cwd: root });
  return folder;
}
