/** Where a finding is, as reviewers write it: `src/a.ts:12`, "src/a.ts, line 12", "line 12 of src/a.ts". */
import { splitPlace } from './read-finding.ts';

export interface Place {
  readonly file: string | null;
  readonly line: number | null;
}

const textCharsMax = 3000;
const folders = '(?:[\\w@.~+-]{1,100}[/\\\\]){0,20}';
const path = new RegExp(`^${folders}[\\w@~+-][\\w@.~+-]{0,100}\\.[A-Za-z]\\w{0,11}$`);
/** `Makefile:12`: without an ending, but with a line. */
const plainName = new RegExp(`^${folders}[A-Za-z][\\w-]{1,60}$`);
const lineWords = /\b(?:lines?\s+|L)(\d{1,8})\b/i;
const separators = /[\s`()[\]<>"',;|*]+/;

/** The first place that the text names: a path with a folder or a line, or one in backticks. */
export function findPlace(text: string): Place {
  const said = text.slice(0, textCharsMax);
  const token = said.split(separators).find((one) => readToken(one, said) !== null);
  const place = token === undefined ? null : readToken(token, said);
  if (place === null) return { file: null, line: null };
  const named = lineWords.exec(said)?.[1];
  return place.line !== null || named === undefined ? place : splitPlace(`${place.file}:${named}`);
}

function readToken(token: string, text: string): Place | null {
  const bare = token.replace(/[:.]+$/, '');
  const place = splitPlace(bare);
  if (place.file === null || !isPath(place, bare, text)) return null;
  const isMeant = place.line !== null || place.file.includes('/') || text.includes(`\`${bare}\``);
  return isMeant ? place : null;
}

function isPath({ file, line }: Place, token: string, text: string): boolean {
  if (file === null) return false;
  return path.test(file) || (line !== null && plainName.test(file) && text.includes(`\`${token}\``));
}

const ahead =
  /^[[(]?`?([^\s`\])]{1,300})`?[\])]?(?:\([^()\s]{0,300}\))?(?:,? \(?(?:lines?\s+|L)(\d{1,8})(?:\s?[-–]\s?L?\d{1,8})?\)?)?[\s:,–—-]*/i;

/** The place that the text begins with, and what stands behind it; null when it begins otherwise. */
export function placeAtStart(text: string): { place: Place; rest: string } | null {
  const [whole = '', named = '', line] = ahead.exec(text.slice(0, 700)) ?? [];
  const token = named.replace(/[:,.]+$/, '');
  const place = splitPlace(line === undefined ? token : `${token}:${line}`);
  if (!isPath(place, named, text)) return null;
  return { place, rest: text.slice(whole.length) };
}
