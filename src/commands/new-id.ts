/** Ids of filed tasks: `task-` and 4 hex digits, more as the ledger grows, so that they stay short and rarely meet. */
import { createHash } from 'node:crypto';
import { GzaError } from '../core/errors.ts';
import type { LedgerView } from '../ledger/ledger.ts';

const triesMax = 200;

export async function freeId(view: LedgerView, seed: string): Promise<string> {
  const size = await view.size(view.base);
  let digits = 4;
  while (16 ** digits < size * 64) digits += 1;
  for (let n = 0; n < triesMax; n += 1) {
    const hash = createHash('sha1').update(`${seed}\n${n}`).digest('hex');
    const id = `task-${hash.slice(0, digits + Math.floor(n / 20))}`;
    if (!(await view.task(id))) return id;
  }
  throw new GzaError('world', `no free id was found in ${triesMax} tries`);
}
