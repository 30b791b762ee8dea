/** Under which claim a clone is worked in, beside its record: after a crash it says whose work it holds. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SharedClone } from '../workspace/shared-clone.ts';

export function claimFile({ dir }: Pick<SharedClone, 'dir'>) {
  const file = join(dir, 'claim');
  return {
    write: (claim: string) => writeFile(file, claim),
    /** Empty when none was written: no agent was there yet. */
    read: async () => (await readFile(file, 'utf8').catch(() => '')).trim(),
  };
}
