/** What the commands of one comment do: events on the task of its lane, or a step that is asked for. */
import { writeToTask } from '../commands/change-task.ts';
import { freeId } from '../commands/new-id.ts';
import type { Project } from '../commands/project.ts';
import type { TaskView } from '../core/board.ts';
import { inOrder } from '../core/board-order.ts';
import type { Box } from '../core/boxes.ts';
import { type GzaError, isGzaError } from '../core/errors.ts';
import type { Event } from '../core/event.ts';
import { type CommandProblem, type CommentCommand } from '../core/parse-comment-commands.ts';
import type { StepName } from '../core/record.ts';
import {
  type CommandOutcome,
  type CommandRefusal,
  commandHelp,
  printAnswer,
  refusalText,
} from '../core/text/command-answer.ts';
import { titleOf } from '../core/title.ts';
import type { CommentFacts, PullFacts, Role } from '../forge/forge.ts';
import { commandMark } from './asked-steps.ts';
import type { Ci } from './ci.ts';
import { hasOpenBoxes, takeOver } from './hand-over.ts';
import { reviewTheirs } from './review-theirs.ts';

export interface Asked {
  readonly comment: CommentFacts;
  readonly commands: readonly CommentCommand[];
  readonly problems: readonly CommandProblem[];
  readonly role: Role;
  readonly pull: PullFacts | null;
}

export interface Answer {
  readonly comment: CommentFacts;
  readonly reaction: 'rocket' | 'confused' | '-1';
  /** Null when the reaction says it all. */
  readonly text: string | null;
}

export async function obey(ci: Ci, project: Project, asked: Asked): Promise<Answer[]> {
  const { comment, commands, problems } = asked;
  const refusal = refusalOf(project, asked);
  if (refusal) {
    ci.say(`A command of ${comment.author} is not obeyed: ${refusal.kind}.`);
    // Who may not command gets no words: anyone could make gza talk otherwise.
    return [{ comment, reaction: '-1', text: null }];
  }
  const outcomes: CommandOutcome[] = [];
  for (const command of commands) outcomes.push(await obeyOne(ci, project, asked, command));
  const isDone = outcomes.every(({ kind }) => kind === 'done');
  const failed = !isDone || problems.some(({ kind }) => kind !== 'guidance-cut');
  const isTold =
    failed || problems.length > 0 || outcomes.some(({ details, text }) => details || text !== taken);
  const text = isTold ? printAnswer({ commentId: comment.id, outcomes, problems }) : null;
  return [{ comment, reaction: failed ? 'confused' : 'rocket', text }];
}

function refusalOf({ config }: Project, { comment, commands, role, pull }: Asked): CommandRefusal | null {
  if (comment.isBot) return { kind: 'bot' };
  if (pull?.fromFork) return { kind: 'fork' };
  if (role === 'admin') return null;
  const needed = commands
    .map(({ verb }) => config.commands[verb] ?? 'write')
    .find((level) => level !== 'write');
  if (role === 'write' && needed === undefined) return null;
  return { kind: 'no-permission', needed: needed ?? 'write', has: role };
}

/** What needs no words: the reaction says it. */
const taken = 'done.';

const refused = (text: string): Said => ({ kind: 'refused', text });
const done = (text = taken, details?: string): Said => ({
  kind: 'done',
  text,
  ...(details === undefined ? {} : { details }),
});

export type Said = Omit<CommandOutcome, 'command'>;

async function obeyOne(
  ci: Ci,
  project: Project,
  asked: Asked,
  command: CommentCommand,
): Promise<CommandOutcome> {
  const named = { command: `${command.verb} ${command.guidance}`.trim() };
  if (command.verb === 'help') return { ...named, ...done('what I know:', commandHelp()) };
  const { pull, comment } = asked;
  const isTheirs = pull !== null && !pull.isOurs && (pull.state === 'open' || pull.state === 'draft');
  if (command.verb === 'work' && isTheirs && hasOpenBoxes(pull.body)) {
    const understood = await takeOver(ci, project, pull, comment.author);
    return { ...named, ...done('taken over.', understood) };
  }
  const view = taskOf(project, asked);
  if (command.verb === 'review' && isTheirs && !view) {
    await reviewTheirs(ci, project, pull, { by: comment.author, guidance: command.guidance });
    return { ...named, ...done() };
  }
  if (!view) return { ...named, ...refused(refusalText({ kind: 'no-task' })) };
  try {
    return { ...named, ...(await obeyOn(ci, project, view, asked.comment.author, command)) };
  } catch (error) {
    if (!isGzaError(error)) throw error;
    const { message, hint }: GzaError = error;
    return { ...named, kind: 'failed', text: `${message}${hint ? ` ${hint}` : ''}` };
  }
}

