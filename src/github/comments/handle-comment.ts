/** Decides who may command and which task is meant, and answers the comment. */
import { createHash } from 'node:crypto';
import type { Project } from '../../app/project.ts';
import { pauseAll, wholeView } from '../../app/tasks/change-task.ts';
import { inOrder, type TaskView } from '../../core/board/board.ts';
import { type GzaError, isGzaError } from '../../core/errors.ts';
import type { Event } from '../../core/ledger/event.ts';
import { type Box, readBoxes } from '../../core/markdown/body-block.ts';
import { type HandedTask, isWhole } from '../../core/markdown/checklist-handover.ts';
import type { CommandProblem, CommentCommand } from '../../core/markdown/parse-comment-commands.ts';
import type { Decision } from '../../core/policy/decide.ts';
import { approvableAt } from '../../core/policy/steps-so-far.ts';
import { boardExcerpt } from '../../core/text/github/board-issue.ts';
import {
  type CommandOutcome,
  type CommandRefusal,
  commandHelp,
  printAnswer,
  refusalText,
  whoMayCommand,
  whyAnswer,
} from '../../core/text/github/command-answer.ts';
import { pullStatusText } from '../../core/text/github/pull-body.ts';
import { readMark } from '../../core/text/github/tracker-issue.ts';
import {
  type CommentFacts,
  type IssueFacts,
  isAtLeast,
  type PullFacts,
  type Role,
  strictest,
} from '../api/forge.ts';
import type { JobContext } from '../jobs/job-context.ts';
import { readPosted } from '../publish/posted-state.ts';
import {
  boxKey,
  reviewTheirs,
  type Source,
  sourceOfIssue,
  sourceOfPull,
  takeOver,
  textAtCommand,
  understood,
} from './hand-over.ts';
import { addTask, done, handleCommand, refused, type Said, taken } from './handle-command.ts';
import { saidIn } from './people.ts';

export interface Asked {
  readonly comment: CommentFacts;
  readonly commands: readonly CommentCommand[];
  readonly problems: readonly CommandProblem[];
  readonly role: Role;
  readonly pull: PullFacts | null;
  /** The decisions before any command is handled. */
  readonly decideNow: () => Promise<readonly Decision[]>;
}

export interface Answer {
  readonly comment: CommentFacts;
  readonly reaction: 'rocket' | 'confused' | '-1';
  /** Null when the reaction is enough. */
  readonly text: string | null;
}

export async function handleComment(ci: JobContext, project: Project, asked: Asked): Promise<Answer> {
  const { comment, commands, problems } = asked;
  const refusal = refusalOf(project, asked);
  if (refusal) {
    ci.say(`A command of ${comment.author} is not obeyed: ${refusal.kind}.`);
    // gza never replies to bots or on pull requests from forks.
    const text = refusal.kind === 'no-permission' ? whoMayCommand(project.config.commands) : null;
    return { comment, reaction: '-1', text };
  }
  const outcomes: CommandOutcome[] = [];
  for (const command of commands) outcomes.push(await obeyOne(ci, project, asked, command));
  const isDone = outcomes.every(({ kind }) => kind === 'done');
  const failed = !isDone || problems.some(({ kind }) => kind !== 'guidance-cut');
  const isTold =
    failed || problems.length > 0 || outcomes.some(({ details, text }) => details || text !== taken);
  const commentId = comment.kind === 'label' ? null : comment.id;
  const text = isTold ? printAnswer({ commentId, outcomes, problems }) : null;
  return { comment, reaction: failed ? 'confused' : 'rocket', text };
}

function refusalOf({ config }: Project, { comment, commands, role, pull }: Asked): CommandRefusal | null {
  if (comment.isBot && !config.bots.includes(comment.authorId)) return { kind: 'bot' };
  if (pull?.fromFork) return { kind: 'fork' };
  const needed = strictest(['write', ...commands.map(({ verb }) => config.commands[verb] ?? 'write')]);
  if (isAtLeast(role, needed)) return null;
  return { kind: 'no-permission', needed, has: role };
}

