import { readFileSync, statSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import type { Command, Invocation, Outcome, Ports } from '../../app/command.ts';
import { homeBranch, loadProject, type Project } from '../../app/project.ts';
import {
  type Fields,
  filePlan,
  filing,
  freeIds,
  inheritedFrom,
  refusalError,
  type Stamp,
  set,
  stampOf,
} from '../../app/tasks/change-task.ts';
import { GzaError } from '../../core/errors.ts';
import type { Event } from '../../core/ledger/event.ts';
import type { TaskRecord } from '../../core/ledger/record/record.ts';
import { refuseTooLong } from '../../core/markdown/markdown-lines.ts';
import { type ChecklistItem, itemsMax, parseChecklist } from '../../core/markdown/parse-checklist.ts';
import { type TaskType, taskTypes, titleOf } from '../../core/task/task.ts';
import { taskRow } from '../../core/task/task-json.ts';
import { shorten } from '../../core/text/terminal/lines.ts';
import { addSeconds } from '../../core/time.ts';
import type { LedgerView, Plan } from '../../ledger/ledger.ts';

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
  /** Path in the repository, if it is a file. */
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

export interface Drawn {
  readonly filed: TaskRecord[];
  /** Ids of new and known tasks whose box is ticked, each with the branch of its ledger. */
  readonly ticked: { readonly id: string; readonly branch: string | null }[];
  known: number;
}

export interface ImportSource {
  readonly name: string;
  /** Path in the repository, if it is a file. */
  readonly file?: string;
  readonly items: readonly ChecklistItem[];
}

interface Drawing {
  readonly shared: { readonly type: TaskType; readonly group?: string; readonly plan_file?: string };
  readonly stamp: Stamp;
  readonly salt: string;
}

/** What an import would file and close, given what the ledgers already have from this source. */
async function drawImport(
  view: LedgerView,
  source: ImportSource,
  { shared, stamp, salt }: Drawing,
): Promise<Drawn> {
  const known = new Map(
    (await view.rows()).flatMap((row) => (row.record.key ? [[row.record.key, row]] : [])),
  );
  const name = source.file ?? shared.plan_file ?? source.name;
  const keys = source.items.map((item) => `${name}#${item.key}`);
  const fresh = source.items.filter((_item, at) => !known.has(keys[at] as string));
  const free = await freeIds(
    view,
    fresh.map((item, at) => `${item.text}\n${stamp.at}\n${salt}\n${at}`),
  );
  const drawn: Drawn = { filed: [], ticked: [], known: source.items.length - fresh.length };
  const ids: string[] = [];
  const byId = new Map([...known.values()].map(({ record }) => [record.id, record]));
  for (const [at, item] of source.items.entries()) {
    const key = keys[at] as string;
    const before = known.get(key);
    const id = before?.record.id ?? free[drawn.filed.length]!;
    ids.push(id);
    if (item.done && !before?.record.closed_at) drawn.ticked.push({ id, branch: before?.branch ?? null });
    if (before) continue;
    const parent = item.parent === null ? undefined : ids[item.parent];
    const fields = inheritedFrom(fieldsOf(item, shared, parent), byId.get(parent ?? '') ?? null);
    const filed = filing({ ...stamp, at: addSeconds(stamp.at, at / 1000) });
    drawn.filed.push({ id, ...fields, ...filed, key });
  }
  return drawn;
}

function fieldsOf(
  { text, body }: ChecklistItem,
  shared: Drawing['shared'],
  parent: string | undefined,
): Fields {
  const content = body ? `${text}\n\n${body}` : text;
  return { ...shared, title: titleOf(text), content, ...set({ parent }) };
}

async function importPlan(
  view: LedgerView,
  { filed, ticked }: Drawn,
  home: string,
  stamp: Stamp,
  salt: string,
): Promise<Plan | null> {
  const changes = new Map<string, Event[]>();
  if (filed.length > 0) {
    for (const { branch, events } of (await filePlan(view, home, filed, stamp, salt)).changes)
      changes.set(branch, [...events]);
  }
  for (const { id, branch } of ticked) {
    const event: Event = { kind: 'close', ...stamp, id, as: 'done', reason: 'ticked when imported' };
    const at = branch ?? home;
    changes.set(at, [...(changes.get(at) ?? []), event]);
  }
  if (changes.size === 0) return null;
  return { changes: [...changes].map(([branch, events]) => ({ branch, events })) };
}
