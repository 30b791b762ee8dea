/** Everything that a decision asks for except running a step: events in the ledgers, each safe to repeat. */
import type { TaskView } from '../core/board.ts';
import type { Action, Decision } from '../core/decide.ts';
import type { Event } from '../core/event.ts';
import type { TaskRecord } from '../core/record.ts';
import { titleOf } from '../core/title.ts';
import { freeId } from '../commands/new-id.ts';
import type { Project } from '../commands/project.ts';
import { foldPlan } from '../ledger/fold.ts';
import type { Change, LedgerView, Plan } from '../ledger/ledger.ts';
import { adoption } from '../commands/change-task.ts';

type Acted = Exclude<Action, { kind: 'run' | 'wait' | 'nothing' }>;

export function isActed(action: Action): action is Acted {
  return action.kind !== 'run' && action.kind !== 'wait' && action.kind !== 'nothing';
}

/** Whether anything was written. */
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
    case 'record-dead':
    case 'cancel': {
      const held = (await ledgers.meta(ledgers.base))?.claims?.some(({ id }) => id === action.claim.id);
      const why = action.kind === 'cancel' ? 'cancelled' : 'its holder died';
      const release: Event = { kind: 'release', at, claim: action.claim.id, why };
      return held ? { changes: [{ branch: ledgers.base, events: [release] }] } : null;
    }
    case 'fold':
      return located ? foldPlan(ledgers, { branch: home, how: action.how, at }) : null;
    case 'fail':
      return onTask({ kind: 'close', at, id: view.id, as: 'failed', reason: action.reason });
    case 'ask-person':
      return onTask({ kind: 'stop', at, id: view.id, stop: action.stop });
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
  const last = record.steps?.findLast(({ head }) => head !== undefined);
  const close: Event = {
    kind: 'close',
    at,
    id: view.id,
    as: 'done',
    ...(last?.head ? { commit: last.head } : {}),
    ...(action.verdict ? { verdict: action.verdict } : {}),
    ...(action.stop ? { reason: action.stop.detail } : {}),
  };
  const own: Change = { branch: home, events: [close] };
  const more = [
    ...(await reviewToFile(ledgers, project, view, record, at)),
    ...(await approval(ledgers, view, action, at)),
  ];
  return { changes: joined([own, ...more]) };
}

/** Changes of one ledger become one commit. */
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

/** `create_review`: a review task that waits for this one, filed once. */
async function reviewToFile(
  ledgers: LedgerView,
  project: Project,
  view: TaskView,
  record: TaskRecord,
  at: string,
): Promise<Change[]> {
  const settings = project.settings(view.task);
  const isWork = view.task.type === 'implement' || view.task.type === 'task';
  const key = `review of ${view.id}`;
  const exists = [...project.board.views.values()].some((one) => one.record?.key === key);
  if (!settings.create_review || settings.auto_review || !isWork || exists) return [];
  const id = await freeId(ledgers, `${key}\n${at}`);
  const { group, milestone, project: of, plan_file } = record;
  const task: TaskRecord = {
    id,
    type: 'review',
    title: titleOf(`Review ${record.title}`),
    content: `Review the work of ${view.id}: ${record.title}`,
    depends_on: [view.id],
    created_at: at,
    created_by: 'gza',
    key,
    ...(group === undefined ? {} : { group }),
    ...(milestone === undefined ? {} : { milestone }),
    ...(of === undefined ? {} : { project: of }),
    ...(plan_file === undefined ? {} : { plan_file }),
  };
  return [{ branch: ledgers.base, events: [{ kind: 'add', at, by: 'gza', task }] }];
}

/** A review task that approves speaks for the task it reviewed, whose own loop had ended without. */
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