async function obeyOne(
  ci: JobContext,
  project: Project,
  asked: Asked,
  command: CommentCommand,
): Promise<CommandOutcome> {
  const named = { command: `${command.verb} ${command.guidance}`.trim() };
  if (command.verb === 'help') return { ...named, ...done('what I know:', commandHelp()) };
  if (asked.comment.isFromForm) return { ...named, ...refused(refusalText({ kind: 'from-form' })) };
  const meant = namedTask(project, command);
  const source = command.verb === 'work' && !meant ? await handedOver(ci, project, asked) : null;
  if (source === 'edited') return { ...named, ...refused(refusalText({ kind: 'edited' })) };
  if (source) {
    const taken = await takeOver(ci, project, source, asked.comment.author);
    return { ...named, ...done('taken over.', taken) };
  }
  const view = meant?.view ?? taskOf(project, asked);
  if (command.verb === 'review' && asked.pull && isTheirs(asked.pull) && !view) {
    const { guidance } = command;
    const text = await textAtCommand(ci, asked.comment, asked.pull);
    if (text === null) return { ...named, ...refused(refusalText({ kind: 'edited' })) };
    await reviewTheirs(ci, project, asked.pull, { by: asked.comment.author, guidance, text });
    return { ...named, ...done() };
  }
  if (command.verb === 'status' || command.verb === 'why')
    return { ...named, ...lookAsked(project, view, command.verb, await asked.decideNow()) };
  if (!view && command.verb === 'add')
    return { ...named, ...(await addTask(ci, project, null, asked.comment.author, command.guidance)) };
  if ((command.verb === 'pause' || command.verb === 'resume') && /^(?:--)?all$/i.test(command.guidance)) {
    await pauseAll(project, command.verb === 'pause' ? asked.comment.author : null, ci.ports.now());
    return { ...named, ...done() };
  }
  if (!view) return { ...named, ...refused(refusalText({ kind: 'no-task' })) };
  try {
    return {
      ...named,
      ...(await handleCommand(
        ci,
        project,
        view,
        asked.comment.author,
        meant?.command ?? command,
        saidIn(asked.comment, asked.role),
      )),
    };
  } catch (error) {
    if (!isGzaError(error)) throw error;
    const { message, hint }: GzaError = error;
    return { ...named, kind: 'failed', text: `${message}${hint ? ` ${hint}` : ''}` };
  }
}

function isTheirs({ isOurs, state }: PullFacts): boolean {
  return !isOurs && (state === 'open' || state === 'draft');
}

/**
 * The pull request with open boxes, or the issue, that a person wrote. Null for the board, whose boxes are no
 * tasks, for issues that only show a task, and for an issue whose text is already a task: that task
 * continues.
 */
async function handedOver(
  ci: JobContext,
  project: Project,
  { comment, pull }: Asked,
): Promise<Source | 'edited' | null> {
  if (pull ? !isTheirs(pull) : comment.isPull) return null;
  const issue = pull ? null : await ci.forge().issue(comment.on);
  const now = pull ?? issue;
  const kind = pull ? 'pull' : 'issue';
  const handover = now && understood(kind, comment.subject ?? now);
  if (!now || !handover || (issue && (issue.isOurs || readMark(issue.body)))) return null;
  const [{ key }] = handover.tasks as [HandedTask];
  const wholeKey = isWhole(key) ? boxKey(kind, comment.on, key) : null;
  if (wholeKey && [...project.board.views.values()].some(({ record }) => record?.key === wholeKey))
    return null;
  const text = await textAtCommand(ci, comment, now);
  if (text === null) return 'edited';
  return pull ? sourceOfPull(pull, text) : issue && sourceOfIssue(ci, project, issue, text);
}

