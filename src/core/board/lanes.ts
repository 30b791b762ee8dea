/** Lanes and the branches that they are stacked on, read from the records of their tasks. */

import type { LaneLink } from '../ledger/record/record.ts';
import { groupBy } from '../shape.ts';
import type { TaskView } from './board.ts';

/** A lane in flight, that is, not folded. */
export interface LaneNode {
  readonly branch: string;
  readonly link: LaneLink;
  readonly tasks: readonly TaskView[];
}

export interface Lanes {
  readonly open: ReadonlyMap<string, LaneNode>;
  /** How a lane ended; null while it is in flight, or if it is unknown. */
  end(branch: string): 'merged' | 'dropped' | null;
  /** The branch itself, and all branches in flight below it. */
  stack(branch: string): ReadonlySet<string>;
  /** Of these branches, those that no other is built on: a branch contains all that is below it. */
  tops(branches: readonly string[]): string[];
}

const known = new WeakMap<object, Lanes>();

export function lanesOf(views: ReadonlyMap<string, TaskView>): Lanes {
  const found = known.get(views) ?? gather([...views.values()]);
  known.set(views, found);
  return found;
}

function gather(views: readonly TaskView[]): Lanes {
  const all = groupBy(
    views.filter(({ record }) => record?.lane !== undefined),
    ({ record }) => record?.lane?.branch ?? '',
  );
  const open = new Map<string, LaneNode>();
  for (const [branch, own] of all) {
    const tasks = own.filter(({ record }) => record?.lane?.folded_at === undefined);
    const link = tasks[0]?.record?.lane;
    if (link) open.set(branch, { branch, link, tasks });
  }
  const stack = (branch: string) => {
    const seen = new Set([branch]);
    // The set grows during this loop, which then visits the new members too.
    for (const one of seen) for (const next of below(open.get(one)?.link)) if (open.has(next)) seen.add(next);
    return seen;
  };
  return {
    open,
    stack,
    end(branch) {
      if (open.has(branch)) return null;
      const own = all.get(branch) ?? [];
      if (own.some(({ record }) => record?.merged_at !== undefined)) return 'merged';
      return own.length > 0 ? 'dropped' : null;
    },
    tops(branches) {
      const wanted = [...new Set(branches)];
      if (wanted.length < 2) return wanted;
      const covered = new Set<string>();
      for (const one of wanted) for (const next of stack(one)) if (next !== one) covered.add(next);
      return wanted.filter((one) => !covered.has(one));
    },
  };
}

/** The branches that the lane was made on. */
function below(link: LaneLink | undefined): readonly string[] {
  return link?.joins ?? (link?.stacked_on === undefined ? [] : [link.stacked_on]);
}
