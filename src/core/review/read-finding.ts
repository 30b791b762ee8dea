/** Reads one entry of a review's `findings`, as the prompt asks for it or under the names that models give it. */

import { isRecord } from '../shape.ts';
import {
  type FindingParts,
  findingTextCharsMax,
  isLineNumber,
  repositoryPath,
  type Severity,
} from './finding.ts';
import { readSeverity } from './severity-words.ts';

/** Null when nothing can be made of the entry. */
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

/** What cannot be read is a blocker: a finding must not weigh less because it was misspelt. */
function severityOf(raw: unknown): Severity {
  return (typeof raw === 'string' ? readSeverity(raw.replaceAll('_', '-')) : null) ?? 'blocker';
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

function readLine(raw: unknown): number | null {
  const range = typeof raw === 'string' ? /^\s*L?(\d{1,8})(?:\s*[-–]\s*L?\d{1,8})?\s*$/i.exec(raw) : null;
  const line = range === null ? raw : Number(range[1]);
  return typeof line === 'number' && isLineNumber(line) ? line : null;
}

/** What models call them instead. */
const otherNames = {
  severity: ['priority', 'level'],
  claim: [
    'what',
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