/** The task of the lane that is at work or comes next; when all are closed, the last one. */
function taskOf(
  { board }: Project,
  { comment, pull }: { readonly comment: Pick<CommentFacts, 'on'>; readonly pull: PullFacts | null },
): TaskView | null {
  const lane = [...board.views.values()].filter(
    ({ record }) =>
      record?.pull_request?.number === comment.on ||
      (pull !== null && record?.lane?.branch === pull.branch && record.lane.folded_at === undefined),
  );
  const ordered = inOrder(lane, board);
  return ordered.find(({ record }) => !record?.closed_at) ?? ordered.at(-1) ?? null;
}

/** A ticked box: the same as the command of its name. */
export async function obeyBox(
  ci: Ci,
  project: Project,
  { box, by, pull }: { readonly box: Box; readonly by: string; readonly pull: PullFacts | null },
): Promise<void> {
  const view =
    box.task === null
      ? taskOf(project, { comment: { on: pull?.number ?? 0 }, pull })
      : (project.board.views.get(box.task) ?? null);
  if (!view) return;
  const verb = box.name === 'run' ? 'work' : box.name;
  const said = await obeyOn(ci, project, view, by, { verb, args: [], guidance: '', line: 1 });
  ci.say(`${by} ticked ${box.name} of ${view.id}: ${said.text}`);
}

/** One command on one task. */
export async function obeyOn(
  ci: Ci,
  project: Project,
  view: TaskView,
  by: string,
  { verb, guidance }: CommentCommand,
): Promise<Said> {
  const { ports } = ci;
  const write = (events: (at: string) => readonly Event[]) =>
    writeToTask(project, view.id, ports, () => events(ports.now()));
  const ask = (step: StepName) =>
    askFor(ci, project, view.id, { step, by, ...(guidance ? { guidance } : {}) });
  const { id } = view;
  switch (verb) {
    case 'improve':
    case 'review':
      await ask(verb);
      return done();
    case 'work':
      await write((at) => [{ kind: 'unblock', at, by, id }]);
      if (!view.record?.closed_at) await ask(stepToGoOn(project, view));
      return done();
    case 'retry':
      await write((at) => [{ kind: 'retry', at, by, id }]);
      return done();
    case 'resume':
      await write((at) => [{ kind: 'unblock', at, by, id }]);
      return done();
    case 'approve':
      await write((at) => [
        ...(isPlan(view) ? [] : [{ kind: 'verdict', at, by, id, verdict: 'APPROVED' } as const]),
        { kind: 'approve', at, by, id, ...(guidance ? { reason: guidance.slice(0, 500) } : {}) },
      ]);
      return done();
    case 'skip':
      await write((at) => [
        { kind: 'close', at, by, id, as: 'skipped', reason: guidance || `skipped by ${by}` },
      ]);
      return done();
    case 'stop':
      await write((at) => [
        { kind: 'stop', at, by, id, stop: { reason: 'stopped', detail: `stopped by ${by}`, at } },
      ]);
      return done();
    case 'pause':
      await write((at) => [{ kind: 'pause', at, by, id, paused: true }]);
      return done();
    case 'reopen':
      await write((at) => [{ kind: 'reopen', at, by, id }]);
      return done();
    case 'add':
      return addTask(ci, project, view, by, guidance);
    case 'status':
    case 'why':
      return done(`${id} is ${view.status}${view.record?.stop ? `: ${view.record.stop.detail}` : ''}.`);
    case 'rebase':
    case 'split':
    case 'help':
      return refused('this cannot be asked for in a comment yet.');
  }
}

function isPlan({ task }: TaskView): boolean {
  return task.type === 'plan' || task.type === 'explore';
}

/** After a person's own commits: judge them when there is work to judge, else begin. */
function stepToGoOn(project: Project, view: TaskView): StepName {
  const worked = view.record?.steps?.some(({ step, outcome }) => step === 'implement' && outcome === 'ok');
  if (!worked)
    return view.task.type === 'plan' || view.task.type === 'explore' ? view.task.type : 'implement';
  return project.settings(view.task).auto_review ? 'review' : 'improve';
}

async function askFor(
  { ports }: Ci,
  { ledger }: Project,
  task: string,
  command: { readonly step: StepName; readonly guidance?: string; readonly by: string },
): Promise<void> {
  const event: Event = {
    kind: 'mark',
    at: ports.now(),
    name: commandMark(task),
    value: JSON.stringify(command),
  };
  await ledger.write(async (view) => ({ changes: [{ branch: view.base, events: [event] }] }));
}

async function addTask(ci: Ci, project: Project, view: TaskView, by: string, said: string): Promise<Said> {
  const content = said.replace(/^["“]|["”]$/g, '').trim();
  const branch = view.record?.lane?.branch;
  if (branch === undefined) return refused('there is no lane to add a task to.');
  const at = ci.ports.now();
  let id = '';
  await project.ledger.write(async (ledgers) => {
    id = await freeId(ledgers, `${content}\n${at}`);
    const lane = view.record?.lane;
    const task = {
      id,
      type: 'task' as const,
      title: titleOf(content),
      content,
      created_at: at,
      created_by: by,
      ...(lane ? { lane } : {}),
    };
    return { changes: [{ branch, events: [{ kind: 'add', at, by, task }] }] };
  });
  return done(`added as ${id}.`);
}
