import type { TaskView } from '../../core/board/board.ts';
import type { Event } from '../../core/ledger/event.ts';
import { lastLeft, mergeMark, printWish } from '../../core/policy/merging.ts';
import { parseTime } from '../../core/time.ts';
import type { Project } from '../project.ts';
import { wholeView } from './change-task.ts';

/**
 * Records a person's wish to merge a lane and all lanes it is stacked on, each as its last step left it.
 * The wish stays in the base ledger until it is fulfilled or becomes impossible. Returns null, or the
 * reason why it cannot be recorded. `head` is the commit that the person saw, perhaps abbreviated.
 */
export async function askForMerge(
  project: Project,
  { record }: TaskView,
  { at, by }: { readonly at: string; readonly by: string },
  { saidAt, head = '' }: { readonly saidAt?: string | undefined; readonly head?: string | undefined } = {},
): Promise<string | null> {
  const { ledger, view, board } = project;
  const lane = record?.lane;
  if (!lane || lane.folded_at || view.tip(lane.branch) === null) return 'there is no branch to merge yet.';
  const branches = new Set([lane.branch]);
  const events: Event[] = [];
  // The set grows during the loop, as lower lanes are added.
  for (const branch of branches) {
    const own = [...board.views.values()].filter((one) => one.record?.lane?.branch === branch);
    const whole = await Promise.all(own.map(({ id }) => wholeView(project, id)));
    const { head: leftAt, diff } = lastLeft(whole) ?? {};
    const link = whole.find((one) => !one.record?.lane?.folded_at)?.record?.lane;
    if (leftAt === undefined || !link || view.tip(branch) === null) continue;
    const last =
      whole
        .map((one) => one.record?.steps?.at(-1)?.ended_at ?? '')
        .toSorted()
        .at(-1) ?? '';
    const isOther = /^[0-9a-f]{7,64}$/.test(head) && branch === lane.branch && !leftAt.startsWith(head);
    if (isOther || (saidAt !== undefined && parseTime(saidAt) + 1000 < parseTime(last)))
      return `${branch} changed after that was written. Look again, then say it again.`;
    for (const below of link.joins ?? (link.stacked_on ? [link.stacked_on] : [])) branches.add(below);
    events.push({
      kind: 'mark',
      at,
      by,
      name: mergeMark(branch),
      value: printWish({ by, at, leftAt, diff }),
    });
  }
  if (events.length === 0) return 'nothing was done on its branch yet.';
  await ledger.write(async ({ base }) => ({ changes: [{ branch: base, events }] }));
  return null;
}
