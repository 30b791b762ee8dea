/**
 * The language of prompt templates, which a repository can override in `.gza/prompts/`:
 *
 *   {{name}}                    the value
 *   {{#name}} … {{/name}}       shown when the value is not empty; alone on a line, the tag leaves no line behind
 *   \{{                         two braces
 *
 * Nothing in it runs, and a value is never read as a template: a task that says `{{plan}}` says just that.
 */

import { nearestWord } from '../arguments/nearest-word.ts';
import { GzaError } from '../errors.ts';

export interface Template {
  readonly text: string;
  /** For messages. */
  readonly file: string;
}

export type TemplatePart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'value'; readonly name: string }
  | { readonly kind: 'section'; readonly name: string; readonly parts: readonly TemplatePart[] };

const templateCharsMax = 100_000;
const tagsMax = 1000;

const tag = /\\\{\{|\{\{\s{0,20}([#/]?)\s{0,20}([\w-]{1,60})\s{0,20}\}\}|\{\{/g;

interface Open {
  readonly name: string;
  readonly line: number;
  readonly parts: TemplatePart[];
}

export function parseTemplate(template: Template, names: readonly string[]): readonly TemplatePart[] {
  const text = template.text.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n');
  if (text.length > templateCharsMax) {
    throw new GzaError(
      'input',
      `${template.file} has ${text.length} characters; ${templateCharsMax} is the limit`,
    );
  }
  const root: Open = { name: '', line: 0, parts: [] };
  const open = [root];
  let at = 0;
  let tags = 0;
  for (const match of text.matchAll(tag)) {
    const [mark, kind, name = ''] = match;
    const line = lineAt(text, match.index);
    if (++tags > tagsMax) throw fault(template, line, `there are more than ${tagsMax} tags`);
    const top = open.at(-1) ?? root;
    const alone = kind === '#' || kind === '/' ? aloneOnLine(text, match.index, mark.length) : null;
    addText(top.parts, text.slice(at, alone?.start ?? match.index));
    at = alone?.end ?? match.index + mark.length;
    if (mark === '\\{{') addText(top.parts, '{{');
    else if (kind === undefined) throw fault(template, line, unreadable);
    else {
      if (!names.includes(name)) throw unknownName(template, line, name, names);
      if (kind === '') top.parts.push({ kind: 'value', name });
      else if (kind === '#') open.push({ name, line, parts: [] });
      else closeSection(template, open, name, line);
    }
  }
  addText(root.parts, text.slice(at));
  const last = open.at(-1);
  if (last !== undefined && last !== root) {
    throw fault(template, last.line, `{{#${last.name}}} is not closed: write {{/${last.name}}} after it`);
  }
  return root.parts;
}

const unreadable =
  'a name is expected between {{ and }}, such as {{task}}; write \\{{ for two braces that mean nothing';

function closeSection(template: Template, open: Open[], name: string, line: number): void {
  const closed = open.length > 1 ? open.pop() : undefined;
  if (closed?.name !== name) {
    const where =
      closed === undefined ? 'nothing' : `no section: {{#${closed.name}}} of line ${closed.line} is open`;
    throw fault(template, line, `{{/${name}}} closes ${where}`);
  }
  open.at(-1)?.parts.push({ kind: 'section', name, parts: closed.parts });
}

function unknownName(template: Template, line: number, name: string, names: readonly string[]): GzaError {
  const near = nearestWord(name, names);
  const meant = near === null ? '' : `; did you mean {{${near}}}?`;
  return new GzaError('input', `${template.file}:${line}: {{${name}}} is not known${meant}`, {
    hint: `Known are: ${names.join(', ')}`,
  });
}

function fault(template: Template, line: number, what: string): GzaError {
  return new GzaError('input', `${template.file}:${line}: ${what}`);
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length;
}

function aloneOnLine(text: string, at: number, length: number): { start: number; end: number } | null {
  const start = at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1;
  const next = text.indexOf('\n', at + length);
  const end = next === -1 ? text.length : next;
  const isAlone = text.slice(start, at).trim() === '' && text.slice(at + length, end).trim() === '';
  return isAlone ? { start, end: Math.min(end + 1, text.length) } : null;
}

function addText(parts: TemplatePart[], text: string): void {
  if (text !== '') parts.push({ kind: 'text', text });
}

export function expandTemplate(parts: readonly TemplatePart[], values: ReadonlyMap<string, string>): string {
  return parts
    .map((part) => {
      if (part.kind === 'text') return part.text;
      const value = values.get(part.name) ?? '';
      return part.kind === 'section' && value !== '' ? expandTemplate(part.parts, values) : value;
    })
    .join('');
}

/** The names of the values that are shown when these are filled. */
export function namesShown(
  parts: readonly TemplatePart[],
  isFilled: (name: string) => boolean,
): ReadonlySet<string> {
  const names = parts.flatMap((part) => {
    if (part.kind === 'section') return isFilled(part.name) ? [...namesShown(part.parts, isFilled)] : [];
    return part.kind === 'value' ? [part.name] : [];
  });
  return new Set(names);
}
