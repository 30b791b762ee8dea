/**
 * The engine that both front ends share: decide, act, record. A step is planned from facts (StepJob),
 * performed where an agent may run (Left), concluded where no agent runs (StepReport), and recorded in one
 * transaction that moves branch and ledger together. A laptop does all of it in one process. In CI each
 * part is a job of its own, so every part takes and returns plain data.
 */

import type { SessionTotals } from '../agents/agents.ts';
import type { Project } from '../app/project.ts';
import { adoption, freeId } from '../app/tasks/change-task.ts';
import type { TaskView } from '../core/board/board.ts';
import { type Config, isPlanFiled, type Settings } from '../core/config/config.ts';
import type { Event } from '../core/ledger/event.ts';
import type { LaneLink, StepName, TaskRecord } from '../core/ledger/record/record.ts';
import type { Action, Decision, OpenCommand } from '../core/policy/decide.ts';
import { isWork } from '../core/policy/steps-so-far.ts';
import type { PeopleSaid } from '../core/review/conversation.ts';
import { titleOf } from '../core/task/task.ts';
import { foldPlan } from '../ledger/fold.ts';
import type { Change, LedgerView, Plan } from '../ledger/ledger.ts';

/** The agent's session of a step that was cut short. */
export interface StoredSession {
  readonly id: string;
  /** Name of the clone, because agents find sessions by folder. */
  readonly clone: string;
  readonly totals?: SessionTotals | undefined;
}

/** The branch that a step works on. */
export interface Lane {
  readonly link: LaneLink;
  /** The lane has no ledger of its own yet. */
  readonly isNew: boolean;
  /** The commit the step begins at. */
  readonly head: string;
  /** Whether the branch exists. */
  readonly hasBranch: boolean;
  /** The commit to compare the lane with: on the base branch, or on the branch it is stacked on. */
  readonly compareWith: string;
  readonly note?: string;
}

/** One step to do, as plain data. */
export interface StepJob {
  readonly id: string;
  readonly step: StepName;
  /** 0 before the first review. */
  readonly cycle: number;
  readonly guidance?: string;
  /** The team's checks that fail on its branch, each with the end of its log. */
  readonly failing?: string;
  /** The request of a person that this step answers. */
  readonly wish?: OpenCommand;
  /** What people said on the pull request. */
  readonly people?: PeopleSaid;
  readonly agent: string;
  readonly model?: string;
  readonly maxTurns?: number;
  readonly budgetUsd?: number;
  readonly timeoutMinutes: number;
  /** Null for plan and explore, which change no files. */
  readonly lane: Lane | null;
  readonly base: { readonly branch: string; readonly commit: string };
  /** Id of the claim that the step runs under. */
  readonly claim: string;
  /** The agent of the review that follows, if the claim reserves that too. */
  readonly reviewer?: string;
  /** No agent runs; only the checks run, on the current head. */
  readonly isRecheck?: boolean;
  /** No agent runs. The step uses the artifact that a run under an earlier claim left. */
  readonly taken?: {
    readonly run: number;
    readonly artifact: number;
    readonly claim: string;
    readonly times: number;
  };
  /** A session to resume. */
  readonly session?: StoredSession;
}

/** The claim that the agent itself ran under. */
export function claimOfAgent({ claim, taken }: Pick<StepJob, 'claim' | 'taken'>): string {
  return taken?.claim ?? claim;
}

/** What a person chose on the command line. */
export interface RunChoice {
  readonly agents?: readonly string[];
  readonly model?: string;
  /** A command line of the person's own; it becomes the agent `runner`. */
  readonly runner?: string;
  readonly parallel?: number;
  readonly maxTasks?: number;
  readonly delaySeconds: number;
  readonly once: boolean;
  /** Runs one step without an agent, to check the branch as it is. */
  readonly checksOnly?: boolean;
  /** Resumes the session of the step that was cut short, if the agent can. */
  readonly resume?: boolean;
}

