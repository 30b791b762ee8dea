/** What an improve says to each finding of the review before it: fixed, or disputed with evidence. */

import { readMarkdown } from '../markdown/markdown-lines.ts';
import { isRecord } from '../shape.ts';
import { findJson } from './find-json.ts';
import { boundText } from './read-finding.ts';

export interface FindingAnswer {
  readonly fingerprint: string;
  readonly answer: 'fixed' | 'disputed';
  readonly evidence: string;
}

const answersMax = 200;

/** Reads the fenced JSON block with `answers`. Answers that differ about one finding are no answer. */
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

/** Null: not by the 16 hex digits of a finding, or disputed without evidence. */
function readAnswer(raw: unknown): FindingAnswer | null {
  if (!isRecord(raw)) return null;
  const word = (key: string): string => (typeof raw[key] === 'string' ? raw[key].trim().toLowerCase() : '');
  const [fingerprint, answer] = [word('fingerprint'), word('answer')];
  if (!/^[0-9a-f]{16}$/.test(fingerprint) || (answer !== 'fixed' && answer !== 'disputed')) return null;
  const evidence = typeof raw['evidence'] === 'string' ? boundText(raw['evidence']) : '';
  return answer === 'disputed' && evidence === '' ? null : { fingerprint, answer, evidence };
}
