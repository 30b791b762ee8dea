/** Reads one entry of a review's `findings`. What is wrong is said, so that it can be asked for again. */

import { isRecord } from './find-json.ts';
import {
  type FindingParts,
  findingTextCharsMax,
  isLineNumber,
  repositoryPath,
  type Severity,
} from './finding.ts';
import { readSeverity as severityOf } from './severity-words.ts';

export interface FindingReading {
  /** Null when nothing can be made of the entry. */
  readonly parts: FindingParts | null;
  readonly problems: readonly string[];
}

export function readFinding(raw: unknown, name: string): FindingReading {
  if (!isRecord(raw))
    return { parts: null, problems: [`${name}: expected an object, found ${kindOf(raw)}.`] };
  const problems: string[] = [];
  const say = (problem: string): void => void problems.push(`${name}: ${problem}`);
  const claim = readText(raw, 'claim', say);
  if (claim === '') return { parts: null, problems };
  const severity = readSeverity(raw['severity'], say);
  const place = readPlace(named(raw, 'file'), say);
  const line = readLine(named(raw, 'line'), say) ?? place.line;
  const evidence = readText(raw, 'evidence', say);
  const fix = readText(raw, 'fix', say);
  return { parts: { severity, file: place.file, line, claim, evidence, fix }, problems };
}

type Say = (problem: string) => void;

/** What cannot be read is a blocker: a finding must not weigh less because it was misspelt. */
function readSeverity(raw: unknown, say: Say): Severity {
  const read = typeof raw === 'string' ? severityOf(raw) : null;
  if (read === 'follow-up' || raw === 'blocker') return read ?? 'blocker';
  say(`severity must be "blocker" or "follow-up", found ${shown(raw)}; it is taken as a blocker.`);
  return 'blocker';
}

function readPlace(raw: unknown, say: Say): { file: string | null; line: number | null } {
  if (raw === undefined || raw === null || raw === '') return { file: null, line: null };
  const place = typeof raw === 'string' ? splitPlace(raw) : null;
  if (place?.file != null) return place;
  say(`file must be a path inside the repository, relative and without "..", found ${shown(raw)}.`);
  return { file: null, line: null };
}

/** `src/a.ts:12`, as agents like to write a place. */
export function splitPlace(text: string): { file: string | null; line: number | null } {
  const match = /^(.*?)(?::(\d{1,8})(?::\d{1,8}|-\d{1,8})?|#L(\d{1,8})(?:-L?\d{1,8})?)$/.exec(
    text.slice(0, 400).trim(),
  );
  const file = repositoryPath(match?.[1] ?? text);
  const line = Number(match?.[2] ?? match?.[3] ?? Number.NaN);
  return { file, line: file !== null && isLineNumber(line) ? line : null };
}

function readLine(raw: unknown, say: Say): number | null {
  if (raw === undefined || raw === null || raw === '') return null;
  const range = typeof raw === 'string' ? /^\s*L?(\d{1,8})(?:\s*[-–]\s*L?\d{1,8})?\s*$/i.exec(raw) : null;
  const line = range === null ? raw : Number(range[1]);
  if (typeof line === 'number' && isLineNumber(line)) return line;
  say(`line must be a whole number from 1, or null, found ${shown(raw)}.`);
  return null;
}

/** What models call them instead. */
const otherNames = {
  claim: [
    'title',
    'message',
    'issue',
    'problem',
    'summary',
    'comment',
    'description',
    'note',
    'text',
    'body',
  ],
  evidence: ['description', 'details', 'why', 'reason', 'impact'],
  fix: ['required_fix', 'suggested_fix', 'suggestion', 'recommendation'],
  file: ['path', 'location', 'filename'],
  line: ['start_line', 'line_number', 'lines'],
} as const;

function named(raw: Record<string, unknown>, key: keyof typeof otherNames): unknown {
  const name = [key, ...otherNames[key]].find((one) => raw[one] !== undefined);
  return name === undefined ? undefined : raw[name];
}

function readText(raw: Record<string, unknown>, key: 'claim' | 'evidence' | 'fix', say: Say): string {
  const value = named(raw, key);
  const text = typeof value === 'string' ? boundText(value) : '';
  if (text === '') say(`${key} must be a text that is not empty, found ${shown(value)}.`);
  if (typeof value === 'string' && value.trim().length > findingTextCharsMax) {
    say(`${key} is longer than ${findingTextCharsMax} characters: the rest was left out.`);
  }
  return text;
}

export function boundText(text: string): string {
  return text.trim().slice(0, findingTextCharsMax).toWellFormed().trim();
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : `a ${typeof value}`;
}

function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = typeof value === 'string' ? JSON.stringify(value) : (JSON.stringify(value) ?? kindOf(value));
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
