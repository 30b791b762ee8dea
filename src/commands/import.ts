import { readFileSync, statSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { parseChecklist } from '../core/parse-checklist.ts';
import { GzaError } from '../core/errors.ts';
import type { Event } from '../core/event.ts';
import type { TaskRecord } from '../core/record.ts';
import { taskRow } from '../core/task-json.ts';
import { taskTypes, type TaskType } from '../core/task.ts';
import { addSeconds } from '../core/time.ts';
import { filePlan, freeId, titleOf, withoutUnset } from './add.ts';
import { refusalError, stampOf } from './change-task.ts';
import type { Command, Invocation, Outcome, Ports } from './command.ts';
import { type Project, homeBranch, look, openProject } from './project.ts';

const fileBytesMax = 2 << 20;

export const command: Command = {
  spec: {
    name: 'import',
    summary: 'file the tasks of a TODO.md, a pull request checklist or a plan, as a tree',
    forPeople: true,
    arguments: [{ name: 'file', completes: 'file' }],
    details:
      'Reads standard input when no file is named. A second import of the same file files only what is new.',
    options: [
      { name: 'group', type: 'text', value: '<group>', help: 'put them into a group' },
      { name: 'type', short: 't', type: 'text', value: '<type>', help: 'their type', choices: taskTypes },
      { name: 'plan', type: 'text', value: '<file>', help: 'plan file they belong to; else the file itself' },
      { name: 'dry-run', type: 'flag', help: 'show what would be filed' },
    ],
    examples: [
      { command: 'gza import TODO.md', shows: 'one task for each box, nested ones under their parents' },
    ],
  },
  run: async (invocation, ports) => {
    const project = await openProject(ports);
    const [text, name] = await source(invocation.args[0], project, ports);
    const items = parseChecklist(text);
    if (items.length === 0) {
      throw new GzaError('input', `${name} has no list items or boxes, so nothing was filed`, {
        hint: 'A box is a line such as: - [ ] Add the login endpoint',
      });
    }
    return fileItems(project, items, name, invocation, ports);
  },
};

async function source(file: string | undefined, project: Project, ports: Ports): Promise<[string, string]> {
  if (file === undefined || file === '-') {
    const text = await ports.stdin();
    if (text) return [text, 'standard input'];
    throw new GzaError('usage', 'no file was named and standard input is empty', {
      hint: 'gza import TODO.md',
    });
  }
  const path = resolve(ports.cwd, file);
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat?.isFile()) throw new GzaError('input', `${file} is not a file`);
  if (stat.size > fileBytesMax)
    throw new GzaError('input', `${file} has ${stat.size} bytes; ${fileBytesMax} is the limit`);
  const shown = relative(project.repository.workTree ?? ports.cwd, path).replaceAll('\\', '/');
  return [readFileSync(path, 'utf8'), shown];
}

async function fileItems(
  project: Project,
  items: ReturnType<typeof parseChecklist>,
  name: string,
  { options }: Invocation,
  ports: Ports,
): Promise<Outcome> {
  const stamp = stampOf(ports);
  const salt = ports.random();
  const planFile = (options['plan'] as string | undefined) ?? (name === 'standard input' ? undefined : name);
  const fields = withoutUnset({ group: options['group'] as string | undefined, plan_file: planFile });
  let filed: TaskRecord[] = [];
  let known = 0;
  const written = await project.ledger.write(async (view) => {
    const branch = homeBranch(project.repository, view);
    const byKey = new Map(
      (await view.rows()).flatMap(({ record }) => (record.key ? [[record.key, record.id]] : [])),
    );
    const ids: string[] = [];
    const events: Event[] = [];
    filed = [];
    known = 0;
    for (const [at, item] of items.entries()) {
      const key = `${name}#${item.key}`;
      const existing = byKey.get(key);
      ids.push(existing ?? (await freeId(view, `${item.text}\n${stamp.at}\n${salt}\n${at}`)));
      if (existing) {
        known += 1;
        continue;
      }
      const record: TaskRecord = {
        id: ids[at] as string,
        type: (options['type'] as TaskType | undefined) ?? 'task',
        title: titleOf(item.text),
        content: item.text,
        ...fields,
        ...(item.parent === null ? {} : { parent: ids[item.parent] as string }),
        created_at: addSeconds(stamp.at, at / 1000),
        ...(stamp.by ? { created_by: stamp.by } : {}),
        key,
      };
      filed.push(record);
      byKey.set(key, record.id);
      if (item.done)
        events.push({ kind: 'close', ...stamp, id: record.id, as: 'done', reason: 'ticked when imported' });
    }
    if (filed.length === 0 || options['dry-run']) return null;
    const plan = await filePlan(view, branch, filed, stamp, salt);
    const [first] = plan.changes;
    return first ? { changes: [{ ...first, events: [...first.events, ...events] }] } : null;
  });
  if (written.kind === 'refused') throw refusalError(written);
  const lines = filed.map((record) => `${record.id}: ${record.title}`);
  const summary = `${options['dry-run'] ? 'would file' : 'filed'} ${filed.length}, ${known} known already`;
  const board = (await look(project, ports)).board;
  const json = filed
    .map((record) => board.views.get(record.id))
    .flatMap((view) => (view ? [taskRow(view)] : []));
  return { json, text: [...lines, summary].join('\n') };
}
