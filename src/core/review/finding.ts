/** Findings of a review: their form, their place, how they are parsed, and the answers of an improve. */
import * as z from 'zod';
import { cellsOf, type MarkdownLine, readMarkdown } from '../markdown/markdown-lines.ts';
import { isRecord } from '../shape.ts';
import { findJson } from './find-json.ts';
import { fingerprint } from './same-finding.ts';
import { isNoFinding, readSeverity, saysSettled } from './severity-words.ts';

export const findingsMax = 100;
const findingTextCharsMax = 2000;
const findingPathCharsMax = 300;
const lineMax = 10_000_000;

/** The path if it can name a file in the repository: relative and without `..`. Otherwise null. */
export function repositoryPath(text: string): string | null {
  const path = text
    .trim()
    .replace(/\\/g, '/')
    .replace(/^(?:\.\/)+/, '');
  if (path === '' || path.length > findingPathCharsMax || path.startsWith('/')) return null;
  // `src/a.ts:12` is a path and a line.
  if (/:\d+$|#L\d+$/.test(path)) return null;
  // Refuse a drive or a scheme, invisible characters, and backticks, which would break out of inline code.
  if (/^[a-z][a-z0-9+.-]*:/i.test(path) || /[\p{C}\u2028\u2029`]/u.test(path)) return null;
  const segments = path.split('/');
  return segments.some((segment) => ['', '.', '..'].includes(segment)) ? null : path;
}

const text = z.string().max(findingTextCharsMax);

/** The stored form, which `makeFindings` produces. Anything else in a ledger is refused. */
export const findingSchema = z.strictObject({
  severity: z.enum(['blocker', 'follow-up']),
  file: z
    .string()
    .refine((path) => repositoryPath(path) === path, 'a relative path without ..')
    .nullable(),
  line: z.int().min(1).max(lineMax).nullable(),
  claim: text.min(1),
  evidence: text,
  fix: text,
  fingerprint: z.string().regex(/^[0-9a-f]{16}$/),
});

export type Finding = Readonly<z.infer<typeof findingSchema>>;
export type Severity = Finding['severity'];
export type FindingParts = Omit<Finding, 'fingerprint'>;

function isLineNumber(line: number): boolean {
  return Number.isInteger(line) && line >= 1 && line <= lineMax;
}

/**
 * Gives each finding its fingerprint. Removes duplicates, and numbers findings that differ only in their
 * line.
 */
export function makeFindings(parts: readonly FindingParts[]): readonly Finding[] {
  const seen = new Map<string, number>();
  const distinct = new Map(parts.map((part) => [nameParts(part), part]));
  return [...distinct.values()].map((part) => {
    const name = fingerprint(part.file, part.claim);
    const ordinal = seen.get(name) ?? 0;
    seen.set(name, ordinal + 1);
    return { ...part, fingerprint: ordinal === 0 ? name : fingerprint(part.file, part.claim, ordinal) };
  });
}

function nameParts({ severity, file, line, claim, evidence, fix }: FindingParts): string {
  return JSON.stringify([severity, file, line, claim, evidence, fix]);
}

/**
 * Reads one entry of a review's `findings`, under the names that the prompt asks for or that models use
 * instead. Null when it cannot be understood.
 */
export function readFinding(raw: unknown): FindingParts | null {
  if (!isRecord(raw)) return null;
  const claim = readText(raw, 'claim');
  if (claim === '') return null;
  const location = named(raw, 'file');
  const at = isRecord(location) ? location : raw;
  const place = splitPlace(readText(at, 'file'));
  return {
    severity: severityOf(named(raw, 'severity')),
    file: place.file,
    line: readLine(named(at, 'line')) ?? place.line,
    claim,
    evidence: readText(raw, 'evidence'),
    fix: readText(raw, 'fix'),
  };
}

/** An unreadable severity counts as a blocker, because a typo must not make a finding less severe. */
function severityOf(raw: unknown): Severity {
  return (typeof raw === 'string' ? readSeverity(raw.replaceAll('_', '-')) : null) ?? 'blocker';
}

/** Splits `src/a.ts:12` into file and line. */
export function splitPlace(text: string): { file: string | null; line: number | null } {
  const match = /^(.*?)(?::(\d{1,8})(?::\d{1,8}|-\d{1,8})?|#L(\d{1,8})(?:-L?\d{1,8})?)$/.exec(
    text.slice(0, 400).trim(),
  );
  const file = repositoryPath(match?.[1] ?? text);
  const line = Number(match?.[2] ?? match?.[3] ?? Number.NaN);
  return { file, line: file !== null && isLineNumber(line) ? line : null };
}

function readLine(raw: unknown): number | null {
  const range = typeof raw === 'string' ? /^\s*L?(\d{1,8})(?:\s*[-–]\s*L?\d{1,8})?\s*$/i.exec(raw) : null;
  const line = range === null ? raw : Number(range[1]);
  return typeof line === 'number' && isLineNumber(line) ? line : null;
}

/** Names that models use instead. */
const otherNames = {
  severity: ['priority', 'level'],
  claim: [
    'what',
    'title',
    'message',
    'msg',
    'issue',
    'problem',
    'summary',
    'comment',
    'description',
    'note',
    'text',
    'body',
  ],
  evidence: ['why', 'description', 'details', 'reason', 'impact'],
  fix: ['required_fix', 'suggested_fix', 'suggestion', 'recommendation'],
  file: ['path', 'location', 'where', 'filename'],
  line: ['start_line', 'line_number', 'lines'],
} as const;

function named(raw: Record<string, unknown>, key: keyof typeof otherNames): unknown {
  const name = [key, ...otherNames[key]].find((one) => raw[one] !== undefined);
  return name === undefined ? undefined : raw[name];
}

function readText(raw: Record<string, unknown>, key: 'claim' | 'evidence' | 'fix' | 'file'): string {
  const value = named(raw, key);
  return typeof value === 'string' ? boundText(value) : '';
}

export function boundText(text: string): string {
  return text.trim().slice(0, findingTextCharsMax).toWellFormed().trim();
}

/** Where a finding is. Reviewers write `src/a.ts:12`, "src/a.ts, line 12" or "line 12 of src/a.ts". */
export interface Place {
  readonly file: string | null;
  readonly line: number | null;
}

const textCharsMax = 3000;
const folders = '(?:[\\w@.~+-]{1,100}[/\\\\]){0,20}';
const path = new RegExp(`^${folders}[\\w@~+-][\\w@.~+-]{0,100}\\.[A-Za-z]\\w{0,11}$`);
/** A name without extension counts only with a line, as in `Makefile:12`. */
const plainName = new RegExp(`^${folders}[A-Za-z][\\w-]{1,60}$`);
const lineWords = /\b(?:lines?\s+|Zeile\s+|L)(\d{1,8})\b/i;
const separators = /[\s`()[\]<>"',;|*]+/;

/** The first place in the text: a path with a folder or a line, or in backticks. */
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
  /^[[(]?`?([^\s`\])]{1,300})`?[\])]?(?:\([^()\s]{0,300}\))?(?:,? \(?(?:lines?\s+|Zeile\s+|L)(\d{1,8})(?:\s?[-–]\s?L?\d{1,8})?\)?)?[\s:,–—-]*/i;

/** The place at the start of the text, and the text after it; null if there is no place at the start. */
export function placeAtStart(text: string): { place: Place; rest: string } | null {
  const [whole = '', named = '', line] = ahead.exec(text.slice(0, 700)) ?? [];
  const token = named.replace(/[:,.]+$/, '');
  const place = splitPlace(line === undefined ? token : `${token}:${line}`);
  if (!isPath(place, named, text)) return null;
  return { place, rest: text.slice(whole.length) };
}

/** The answer of an improve to one finding: fixed, or disputed with evidence. */
export interface FindingAnswer {
  readonly fingerprint: string;
  readonly answer: 'fixed' | 'disputed';
  readonly evidence: string;
}

const answersMax = 200;

/** Reads the JSON block with `answers`. Contradicting answers to one finding do not count. */
export function parseAnswers(text: string): readonly FindingAnswer[] {
  const byFingerprint = new Map<string, FindingAnswer | null>();
  for (const block of findJson(readMarkdown(text), text, 'answers')) {
    const list = block.kind === 'json' && isRecord(block.value) ? block.value['answers'] : null;
    for (const entry of Array.isArray(list) ? list.slice(0, answersMax) : []) {
      const answer = readAnswer(entry);
      if (answer === null) continue;
      const before = byFingerprint.get(answer.fingerprint);
      byFingerprint.set(answer.fingerprint, isSame(before, answer) ? answer : null);
    }
  }
  return [...byFingerprint.values()].filter((answer) => answer !== null);
}

function isSame(before: FindingAnswer | null | undefined, answer: FindingAnswer): boolean {
  return before === undefined || before?.answer === answer.answer;
}

/** Null for an invalid fingerprint, or for a dispute without evidence. */
function readAnswer(raw: unknown): FindingAnswer | null {
  if (!isRecord(raw)) return null;
  const word = (key: string): string => (typeof raw[key] === 'string' ? raw[key].trim().toLowerCase() : '');
  const [fingerprint, answer] = [word('fingerprint'), word('answer')];
  if (!/^[0-9a-f]{16}$/.test(fingerprint) || (answer !== 'fixed' && answer !== 'disputed')) return null;
  const evidence = typeof raw['evidence'] === 'string' ? boundText(raw['evidence']) : '';
  return answer === 'disputed' && evidence === '' ? null : { fingerprint, answer, evidence };
}

const field =
  /^(what|severity|priority|status|file|path|location|where|lines?|evidence|why(?: it matters)?|because|impact|(?:required |suggested |how to )?fix|required(?: change)?|suggestion|recommendation|issue|problem|claim|description|title)\s*[:–—-]\s*(.*)$/i;

export interface Field {
  readonly name: string;
  readonly value: string;
}

export function readField(text: string): Field | null {
  const [, name, value = ''] = field.exec(plain(text)) ?? [];
  return name === undefined ? null : { name: name.toLowerCase().replace('priority', 'severity'), value };
}

export function placeIn(value: string): Place {
  const found = findPlace(value);
  return found.file === null ? splitPlace(value.replace(/`/g, '')) : found;
}

