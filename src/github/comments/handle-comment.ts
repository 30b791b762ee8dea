/** Decides who may command and which task is meant, and answers the comment. */
import * as z from 'zod';
import type { Project } from '../../app/project.ts';
import { pauseAll, wholeView, writeToTask } from '../../app/tasks/change-task.ts';
import { inOrder, type TaskView } from '../../core/board/board.ts';
import { type GzaError, isGzaError } from '../../core/errors.ts';
import type { Event } from '../../core/ledger/event.ts';
import type { Box } from '../../core/markdown/body-block.ts';
import { type HandedTask, isWhole } from '../../core/markdown/checklist-handover.ts';
import type { CommandProblem, CommentCommand } from '../../core/markdown/parse-comment-commands.ts';
import type { Decision, OpenCommand } from '../../core/policy/decide.ts';
import { approvableAt } from '../../core/policy/steps-so-far.ts';
import { parseJson } from '../../core/shape.ts';
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
import { addSeconds } from '../../core/time.ts';
import { type CommentFacts, isAtLeast, type PullFacts, type Role, strictest } from '../api/forge.ts';
import type { JobContext } from '../jobs/job-context.ts';
import { openWishes, wishEvent } from '../pick/claims.ts';
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

export function verbOfBox({ name }: Box): CommentCommand['verb'] {
  return ofAll[name] ?? (name === 'run' || name === 'run-group' ? 'work' : (name as CommentCommand['verb']));
}

const groupMax = 50;

function readyInGroup({ board }: Project, { task }: TaskView): TaskView[] {
  const isMeant = (one: TaskView) => one.task.group === task.group && one.status === 'pending';
  return [...board.views.values()].filter(isMeant).slice(0, groupMax);
}

/** Handles a ticked box like the command of the same name. */
export async function handleBox(
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

/**
 * Decides which comments are handled at all, and whether a request still holds. Each person may send a
 * limited number of commands an hour, so that a stranger or a broken script cannot fill the queue. Further
 * commands are held back, and their author is told once. A request that waits for its claim holds only while
 * the comment's text and its author's role stay the same.
 */

export const commandsAnHour = 60;
const markName = 'asked-lately';
/** Author id, time, and whether the command was held back. */
const shape = z.array(z.tuple([z.int(), z.iso.datetime(), z.boolean()])).max(2_000);

export interface RecentCommands {
  /** Whether this comment is over the limit, and whether to tell its author now. */
  count(comment: Pick<CommentFacts, 'authorId' | 'createdAt'>): { isHeld: boolean; isTold: boolean };
  /** The event that stores the counts; null when nothing was counted. */
  event(at: string): Event | null;
}

export async function recentCommands({ view }: Project): Promise<RecentCommands> {
  const text = (await view.meta(view.base))?.marks?.[markName];
  const parsed = shape.safeParse(parseJson(text ?? ''));
  let all = parsed.success ? parsed.data : [];
  let isNew = false;
  return {
    count({ authorId, createdAt }) {
      const since = addSeconds(createdAt, -3600);
      const own = all.filter(([author, at]) => author === authorId && at > since);
      const isHeld = own.length >= commandsAnHour;
      const isTold = isHeld && !own.some(([, , wasHeld]) => wasHeld);
      // Of the held-back commands only the first is stored, to remember that the author was told.
      if (!isHeld || isTold) all = [...all, [authorId, createdAt, isHeld]];
      isNew ||= !isHeld || isTold;
      return { isHeld, isTold };
    },
    event(at) {
      const since = addSeconds(at, -2 * 3600);
      const value = JSON.stringify(all.filter(([, when]) => when > since).slice(-2_000));
      return isNew ? { kind: 'mark', at, name: markName, value } : null;
    },
  };
}

export function heldBackText(until: string): string {
  return `More than ${commandsAnHour} commands came from one person within an hour. This one and those after it are not obeyed: say them again after ${until.slice(11, 16)} UTC.`;
}

/** A permanent name for a comment. */
export function keyOf({ kind, id, on, createdAt }: CommentFacts): string {
  if (kind === 'label') return `l${on}:${createdAt}`;
  return `${{ comment: 'c', 'review-comment': 'r', review: 'v' }[kind]}${id}`;
}

const textCharsMax = 10_000;

/** Normalises line ends, which can differ between an event and a list. */
function plain(text: string): string {
  return text.replaceAll('\r\n', '\n').slice(0, textCharsMax).toWellFormed();
}

/** What is stored about a comment with the step that it requests. */
export function saidIn(comment: CommentFacts, role: Role): NonNullable<OpenCommand['said']> {
  const text = plain(comment.text);
  return { key: keyOf(comment), at: comment.createdAt, role, text };
}

/** Withdraws earlier requests that no longer hold, before anything is claimed. */
export async function takeBackChanged(
  ci: JobContext,
  project: Project,
  comments: readonly CommentFacts[],
): Promise<void> {
  const now = new Map(comments.map((one) => [keyOf(one), plain(one.text)]));
  for (const [task, { said, by, step }] of await openWishes(project)) {
    if (said === undefined) continue;
    const isOther = now.has(said.key) && now.get(said.key) !== said.text;
    const needed = project.config.commands[step] ?? 'write';
    if (!isOther && isAtLeast(await ci.forge().role(by), needed)) continue;
    const why = isOther ? 'the comment was edited since' : `${by} may not command any more`;
    const text = `what ${by} asked for (${step}) is not done: ${why}`;
    ci.warn(`${task}: ${text}`);
    const at = ci.ports.now();
    await project.ledger.write(async (view) => ({
      changes: [{ branch: view.base, events: [wishEvent(task, null, at)] }],
    }));
    if (project.board.views.get(task)?.record)
      await writeToTask(project, task, ci.ports, () => [{ kind: 'note', at, by: 'gza', id: task, text }]);
  }
}
