/**
 * Builds the prompt for a step: fills a template (built in, or the repository's own) with passages from the
 * step's context. The same context always gives the same prompt.
 */

import { nearestWord } from '../arguments/nearest-word.ts';
import { GzaError } from '../errors.ts';
import { cleanLine } from '../markdown/neutralise.ts';
import {
  type PromptName,
  type PromptSection,
  passageShares,
  promptEssentials,
  promptNames,
  promptSections,
} from './prompt-names.ts';
import { inlineCode, promptSectionsOf, taskId } from './prompt-sections.ts';
import { promptTemplates } from './prompt-templates.ts';
import type { StepContext } from './step-context.ts';

export type PromptOverrides = Readonly<Partial<Record<PromptName, Template>>>;

/** The name of a step's template. A repository can override it in `.gza/prompts/<name>.md`. */
export function promptNameOf({ step, commits }: Pick<StepContext, 'step' | 'commits'>): PromptName {
  return step === 'implement' && commits === 'agent' ? 'task' : step;
}

export function buildPrompt(
  context: StepContext,
  overrides: PromptOverrides = {},
  charsMax = promptCharsMax,
): string {
  const name = promptNameOf(context);
  const template = overrides[name] ?? { text: promptTemplates[name], file: `the built-in prompt ${name}` };
  const parts = parseTemplate(template, promptNames);
  const words = wordsOf(context);
  const sections = promptSectionsOf(context, name);
  const isFilled = (one: string) =>
    (words.get(one) ?? '') !== '' || (isSection(one) && sections[one].text !== '');
  const whole = [...parts, ...missing(parts, isFilled)];
  const shown = namesShown(whole, isFilled);
  const used = inOrderOfUse(name).filter((one) => shown.has(one));
  const blanks = used.filter(isFilled).map((one) => [one, ' '] as const);
  const ownChars = expandTemplate(whole, new Map([...words, ...blanks])).length;
  const bounded = used.map(
    (one): Section => ({ ...sections[one], charsMax: Math.floor(charsMax * passageShares[one]) }),
  );
  const { texts } = fitSections(bounded, charsMax - ownChars - 1);
  return `${expandTemplate(whole, new Map([...words, ...texts])).trim()}\n`;
}

function isSection(name: string): name is PromptSection {
  return (promptSections as readonly string[]).includes(name);
}

function wordsOf(context: StepContext): ReadonlyMap<string, string> {
  const { task, step, lane, cycle, cyclesMax, attempt, checks } = context;
  const isCycle = step === 'review' || step === 'improve';
  // A person can request a cycle before the review loop begins or after it ends.
  const number = isCycle ? Math.max(1, cycle) : cycle;
  return new Map([
    ['id', taskId(context)],
    ['title', cleanLine(task.title)],
    ['type', task.type],
    ['step', step],
    ['branch', inlineCode([lane.branch])],
    ['base', inlineCode([lane.base])],
    ['cycle', String(number)],
    ['cycles', String(Math.max(number, cyclesMax))],
    ['attempt', String(attempt)],
    ['checks', inlineCode(checks)],
  ]);
}

/** The essential passages that the template leaves out, each under its own heading. */
function missing(
  parts: readonly TemplatePart[],
  isFilled: (name: string) => boolean,
): readonly TemplatePart[] {
  const shown = namesShown(parts, isFilled);
  return Object.entries(promptEssentials)
    .filter(([name]) => !shown.has(name) && isFilled(name))
    .flatMap(([name, heading]): readonly TemplatePart[] => [
      { kind: 'text', text: `\n\n## ${heading}\n\n` },
      { kind: 'value', name },
    ]);
}

/** The sections that each prompt needs most. The others follow in the order of `promptSections`. */
const firstUsed: Readonly<Record<PromptName, readonly PromptSection[]>> = {
  plan: ['files', 'guidance', 'notes', 'dependencies'],
  explore: ['files', 'guidance', 'notes', 'dependencies'],
  implement: ['files', 'guidance', 'verification', 'strategy', 'resume', 'notes', 'plan'],
  review: ['guidance', 'plan', 'diff', 'earlier', 'verification'],
  improve: ['guidance', 'review', 'comments', 'verification', 'notes'],
  task: ['files', 'guidance', 'verification', 'strategy', 'resume', 'notes', 'plan'],
};

function inOrderOfUse(name: PromptName): readonly PromptSection[] {
  return [...new Set([...firstUsed[name], ...promptSections])];
}

/**
 * Fits the parts of a prompt into a number of characters. Required parts stay whole. The others are added in
 * order of importance: whole if they fit, else in their short form, else cut at a line from the less useful
 * end. The prompt always says what was left out and where to read it, because otherwise agents invent what is
 * missing.
 */
export const promptCharsMax = 120_000;

