import { GzaError } from '../core/errors.ts';
import type { Event } from '../core/event.ts';
import { type FinalVerdict, type TaskRecord } from '../core/record.ts';
import { type Task, priorities, taskTypes } from '../core/task.ts';
import { titleOf, withoutUnset } from './add.ts';
import { type Stamp, taskOutcome, writeToTask } from './change-task.ts';
import type { Command, Invocation, Outcome, Ports } from './command.ts';
import { findTask } from './find-task.ts';
import { type Project, openProject } from './project.ts';

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
      'A task from a file is changed in its file until it is claimed. Afterwards only group, milestone, priority, tags and the verdict can change.',
    options: [
      { name: 'content', type: 'text', value: '<text>', help: 'new text' },
      { name: 'title', type: 'text', value: '<title>', help: 'new title' },
      { name: 'type', short: 't', type: 'text', value: '<type>', help: 'new type', choices: taskTypes },
      { name: 'group', type: 'text', value: '<group>', help: 'move into a group; "" takes it out' },
      { name: 'milestone', type: 'text', value: '<id>', help: 'milestone; "" for none' },
      { name: 'priority', type: 'text', value: '<p>', help: 'priority', choices: [...priorities, ''] },
      {
        name: 'after',
        aliases: ['based-on', 'depends-on'],
        type: 'many',
        value: '<id>',
        help: 'dependencies; "" for none',
      },
      { name: 'parent', type: 'text', value: '<id>', help: 'task it is a part of; "" for none' },
      { name: 'tag', type: 'many', value: '<tag>', help: 'tags; "" for none' },
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
      { command: 'gza edit task-a3f8 --verdict APPROVED', shows: 'approves without another review' },
    ],
  },
  run,
};

async function run(invocation: Invocation, ports: Ports): Promise<Outcome> {
  const project = await openProject(ports);
  const view = findTask(project.board, invocation.args[0] as string);
  const fields = changedFields(invocation, project);
  const verdict = invocation.options['verdict'] as FinalVerdict | '' | undefined;
  if (Object.keys(fields).length === 0 && verdict === undefined) {
    throw new GzaError('usage', 'nothing to change was given', {
      hint: `gza edit ${view.id} --content "…" --group "…"`,
    });
  }
  const inFile = view.file !== undefined && view.record === null && verdict === undefined;
  if (inFile) {
    const { editTaskFile } = await import('../lazy.ts');
    editTaskFile(
      { root: project.repository.workTree ?? ports.cwd, file: view.file as string, id: view.id },
      fields,
    );
  } else {
    const events = (_record: TaskRecord | null, stamp: Stamp) => editEvents(view.id, fields, verdict, stamp);
    await writeToTask(project, view.id, ports, events);
  }
  const where = inFile ? ` in ${view.file}` : '';
  return taskOutcome(
    await openProject(ports),
    view.id,
    ports,
    (after) => `${after.id}: ${after.task.title} (edited${where})`,
  );
}

function editEvents(
  id: string,
  fields: Partial<Record<keyof Task, unknown>>,
  verdict: FinalVerdict | '' | undefined,
  stamp: Stamp,
): Event[] {
  const events: Event[] = [];
  if (Object.keys(fields).length > 0) events.push({ kind: 'edit', ...stamp, id, set: fields });
  if (verdict !== undefined) events.push({ kind: 'verdict', ...stamp, id, verdict: verdict || null });
  return events;
}

/** null removes a field. */
function changedFields({ options }: Invocation, project: Project): Partial<Record<keyof Task, unknown>> {
  const text = (name: string) =>
    options[name] === undefined ? undefined : (options[name] as string) || null;
  const many = (name: string) => {
    const values = (options[name] as readonly string[] | undefined)
      ?.flatMap((one) => one.split(','))
      .filter(Boolean);
    return values === undefined ? undefined : values.length > 0 ? values : null;
  };
  const content = text('content');
  if (content === null) throw new GzaError('usage', 'the text of a task cannot be empty');
  const depends = many('after');
  return withoutUnset({
    content,
    title: options['title'] ? titleOf(options['title'] as string) : content ? titleOf(content) : undefined,
    type: options['type'],
    group: text('group'),
    milestone: text('milestone'),
    priority: text('priority'),
    depends_on: depends?.map((word) => findTask(project.board, word).id) ?? depends,
    parent: options['parent'] ? findTask(project.board, options['parent'] as string).id : text('parent'),
    tags: many('tag'),
  });
}
