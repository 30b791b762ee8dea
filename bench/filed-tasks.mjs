/** Fills a ledger through the program's own library: the same events as `gza add` and `gza done` write. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { root } from './scratch.mjs';

const entry = `
export { openRepository } from '../src/git/repository.ts';
export { openLedger } from '../src/ledger/git-ledger.ts';
`;

let loaded;

export function ledgerLibrary() {
  return (loaded ??= libraryOf(entry));
}

/** A part of the program's own library. */
export async function libraryOf(contents) {
  const dir = mkdtempSync(join(tmpdir(), 'gza-bench-'));
  try {
    const outfile = join(dir, 'ledger.cjs');
    await build({
      stdin: { contents, resolveDir: root, loader: 'ts' },
      bundle: true,
      platform: 'node',
      format: 'cjs',
      outfile,
      logLevel: 'warning',
    });
    return (await import(pathToFileURL(outfile).href)).default;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Spread over the shards like ids that gza gives. */
export function idOf(number) {
  return `task-${(Math.imul(number + 1, 2_654_435_761) >>> 0).toString(16).padStart(8, '0')}`;
}

export async function fillLedger(dir, tasks) {
  const { openRepository, openLedger } = await ledgerLibrary();
  const ledger = openLedger(await openRepository(dir));
  const started = Date.parse('2026-01-01T00:00:00Z');
  const records = tasks.map((task) => recordOf(task, new Date(started + task.number * 1000).toISOString()));
  const adds = records.map((task) => ({ kind: 'add', at: task.created_at, task }));
  const at = '2026-02-01T00:00:00.000Z';
  const closes = tasks
    .filter(({ isDone }) => isDone)
    .map(({ number }) => ({ kind: 'close', at, id: idOf(number), as: 'done' }));
  const written = await ledger.write(async () => ({
    changes: [{ branch: 'main', events: [...adds, ...closes] }],
  }));
  ledger.close();
  if (written.kind !== 'written') throw new Error(JSON.stringify(written));
}

function recordOf({ number, title, text, after }, created_at) {
  const depends = after.length > 0 ? { depends_on: after.map(idOf) } : {};
  return { id: idOf(number), type: 'task', title, content: `${title}\n\n${text}`, ...depends, created_at };
}
