/**
 * Decides whether the branch of a task is merged now: because a person asked for it, or by the rules of
 * `auto_merge`. Pure, so that `gza why` agrees with the job that merges.
 */
import { isDone, type TaskView } from '../board/board.ts';
import type { Config } from '../config/config.ts';
import { matchGlob } from '../guard/paths.ts';
import type { StepRecord } from '../ledger/record/record.ts';
import { isWork } from './steps-so-far.ts';

/** A person's request to merge: who, when, and the commit where the lane's last step had left it. */
export interface MergeWish {
  readonly by: string;
  readonly at: string;
  readonly leftAt: string;
  /** The id of its diff, which stays the same when gza rebases the branch. */
  readonly diff?: string | undefined;
}

const prefix = 'merge:';

/** Kept in the base ledger until the branch is merged or cannot be. */
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

/** What the forge says about the pull request; requested only if everything else allows the merge. */
export interface MergeSeen {
  readonly hasConflict: boolean;
  /** Nothing that anybody requires of it is missing or red. */
  readonly isClean: boolean;
  readonly lines: number;
  /** Null if more files changed than the forge lists. */
  readonly paths: readonly string[] | null;
}

export interface MergeFacts {
  readonly wish: MergeWish | null;
  readonly rules: Config['auto_merge'] | undefined;
  /** All tasks that work on the lane, with full records. */
  readonly tasks: readonly TaskView[];
  readonly isAtWork: boolean;
  readonly personCommits: boolean;
  /** The commit where its last step left it, and its head now. */
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

/**
 * `stop`: waiting will not help, so the person who asked is informed. `look`: all facts known here allow the
 * merge, so the forge is asked.
 */
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
  // A person who asked learns what is in the way. Without one, the merge just waits until that is gone.
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

/** The conditions that `auto_merge` adds. */
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

/** The first method that the repository allows; no merge commit if its history must be linear. */
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

/**
 * The commit where the last step left a lane; needs the full records of its tasks. A step that left nothing
 * has the fork point as its head, and does not count.
 */
export function leftAtOf(tasks: readonly Pick<TaskView, 'record'>[]): string | null {
  return lastLeft(tasks)?.head ?? null;
}

/** The last step that left a commit on the lane. */
export function lastLeft(tasks: readonly Pick<TaskView, 'record'>[]): StepRecord | undefined {
  const work = tasks.flatMap(({ record }) =>
    (record?.steps ?? []).filter(
      ({ step, head }) =>
        head !== undefined && head !== record?.lane?.fork_point && (isWork(step) || step === 'plan'),
    ),
  );
  return work.toSorted((a, b) => (a.ended_at < b.ended_at ? -1 : 1)).at(-1);
}
