/** Verbs that steer one task. Each finds the task, writes events on it, and reports briefly what it did. */

import type { Command, Invocation, Ports } from '../../app/command.ts';
import { agentNames } from '../../app/facts/facts.ts';
import { holderName, loadProject, type Project } from '../../app/project.ts';
import {
  askForRebase,
  findTask,
  pauseAll,
  refusalError,
  taskOutcome,
  writeToTask,
} from '../../app/tasks/change-task.ts';
import { writtenText } from '../../app/tasks/written-text.ts';
import type { ArgumentSpec, CommandSpec, OptionSpec } from '../../core/arguments/command-spec.ts';
import type { Board, TaskView } from '../../core/board/board.ts';
import { GzaError } from '../../core/errors.ts';
import { allowFiles } from '../../core/ledger/apply-task.ts';
import type { Event } from '../../core/ledger/event.ts';
import { isDefined } from '../../core/ledger/record/record.ts';
import { plainText, shorten } from '../../core/text/terminal/lines.ts';
import { rebaseHere } from '../../engine/loop/rebase-on.ts';
import { forgetSessions, keepArtifacts, stateDirOf } from '../../engine/loop/state-dir.ts';
import { porcelain } from '../../git/porcelain.ts';
import { fromEditor } from '../task-text.ts';

/** An event without its time, author and task. */
type TaskEvent = Event extends infer One
  ? One extends Event & { readonly id: string }
    ? Omit<One, 'at' | 'by' | 'id'>
    : never
  : never;

interface Steered {
  readonly project: Project;
  readonly view: TaskView;
  /** The arguments after the task. */
  readonly words: readonly string[];
  readonly options: Invocation['options'];
  readonly ports: Ports;
  readonly write: (...events: readonly TaskEvent[]) => Promise<void>;
}

type SteerSpec = Pick<CommandSpec, 'name' | 'summary' | 'details'> & {
  /** Arguments after the task. */
  readonly more?: readonly ArgumentSpec[];
  readonly options?: readonly OptionSpec[];
  /** The words after the verb and the task in the example, and what the example shows. */
  readonly example: readonly [words: string, shows: string];
};

/** `act` returns the text that is printed after `<id>: `. */
function steerVerb(
  { more = [], options = [], example: [words, shows], ...spec }: SteerSpec,
  act: (steered: Steered) => Promise<string>,
): Command {
  return {
    spec: {
      ...spec,
      forPeople: true,
      arguments: [{ name: 'id', required: true, completes: 'id' }, ...more],
      options,
      examples: [{ command: `gza ${spec.name} task-a3f8${words}`, shows }],
    },
    run: async ({ args, options: given }, ports) => {
      const project = await loadProject(ports);
      const view = findTask(project.board, args[0] as string);
      const { id } = view;
      const write = (...events: readonly TaskEvent[]) =>
        writeToTask(project, id, ports, (_record, stamp) =>
          events.map((event) => ({ ...event, ...stamp, id })),
        );
      const said = await act({ project, view, words: args.slice(1), options: given, ports, write });
      return taskOutcome(project, id, ports, () => `${id}: ${said}`);
    },
  };
}

const reasonOption: OptionSpec = { name: 'reason', type: 'text', value: '<text>', help: 'why' };

function reasonIn(options: Invocation['options']): { reason?: string } {
  return options['reason'] ? { reason: options['reason'] as string } : {};
}

function isTooComplex({ blockers }: TaskView): boolean {
  return blockers.some(({ kind }) => kind === 'complex');
}

const assign = steerVerb(
  {
    name: 'assign',
    summary: 'say who alone may claim a task; "" for anyone',
    details: 'Assigning does not start it. A task assigned to a person is not picked.',
    more: [{ name: 'holder', required: true }],
    example: [' ann', 'only ann may claim it'],
  },
  async ({ project, view, words, write }) => {
    const agent = words[0] || null;
    if (agent === null) await refuseInFile(project, view);
    await write({ kind: 'assign', agent });
    return `assigned to ${agent ? shorten(agent) : 'nobody'}`;
  },
);

/**
 * Refuses when the task file assigns the task, because until the first claim the file would assign it again.
 */
async function refuseInFile({ backlog }: Project, { id, record }: TaskView): Promise<void> {
  if (record && isDefined(record)) return;
  const file = await backlog.definition(id);
  if (!file?.task.assigned_agent) return;
  throw new GzaError('input', `${file.file} assigns ${id} to ${shorten(file.task.assigned_agent)}`, {
    hint: 'Take assigned_agent out there.',
  });
}

