import type { TaskView } from '../../core/board/board.ts';
import { rebaseMark } from '../../core/ledger/rebase-mark.ts';
import type { Project } from '../project.ts';

/** The branch that the next pick puts on its base, once nothing works on it; null where there is none. */
export async function askForRebase(
  { ledger, view }: Project,
  { record }: TaskView,
  { at, by }: { readonly at: string; readonly by: string },
): Promise<string | null> {
  const branch = record?.lane?.folded_at === undefined ? record?.lane?.branch : undefined;
  if (branch === undefined || view.tip(branch) === null) return null;
  const events = [{ kind: 'mark', at, by, name: rebaseMark(branch), value: by }] as const;
  await ledger.write(async ({ base }) => ({ changes: [{ branch: base, events }] }));
  return branch;
}