export function plain(text: string): string {
  return text.replace(/\*\*|__/g, '').trim();
}

const lineCharsMax = 3000;
export interface Row {
  /** Null when the section decides. */
  readonly severity: Severity | null;
  readonly place: Place;
  readonly claim: string;
  readonly evidence: string[];
  readonly fix: string[];
}

const columns = {
  severity: /^(?:severity|priority|level|weight|impact)$/,
  file: /^(?:files?|path|location|where|place)$/,
  line: /^lines?$/,
  claim: /^(?:findings?|issues?|suggestion|claim|problem|description|message|comment|title|what|point)$/,
  evidence: /^(?:evidence|why|details?|reason)$/,
  fix: /^(?:(?:required |suggested )?fix|suggestion|recommendation|action)$/,
};
type Column = keyof typeof columns;

/** Line number → row; `head` for the lines that only name the columns. */
export function rowsOf(lines: readonly MarkdownLine[]): ReadonlyMap<number, Row | 'head'> {
  const rows = new Map<number, Row | 'head'>();
  let names: readonly (Column | null)[] | null = null;
  for (const { text, standing, number } of lines) {
    const cells =
      standing === 'hidden' || !/^\s{0,3}\|/.test(text) ? null : cellsOf(text.slice(0, lineCharsMax));
    if (cells === null) names = null;
    else if (names === null) {
      names = cells.map(columnOf);
      if (!names.includes('claim') || !(names.includes('severity') || names.includes('file'))) names = [];
      else rows.set(number, 'head');
    } else if (names.length > 0) {
      const row = /^[\s|:-]+$/.test(text) ? 'head' : readRow(names, cells);
      rows.set(number, row ?? 'head');
    }
  }
  return rows;
}

function columnOf(name: string): Column | null {
  const word = name.toLowerCase();
  const all = Object.keys(columns) as Column[];
  return all.find((column) => columns[column].test(word)) ?? null;
}

function readRow(names: readonly (Column | null)[], cells: readonly string[]): Row | null {
  const at = (column: Column): string => cells[names.indexOf(column)] ?? '';
  const claim = at('claim');
  if (/^(?:—|-+)$/.test(claim) || isNoFinding(claim.toLowerCase())) return null;
  if (cells.some((cell) => cell !== '' && cell !== claim && isSettled(cell))) return null;
  const where = at('file');
  const named = findPlace(where === '' ? claim : where);
  const place = named.file === null ? splitPlace(where.replace(/`/g, '')) : named;
  const line = Number.parseInt(at('line').replace(/^L/i, ''), 10);
  return {
    severity: readSeverity(at('severity')),
    place: { file: place.file, line: place.line ?? (place.file !== null && line > 0 ? line : null) },
    claim,
    evidence: at('evidence') === '' ? [] : [at('evidence')],
    fix: at('fix') === '' ? [] : [at('fix')],
  };
}

function isSettled(cell: string): boolean {
  return cell.length < 60 && saysSettled(cell.toLowerCase());
}
