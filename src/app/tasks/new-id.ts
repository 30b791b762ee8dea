/** Ids of filed tasks: `task-` and 4 hex digits, more as the ledger grows, so that they stay short and rarely meet. */
import { createHash } from 'node:crypto';
import { GzaError } from '../../core/errors.ts';
import type { LedgerView } from '../../ledger/ledger.ts';

const triesMax = 200;

export async function freeId(view: LedgerView, seed: string): Promise<string> {
  const [id] = await freeIds(view, [seed]);
  return id as string;
}

/** As many ids as seeds, all different: those of one batch are not in the ledger yet. */
export async function freeIds(view: LedgerView, seeds: readonly string[]): Promise<string[]> {
  const size = (await view.size(view.base)) + seeds.length;
  let digits = 4;
  while (16 ** digits < size * 64) digits += 1;
  const taken = new Set<string>();
  for (const seed of seeds) taken.add(await newId(view, seed, digits, taken));
  return [...taken];
}

async function newId(
  view: LedgerView,
  seed: string,
  digits: number,
  taken: ReadonlySet<string>,
): Promise<string> {
  for (let n = 0; n < triesMax; n += 1) {
    const hash = createHash('sha1').update(`${seed}\n${n}`).digest('hex');
    const id = `task-${hash.slice(0, digits + Math.floor(n / 20))}`;
    if (!taken.has(id) && !(await view.task(id))) return id;
  }
  throw new GzaError('world', `no free id was found in ${triesMax} tries`);
}
