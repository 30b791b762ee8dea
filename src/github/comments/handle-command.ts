/** What one command does to one task: it writes events on the task or its lane, or requests a step. */

import type { Project } from '../../app/project.ts';
import { askForMerge } from '../../app/tasks/ask-merge.ts';
import { askForRebase, freeId, wholeView, writeToTask } from '../../app/tasks/change-task.ts';
import { planSplit, splitInLedger } from '../../app/tasks/split-task.ts';
import type { TaskView } from '../../core/board/board.ts';
import { allowFiles } from '../../core/ledger/apply-task.ts';
import type { Event } from '../../core/ledger/event.ts';
import type { StepName } from '../../core/ledger/record/record.ts';
import type { CommentCommand } from '../../core/markdown/parse-comment-commands.ts';
import type { OpenCommand } from '../../core/policy/decide.ts';
import { titleOf } from '../../core/task/task.ts';
import { type CommandOutcome, commandHelp, splitAnswer } from '../../core/text/github/command-answer.ts';
import { count } from '../../core/text/terminal/lines.ts';
import { parseTime } from '../../core/time.ts';
import { reviewsSoFar, subjectOf } from '../../engine/perform/gather-context.ts';
import type { JobContext } from '../jobs/job-context.ts';
import { wishEvent } from '../pick/claims.ts';
import { peopleFor } from './people.ts';

/** The answer that needs no text, because the reaction says it. */
export const taken = 'done.';

export const refused = (text: string): Said => ({ kind: 'refused', text });
export const done = (text = taken, details?: string): Said => ({
  kind: 'done',
  text,
  ...(details === undefined ? {} : { details }),
});

export type Said = Omit<CommandOutcome, 'command'>;

export async function handleCommand(
  ci: JobContext,
  project: Project,
  view: TaskView,
  by: string,
  { verb, guidance, args }: CommentCommand,
  said?: OpenCommand['said'],
): Promise<Said> {
  const { ports } = ci;
  const { id } = view;
  const at = ports.now();
  const write = (...events: readonly Event[]) => writeToTask(project, id, ports, () => events);
  const words = { ...(guidance ? { guidance } : {}), ...(said ? { said } : {}) };
  const ask = (step: StepName) => askFor(ci, project, id, { step, by, ...words });
  switch (verb) {
    case 'improve':
      if (guidance === '' && !(await hasWords(ci, project, view))) return refused(nothingToImprove(id));
      // An improve may not change a plan's files, so the plan is written again with the guidance.
      await ask(view.task.type === 'plan' ? 'plan' : verb);
      break;
    case 'review':
      await ask(verb);
      break;
    case 'work':
      await write({ kind: 'unblock', at, by, id });
      if (!view.record?.closed_at) await ask(stepToGoOn(project, view));
      break;
    case 'retry': {
      const file = view.record ? await project.backlog.definition(id) : null;
      const redefined = file ? { redefined: { ...file.defaults, ...file.task } } : {};
      await write({ kind: 'retry', at, by, id, ...redefined });
      break;
    }
    case 'resume':
      await write({ kind: 'unblock', at, by, id });
      break;
    case 'approve':
      return approve(view, write, { at, by, guidance, saidAt: said?.at });
    case 'skip':
      await write({ kind: 'close', at, by, id, as: 'skipped', reason: guidance || `skipped by ${by}` });
      break;
    case 'stop':
      await write({ kind: 'stop', at, by, id, stop: { reason: 'stopped', detail: `stopped by ${by}`, at } });
      break;
    case 'pause':
      await write({ kind: 'pause', at, by, id, paused: true });
      break;
    case 'reopen':
      await write({ kind: 'reopen', at, by, id });
      break;
    case 'add':
      return addTask(ci, project, view, by, guidance);
    case 'status':
    case 'why':
      return done(`${id} is ${view.status}${view.record?.stop ? `: ${view.record.stop.detail}` : ''}.`);
    case 'merge': {
      const why = await askForMerge(project, view, { at, by }, { saidAt: said?.at, head: args[0] });
      return why === null ? done('it is merged as soon as it can be.') : refused(why);
    }
    case 'rebase':
      return rebase(ci, project, view, by);
    case 'split':
      return split(ci, project, view, by);
    case 'help':
      return done('what I know:', commandHelp());
  }
  return done();
}

interface Approval {
  readonly at: string;
  readonly by: string;
  readonly guidance: string;
  readonly saidAt: string | undefined;
}

