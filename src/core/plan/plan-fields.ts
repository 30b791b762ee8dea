/**
 * Reads the fields in the body of a planned task: `Files:`, `Depends on:`, `Acceptance criteria:` and the
 * like, as a line with a value or with a list below it. A line counts as a field only if its value has the
 * right form (a path for files). Everything else is text for the agent.
 */

import { whyUnsafePath } from '../guard/paths.ts';
import { type Priority, priorities } from '../task/task.ts';

export interface PlanFields {
  readonly create: readonly string[];
  readonly modify: readonly string[];
  readonly tests: readonly string[];
  readonly criteria: readonly string[];
  /** As written: numbers, labels, titles or ids. */
  readonly after: readonly string[];
  readonly priority?: Priority;
  readonly story?: string;
  /** The remaining text, which goes to the agent. */
  readonly content: string;
}

type Found = Readonly<Record<Kind, string[]>>;
type Kind = 'files' | 'create' | 'modify' | 'tests' | 'criteria' | 'after' | 'priority' | 'story';

const names: readonly (readonly [Kind, RegExp])[] = [
  ['create', /^(?:files? to (?:create|add)|new files?|creates?|adds? files?)$/],
  ['modify', /^(?:files? to (?:modify|change|edit|touch)|modif(?:y|ies)|changed files?|changes?|edits?)$/],
  ['tests', /^(?:tests?|test files?)$/],
  ['files', /^(?:files?|affected files?|touches)$/],
  ['criteria', /^(?:acceptance criteria|criteria|acceptance|done when|definition of done)$/],
  ['after', /^(?:depends on|dependenc(?:y|ies)|after|blocked by|needs|requires|prerequisites?)$/],
  ['priority', /^priority$/],
  ['story', /^user story$/],
];

const field = /^\s*(?:[-*+]\s+|#{2,6}\s+)?[*_]{0,2}([A-Za-z][A-Za-z ]{2,24}?)[*_]{0,2}\s*:[*_]{0,2}\s*([^]*)/;
const heading = /^\s*#{2,6}\s+[*_]{0,2}([A-Za-z][A-Za-z ]{2,24}?)[*_]{0,2}\s*(?::\s*)?$/;

const sentence = /^\s*(?:[-*+]\s+)?[*_]{0,2}(?:depends on|blocked by)[*_]{0,2}\s+([^\s:][^:]{0,199})$/i;

/**
 * The tasks that a sentence like `Depends on Task 1 and Task 2.` names; null if it contains anything but
 * labels.
 */
function waitsIn(line: string): string | null {
  const said = sentence.exec(line)?.[1]?.replace(/[.*_\s]{1,8}$/, '');
  const isLabel = (one: string) => /^(?:(?:tasks?|steps?)\s+)?#?T?\d{1,4}(?:\.\d{1,4})?$/i.test(one.trim());
  return said?.split(/,|\band\b|&/).every(isLabel) ? said : null;
}

/** `exists` decides whether a file is to be modified or created when the plan does not say. */
export function readPlanFields(lines: readonly string[], exists: (path: string) => boolean): PlanFields {
  const found = Object.fromEntries(names.map(([kind]): [Kind, string[]] => [kind, []])) as Found;
  const content: string[] = [];
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] as string;
    const match = field.exec(line) ?? heading.exec(line);
    const kind = match ? kindOf(match[1] as string) : undefined;
    const below = kind === undefined ? 0 : listBelow(lines, at);
    const values = [match?.[2] ?? '', ...itemsOf(lines.slice(at + 1, at + 1 + below))].filter(Boolean);
    if (kind !== undefined && values.length > 0 && isOfKind(kind, values)) {
      found[kind].push(...values);
      at += 1 + below;
      continue;
    }
    const waits = waitsIn(line);
    if (waits === null) content.push(line);
    else found.after.push(waits);
    at += 1;
  }
  return fieldsOf(found, content, exists);
}

function kindOf(name: string): Kind | undefined {
  return names.find(([, pattern]) => pattern.test(name.trim().toLowerCase()))?.[0];
}

const pathKinds: ReadonlySet<Kind> = new Set(['files', 'create', 'modify', 'tests']);

