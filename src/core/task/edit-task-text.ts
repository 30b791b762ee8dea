/**
 * Changes one task in the text of its file and leaves every other byte alone: comments, order, quotes. The new
 * lines are put in place by hand, and taken only if the file then reads exactly as if the yaml library had made
 * the change; where the layout is unusual (flow maps, anchors) the library's own text is used, comments kept.
 */
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  parseDocument,
  stringify,
  type YAMLMap,
} from 'yaml';
import { GzaError } from '../errors.ts';
import { printProblems } from '../yaml/problem.ts';
import { parseTaskFile } from './parse-task-file.ts';
import { allRows, namesOf } from './task-fields.ts';

/** Field of a task file → its new value, or null to take it out. */
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
        : splice(spliced, taskMap(file, openTaskDocument(file, spliced), id), field, value);
    if (value === null) (map as YAMLMap).delete(field);
    else (map as YAMLMap).set(field, document.createNode(value));
  }
  const careful = printed(file, document);
  const result = spliced !== null && sameTasks(file, spliced, careful) ? spliced : careful;
  refuseNewProblems(file, text, result);
  return result;
}

/** The text without the task, or null when nothing would be left of the file. */
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

/** A field under the name that the file uses; the other names of the same thing go. */
function spelled(map: YAMLMap, field: string, value: unknown): [string, unknown][] {
  const names = allRows.map(([name, row]) => namesOf(name, row)).find((one) => one.includes(field)) ?? [
    field,
  ];
  const used = names.filter((name) => map.has(name));
  const name = used[0] ?? field;
  const others = used.slice(1).map((other): [string, unknown] => [other, null]);
  return value === null && used.length === 0 ? [] : [[name, value], ...others];
}

/** null where lines cannot be put in place by hand. */
function splice(text: string, map: YAMLMap<Node, Node | null>, field: string, value: unknown): string | null {
  if (map.flow || map.items.length === 0) return null;
  const first = map.items[0]!;
  const indent = ' '.repeat(columnOf(text, first.key.range![0]));
  const pair = map.items.find(({ key }) => textOf(key) === field);
  if (!pair) {
    if (value === null) return text;
    const end = pairEnd(map.items.at(-1)!);
    const before = text.slice(0, end);
    const gap = before.endsWith('\n') ? '' : '\n';
    const rest = gap === '' ? text.slice(end) : text.slice(lineEnd(text, end));
    const tail = gap === '' ? '' : text.slice(end, lineEnd(text, end)).replace(/\r?\n$/, '');
    return `${before}${tail}${gap}${indent}${lines(field, value, indent)}\n${rest}`;
  }
  if (isAlias(pair.value)) return null;
  const start = pair.key.range![0];
  const end = pairEnd(pair);
  if (value === null) {
    if (pair === first && lineStart(text, start) + indent.length !== start) return null;
    if (pair === first && text.slice(lineStart(text, start), start).trim() !== '') return null;
    return (
      text.slice(0, lineStart(text, start)) + text.slice(text[end - 1] === '\n' ? end : lineEnd(text, end))
    );
  }
  const items = spliceItems(text, pair.value, value);
  if (items !== null) return items;
  const breaks = text.slice(start, end).endsWith('\n') ? '\n' : '';
  return text.slice(0, start) + lines(field, value, indent) + breaks + text.slice(end);
}

/** A list of as many items keeps its layout, and the comments beside those that change; null where it cannot. */
function spliceItems(text: string, list: Node | null, value: unknown): string | null {
  const wanted: unknown[] = Array.isArray(value) ? value : [value];
  if (!isSeq<Node>(list) || list.items.length !== wanted.length) return null;
  let result = text;
  for (const [at, item] of [...list.items.entries()].reverse()) {
    const next = wanted[at];
    if (!isScalar(item) || typeof next !== 'string') return null;
    if (textOf(item) === next) continue;
    const [start, end] = item.range!;
    const written = stringify(next, { lineWidth: 0 }).trimEnd();
    if (written.includes('\n') || text.slice(start, end).includes('\n')) return null;
    result = result.slice(0, start) + written + result.slice(end);
  }
  return result;
}

function lines(field: string, value: unknown, indent: string): string {
  return stringify({ [field]: value }, { lineWidth: 0 })
    .trimEnd()
    .replaceAll(/\n(?=[^\n])/g, `\n${indent}`);
}

function pairEnd({ key, value }: Pair<Node, Node | null>): number {
  return value?.range?.[1] ?? key.range![2];
}

function lineStart(text: string, at: number): number {
  return text.lastIndexOf('\n', at - 1) + 1;
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end + 1;
}

function columnOf(text: string, at: number): number {
  return at - lineStart(text, at);
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