const approve = steerVerb(
  {
    name: 'approve',
    summary:
      'approve a plan, files that wait for a person, a task too complex to start, or the reviewed head',
    more: [{ name: 'reason', many: true }],
    options: [
      { name: 'edit', type: 'flag', help: 'open the plan in your editor first; what you save is approved' },
    ],
    details:
      'A plan is printed with it, so that you see what you approve. Where changed files wait for a person, it lets those pass, as they are now, and approves nothing else.',
    example: ['', 'its dependents may go on'],
  },
  async ({ project, view, words, options, ports, write }) => {
    const waits = view.record?.closed_at ? undefined : view.record?.waits;
    if (waits) {
      await write(allowFiles(waits));
      const names = waits.slice(0, 5).map(({ path }) => shorten(path));
      return `${names.join(', ')}${waits.length > 5 ? ` and ${waits.length - 5} more` : ''} may pass as they are now; the task goes on`;
    }
    const plan = await planToApprove(project, view, options['edit'] === true, ports);
    const { type } = view.task;
    const isToStart =
      project.settings(view.task).approval === 'required' ||
      type === 'plan' ||
      type === 'explore' ||
      isTooComplex(view);
    if (!isToStart && !view.record?.closed_at && !view.record?.steps?.length) {
      throw new GzaError('input', `${view.id} was not worked on yet, so there is nothing to approve`, {
        hint: `gza work ${view.id} begins it.`,
      });
    }
    const reason = words.join(' ');
    const approval: TaskEvent = { kind: 'approve', ...(reason ? { reason } : {}) };
    if (isToStart) await write(approval);
    else await write({ kind: 'verdict', verdict: 'APPROVED' }, approval);
    return `approved${plan === null ? '' : `:\n\n${plainText(plan)}`}`;
  },
);

/** The plan as it is, or as the person changed it in their editor. */
async function planToApprove(project: Project, view: TaskView, isEdited: boolean, ports: Ports) {
  const written = await writtenText(project, view);
  if (!isEdited) return written?.text ?? null;
  if (written === null) {
    throw new GzaError('input', `${view.id} has no plan that could be edited`, {
      hint: `gza work ${view.id} writes one.`,
    });
  }
  const { branch, path } = written;
  const text = `${await fromEditor({ ports, before: written.text }, `gza approve ${view.id}`)}\n`;
  if (text.trim() === '') throw new GzaError('input', 'the plan was left empty, so nothing was approved');
  if (text.trim() === written.text.trim()) return written.text;
  const done = await project.ledger.write(async () => ({
    changes: [{ branch, events: [], artifacts: [{ path, text }] }],
  }));
  if (done.kind === 'refused') throw refusalError(done);
  await keepArtifacts(project, [{ path, text }]);
  return text;
}

const retry = steerVerb(
  {
    name: 'retry',
    summary: 'the failed phase again, in a fresh session',
    details: 'Earlier phases are kept. A definition that changed in its file since the claim is read again.',
    options: [{ name: 'from-start', type: 'flag', help: 'the implementation again, on the same branch' }],
    example: ['', 'task-a3f8: will be tried again'],
  },
  async ({ project, view, options, write }) => {
    refuseParent(view, project.board);
    const file = view.record ? await project.backlog.definition(view.id) : null;
    const isClosed = view.record?.closed_at !== undefined && view.record.closed_as !== 'failed';
    const isAnew = options['from-start'] === true && isClosed && view.record?.merged_at === undefined;
    await write(...(isAnew ? [{ kind: 'reopen' } as const] : []), {
      kind: 'retry',
      ...(options['from-start'] ? { from_start: true } : {}),
      ...(file ? { redefined: { ...file.defaults, ...file.task } } : {}),
    });
    await forgetSessions(stateDirOf(project), view.id, [...agentNames(project), 'runner']);
    return `will be tried again${options['from-start'] ? ' from the start' : ''}`;
  },
);

/** A parent without work of its own has nothing to retry: its subtasks must be retried instead. */
function refuseParent({ id, children, record }: TaskView, { views }: Board): void {
  if (children.length === 0 || record?.closed_as === 'failed' || record?.steps?.length) return;
  const failed = children.filter((child) => views.get(child)?.status === 'failed');
  throw new GzaError('refused', `${id} is what its subtasks are: there is nothing of its own to try again`, {
    hint: (failed.length > 0 ? failed : children)
      .slice(0, 5)
      .map((child) => `gza retry ${child}`)
      .join('\n'),
  });
}

