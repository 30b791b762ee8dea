/** Pick, and then what people see of it. */
import type { Ci } from './ci.ts';
import { pickJob } from './pick.ts';

export async function pickAndTell(ci: Ci): Promise<void> {
  await pickJob(ci);
}
