/** Land, and then the pull request. */
import type { Ci } from './ci.ts';
import { landJob } from './land.ts';

export async function landAndTell(ci: Ci): Promise<void> {
  await landJob(ci);
}
