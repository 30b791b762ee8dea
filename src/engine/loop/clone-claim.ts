/** Under which claim a clone is worked in, beside its record: after a crash it says whose work it holds. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readPlainFile } from '../../system/plain-file.ts';
import type { SharedClone } from '../../workspace/shared-clone.ts';

const claimBytesMax = 1000;

export function claimFile({ dir }: Pick<SharedClone, 'dir'>) {
  const file = join(dir, 'claim');
  return {
    write: (claim: string) => writeFile(file, claim),
    /** Empty when none was written: no agent was there yet. */
    read: async () =>
      ((await readPlainFile(file, claimBytesMax).catch(() => null))?.toString('utf8') ?? '').trim(),
  };
}
