/**
 * The whole policy: (facts) → what to do with each task, as an ordered list of named rules, first match wins.
 * The order is part of the contract: truth first, then what ends for free, then what blocks, then which step,
 * and only then whether that step may start now. No model is asked, nothing is stored, and asking twice gives
 * the same answer, so a lost, late or doubled event is harmless. `gza why` prints what matched.
 */
import { type Board, inOrder, type TaskView } from '../board/board.ts';
import type { Claim, FinalVerdict, StepName, Stop } from '../ledger/record/record.ts';
import type { Task } from '../task/task.ts';
import { blockedRules, endingRules, truthRules } from './rules-before.ts';
import { type Batch, emptyBatch, startRules, stepRules } from './rules-step.ts';
import { isOpen } from './steps-so-far.ts';

/** What the rules need of a task's settings, resolved. */
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
  /** Its branch, also when it is not begun: one task at a time works on a branch. */
  readonly branch?: string;
  /** The lane's head commit and the identity of its diff, when the lane has a branch. */
  readonly head?: string;
  readonly diff?: string;
  readonly pull?: { readonly state: 'draft' | 'open' | 'merged' | 'closed' };
  /** People pushed commits of their own (base merges and applied suggestions are not). */
  readonly personCommits?: boolean;
  /** Checks that its pull request must pass and that failed on its head, twice where they could be asked again. */
  readonly red?: readonly string[];
  /** Why the project's checks fail on the commit that it would begin from. */
  readonly baseline?: string;
  /** A person deleted its branch while the task was open. */
  readonly gone?: boolean;
}

/** An unanswered command of a person, or a box that was ticked. */
export interface OpenCommand {
  readonly step: StepName;
  readonly guidance?: string;
  readonly by: string;
  /** So many claims that answered it died, or ended without an answer. */
  readonly tries?: number;
  /** The comment that it came from, as it was when it was obeyed. */
  readonly said?: { readonly key: string; readonly at: string; readonly role: string; readonly text: string };
}

export interface Facts {
  readonly board: Board;
  readonly settings: (task: Task) => RuleSettings;
  readonly lane: (view: TaskView) => LaneFacts;
  readonly command: (view: TaskView) => OpenCommand | null;
  /** A claim is alive: its time is not up, or the forge says that its run goes on. */
  readonly alive: (claim: Claim) => boolean;
  /** Usage limits: agent → until when. */
  readonly limits: Readonly<Record<string, string>>;
  readonly parallelWorkers: number;
  /** Dollars not yet spent in this run and today; what live claims reserve is taken off here. Null: no limit. */
  readonly dollarsLeft: number | null;
  /** Who asked that nothing new starts, of any task. */
  readonly paused?: string | undefined;
  /** Names that `assigned_agent` may have for gza to pick the task. */
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
  /** Closed, and not as good as it looked: it goes on where it stands. */
  | { readonly kind: 'go-on' }
  | { readonly kind: 'nothing' };

/** What a rule says when it matches. */
export interface Match {
  readonly action: Action;
  /** What was seen, in words. */
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

/** The decision for one task, given what is chosen already in this round. */
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
 * Every open task's decision; those that run come in ready order and fit beside one another. A task that will not
 * be started by whoever asks takes no place from the others.
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
