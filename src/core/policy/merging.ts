/**
 * Whether the branch of a task is merged now: because a person asked for it, or by the rules of `auto_merge`. Pure, so
 * that `gza why` says the same as the job that merges.
 */
import { isDone, type TaskView } from '../board/board.ts';
import type { Config } from '../config/config.ts';
import { matchGlob } from '../guard/paths.ts';
import type { StepRecord } from '../ledger/record/record.ts';
import { isWork } from './steps-so-far.ts';

/** What a person asked for, as long as it stands: who, and where the lane's last step had left it. */
export interface MergeWish {
  readonly by: string;
  readonly at: string;
  readonly leftAt: string;
  /** The identity of its diff, which a rebase of gza's keeps. */
  readonly diff?: string | undefined;
}

const prefix = 'merge:';

/** Kept in the base ledger until it is merged, or cannot be. */
export function mergeMark(branch: string): string {
  return `${prefix}${branch}`;
}

export function wishedBranches(marks: Readonly<Record<string, string>>): string[] {
  return Object.keys(marks).flatMap((name) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : []));
}

export function printWish({ by, at, leftAt, diff = '-' }: MergeWish): string {
  return `${leftAt} ${diff} ${at} ${by}`;
}

export function readWish(mark: string | undefined): MergeWish | null {
  const [, leftAt = '', diff = '', at = '', by = ''] = /^(\S+) (\S+) (\S+) (.+)$/s.exec(mark ?? '') ?? [];
  return by === '' ? null : { by, at, leftAt, ...(diff === '-' ? {} : { diff }) };
}

/** What the forge says of the pull request; asked only where all else lets it be merged. */
export interface MergeSeen {
  readonly hasConflict: boolean;
  /** Nothing that anybody asks of it is missing or red. */
  readonly isClean: boolean;
  readonly lines: number;
  /** None where more changed than it tells of. */
  readonly paths: readonly string[] | null;
}

export interface MergeFacts {
  readonly wish: MergeWish | null;
  readonly rules: Config['auto_merge'] | undefined;
  /** All that work on the lane, read whole. */
  readonly tasks: readonly TaskView[];
  readonly isAtWork: boolean;
  readonly personCommits: boolean;
  /** Where its last step left it, and where it is. */
  readonly leftAt: string | null;
  readonly head: string | null;
  readonly baseBranch: string;
  readonly pull: {
    readonly state: 'draft' | 'open' | 'merged' | 'closed';
    readonly base: string;
    readonly headCommit: string;
    readonly red: readonly string[];
  } | null;
  readonly seen: MergeSeen | null;
}

/** `stop`: no waiting will help; who asked is told. `look`: all that is known here lets it be merged. */
export interface MergeJudgement {
  readonly kind: 'none' | 'wait' | 'stop' | 'look' | 'merge';
  readonly because: string;
}

const linesMax = 300;

export function judgeMerge(facts: MergeFacts): MergeJudgement {
  const { wish, rules, pull, seen } = facts;
  const state = pull?.state;
  if ((!wish && !rules) || state === 'merged' || state === 'closed')
    return { kind: 'none', because: 'nobody asked for it, and auto_merge is not set' };
  const held = standsInTheWay(facts) ?? (wish ? null : againstRules(facts));
  // What a person asked for is told to them; by itself it goes on when that is no longer so.
  if (held) return wish ? held : { ...held, kind: 'wait' };
  if (!seen) return { kind: 'look', because: 'it waits for what GitHub says of it' };
  const by = wish ? `${wish.by} asked for it` : 'auto_merge lets it be merged';
  return { kind: 'merge', because: by };
}