/** A command may begin with the task's id. The rest is the guidance. */
function namedTask(
  { board }: Project,
  command: CommentCommand,
): { readonly view: TaskView; readonly command: CommentCommand } | null {
  const [first = ''] = command.args;
  const view = command.verb === 'add' ? undefined : board.views.get(first.replace(/^#/, ''));
  if (!view || !command.guidance.startsWith(first)) return null;
  const guidance = command.guidance.slice(first.length).trim();
  return { view, command: { ...command, args: command.args.slice(1), guidance } };
}

/** The lane's current or next task. When all of its tasks are closed, the last one. */
function taskOf(
  { board }: Project,
  { comment, pull }: { readonly comment: Pick<CommentFacts, 'on'>; readonly pull: PullFacts | null },
): TaskView | null {
  const lane = [...board.views.values()].filter(
    ({ record }) =>
      record?.pull_request?.number === comment.on ||
      record?.key?.startsWith(boxKey('issue', comment.on, '')) === true ||
      (pull !== null && record?.lane?.branch === pull.branch && record.lane.folded_at === undefined),
  );
  const ordered = inOrder(lane, board);
  return ordered.find(({ record }) => !record?.closed_at) ?? ordered.at(-1) ?? null;
}

/** Boxes that concern all tasks. */
const ofAll: Partial<Record<Box['name'], CommentCommand['verb']>> = {
  'pause-all': 'pause',
  'resume-all': 'resume',
};

function verbOfBox({ name }: Box): CommentCommand['verb'] {
  return ofAll[name] ?? (name === 'run' || name === 'run-group' ? 'work' : (name as CommentCommand['verb']));
}

const groupMax = 50;

function readyInGroup({ board }: Project, { task }: TaskView): TaskView[] {
  const isMeant = (one: TaskView) => one.task.group === task.group && one.status === 'pending';
  return [...board.views.values()].filter(isMeant).slice(0, groupMax);
}

/** Handles a ticked box like the command of the same name. */
async function handleBox(
  ci: JobContext,
  project: Project,
  { box, by, pull }: { readonly box: Box; readonly by: string; readonly pull: PullFacts | null },
): Promise<void> {
  if (ofAll[box.name]) {
    await pauseAll(project, box.name === 'pause-all' ? by : null, ci.ports.now());
    ci.say(`${by} ticked ${box.name}`);
    return;
  }
  const view =
    box.task === null
      ? taskOf(project, { comment: { on: pull?.number ?? 0 }, pull })
      : (project.board.views.get(box.task) ?? null);
  if (!view) return;
  const isMerge = box.name === 'merge';
  if (
    !isMerge &&
    box.at !== undefined &&
    box.at !== approvableAt((await wholeView(project, view.id)).record)
  ) {
    ci.say(`${by} ticked ${box.name} of ${view.id}, and what waits changed after that was printed`);
    return;
  }
  const of = box.name === 'run-group' ? readyInGroup(project, view) : [view];
  for (const one of of) {
    const said = await handleCommand(ci, project, one, by, {
      verb: verbOfBox(box),
      args: isMerge && box.at !== undefined ? [box.at] : [],
      guidance: '',
      line: 1,
    });
    ci.say(`${by} ticked ${box.name} of ${one.id}: ${said.text}`);
  }
}

/** How many tasks `/gza status` and `/gza why` list at most. */
const tasksShown = 20;

function lookAsked(
  { board }: Project,
  view: TaskView | null,
  verb: 'status' | 'why',
  all: readonly Decision[],
): Said {
  const branch = view?.record?.lane?.folded_at === undefined ? view?.record?.lane?.branch : undefined;
  const lane = [...board.views.values()].filter(
    ({ id, record }) => id === view?.id || (branch !== undefined && record?.lane?.branch === branch),
  );
  const tasks = view ? inOrder(lane, board) : [...board.views.values()];
  const ids = new Set(tasks.map(({ id }) => id));
  const decisions = all.filter(({ task }) => ids.has(task));
  if (verb === 'why')
    return done(
      'the rules that hold:',
      whyAnswer(decisions, (id) => board.views.has(id)),
    );
  const text = view
    ? pullStatusText({ board, tasks, decisions })
    : boardExcerpt({ board, decisions }, tasksShown);
  return done('as it is now:', text);
}

export interface Ticked {
  readonly box: Box;
  /** Null when it is unknown. */
  readonly by: string | null;
}

/**
 * Reads only bodies that gza opened. The last editor is the person who ticked. The note about earlier editors
 * counts only while gza itself edited last, because anyone else could have forged it.
 */
export function tickedBoxes(on: Pick<PullFacts | IssueFacts, 'body' | 'isOurs' | 'bodyEditedBy'>): Ticked[] {
  if (!on.isOurs) return [];
  const noted = readPosted(on.body).ticks ?? {};
  return readBoxes(on.body)
    .filter(({ isTicked }) => isTicked)
    .map(({ name, task, at }) => ({ box: { name, task, at }, by: on.bodyEditedBy ?? noted[name] ?? null }));
}

/** Number of a pull request → its handled boxes. Their ticks must be removed when the body is written. */
export async function takeTicks(
  ci: JobContext,
  project: Project,
  pulls: readonly PullFacts[],
): Promise<Map<number, Box[]>> {
  const answered = new Map<number, Box[]>();
  for (const pull of pulls) {
    if (pull.state === 'merged' || pull.state === 'closed') continue;
    const boxes = await take(ci, project, pull, pull);
    if (boxes.length > 0) answered.set(pull.number, boxes);
  }
  return answered;
}

/** Ticks of the board, including those whose events never arrived. */
export function takeBoardTicks(ci: JobContext, project: Project, board: IssueFacts): Promise<Box[]> {
  return take(ci, project, board, null);
}

/** Boxes that a pick handled without writing the body. Whoever writes it next removes their ticks. */
export async function answeredBefore({ view }: Project, on: PullFacts): Promise<Box[]> {
  const known = (await view.meta(view.base))?.marks?.[markOf(on)];
  return known === digestOf(on) ? tickedBoxes(on).map(({ box }) => box) : [];
}

function markOf({ number }: PullFacts | IssueFacts): string {
  return `ticks:${number}`;
}

function digestOf({ body }: PullFacts | IssueFacts): string {
  return createHash('sha256').update(body).digest('hex').slice(0, 32);
}

/** Remembers the ticks of a body, so that one that was not rewritten yet requests nothing twice. */
async function take(
  ci: JobContext,
  project: Project,
  on: PullFacts | IssueFacts,
  pull: PullFacts | null,
): Promise<Box[]> {
  const ticked = tickedBoxes(on);
  if (ticked.length === 0) return [];
  const { ledger, view } = project;
  const [name, value] = [markOf(on), digestOf(on)];
  if ((await view.meta(view.base))?.marks?.[name] !== value) {
    const roles = new Map<string, Role>();
    for (const { box, by } of ticked) {
      // Bots must use a comment, which shows who they are.
      if (by === null || by.endsWith('[bot]')) continue;
      const role = roles.get(by) ?? (await ci.forge().role(by));
      roles.set(by, role);
      if (isAtLeast(role, neededFor(project, box))) await handleBox(ci, project, { box, by, pull });
    }
    const event: Event = { kind: 'mark', at: ci.ports.now(), name, value };
    await ledger.write(async ({ base }) => ({ changes: [{ branch: base, events: [event] }] }));
  }
  return ticked.map(({ box }) => box);
}

/** A box needs the same role as the command of its name. */
function neededFor({ config }: Project, box: Box): Role {
  return config.commands[verbOfBox(box)] ?? 'write';
}