const skip = steerVerb(
  {
    name: 'skip',
    summary: 'close a task that was done elsewhere; its dependents may go on',
    options: [reasonOption],
    example: ['', 'task-a3f8: skipped'],
  },
  async ({ view, options, write }) => {
    if (view.record?.closed_as === 'skipped') return 'skipped (already)';
    await write({ kind: 'close', as: 'skipped', ...reasonIn(options) });
    return 'skipped';
  },
);

const reset = steerVerb(
  {
    name: 'reset',
    summary: 'set the attempts of a task to 0; a failed one is open again',
    example: ['', 'task-a3f8: attempts reset'],
  },
  async ({ write }) => {
    await write({ kind: 'reset' });
    return 'attempts reset';
  },
);

const unblock = steerVerb(
  {
    name: 'unblock',
    summary: 'clear what makes a task wait for a person, or a time',
    details: 'A task that is too complex to start unasked starts as it is, as after gza approve.',
    example: ['', 'task-a3f8: unblocked'],
  },
  async ({ view, write }) => {
    if (isTooComplex(view)) await write({ kind: 'unblock' }, { kind: 'approve' });
    else await write({ kind: 'unblock' });
    return 'unblocked';
  },
);

const stop = steerVerb(
  {
    name: 'stop',
    summary: 'stop a task: what runs is ended, and nothing new starts',
    details:
      'It waits for a person then: gza resume goes on. On a laptop the gza work that runs it stops within seconds, and keeps what was done.',
    example: ['', 'task-a3f8: stopped'],
  },
  async ({ project, view: { id, record, claim }, ports, write }) => {
    if (record?.closed_at && !claim)
      throw new GzaError('refused', `${id} is closed (${record.closed_as}), and nothing works on it`);
    const detail = `stopped by ${await holderName(project.repository, ports)}`;
    await write({ kind: 'stop', stop: { reason: 'stopped', detail, at: ports.now() } });
    return 'stopped';
  },
);

const rebase = steerVerb(
  {
    name: 'rebase',
    summary: 'put the branch of a task on top of what it builds on, as that is now',
    details:
      'Where the repository has a remote, the next run on GitHub does it once nothing works on the branch; gza sync takes the wish there. With --here, and without a remote, it is done at once, in this repository.',
    options: [{ name: 'here', type: 'flag', help: 'in this repository, at once' }],
    example: [' --here', 'task-a3f8: gza/task-a3f8 stands on main now'],
  },
  async ({ project, view, ports, options }) => {
    const remotes = await porcelain(project.repository.git.cwd, (git) => git.getRemotes());
    if (remotes.length === 0 || options['here']) return rebaseHere(project, view, ports);
    const by = await holderName(project.repository, ports);
    const branch = await askForRebase(project, view, { at: ports.now(), by });
    if (branch === null)
      throw new GzaError('refused', `${view.id} has no branch to rebase`, { hint: `gza why ${view.id}` });
    return `the next pick puts ${branch} on its base`;
  },
);

const pauseOne = steerVerb(
  {
    name: 'pause',
    summary: 'hold a task back until gza unblock or gza resume',
    example: ['', 'task-a3f8: paused'],
  },
  async ({ write }) => {
    await write({ kind: 'pause', paused: true });
    return 'paused';
  },
);

/** Pauses one task, or all present and future ones. */
const pause: Command = {
  spec: {
    ...pauseOne.spec,
    arguments: [{ name: 'id', completes: 'id' }],
    options: [{ name: 'all', type: 'flag', help: 'every task, and what runs: until gza resume --all' }],
  },
  run: async (invocation, ports) => {
    const project = await loadProject(ports);
    if (!invocation.options['all']) return pauseOne.run(oneNamed(invocation, 'pause'), ports);
    const by = await holderName(project.repository, ports);
    await pauseAll(project, by, ports.now());
    return { json: { paused_by: by }, text: 'everything is paused; gza resume --all goes on' };
  },
};

export function oneNamed(invocation: Invocation, verb: string): Invocation {
  if (invocation.args.length > 0) return invocation;
  throw new GzaError('usage', '<id> is missing', { hint: `gza ${verb} task-a3f8, or gza ${verb} --all` });
}

const reopen = steerVerb(
  {
    name: 'reopen',
    summary: 'open a closed task again',
    options: [reasonOption],
    example: ['', 'task-a3f8: reopened'],
  },
  async ({ view, options, write }) => {
    if (view.record?.closed_at === undefined) return 'open (already)';
    await write({ kind: 'reopen', ...reasonIn(options) });
    return 'reopened';
  },
);

export const steerVerbs = { approve, assign, pause, rebase, reopen, reset, retry, skip, stop, unblock };