function isOfKind(kind: Kind, values: readonly string[]): boolean {
  if (kind === 'priority') return priorityIn(values) !== undefined;
  return !pathKinds.has(kind) || values.some((value) => pathsIn(value).length > 0);
}

function priorityIn([value]: readonly string[]): Priority | undefined {
  return priorities.find((one) => one === value?.trim().toLowerCase());
}

/** Counts the lines of the list directly below: more indented than the line, or after a heading. */
function listBelow(lines: readonly string[], at: number): number {
  const own = indentOf(lines[at] as string);
  const isItem = /^\s*(?:[-*+]|\d+[.)])\s/;
  const sameLevelMay = !isItem.test(lines[at] as string);
  let count = 0;
  let blank = 0;
  for (let next = at + 1; next < lines.length; next += 1) {
    const line = lines[next] as string;
    if (line.trim() === '' && blank === 0 && count === 0) {
      blank += 1;
      continue;
    }
    const deeper = indentOf(line) > own;
    const goesOn = line.trim() !== '' && deeper && count > 0;
    if (!(isItem.test(line) && (deeper || sameLevelMay)) && !goesOn) break;
    // The list may continue with the next field, which is not a value of this one.
    const other = !deeper && field.exec(line);
    if (other && kindOf(other[1] as string) !== undefined) break;
    count += 1;
  }
  return count === 0 ? 0 : count + blank;
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

/** The items of a list. A line without a marker continues the item before it. */
function itemsOf(lines: readonly string[]): string[] {
  const items: string[] = [];
  for (const line of lines) {
    const goesOn = items.length > 0 && !/^\s*(?:[-*+]|\d+[.)])\s/.test(line);
    if (goesOn) items.push(`${items.pop()} ${line.trim()}`);
    else items.push(bare(line));
  }
  return items;
}

function bare(line: string): string {
  return line
    .replace(/^\s*(?:[-*+]|\d+[.)])\s+/, '')
    .replace(/^\[[ xX]\]\s+/, '')
    .trim();
}

function fieldsOf(found: Found, content: readonly string[], exists: (path: string) => boolean): PlanFields {
  const create = new Set(found.create.flatMap(pathsIn));
  const modify = new Set(found.modify.flatMap(pathsIn));
  for (const value of found.files.flatMap((line) => line.split(/[,;]/))) {
    const isNew = /\bnew\b|\bcreate\b/i.test(value);
    const isOld = /\bmodif|\bchange|\bedit|\bupdate|\bexisting\b/i.test(value);
    for (const path of pathsIn(value)) {
      if (isOld || (!isNew && exists(path))) modify.add(path);
      else create.add(path);
    }
  }
  for (const path of create) modify.delete(path);
  const priority = priorityIn(found.priority);
  const story = found.story.join(' ');
  return {
    create: [...create],
    modify: [...modify],
    tests: [...new Set(found.tests.flatMap(pathsIn))],
    criteria: found.criteria,
    after: found.after.flatMap(references),
    ...(priority ? { priority } : {}),
    ...(story === '' ? {} : { story }),
    content: content
      .join('\n')
      .replaceAll(/\n{3,}/g, '\n\n')
      .trim(),
  };
}

const pathLike =
  /(?:^|[\s`"'(,])((?:[\w@.-]+\/)*[\w@.-]+\.[A-Za-z]\w{0,9}|(?:[\w@.-]+\/)+[\w@.-]+)(?=$|[\s`"'),;:])/g;

/** Words that look like files of a repository. */
function pathsIn(text: string): string[] {
  const found = [...text.matchAll(pathLike)].map(([, path = '']) => path.replace(/^\.\//, ''));
  return [...new Set(found)].filter(
    (path) =>
      whyUnsafePath(path) === null && !/^(?:e\.g|i\.e|etc)\b/i.test(path) && !/^v?\d[\d.]*$/.test(path),
  );
}

function references(value: string): string[] {
  if (/^(?:none|nothing|no one|n\/a|-+|–|—)\.?$/i.test(value.trim())) return [];
  return value
    .split(/[,;&]|\band\b/)
    .map((part) => part.replaceAll(/[`*_]|\(.{0,200}?\)|^\s*#|\.$/g, '').trim())
    .map((part) => part.replace(/^(task|step|phase)s(?=\s+\S{0,2}\d)/i, '$1'))
    .filter((part) => part !== '');
}
