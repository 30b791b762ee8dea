import type { Command, Invocation, Outcome, Ports } from '../../app/command.ts';
import { loadProject, type OpenedProject, openProject } from '../../app/project.ts';
import {
  type Fields,
  fileRecord,
  findTask,
  refuseCircle,
  set,
  taskOutcome,
} from '../../app/tasks/change-task.ts';
import { GzaError } from '../../core/errors.ts';
import { titleOf } from '../../core/task/task.ts';
import { shorten } from '../../core/text/terminal/lines.ts';
import { type DefinitionFields, definitionFields, definitionOptions, linksOf } from '../agent-options.ts';
import { spoolInstead } from '../spool-instead.ts';
import { taskText } from '../task-text.ts';

export const command: Command = {
  spec: {
    name: 'add',
    summary: 'file a task',
    arguments: [{ name: 'text', many: true }],
    details: 'The text is the argument, or standard input, or what you write in the editor.',
    options: [
      { name: 'title', type: 'text', value: '<title>', help: 'title; else the first line of the text' },
      ...definitionOptions,
    ],
    examples: [
      {
        command: 'gza add "Refactor auth middleware to use JWT"',
        shows: 'task-a3f8: Refactor auth middleware to use JWT',
      },
      { command: 'gza add "Write tests for JWT auth" --after task-a3f8', shows: 'waits for task-a3f8' },
      {
        command: 'gza add "Add feature X" -t implement -a',
        shows: 'implement, review and improve until approved',
      },
    ],
  },
  run,
};

async function run(invocation: Invocation, ports: Ports): Promise<Outcome> {
  const spooled = await spoolInstead('add', invocation, ports);
  if (spooled) return spooled;
  const opened = await openProject(ports);
  const fields = await definitionFields(invocation, (word) => knownId(opened, word, ports));
  refuseLooseBranch(fields);
  // Without both a dependency and a parent, a new task cannot close a circle: skip loading the board.
  if (fields.depends_on && fields.parent)
    refuseCircle((await loadProject(ports, opened)).board, linksOf('the new task', fields));
  const content = await taskText(invocation.args.join(' '), { ports });
  const title = titleOf((invocation.options['title'] as string | undefined) || content);
  const task = set({ type: 'task', ...fields, title, content }) as unknown as Fields;
  const { record: filed, reopened } = await fileRecord(opened, task, ports);
  const after = filed.depends_on?.length ? ` (after ${filed.depends_on.join(', ')})` : '';
  const again = reopened === null ? '' : `\n${reopened}: open again, since this is a part of it`;
  const text = `${filed.id}: ${shorten(filed.title, 200)}${after}${again}`;
  if (!invocation.options['json']) return { json: null, text };
  return taskOutcome(await loadProject(ports, opened), filed.id, ports, () => text);
}

function refuseLooseBranch({ same_branch, depends_on, branch }: DefinitionFields): void {
  if (!same_branch || depends_on || branch) return;
  throw new GzaError('usage', '--same-branch needs --based-on: it goes on on that task’s branch', {
    hint: 'gza add "Next step" --based-on task-a3f8 --same-branch',
  });
}

/** Looks up a full id in the ledger first, which is quick. Files and prefixes need the whole board. */
async function knownId(opened: OpenedProject, word: string, ports: Ports): Promise<string> {
  const view = await opened.ledger.view();
  for (const id of [word, `task-${word}`]) if (/^[\w.-]{1,64}$/.test(id) && (await view.task(id))) return id;
  return findTask((await loadProject(ports, opened)).board, word).id;
}
