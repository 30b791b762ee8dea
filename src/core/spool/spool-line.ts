/**
 * One line of a spool: JSON of a fixed form. An unknown field refuses the line, because it was meant to do
 * something.
 */

import { isRecord } from '../shape.ts';
import { taskIdPattern } from '../task/task.ts';

export const spoolLineBytesMax = 65_536;
const spoolContentCharsMax = 16_000;
const spoolNoteCharsMax = 8_000;
const afterMax = 50;

export type SpoolLine =
  | {
      readonly kind: 'add';
      readonly content: string;
      readonly after: readonly string[];
      /** The id that the agent was shown. */
      readonly ref: string;
      readonly parent: string | null;
    }
  | { readonly kind: 'note'; readonly id: string; readonly text: string }
  | { readonly kind: 'done'; readonly id: string; readonly note: string | null };

export type SpoolLineReading = SpoolLine | { readonly kind: 'refused'; readonly why: string };

/** Includes the line break. A line that could not be read back is not printed: the caller shows why. */
export function printSpoolLine(line: SpoolLine): { text: string } | { why: string } {
  const text = JSON.stringify(line);
  const reading = readSpoolLine(text);
  return reading.kind === 'refused' ? { why: reading.why } : { text: `${text}\n` };
}

export function readSpoolLine(line: string): SpoolLineReading {
  if (line.length > spoolLineBytesMax) return refusal(`it is longer than ${spoolLineBytesMax} characters`);
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return refusal('it is not JSON');
  }
  if (!isRecord(value)) return refusal('it is not an object');
  const kind = value['kind'];
  if (kind !== 'add' && kind !== 'note' && kind !== 'done')
    return refusal('its kind is none of add, note, done');
  const unknown = Object.keys(value).find((name) => name !== 'kind' && !fieldsOf[kind].includes(name));
  if (unknown !== undefined) return refusal(`${takes[kind]}, not ${JSON.stringify(unknown.slice(0, 40))}`);
  return readers[kind](value);
}

const fieldsOf: Readonly<Record<SpoolLine['kind'], readonly string[]>> = {
  add: ['content', 'after', 'ref', 'parent'],
  note: ['id', 'text'],
  done: ['id', 'note'],
};
const takes: Readonly<Record<SpoolLine['kind'], string>> = {
  add: 'a task filed during a step takes text and after',
  note: 'a note takes id and text',
  done: 'done takes id and note',
};

type Fields = Record<string, unknown>;

const readers: Readonly<Record<SpoolLine['kind'], (fields: Fields) => SpoolLineReading>> = {
  add: ({ content, after = [], ref, parent = null }) => {
    if (!isText(content, spoolContentCharsMax)) return refusal(textFault('content', spoolContentCharsMax));
    if (typeof ref !== 'string' || !/^task-[0-9a-f]{4,16}$/.test(ref)) return refusal('ref is no id');
    if (!Array.isArray(after) || after.length > afterMax || !after.every(isId)) {
      return refusal(`after must be a list of at most ${afterMax} ids`);
    }
    if (parent !== null && !isId(parent)) return refusal('parent is no id');
    return { kind: 'add', content, after: [...after], ref, parent };
  },
  note: ({ id, text }) => {
    if (!isId(id)) return refusal('id is no id');
    if (!isText(text, spoolNoteCharsMax)) return refusal(textFault('text', spoolNoteCharsMax));
    return { kind: 'note', id, text };
  },
  done: ({ id, note = null }) => {
    if (!isId(id)) return refusal('id is no id');
    if (note === null || isText(note, spoolNoteCharsMax)) return { kind: 'done', id, note };
    return refusal(textFault('note', spoolNoteCharsMax));
  },
};

function isId(value: unknown): value is string {
  return typeof value === 'string' && taskIdPattern.test(value);
}

function isText(value: unknown, charsMax: number): value is string {
  return (
    typeof value === 'string' && value.trim() !== '' && value.length <= charsMax && !value.includes('\0')
  );
}

function textFault(name: string, charsMax: number): string {
  return `${name} must be text of 1 to ${charsMax} characters`;
}

function refusal(why: string): SpoolLineReading {
  return { kind: 'refused', why };
}