/** Approves waiting files if the author can have seen them. Without any, approves the plan or the head. */
async function approve(
  view: TaskView,
  write: (...events: readonly Event[]) => Promise<void>,
  { at, by, guidance, saidAt }: Approval,
): Promise<Said> {
  const { id, record } = view;
  const waits = record?.closed_at ? undefined : record?.waits;
  if (waits) {
    const since = record?.steps?.at(-1)?.ended_at ?? '';
    if (saidAt !== undefined && parseTime(saidAt) + 1000 < parseTime(since))
      return refused('what waits changed after that was written. Look again, then say it again.');
    await write({ ...allowFiles(waits), at, by, id });
    return done(`${count(waits.length, 'changed file')} may pass as they are now; the task goes on.`);
  }
  const reason = guidance ? { reason: guidance.slice(0, 500) } : {};
  const verdict = { kind: 'verdict', at, by, id, verdict: 'APPROVED' } as const;
  await write(...(isPlan(view) ? [] : [verdict]), { kind: 'approve', at, by, id, ...reason });
  return done();
}

/** Whether an improve without guidance has something to follow: a review, or open comments by people. */
async function hasWords(ci: JobContext, project: Project, view: TaskView): Promise<boolean> {
  if (reviewsSoFar(project, subjectOf(project, view)) > 0) return true;
  const said = (await peopleFor(ci, project, new Map(), [view.id])).get(view.id);
  return said !== undefined && said.points.length > 0;
}

function nothingToImprove(id: string): string {
  return `${id} was never reviewed, and no comment on it is open, so there is nothing to improve by. Say what to change, for example \`/gza improve keep the old route\`, or have it reviewed: \`/gza review\`.`;
}

/** Requests a rebase, which this pick or a later one does and reports in a separate comment. */
async function rebase({ ports }: JobContext, project: Project, view: TaskView, by: string): Promise<Said> {
  const branch = await askForRebase(project, view, { at: ports.now(), by });
  return branch === null ? refused('there is no branch to rebase yet.') : done();
}

/** Turns segments into tasks of the ledger, like `gza split`. */
async function split(ci: JobContext, project: Project, view: TaskView, by: string): Promise<Said> {
  const whole = await wholeView(project, view.id);
  const planned = planSplit(project, whole);
  if (planned.kind === 'cannot') return refused(`${view.id} cannot be split: ${planned.why}.`);
  await splitInLedger(project, whole, planned, { at: ci.ports.now(), by });
  return done(`${view.id} is ${planned.segments.length} tasks now.`, splitAnswer(planned.segments));
}

function isPlan({ task }: TaskView): boolean {
  return task.type === 'plan' || task.type === 'explore';
}

/** The step after a person's commits: a review if the task was implemented before, else its first step. */
function stepToGoOn(project: Project, view: TaskView): StepName {
  const worked = view.record?.steps?.some(({ step, outcome }) => step === 'implement' && outcome === 'ok');
  if (!worked)
    return view.task.type === 'plan' || view.task.type === 'explore' ? view.task.type : 'implement';
  return project.settings(view.task).auto_review ? 'review' : 'improve';
}

async function askFor(
  { ports }: JobContext,
  { ledger }: Project,
  task: string,
  command: OpenCommand,
): Promise<void> {
  const event = wishEvent(task, command, ports.now());
  await ledger.write(async (view) => ({ changes: [{ branch: view.base, events: [event] }] }));
}

/** Adds the task to the lane if that is in flight. Otherwise files it like `gza add`. */
export async function addTask(
  ci: JobContext,
  project: Project,
  view: TaskView | null,
  by: string,
  said: string,
): Promise<Said> {
  const content = said.replace(/^["“]|["”]$/g, '').trim();
  const lane = view?.record?.lane;
  const at = ci.ports.now();
  let id = '';
  await project.ledger.write(async (ledgers) => {
    id = await freeId(ledgers, `${content}\n${at}`);
    const isLive = lane !== undefined && lane.folded_at === undefined && ledgers.tip(lane.branch) !== null;
    const task = {
      id,
      type: 'task' as const,
      title: titleOf(content),
      content,
      created_at: at,
      created_by: by,
      ...(isLive ? { lane } : {}),
    };
    const branch = isLive ? lane.branch : ledgers.base;
    return { changes: [{ branch, events: [{ kind: 'add', at, by, task }] }] };
  });
  return done(`added as ${id}.`);
}
