// A folder for one run of jest, with what its suites would each make anew: see code-cache.cjs and jobs/product.ts.
import { chmodSync, copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export default function makeRunFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'gza-run-'));
  // Some tests run the program as another user.
  chmodSync(folder, 0o755);
  copyFileSync(new URL('code-cache.cjs', import.meta.url), join(folder, 'code-cache.cjs'));
  process.env.GZA_TEST_RUN = folder;
  const starter = fileURLToPath(new URL('starter.cjs', import.meta.url));
  process.execArgv.push(`--require=${starter}`);
  createRequire(import.meta.url)(starter);
  // Node 20 makes machine code so soon that most suites end before it pays; later ones do not know the option.
  if (process.version.startsWith('v20.')) process.execArgv.push('--interrupt-budget=1000000');
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
}
