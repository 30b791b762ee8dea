/**
 * Edits one task in the text of its file and leaves every other byte alone (see edit-yaml.ts). The spliced
 * text is used only if it reads the same as an edit by the yaml library. Otherwise the library's own text is
 * used, which keeps comments.
 */
import { type Document, isMap, isScalar, isSeq, type Node, parseDocument, type YAMLMap } from 'yaml';
import { GzaError } from '../errors.ts';
import { lineStart, setField } from '../yaml/edit-yaml.ts';
import { printProblems } from '../yaml/problem.ts';
import { parseTaskFile } from './parse-task-file.ts';
import { allRows, namesOf } from './task-fields.ts';

/** Field of a task file → its new value; null removes the field. */
export type TaskChanges = Readonly<Record<string, unknown>>;

export function editTaskText(file: string, text: string, id: string, changes: TaskChanges): string {
  const document = openTaskDocument(file, text);
  const map = taskMap(file, document, id);
  const edits = Object.entries(changes).flatMap(([field, value]) => spelled(map, field, value));
  let spliced: string | null = text;
  for (const [field, value] of edits) {
    spliced =
      spliced === null
        ? null
        : setField(spliced, taskMap(file, openTaskDocument(file, spliced), id), field, value);
    if (value === null) (map as YAMLMap).delete(field);
    else (map as YAMLMap).set(field, document.createNode(value));
  }
  const careful = printed(file, document);
  const result = spliced !== null && sameTasks(file, spliced, careful) ? spliced : careful;
  refuseNewProblems(file, text, result);
  return result;
}

/** The text without the task, or null if nothing would be left of the file. */
export function removeTaskText(file: string, text: string, id: string): string | null {
  const document = openTaskDocument(file, text);
  const map = taskMap(file, document, id);
  const tasks = document.get('tasks');
  if (map === document.contents || !isSeq(tasks) || tasks.items.length === 1) return null;
  tasks.items.splice(tasks.items.indexOf(map), 1);
  const careful = printed(file, document);
  const [start, , end] = map.range!;
  const from = lineStart(text, start);
  const spliced = text.slice(0, from) + text.slice(end === text.length ? end : lineStart(text, end));
  return sameTasks(file, spliced, careful) ? spliced : careful;
}

function printed(file: string, document: Document): string {
  try {
    return document.toString({ lineWidth: 0 });
  } catch (cause) {
    if (!/alias/i.test(String(cause))) throw cause;
    throw new GzaError('input', `${file} uses elsewhere what would be taken out here (an anchor).`, {
      hint: 'Nothing was changed in it. Write the value out where it is used, and try again.',
      cause,
    });
  }
}

export function openTaskDocument(file: string, text: string): Document.Parsed {
  const document = parseDocument(text, {
    version: '1.2',
    schema: 'core',
    uniqueKeys: false,
    prettyErrors: false,
  });
  if (document.errors.length === 0 && isMap(document.contents)) return document;
  throw new GzaError('input', `${file} cannot be edited while it is not valid YAML.`, {
    hint: 'Run gza check to see what is wrong.',
  });
}

function taskMap(file: string, document: Document.Parsed, id: string): YAMLMap<Node, Node | null> {
  const root = document.contents as unknown as YAMLMap<Node, Node | null>;
  if (!root.has('tasks')) return root;
  const tasks = root.get('tasks', true) as unknown;
  const found = isSeq(tasks)
    ? tasks.items.find((item) => isMap(item) && textOf(item.get('id', true)) === id)
    : undefined;
  if (isMap<Node, Node | null>(found)) return found;
  throw new GzaError('input', `${file} has no task ${id}.`, {
    hint: 'It may have been changed meanwhile: try again.',
  });
}

function textOf(node: unknown): string | null {
  if (!isScalar(node)) return null;
  return typeof node.value === 'string' ? node.value : (node.source ?? null);
}

/** Sets the field under the name that the file already uses, and removes its aliases. */
function spelled(map: YAMLMap, field: string, value: unknown): [string, unknown][] {
  const names = allRows.map(([name, row]) => namesOf(name, row)).find((one) => one.includes(field)) ?? [
    field,
  ];
  const used = names.filter((name) => map.has(name));
  const name = used[0] ?? field;
  const others = used.slice(1).map((other): [string, unknown] => [other, null]);
  return value === null && used.length === 0 ? [] : [[name, value], ...others];
}

export function sameTasks(file: string, a: string, b: string): boolean {
  const print = (text: string) => {
    const { tasks, milestones, problems } = parseTaskFile(file, text);
    const plain = tasks.map(({ task, defaults }) => [sorted(task), sorted(defaults)]);
    return JSON.stringify([plain, milestones, problems.map(({ message }) => message)]);
  };
  return print(a) === print(b);
}

function sorted(fields: object): unknown {
  return Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1));
}

function refuseNewProblems(file: string, before: string, after: string): void {
  const known = new Set(parseTaskFile(file, before).problems.map(({ message }) => message));
  const fresh = parseTaskFile(file, after).problems.filter(({ message }) => !known.has(message));
  if (fresh.length === 0) return;
  throw new GzaError('input', `The change was not made:\n${printProblems(fresh)}`);
}
