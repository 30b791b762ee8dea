/** Carries out every decision except running a step, by writing events. Each can be repeated safely. */

import type { Project } from '../app/project.ts';
import { adoption, freeId } from '../app/tasks/change-task.ts';
import type { TaskView } from '../core/board/board.ts';
import type { Event } from '../core/ledger/event.ts';
import type { TaskRecord } from '../core/ledger/record/record.ts';
import type { Action, Decision } from '../core/policy/decide.ts';
import { isWork } from '../core/policy/steps-so-far.ts';
import { titleOf } from '../core/task/task.ts';
import { foldPlan } from '../ledger/fold.ts';
import type { Change, LedgerView, Plan } from '../ledger/ledger.ts';
import { definedOf } from './engine.ts';

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
