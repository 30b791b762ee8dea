/**
 * A lane comes home: its tasks and artifacts move into the base ledger, its history stays reachable as the
 * fold's second parent, its ref goes. The lane id stays known, so that the ref is not believed if it returns.
 */
import { GzaError } from '../core/errors.ts';
import type { Event } from '../core/ledger/event.ts';
import type { LaneLink } from '../core/ledger/record/record.ts';
import type { LedgerView, Plan } from './ledger.ts';

export interface FoldRequest {
  readonly branch: string;
  readonly how: 'merged' | 'closed' | 'ended';
  readonly at: string;
  readonly by?: string;
}

/** Marks of the base ledger that name folded lanes which held no task to remember them. */
export const foldedMark = 'folded:';

/** Null when there is nothing to fold. */
export async function foldPlan(view: LedgerView, { branch, how, at, by }: FoldRequest): Promise<Plan | null> {
  const tip = view.tip(branch);
  if (tip === null) return null;
  if (branch === view.base) {
    throw new GzaError('input', `the ledger of ${branch} is the base ledger: lanes are folded into it`);
  }
  if ((await view.meta(branch)) === null) {
    throw new GzaError('world', `the ledger of ${branch} cannot be read, so it was not folded`, {
      hint: 'Run `gza fsck --repair`.',
    });
  }
  const { meta, tasks, artifacts } = await view.state(branch);
  const records = [...tasks.values()];
  const known = records.find((record) => record.lane?.id === meta.lane)?.lane;
  const lane: LaneLink = known ?? { id: meta.lane, branch };
  const who = by ? { by } : {};
  const fold: Event = { kind: 'fold', at, lane, how, tasks: records, ...who };
  const carried = [...artifacts].map(([path, blob]): Event => ({ kind: 'artifact', at, path, blob }));
  const remembered: Event[] =
    records.length > 0 ? [] : [{ kind: 'mark', at, name: `${foldedMark}${meta.lane}`, value: at }];
  return {
    changes: [{ branch: view.base, events: [fold, ...remembered, ...carried], secondParent: tip }],
    remove: [branch],
  };
}
