// A folder for one run of jest, with what its suites would each make anew: see code-cache.cjs and jobs/product.ts.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export default function makeRunFolder() {
  const parent = inMemory() ?? tmpdir();
  sweep(parent);
  const folder = mkdtempSync(join(parent, 'gza-run-'));
  // Some tests run the program as another user.
  chmodSync(folder, 0o755);
  process.env.TMPDIR = join(folder, 'tmp');
  mkdirSync(process.env.TMPDIR);
  chmodSync(process.env.TMPDIR, 0o1777);
  copyFileSync(new URL('code-cache.cjs', import.meta.url), join(folder, 'code-cache.cjs'));
  process.env.GZA_TEST_RUN = folder;
  // Node 20 makes machine code so soon that most suites end before it pays; later ones do not know the option.
  if (process.version.startsWith('v20.')) process.execArgv.push('--interrupt-budget=1000000');
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
}

/** What runs that were killed left: none takes so long. */
function sweep(parent) {
  for (const name of readdirSync(parent)) {
    if (!name.startsWith('gza-run-')) continue;
    const { mtimeMs } = statSync(join(parent, name), { throwIfNoEntry: false }) ?? { mtimeMs: Date.now() };
    if (Date.now() - mtimeMs > 6 * 3_600_000) rmSync(join(parent, name), { recursive: true, force: true });
  }
}

/** Suites make and remove a hundred thousand small files. Null where memory is short, or nothing there may be run. */
function inMemory() {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm');
    if (bavail * bsize < 2 * 2 ** 30) return null;
    const probe = join(mkdtempSync('/dev/shm/gza-probe-'), 'probe');
    writeFileSync(probe, '#!/bin/sh\n', { mode: 0o755 });
    const { status } = spawnSync(probe);
    rmSync(dirname(probe), { recursive: true });
    return status === 0 ? '/dev/shm' : null;
  } catch {
    return null;
  }
}
