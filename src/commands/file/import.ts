import { readFileSync, statSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import type { Command, Invocation, Outcome, Ports } from '../../app/command.ts';
import { homeBranch, loadProject, type Project } from '../../app/project.ts';
import { refusalError, stampOf } from '../../app/tasks/change-task.ts';
import { set } from '../../app/tasks/file-records.ts';
import { GzaError } from '../../core/errors.ts';
import { refuseTooLong } from '../../core/markdown/markdown-lines.ts';
import { type ChecklistItem, itemsMax, parseChecklist } from '../../core/markdown/parse-checklist.ts';
import { type TaskType, taskTypes } from '../../core/task/task.ts';
import { taskRow } from '../../core/task/task-json.ts';
import { shorten } from '../../core/text/terminal/task-line.ts';
import { type Drawn, drawImport, importPlan } from './draw-import.ts';

const fileBytesMax = 2 << 20;

export const command: Command = {
  spec: {
    name: 'import',
    summary: 'file the tasks of a TODO.md, a pull request checklist or a plan, as a tree',
    arguments: [{ name: 'file', completes: 'file' }],
    details:
      'Reads standard input when no file is named. A second import of the same file files only what is new; a box ticked since then closes its task.',
    options: [
      { name: 'group', type: 'text', value: '<group>', help: 'put them into a group' },
      { name: 'type', short: 't', type: 'text', value: '<type>', help: 'their type', choices: taskTypes },
      { name: 'plan', type: 'text', value: '<file>', help: 'plan file they belong to; else the file itself' },
      { name: 'dry-run', type: 'flag', help: 'show what would be filed' },
    ],
    examples: [
      { command: 'gza import TODO.md', shows: 'one task for each box, nested ones under their parents' },
      {
        command: 'gh pr view 7 --json body -q .body | gza import --plan pr-7',
        shows: 'the checklist of a pull request',
      },
    ],
  },
  run: async (invocation, ports) => {
    const project = await loadProject(ports);
    const source = await readSource(invocation.args[0], project, ports);
    refuseTooLong(source.name, source.text);
    const items = parseChecklist(source.text);
    if (items.length === 0) {
      throw new GzaError('input', `${source.name} has no list items or boxes, so nothing was filed`, {
        hint: 'A box is a line such as: - [ ] Add the login endpoint',
      });
    }
    if (items.length >= itemsMax)
      ports.progress(`warning: only the first ${itemsMax} items of ${source.name} are read`);
    return importItems(project, { ...source, items }, invocation, ports);
  },
};

interface Source {
  readonly text: string;
  readonly name: string;
  /** Path in the repository, when it is a file. */
  readonly file?: string;
}

async function readSource(file: string | undefined, project: Project, ports: Ports): Promise<Source> {
  if (file === undefined || file === '-') {
    const text = await ports.stdin();
    if (text) return { text, name: 'standard input' };
    throw new GzaError('usage', 'no file was named and standard input is empty', {
      hint: `${ports.program} import TODO.md`,
    });
  }
  const path = resolve(ports.cwd, file);
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat?.isFile()) throw new GzaError('input', `${file} is not a file`);
  if (stat.size > fileBytesMax)
    throw new GzaError('input', `${file} has ${stat.size} bytes; ${fileBytesMax} is the limit`);
  const shown = relative(project.repository.workTree ?? ports.cwd, path).replaceAll('\\', '/');
  return { text: readFileSync(path, 'utf8'), name: shown, file: shown };
}

interface Import extends Source {
  readonly items: readonly ChecklistItem[];
}

async function importItems(
  project: Project,
  source: Import,
  { options }: Invocation,
  ports: Ports,
): Promise<Outcome> {
  const stamp = stampOf(ports);
  const salt = ports.random();
  const shared = set({
    type: (options['type'] as TaskType | undefined) ?? 'task',
    group: options['group'] as string | undefined,
    plan_file: (options['plan'] as string | undefined) || source.file,
  });
  let drawn: Drawn = { filed: [], ticked: [], known: 0 };
  const written = await project.ledger.write(async (view) => {
    drawn = await drawImport(view, source, { shared, stamp, salt });
    if (options['dry-run']) return null;
    return importPlan(view, drawn, homeBranch(project.repository, view), stamp, salt);
  });
  if (written.kind === 'refused') throw refusalError(written);
  return report(project, drawn, options['dry-run'] === true, ports);
}

async function report(
  project: Project,
  { filed, ticked, known }: Drawn,
  isDry: boolean,
  ports: Ports,
): Promise<Outcome> {
  const board = (await loadProject(ports, project)).board;
  const closed = ticked.filter(({ branch }) => branch !== null).length;
  const lines = filed.map((record) => `${record.id}: ${shorten(record.title, 200)}`);
  const sums = [`${isDry ? 'would file' : 'filed'} ${filed.length}`, `${known} known already`];
  if (closed > 0) sums.push(`${isDry ? 'would close' : 'closed'} ${closed} ticked since`);
  const views = filed.map((record) => board.views.get(record.id));
  const json = isDry
    ? filed.map(({ id, type, title, parent }) => ({ id, type, title, parent: parent ?? null }))
    : views.flatMap((view) => (view ? [taskRow(view)] : []));
  return { json, text: [...lines, sums.join(', ')].join('\n') };
}