function standsInTheWay(facts: MergeFacts): MergeJudgement | null {
  const { tasks, pull, wish, leftAt, head, baseBranch, seen } = facts;
  const open = tasks.find((view) => !view.record?.closed_at);
  const unapproved = tasks.find((view) => view.record?.closed_at && !isDone(view));
  if (facts.personCommits)
    return stop('a person pushed commits to it, which nobody reviewed: merge it by hand, or hand it back');
  if (wish && wish.leftAt !== leftAt && (!wish.diff || wish.diff !== lastLeft(tasks)?.diff))
    return stop('it changed after that was said: look again, then say it again');
  if (unapproved) return stop(`${unapproved.id} is not approved: approve or improve it first`);
  if (open || facts.isAtWork || tasks.length === 0)
    return wait(`${open?.id ?? 'something'} is still to be done on it`);
  if (!pull) return wait('it has no pull request yet');
  const [red] = pull.red;
  if (red !== undefined) return stop(`the required check ${red} failed`);
  if (pull.base !== baseBranch) return wait(`it stands on ${pull.base}, which is merged first`);
  if (pull.state === 'draft') return wait('its pull request is a draft');
  if (pull.headCommit !== head) return wait('GitHub does not show its last commit yet');
  if (seen?.hasConflict)
    return stop(`it conflicts with ${baseBranch}: rebase it, or merge ${baseBranch} into it`);
  return null;
}

/** What `auto_merge` asks beyond that. */
function againstRules({ rules, tasks, seen }: MergeFacts): MergeJudgement | null {
  const unasked = tasks.find(({ record }) => record?.final_verdict !== 'APPROVED');
  if (unasked) return wait(`auto_merge takes what a review approved, and ${unasked.id} had none`);
  const waited = tasks.find(({ record }) => record?.waits || record?.allowed);
  if (waited)
    return wait(`auto_merge leaves to people what changed files that wait for a person, as ${waited.id} did`);
  if (!seen) return null;
  const { lines = linesMax, paths = [] } = rules ?? {};
  if (!seen.isClean) return wait('auto_merge waits until all checks and rules let it pass');
  if (seen.lines > lines)
    return wait(`auto_merge takes at most ${lines} changed lines, and it has ${seen.lines}`);
  const isTaken = (path: string) => paths.length === 0 || paths.some((glob) => matchGlob(glob, path));
  if (seen.paths === null) return paths.length === 0 ? null : wait('auto_merge cannot tell all its files');
  const other = seen.paths.find((path) => !isTaken(path));
  return other === undefined ? null : wait(`auto_merge does not take changes of ${other}`);
}

function stop(because: string): MergeJudgement {
  return { kind: 'stop', because };
}

function wait(because: string): MergeJudgement {
  return { kind: 'wait', because };
}

export type MergeMethod = 'merge' | 'squash' | 'rebase';

/** As the repository wants it: what it offers first, unless its history must be a line. */
export function methodOf(
  allowed: readonly MergeMethod[],
  rules: readonly { readonly type: string; readonly methods?: readonly string[] }[],
): MergeMethod | null {
  const isLine = rules.some(({ type }) => type === 'required_linear_history');
  const limits = rules.flatMap(({ methods }) => (methods ? [methods] : []));
  const all = (['squash', 'merge', 'rebase'] as const).filter(
    (method) =>
      allowed.includes(method) &&
      limits.every((some) => some.includes(method)) &&
      !(isLine && method === 'merge'),
  );
  return all[0] ?? null;
}

/** Where the last step left a lane, of its tasks read whole. One that left nothing names where the lane forked. */
export function leftAtOf(tasks: readonly Pick<TaskView, 'record'>[]): string | null {
  return lastLeft(tasks)?.head ?? null;
}

/** The step that did. */
export function lastLeft(tasks: readonly Pick<TaskView, 'record'>[]): StepRecord | undefined {
  const work = tasks.flatMap(({ record }) =>
    (record?.steps ?? []).filter(
      ({ step, head }) =>
        head !== undefined && head !== record?.lane?.fork_point && (isWork(step) || step === 'plan'),
    ),
  );
  return work.toSorted((a, b) => (a.ended_at < b.ended_at ? -1 : 1)).at(-1);
}
