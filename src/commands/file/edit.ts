import type { Command, Invocation, Outcome, Ports } from '../../app/command.ts';
import { loadProject, type Project } from '../../app/project.ts';
import {
  findTask,
  isFixed,
  isInFile,
  refuseCircle,
  taskOutcome,
  wholeView,
  writeToTask,
} from '../../app/tasks/change-task.ts';
import type { TaskView } from '../../core/board/board.ts';
import { GzaError } from '../../core/errors.ts';
import type { Event } from '../../core/ledger/event.ts';
import type { FinalVerdict } from '../../core/ledger/record/record.ts';
import { type Task, titleOf } from '../../core/task/task.ts';
import { shorten } from '../../core/text/terminal/lines.ts';
import { type DefinitionFields, definitionFields, definitionOptions, linksOf } from '../agent-options.ts';
import { taskText } from '../task-text.ts';

const finalVerdicts = [
  'APPROVED',
  'CHANGES_REQUESTED',
  'NEEDS_DISCUSSION',
  'MAX_CYCLES_REACHED',
  '',
] as const;

export const command: Command = {
  spec: {
    name: 'edit',
    summary: 'change a task; an empty value removes a field',
    forPeople: true,
    arguments: [{ name: 'id', required: true, completes: 'id' }],
    details:
      'Without options the text is taken from standard input or the editor. A task from a file is changed in its file until it is claimed. Afterwards only group, milestone, priority, tags and the verdict can change; of a filed task that is closed, again everything.',
    options: [
      { name: 'content', type: 'text', value: '<text>', help: 'new text; - reads standard input' },
      { name: 'title', type: 'text', value: '<title>', help: 'new title' },
      ...definitionOptions,
      {
        name: 'verdict',
        type: 'text',
        value: '<verdict>',
        help: 'override the final verdict',
        choices: finalVerdicts,
      },
    ],
    examples: [
      { command: 'gza edit task-a3f8 --group tarantino-v2', shows: 'moves it into a group' },
      { command: 'gza edit task-a3f8 --group ""', shows: 'takes it out of its group' },
      { command: 'gza edit task-a3f8 --verdict APPROVED', shows: 'approves without another review' },
    ],
  },
  run,
};

async function run(invocation: Invocation, ports: Ports): Promise<Outcome> {
  const project = await loadProject(ports);
  const found = findTask(project.board, invocation.args[0] as string);
  const view = await wholeView(project, found.id);
  const verdict = invocation.options['verdict'] as FinalVerdict | '' | undefined;
  const fields = await changedFields(invocation, view, project, ports);
  refuseFixed(view, fields);
  if ('depends_on' in fields || 'parent' in fields)
    refuseCircle(project.board, linksOf(view.id, { ...view.task, ...fields }));
  const inFile = Object.keys(fields).length > 0 && (await isInFile(project, view));
  if (inFile) await editFile(project, view, fields, ports);
  const events = (_record: unknown, stamp: { at: string; by?: string }): Event[] => [
    // A task that has not started yet follows its file.
    ...(Object.keys(fields).length > 0 && (!inFile || view.record)
      ? [{ kind: 'edit' as const, ...stamp, id: view.id, set: fields }]
      : []),
    ...(verdict === undefined
      ? []
      : [{ kind: 'verdict' as const, ...stamp, id: view.id, verdict: verdict || null }]),
    // An approval is an event of its own, because its time shows which work it covers.
    ...(verdict === 'APPROVED' && view.record?.closed_at && view.task.type !== 'plan'
      ? [{ kind: 'approve' as const, ...stamp, id: view.id }]
      : []),
  ];
  if (!inFile || view.record || verdict !== undefined) await writeToTask(project, view.id, ports, events);
  const where = inFile ? ` in ${view.file}` : '';
  const text = (after: TaskView) => `${after.id}: ${shorten(after.task.title, 200)} (edited${where})`;
  return taskOutcome(await loadProject(ports), view.id, ports, text);
}

/** null removes a field. */
async function changedFields(
  invocation: Invocation,
  view: TaskView,
  project: Project,
  ports: Ports,
): Promise<DefinitionFields> {
  const { content, title, json: _json, color: _color, ...others } = invocation.options;
  const fields = await definitionFields(invocation, async (word) => findTask(project.board, word).id);
  const asksForText = content !== undefined || (title === undefined && Object.keys(others).length === 0);
  if (asksForText) {
    const hint = `${ports.program} edit ${view.id} --content "…" --group "…"`;
    if (content === '') throw new GzaError('usage', 'the text of a task cannot be empty', { hint });
    fields.content = await taskText((content as string | undefined) ?? '', {
      ports,
      before: view.task.content,
      hint,
    });
  }
  if (fields.type === null) throw new GzaError('usage', 'a task always has a type');
  const heading = title
    ? titleOf(title as string)
    : newTitle(fields.content as string | undefined, view.task);
  return heading === undefined ? fields : { ...fields, title: heading };
}

/** The title follows the text unless it was set separately. */
function newTitle(content: string | undefined, task: Task): string | undefined {
  const follows = content !== undefined && task.title === titleOf(task.content);
  return follows ? titleOf(content) : undefined;
}

const editableLater: ReadonlySet<string> = new Set(['group', 'milestone', 'priority', 'tags']);

function refuseFixed(view: TaskView, fields: DefinitionFields): void {
  const late = Object.keys(fields).find((name) => !editableLater.has(name));
  if (late === undefined || !isFixed(view)) return;
  const state = view.record?.closed_at ? 'closed' : 'claimed';
  throw new GzaError('refused', `${view.id} was ${state}: its ${late} is fixed`, {
    hint: `Group, milestone, priority, tags and the verdict can still change. What is new goes into a note:\n  gza note ${view.id} "…"`,
  });
}

async function editFile(
  project: Project,
  view: TaskView,
  fields: DefinitionFields,
  ports: Ports,
): Promise<void> {
  const { editTaskFile } = await import('../../backlog/lazy-backlog.ts');
  const root = project.repository.workTree ?? ports.cwd;
  editTaskFile({ root, file: view.file as string, id: view.id }, fields);
}
