/** A process of its own for the tests with many writers: `driver <verb> <folder> <name> [more]`. */

import { exitCode, GzaError } from '../../src/core/errors.ts';
import type { Event } from '../../src/core/ledger/event.ts';
import { openRepository } from '../../src/git/repository.ts';
import type { Claimed } from '../../src/ledger/claim.ts';
import { openLedger } from '../../src/ledger/git-ledger.ts';
import { claimOnRemote } from '../../src/ledger/sync/sync.ts';

const at = '2026-01-02T03:04:05Z';
const [verb = '', dir = '', name = ''] = process.argv.slice(2);

function claimed(outcome: Claimed): void {
  if (outcome.kind === 'claimed') console.log(`claimed ${name}`);
  else if (outcome.kind === 'lost') throw new GzaError('lost', `held by ${outcome.holder.holder}`);
  else throw new GzaError('refused', outcome.detail);
}

async function run(): Promise<void> {
  const ledger = openLedger(await openRepository(dir), { base: 'main' });
  const add = (id: string): Event => ({
    kind: 'add',
    at,
    task: { id, type: 'task', title: id, content: id, created_at: at },
  });
  const claim = {
    id: `c-${name}`,
    task: 'task-1',
    lane: 'gza/task-1',
    holder: name,
    at,
    until: '2030-01-01T00:00:00Z',
  };
  if (verb === 'list') {
    console.log((await (await ledger.view()).rows()).map((row) => row.record.id).join(' '));
  } else if (verb === 'add') {
    await ledger.write(async () => ({ changes: [{ branch: 'main', events: [add(name)] }] }));
    console.log(`added ${name}`);
  } else if (verb === 'add-many') {
    for (let n = 0; n < 1_000; n++) {
      const events = [add(`${name}-${n}`)];
      await ledger.write(async () => ({
        changes: [
          { branch: 'main', events },
          { branch: 'lane', events },
        ],
      }));
      console.log(`added ${name}-${n}`);
    }
  } else if (verb === 'add-some') {
    for (let n = 0; n < 20; n++) {
      const events = [add(`${name}-${n}`)];
      await ledger.write(async () => ({ changes: [{ branch: 'main', events }] }));
    }
  } else if (verb === 'claim-remote') {
    claimed(
      await claimOnRemote(ledger, { claim, at }, { remote: 'origin', retryMs: 60_000, tell: () => {} }),
    );
  }
  ledger.close();
}

try {
  await run();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = exitCode(error);
}
