/**
 * The whole policy: (facts) → what to do with each task, as an ordered list of named rules; the first match
 * wins. The order is part of the contract: first rules that make claims true, then endings that cost nothing,
 * then blockers, then the choice of the step, and last whether that step may start now. It asks no model and
 * stores nothing, and asking twice gives the same answer, so a lost, late or repeated event is harmless. `gza
 * why` prints what matched.
 */
import { type Board, inOrder, type TaskView } from '../board/board.ts';
import type { Claim, FinalVerdict, StepName, Stop } from '../ledger/record/record.ts';
import type { Task } from '../task/task.ts';
import { blockedRules, endingRules, truthRules } from './rules-before.ts';
import { type Batch, emptyBatch, startRules, stepRules } from './rules-step.ts';
import { isOpen } from './steps-so-far.ts';

/** The resolved settings of a task that the rules need. */
export interface RuleSettings {
  readonly auto_review: boolean;
  readonly max_review_cycles: number;
  readonly max_attempts: number;
  readonly max_slices: number;
  /** Dollars, or null for no limit. */
  readonly budget: number | null;
  readonly agents: readonly string[];
}

export interface LaneFacts {
  /** Its branch, even before work begins: only one task at a time works on a branch. */
  readonly branch?: string;
  /** The lane's head commit and the identity of its diff, when the lane has a branch. */
  readonly head?: string;
  readonly diff?: string;
  readonly pull?: { readonly state: 'draft' | 'open' | 'merged' | 'closed' };
  /** People pushed commits of their own (base merges and applied suggestions are not). */
  readonly personCommits?: boolean;
  /** Required checks of its pull request that failed on its head; twice, if they could be repeated. */
  readonly red?: readonly string[];
  /** Why the project's checks fail on the commit that it would start from. */
  readonly baseline?: string;
  /** A person deleted its branch while the task was open. */
  readonly gone?: boolean;
}

/** A command of a person, or a ticked box, that has no answer yet. */
export interface OpenCommand {
  readonly step: StepName;
  readonly guidance?: string;
  readonly by: string;
  /** How many claims that answered it died, or ended without an answer. */
  readonly tries?: number;
  /** The comment that it came from, as it was when gza obeyed it. */
  readonly said?: { readonly key: string; readonly at: string; readonly role: string; readonly text: string };
}

export interface Facts {
  readonly board: Board;
  readonly settings: (task: Task) => RuleSettings;
  readonly lane: (view: TaskView) => LaneFacts;
  readonly command: (view: TaskView) => OpenCommand | null;
  /** Whether a claim is alive: its time is not up, or the forge says that its run goes on. */
  readonly alive: (claim: Claim) => boolean;
  /** Usage limits: agent → time when the limit ends. */
  readonly limits: Readonly<Record<string, string>>;
  readonly parallelWorkers: number;
  /**
   * Dollars not yet spent in this run and today; null: no limit. The rules subtract what live claims reserve.
   */
  readonly dollarsLeft: number | null;
  /** Who paused all tasks, if anybody. */
  readonly paused?: string | undefined;
  /** Values of `assigned_agent` for which gza picks the task. */
  readonly agents: readonly string[];
}

export type Action =
  | { readonly kind: 'run'; readonly step: StepName; readonly cycle: number; readonly guidance?: string }
  | { readonly kind: 'wait'; readonly until?: string }
  | { readonly kind: 'record-dead'; readonly claim: Claim }
  | { readonly kind: 'cancel'; readonly claim: Claim }
  | { readonly kind: 'fold'; readonly how: 'merged' | 'closed' }
  | { readonly kind: 'finish'; readonly verdict?: FinalVerdict; readonly stop?: Stop }
  | { readonly kind: 'fail'; readonly reason: string }
  | { readonly kind: 'ask-person'; readonly stop: Stop }
  /** Closed, but not finished after all: it continues where it stands. */
  | { readonly kind: 'go-on' }
  | { readonly kind: 'nothing' };

/** What a rule returns when it matches. */
export interface Match {
  readonly action: Action;
  /** What was observed, in words. */
  readonly because: string;
  /** What would change it. */
  readonly change: string;
}

export interface Rule {
  readonly name: string;
  readonly match: (view: TaskView, facts: Facts) => Match | null;
}

export interface StartRule {
  readonly name: string;
  readonly match: (view: TaskView, facts: Facts, batch: Batch) => Match | null;
}

export interface Decision extends Match {
  readonly task: string;
  readonly rule: string;
  /** The step that a start rule holds back. */
  readonly wanted?: StepName;
}