/** How many minutes a step of this kind may take. */
export function timeoutMinutes(step: StepName, settings: Settings): number {
  switch (step) {
    case 'review':
      return settings.review_timeout_minutes;
    case 'improve':
      return settings.improve_timeout_minutes;
    case 'plan':
    case 'explore':
    case 'implement':
      return settings.timeout_minutes;
  }
}

/** Whether a step changes files of a lane. The others leave a text. */
export function changesFiles(step: StepName): boolean {
  return step === 'implement' || step === 'improve';
}

/** Whether an agent is a configured command. It answers only in text, and may not read its prompt. */
export function isCommand(name: string, { agents }: Config): boolean {
  return name === 'runner' || agents[name]?.command !== undefined;
}

/** Whether a step needs the lane's branch, to work on it or to read it. */
export function needsLane(step: StepName, settings: Pick<Settings, 'approval' | 'breakdown'>): boolean {
  return changesFiles(step) || step === 'review' || (step === 'plan' && isPlanFiled(settings));
}

/** The path of the text that a step leaves in the ledger; null for steps that leave none. */
export function artifactPath(
  view: Pick<TaskView, 'id' | 'task'>,
  step: StepName,
  cycle: number,
): string | null {
  switch (step) {
    case 'plan':
      return `plans/${view.id}.md`;
    case 'explore':
      return `explorations/${view.id}.md`;
    case 'review':
      return view.task.type === 'review' ? `reviews/${view.id}.md` : `reviews/${view.id}-review-${cycle}.md`;
    case 'implement':
    case 'improve':
      return null;
  }
}

/** Copies those of the named fields that are set. */
export function definedOf<T extends object, K extends keyof T>(of: T, names: readonly K[]): Pick<T, K> {
  const set = names.filter((name) => of[name] !== undefined);
  return Object.fromEntries(set.map((name) => [name, of[name]])) as Pick<T, K>;
}

/** Actions that this file carries out. `record-dead` is left out, because the sweep does it. */
type Acted = Exclude<Action, { kind: 'run' | 'wait' | 'nothing' | 'record-dead' }>;

export function isActed(action: Action): action is Acted {
  const { kind } = action;
  return kind !== 'run' && kind !== 'wait' && kind !== 'nothing' && kind !== 'record-dead';
}

/** Returns whether anything was written. */
export async function act(
  project: Project,
  view: TaskView,
  decision: Decision,
  at: string,
): Promise<boolean> {
  const { action } = decision;
  if (!isActed(action)) return false;
  const adopted = await adoption(project, view.id, { at });
  const written = await project.ledger.write((ledgers) =>
    planFor(ledgers, project, view, action, at, adopted),
  );
  return written.kind === 'written';
}

async function planFor(
  ledgers: LedgerView,
  project: Project,
  view: TaskView,
  action: Acted,
  at: string,
  adopted: Event | null,
): Promise<Plan | null> {
  const located = await ledgers.task(view.id);
  const home = located?.branch ?? ledgers.base;
  const first = located || !adopted ? [] : [adopted];
  const onTask = (...events: Event[]): Plan => ({
    changes: [{ branch: home, events: [...first, ...events] }],
  });
  switch (action.kind) {
    case 'cancel': {
      const held = (await ledgers.meta(ledgers.base))?.claims?.some(({ id }) => id === action.claim.id);
      const release: Event = { kind: 'release', at, claim: action.claim.id, why: 'cancelled' };
      return held ? { changes: [{ branch: ledgers.base, events: [release] }] } : null;
    }
    case 'fold':
      return located ? foldPlan(ledgers, { branch: home, how: action.how, at }) : null;
    case 'fail':
      return onTask({ kind: 'close', at, id: view.id, as: 'failed', reason: action.reason });
    case 'ask-person':
      return onTask({ kind: 'stop', at, id: view.id, stop: action.stop });
    case 'go-on':
      return onTask({ kind: 'reopen', at, id: view.id, goes_on: true });
    case 'finish':
      return finishPlan(ledgers, project, view, action, at, home);
  }
}

