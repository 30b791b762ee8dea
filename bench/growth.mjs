/** How much 1,000 updates of a ledger of 10,000 tasks add to the repository, in apparent bytes. Bar: 12 MB. */
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { fillLedger, idOf, ledgerLibrary } from './filed-tasks.mjs';
import { graph } from './graph.mjs';
import { openScratch } from './scratch.mjs';

const { values: flags } = parseArgs({
  options: {
    tasks: { type: 'string', default: '10000' },
    updates: { type: 'string', default: '1000' },
  },
});
const [tasks, updates] = [Number(flags.tasks), Number(flags.updates)];
const bytesMax = 12_000_000;

function bytesBelow(dir) {
  let sum = 0;
  for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) sum += statSync(join(entry.parentPath ?? entry.path, entry.name)).size;
  }
  return sum;
}

const top = mkdtempSync(join(tmpdir(), 'gza-growth-'));
try {
  const { dir, git } = openScratch(join(top, 'repo'));
  await fillLedger(dir, graph(tasks));
  git('gc', '-q');
  const { openRepository, openLedger } = await ledgerLibrary();
  const ledger = openLedger(await openRepository(dir));
  const before = bytesBelow(join(dir, '.git'));
  const files = () => Number(/^count: (\d+)/m.exec(git('count-objects', '-v'))?.[1]);
  const filesBefore = files();
  for (let n = 0; n < updates; n++) {
    const at = new Date(Date.parse('2026-03-01T00:00:00Z') + n * 1000).toISOString();
    const id = idOf((n * 7919) % tasks);
    const events = [{ kind: 'note', at, id, text: `Progress of update ${n}: the second test passes now.` }];
    await ledger.write(async () => ({ changes: [{ branch: 'main', events }] }));
  }
  ledger.close();
  const grown = bytesBelow(join(dir, '.git')) - before;
  const objects = files() - filesBefore;
  git('gc', '-q');
  const packed = bytesBelow(join(dir, '.git')) - before;
  const inMb = (bytes) => `${(bytes / 1e6).toFixed(2)} MB`;
  console.log(`${updates} updates of a ledger of ${tasks} tasks: ${inMb(grown)} in ${objects} new objects`);
  console.log(`${inMb(packed)} after git gc`);
  if (tasks === 10_000 && updates === 1_000)
    console.log(`at most ${inMb(bytesMax)}: ${grown <= bytesMax ? 'met' : 'NOT met'}`);
} finally {
  rmSync(top, { recursive: true, force: true });
}
