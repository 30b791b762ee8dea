/** What the rules may look at, as a repository without a forge knows it. */

import type { TaskView } from '../../core/board/board.ts';
import type { LaneLink } from '../../core/ledger/record/record.ts';
import type { Facts, LaneFacts } from '../../core/policy/decide.ts';
import type { Project } from '../project.ts';
import { agentNames } from './agent-names.ts';
import { isAlive } from './is-alive.ts';
import { laneBranch } from './lane-branch-name.ts';
import { laneHeads } from './lane-heads.ts';
import { lanesBelow } from './lanes-below.ts';

export async function localFacts(project: Project): Promise<Facts> {
  const { board, config, view: ledgers } = project;
  const [meta, heads] = await Promise.all([ledgers.meta(ledgers.base), laneHeads(project)]);
  const spentToday = meta?.spent?.[board.now.slice(0, 10)] ?? 0;
  const { day } = config.budget;
  return {
    board,
    settings: (task) => {
      const settings = project.settings(task);
      return { ...settings, budget: settings.budget ?? config.budget.task ?? null };
    },
    lane: (view) => laneFacts(view, project, heads),
    command: () => null,
    alive: (claim) => isAlive(claim, board.now),
    limits: meta?.not_before ?? {},
    parallelWorkers: config.parallel_workers,
    dollarsLeft: day === undefined ? null : day - spentToday,
    agents: agentNames(project),
  };
}

function laneFacts(
  view: TaskView,
  project: Project,
  heads: Awaited<ReturnType<typeof laneHeads>>,
): LaneFacts {
  const branch = laneBranch(project, view);
  const below = project.board.graph.dependencies(view.id).flatMap(({ id }) => {
    const record = project.board.views.get(id)?.record;
    const unmerged =
      record?.lane && !record.lane.folded_at && !record.merged_at && record.lane.branch !== branch;
    return unmerged ? [(record.lane as LaneLink).branch] : [];
  });
  const state = view.record?.pull_request?.state;
  return {
    branch,
    ...heads.get(view.id),
    predecessors: lanesBelow(project, below),
    ...(state ? { pull: { state } } : {}),
  };
}
