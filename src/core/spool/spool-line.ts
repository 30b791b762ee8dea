/** One line of a spool: JSON of a fixed form. A field that is not known refuses the line, for it was meant to act. */

import { isRecord } from '../review/find-json.ts';
import { taskIdPattern } from '../task/branch-name.ts';

export const spoolLineBytesMax = 65_536;
const spoolContentCharsMax = 16_000;
const spoolNoteCharsMax = 8_000;
const afterMax = 50;

export type SpoolLine =
  | {
      readonly kind: 'add';
      readonly content: string;
      readonly after: readonly string[];
      /** The id that the agent was told. */
      readonly ref: string;
      readonly parent: string | null;
    }
  | { readonly kind: 'note'; readonly id: string; readonly text: string }
  | { readonly kind: 'done'; readonly id: string; readonly note: string | null };

export type SpoolLineReading = SpoolLine | { readonly kind: 'refused'; readonly why: string };

/** With its line break. What cannot be read again is not printed: the caller shows why. */
export function printSpoolLine(line: SpoolLine): { text: string } | { why: string } {
  const text = JSON.stringify(fieldsOf(line));
  const reading = readSpoolLine(text);
  return reading.kind === 'refused' ? { why: reading.why } : { text: `${text}\n` };
}

function fieldsOf(line: SpoolLine): object {
  switch (line.kind) {
    case 'add': {
      const { kind, content, after, ref, parent } = line;
      return { kind, content, after, ref, ...(parent === null ? {} : { parent }) };
    }
    case 'note':
      return { kind: line.kind, id: line.id, text: line.text };
    case 'done':
      return { kind: line.kind, id: line.id, ...(line.note === null ? {} : { note: line.note }) };
  }
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
  switch (value['kind']) {
    case 'add':
      return readAdd(value);
    case 'note':
      return readNote(value);
    case 'done':
      return readDone(value);
    default:
      return refusal('its kind is none of add, note, done');
  }
}

type Fields = Record<string, unknown>;

function readAdd(fields: Fields): SpoolLineReading {
  const unknown = unknownField(fields, ['kind', 'content', 'after', 'ref', 'parent']);
  if (unknown !== null) return refusal(`a task filed during a step takes text and after, not ${unknown}`);
  const { content, after = [], ref, parent = null } = fields;
  if (!isText(content, spoolContentCharsMax)) return refusal(textFault('content', spoolContentCharsMax));
  if (typeof ref !== 'string' || !/^task-[0-9a-f]{4,16}$/.test(ref)) return refusal('ref is no id');
  if (!Array.isArray(after) || after.length > afterMax || !after.every(isId)) {
    return refusal(`after must be a list of at most ${afterMax} ids`);
  }
  if (parent !== null && !isId(parent)) return refusal('parent is no id');
  return { kind: 'add', content, after: [...after], ref, parent };
}

function readNote(fields: Fields): SpoolLineReading {
  const unknown = unknownField(fields, ['kind', 'id', 'text']);
  if (unknown !== null) return refusal(`a note takes id and text, not ${unknown}`);
  const { id, text } = fields;
  if (!isId(id)) return refusal('id is no id');
  if (!isText(text, spoolNoteCharsMax)) return refusal(textFault('text', spoolNoteCharsMax));
  return { kind: 'note', id, text };
}

function readDone(fields: Fields): SpoolLineReading {
  const unknown = unknownField(fields, ['kind', 'id', 'note']);
  if (unknown !== null) return refusal(`done takes id and note, not ${unknown}`);
  const { id, note = null } = fields;
  if (!isId(id)) return refusal('id is no id');
  if (note !== null && !isText(note, spoolNoteCharsMax)) return refusal(textFault('note', spoolNoteCharsMax));
  return { kind: 'done', id, note };
}

function unknownField(fields: Fields, known: readonly string[]): string | null {
  const name = Object.keys(fields).find((field) => !known.includes(field));
  return name === undefined ? null : JSON.stringify(name.slice(0, 40));
}

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