async function finishPlan(
  ledgers: LedgerView,
  project: Project,
  view: TaskView,
  action: Extract<Acted, { kind: 'finish' }>,
  at: string,
  home: string,
): Promise<Plan | null> {
  const record = (await ledgers.task(view.id))?.record;
  if (!record || record.closed_at) return null;
  const last = record.steps?.findLast(
    ({ step, head }) => (isWork(step) || step === 'plan') && head !== undefined,
  );
  const notes = last?.head ? whatWasDone(record) : '';
  const close: Event = {
    kind: 'close',
    at,
    id: view.id,
    as: 'done',
    ...(last?.head ? { commit: last.head } : {}),
    ...(action.verdict ? { verdict: action.verdict } : {}),
    ...(action.stop ? { reason: action.stop.detail } : {}),
    ...(notes ? { notes } : {}),
  };
  // Closing removes a stop, so a stop for a person must come after it.
  const stop: Event[] = action.stop ? [{ kind: 'stop', at, id: view.id, stop: action.stop }] : [];
  const own: Change = { branch: home, events: [close, ...stop] };
  const more = [
    ...(await reviewToFile(ledgers, project, view, record, at)),
    ...(await approval(ledgers, view, action, at)),
  ];
  return { changes: joined([own, ...more]) };
}

/**
 * For tasks that build on this one: what its first good step said it did. Of a plan, the last one, because
 * it replaces the earlier ones.
 */
function whatWasDone({ type, steps = [] }: TaskRecord): string {
  const good = steps.flatMap(({ step, outcome, said }) =>
    outcome === 'ok' && step !== 'improve' && step !== 'review' ? (said ?? []) : [],
  );
  return good.at(type === 'plan' ? -1 : 0) ?? '';
}

/** Joins the changes of each ledger, so that it gets one commit. */
function joined(changes: readonly Change[]): Change[] {
  const byBranch = new Map<string, Change>();
  for (const change of changes) {
    const before = byBranch.get(change.branch);
    byBranch.set(
      change.branch,
      before ? { ...before, events: [...before.events, ...change.events] } : change,
    );
  }
  return [...byBranch.values()];
}

/** Files the review task that `create_review` asks for, only once. */
async function reviewToFile(
  ledgers: LedgerView,
  project: Project,
  view: TaskView,
  record: TaskRecord,
  at: string,
): Promise<Change[]> {
  const id = await freeId(ledgers, `review of ${view.id}\n${at}`);
  const task = reviewTaskOf(project, { ...view, record }, id, at);
  return task ? [{ branch: ledgers.base, events: [{ kind: 'add', at, by: 'gza', task }] }] : [];
}

/** Null when no review task is wanted, or when it exists. */
export function reviewTaskOf(
  { board, settings }: Pick<Project, 'board' | 'settings'>,
  { id: of, task, record }: TaskView,
  id: string,
  at: string,
): TaskRecord | null {
  const { create_review, auto_review } = settings(task);
  const isWork = task.type === 'implement' || task.type === 'task';
  const key = `review of ${of}`;
  const exists = [...board.views.values()].some((one) => one.record?.key === key);
  if (!create_review || auto_review || !isWork || exists || !record) return null;
  return {
    id,
    type: 'review',
    title: titleOf(`Review ${record.title}`),
    content: `Review the work of ${of}: ${record.title}`,
    depends_on: [of],
    created_at: at,
    created_by: 'gza',
    key,
    ...definedOf(record, ['group', 'milestone', 'project', 'plan_file']),
  };
}

/** The approval of a review task replaces the verdict of the task it reviewed, if that ended without one. */
async function approval(
  ledgers: LedgerView,
  view: TaskView,
  action: Extract<Acted, { kind: 'finish' }>,
  at: string,
): Promise<Change[]> {
  const subject = view.task.type === 'review' ? view.task.depends_on?.[0] : undefined;
  const located = subject === undefined || action.verdict !== 'APPROVED' ? null : await ledgers.task(subject);
  const verdict = located?.record.final_verdict;
  if (!located || verdict === undefined || verdict === 'APPROVED') return [];
  return [
    {
      branch: located.branch,
      events: [{ kind: 'verdict', at, by: view.id, id: located.record.id, verdict: 'APPROVED' }],
    },
  ];
}