export interface Section {
  readonly name: string;
  /** Empty sections are not shown. The text must already be cleaned; it is only cut here. */
  readonly text: string;
  readonly isRequired?: boolean;
  /** The end that is kept when it is cut. */
  readonly keep: 'start' | 'end';
  /** A limit of its own, even if there is more room. */
  readonly charsMax?: number;
  /** Replaces a text that does not fit whole. */
  readonly short?: string;
  /** Where to read the whole text, as the end of a sentence. */
  readonly where: string;
  /** Puts a label and a fence around it. */
  readonly wrap: (text: string) => string;
}

interface Fitted {
  readonly texts: ReadonlyMap<string, string>;
  /** Sections not shown whole. */
  readonly cut: readonly string[];
}

/**
 * `sections` are in order of importance. The result is over the limit only if the required ones alone are.
 */
export function fitSections(sections: readonly Section[], charsMax: number): Fitted {
  const texts = new Map<string, string>();
  const cut: string[] = [];
  let left = charsMax;
  for (const section of sections) {
    if (!section.isRequired || section.text === '') continue;
    const text = section.wrap(section.text);
    texts.set(section.name, text);
    left -= text.length;
  }
  const optional = sections.filter((section) => !section.isRequired && section.text !== '');
  // Reserve room for a note on each later section, in case it is left out.
  let reserved = optional.reduce((sum, section) => sum + noteChars(section), 0);
  for (const section of optional) {
    reserved -= noteChars(section);
    const room = Math.max(left - reserved, Math.min(left, noteChars(section)));
    const { text, isWhole } = fit(section, Math.min(room, section.charsMax ?? room));
    texts.set(section.name, text);
    if (!isWhole) cut.push(section.name);
    left -= text.length;
  }
  return { texts, cut };
}

interface Fit {
  readonly text: string;
  readonly isWhole: boolean;
}

function fit(section: Section, charsMax: number): Fit {
  if (section.text.length <= charsMax) {
    const whole = section.wrap(section.text);
    if (whole.length <= charsMax) return { text: whole, isWhole: true };
  }
  const short = section.short ?? section.text;
  const isShort = section.short !== undefined && section.short.length <= charsMax;
  if (isShort) {
    const text = `${section.wrap(short)}\n${shortNote(section)}`;
    if (text.length <= charsMax) return { text, isWhole: false };
  }
  return { text: cutLines({ ...section, text: short }, charsMax), isWhole: false };
}

/** As many whole lines as fit. */
function cutLines(section: Section, charsMax: number): string {
  const note = leftOutNote(section);
  const lines = section.text.split('\n');
  const ordered = section.keep === 'start' ? lines : lines.toReversed();
  const print = (count: number): string => {
    const kept = ordered.slice(0, count);
    const text = (section.keep === 'start' ? kept : kept.toReversed()).join('\n');
    return `${section.wrap(text)}\n${cutNote(section, count)}`;
  };
  let [low, high] = [0, Math.min(linesWithin(ordered, charsMax), lines.length - 1)];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (print(middle).length <= charsMax) low = middle;
    else high = middle - 1;
  }
  if (low > 0) return print(low);
  return note.length <= charsMax ? note : '';
}

function linesWithin(lines: readonly string[], charsMax: number): number {
  let chars = 0;
  for (const [index, line] of lines.entries()) {
    chars += line.length + 1;
    if (chars > charsMax) return index;
  }
  return lines.length;
}

function leftOutNote({ where }: Section): string {
  return `[Left out for length. Read it: ${where}.]`;
}

function shortNote({ where }: Section): string {
  return `[Too long to show. Read it: ${where}.]`;
}

function cutNote({ keep, where }: Section, count: number): string {
  const lines = `${count} line${count === 1 ? '' : 's'}`;
  return `[${keep === 'start' ? `Cut after ${lines}` : `Only the last ${lines}`}. Read the rest: ${where}.]`;
}

function noteChars(section: Section): number {
  return leftOutNote(section).length;
}

/**
 * The language of prompt templates, which a repository can override in `.gza/prompts/`:
 *
 *   {{name}}                the value
 *   {{#name}} … {{/name}}   shown when the value is not empty; a tag alone on a line leaves no empty line
 *   \{{                     two braces
 *
 * Templates run no code, and values are not expanded again: `{{plan}}` in a task's text stays as it is.
 */

interface Template {
  readonly text: string;
  /** For messages. */
  readonly file: string;
}

type TemplatePart =
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

/** The names that the template shows if these values are filled. */
function namesShown(
  parts: readonly TemplatePart[],
  isFilled: (name: string) => boolean,
): ReadonlySet<string> {
  const names = parts.flatMap((part) => {
    if (part.kind === 'section') return isFilled(part.name) ? [...namesShown(part.parts, isFilled)] : [];
    return part.kind === 'value' ? [part.name] : [];
  });
  return new Set(names);
}