export const rules: readonly Rule[] = [...truthRules, ...endingRules, ...blockedRules, ...stepRules];

/** The decision for one task, given what this round has chosen already. */
export function decideTask(view: TaskView, facts: Facts, batch: Batch = emptyBatch(facts)): Decision {
  for (const { name, match } of rules) {
    const found = match(view, facts);
    if (!found) continue;
    if (found.action.kind !== 'run') return { task: view.id, rule: name, ...found };
    return heldBack(view, facts, batch, found.action.step) ?? { task: view.id, rule: name, ...found };
  }
  throw new Error(`no rule matches ${view.id}`);
}

function heldBack(view: TaskView, facts: Facts, batch: Batch, wanted: StepName): Decision | null {
  for (const { name, match } of startRules) {
    const found = match(view, facts, batch);
    if (found) return { task: view.id, rule: name, wanted, ...found };
  }
  return null;
}

/**
 * The decision for every open task. Those that run come in ready order and can run beside one another. A task
 * that the caller will not start takes no place from the others.
 */
export function decide(facts: Facts, mayStart: (view: TaskView) => boolean = () => true): Decision[] {
  const open = [...facts.board.views.values()].filter((view) => isOpen(view, facts));
  const batch = emptyBatch(facts);
  return inOrder(open, facts.board).map((view) => {
    const decision = decideTask(view, facts, batch);
    if (decision.action.kind === 'run' && mayStart(view)) batch.add(view);
    return decision;
  });
}

/** The branch of a task that must come first. */
export interface Predecessor {
  readonly branch: string;
  /** `gone`: closed unmerged, or its branch was deleted. */
  readonly state: 'merged' | 'unmerged' | 'gone';
  /** When it was merged; if it is not merged, when it began. */
  readonly at?: string | undefined;
}

export interface LaneStartFacts {
  readonly branch: string;
  readonly hasBranch: boolean;
  /** `same_branch`: continues the lane of its one predecessor. */
  readonly isSameBranch: boolean;
  readonly predecessors: readonly Predecessor[];
}

export type LaneStart =
  /** The branch exists: work starts at its head, and its fork point is on record. */
  | { readonly kind: 'continue'; readonly branch: string }
  /** Starts from another lane's branch, whose head is the fork point. */
  | { readonly kind: 'stack'; readonly branch: string; readonly on: string }
  /**
   * Starts from a commit that joins these branches, and the base branch if some of what it needs is merged.
   */
  | {
      readonly kind: 'join';
      readonly branch: string;
      readonly on: readonly string[];
      readonly withBase: boolean;
    }
  | { readonly kind: 'base'; readonly branch: string; readonly note?: string };

/** Where the work on a lane starts: on top of everything that it waits for. */
export function laneStart({ branch, hasBranch, isSameBranch, predecessors }: LaneStartFacts): LaneStart {
  const unmerged = predecessors.filter(({ state }) => state === 'unmerged');
  const on = [...new Set(unmerged.map((one) => one.branch))].sort();
  const [first] = on;
  if (isSameBranch && on.length === 1 && first !== undefined) return { kind: 'continue', branch: first };
  if (hasBranch) return { kind: 'continue', branch };
  // What was merged before the other branch began is already part of it.
  const withBase = predecessors.some(
    ({ state, at = '' }) => state === 'merged' && unmerged.some((one) => (one.at ?? '') < at),
  );
  if (on.length > 1 || (first !== undefined && withBase)) return { kind: 'join', branch, on, withBase };
  if (first !== undefined) return { kind: 'stack', branch, on: first };
  const [ended] = predecessors;
  if (!isSameBranch || !ended) return { kind: 'base', branch };
  const how = ended.state === 'merged' ? 'merged' : 'gone';
  return { kind: 'base', branch, note: `${ended.branch} is ${how}; the work goes on from the base branch` };
}

/** A lane in flight whose work is done. */
export interface OpenLane {
  readonly branch: string;
  readonly files: readonly string[];
  readonly position: number;
  /** The number of lanes in its stack, including itself. */
  readonly height: number;
}

/** Limit for stacks that are due to shared files, because each branch waits until all below it are merged. */
const overlapHeightMax = 3;

/**
 * Two lanes that change the same file would conflict at the end, so the later one starts from the earlier.
 */
export function overlapStart(files: readonly string[], lanes: readonly OpenLane[]): string | null {
  const sharing = lanes.filter(
    (lane) => lane.height < overlapHeightMax && lane.files.some((file) => files.includes(file)),
  );
  return sharing.toSorted((a, b) => a.position - b.position)[0]?.branch ?? null;
}
