/** What the rules may look at, as a repository without a forge knows it. */

import type { TaskView } from '../../core/board/board.ts';
import { topsOfStacks } from '../../core/board/tops-of-stacks.ts';
import { knownAgents } from '../../core/config/model-names.ts';
import { pausedMark } from '../../core/ledger/rebase-mark.ts';
import type { Facts, LaneFacts, RuleSettings } from '../../core/policy/decide.ts';
import { type Readiness, readinessOf } from '../../core/policy/readiness.ts';
import type { Task } from '../../core/task/task.ts';
import type { Project } from '../project.ts';
import { isAlive } from './is-alive.ts';
import { type Heads, isAtWork, laneHeads } from './lane-heads.ts';

export async function localFacts(project: Project): Promise<Facts> {
  const atWork = [...project.board.views.values()].filter(isAtWork);
  return factsWith(project, await laneHeads(project, atWork));
}

/** Branches are looked at only for what was begun in vain: of other tasks that have not begun there are none. */
export async function readinessIn(project: Project): Promise<Readiness> {
  return readinessOf(await factsWith(project, await laneHeads(project, begunInVain(project))));
}

export function begunInVain({ board }: Pick<Project, 'board'>): TaskView[] {
  return [...board.views.values()].filter((view) => view.status === 'pending' && isAtWork(view));
}

async function factsWith(project: Project, heads: ReadonlyMap<string, Heads>): Promise<Facts> {
  const { board, config, view: ledgers } = project;
  const meta = await ledgers.meta(ledgers.base);
  const spentToday = meta?.spent?.[board.now.slice(0, 10)] ?? 0;
  const { day } = config.budget;
  const lanes = new Map<string, LaneFacts>();
  const resolved = new Map<Task, RuleSettings>();
  return {
    board,
    // Asked many times by the rules, for each task of a list.
    settings: (task) => {
      const known = resolved.get(task);
      if (known) return known;
      const settings = project.settings(task);
      const own = { ...settings, budget: settings.budget ?? config.budget.task ?? null };
      resolved.set(task, own);
      return own;
    },
    lane: (view) => {
      const known = lanes.get(view.id) ?? laneFacts(view, project, heads.get(view.id));
      lanes.set(view.id, known);
      return known;
    },
    command: () => null,
    alive: (claim) => isAlive(claim, board.now),
    limits: meta?.not_before ?? {},
    parallelWorkers: config.parallel_workers,
    dollarsLeft: day === undefined ? null : day - spentToday,
    paused: meta?.marks?.[pausedMark],
    agents: agentNames(project),
  };
}

function laneFacts(view: TaskView, project: Project, heads: Heads | undefined): LaneFacts {
  const branch = laneBranch(project, view);
  const state = view.record?.pull_request?.state;
  return {
    branch,
    ...heads,
    ...(state ? { pull: { state } } : {}),
  };
}

/** Names that `assigned_agent` may have for a task to be picked: the agents there are, not people. */
export function agentNames({ config }: Pick<Project, 'config'>): string[] {
  return [...new Set([...knownAgents, ...Object.keys(config.agents)])];
}

/** Of the unmerged branches that a task builds on those that are not below another of them. */
export function lanesBelow(project: Pick<Project, 'board'>, branches: readonly string[]): string[] {
  if (branches.length < 2) return [...branches];
  const below = new Map<string, readonly string[]>();
  for (const { record } of project.board.views.values()) {
    const lane = record?.lane;
    if (lane?.stacked_on && !lane.folded_at && !record?.merged_at)
      below.set(lane.branch, lane.joins ?? [lane.stacked_on]);
  }
  return topsOfStacks(branches, (branch) => below.get(branch) ?? []);
}

/** The branch a task works on: its own, its dependency's with same_branch, or `gza/<id>`; fixed at the first claim. */
export function laneBranch(project: Pick<Project, 'board' | 'config' | 'view'>, view: TaskView): string {
  let at: TaskView = view;
  for (let steps = 0; steps < 1000; steps += 1) {
    const lane = at.record?.lane;
    if (lane && !lane.folded_at) return lane.branch;
    if (at.branch !== null && at.branch !== project.view.base) return at.branch;
    if (at.task.branch !== undefined) return at.task.branch;
    // A review or an improve is about the work of the task it depends on.
    const follows = at.task.same_branch || at.task.type === 'review' || at.task.type === 'improve';
    const before: TaskView | undefined = follows
      ? project.board.views.get(at.task.depends_on?.[0] ?? '')
      : undefined;
    // A merged or closed lane is not gone on with: the task begins on a branch of its own.
    if (!before || before.record?.merged_at || before.record?.lane?.folded_at) break;
    at = before;
  }
  return `${project.config.branch_prefix}${at.id}`;
}
