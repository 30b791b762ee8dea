/** What an improve says to each finding of the review before it: fixed, or disputed with evidence. */

import { readMarkdown } from '../markdown/markdown-lines.ts';
import { findJson, isRecord } from './find-json.ts';
import { boundText } from './read-finding.ts';

export interface FindingAnswer {
  readonly fingerprint: string;
  readonly answer: 'fixed' | 'disputed';
  readonly evidence: string;
}

export interface AnswersReading {
  readonly answers: readonly FindingAnswer[];
  readonly problems: readonly string[];
}

const answersMax = 200;

/** Reads the fenced JSON block with `answers`. Answers that differ about one finding are no answer. */
export function parseAnswers(text: string): AnswersReading {
  const problems: string[] = [];
  const byFingerprint = new Map<string, FindingAnswer | null>();
  for (const block of findJson(readMarkdown(text), text, 'answers')) {
    const list = block.kind === 'json' && isRecord(block.value) ? block.value['answers'] : null;
    if (!Array.isArray(list)) {
      const reason = block.kind === 'broken' ? block.message : '"answers" is not a list';
      problems.push(`The JSON block at line ${block.line} cannot be read: ${reason}.`);
      continue;
    }
    if (list.length > answersMax) problems.push(`Only the first ${answersMax} answers were read.`);
    for (const [index, entry] of list.slice(0, answersMax).entries()) {
      const answer = readAnswer(entry);
      if (typeof answer === 'string') problems.push(`Answer ${index + 1}: ${answer}`);
      else if (!isSame(byFingerprint.get(answer.fingerprint), answer)) {
        problems.push(`Finding ${answer.fingerprint} is answered twice, in two ways: neither counts.`);
        byFingerprint.set(answer.fingerprint, null);
      } else byFingerprint.set(answer.fingerprint, answer);
    }
  }
  return { answers: [...byFingerprint.values()].filter((answer) => answer !== null), problems };
}

function isSame(before: FindingAnswer | null | undefined, answer: FindingAnswer): boolean {
  return before === undefined || before?.answer === answer.answer;
}

function readAnswer(raw: unknown): FindingAnswer | string {
  if (!isRecord(raw)) return 'expected an object with fingerprint, answer and evidence.';
  const name = raw['fingerprint'];
  const fingerprint = typeof name === 'string' ? name.trim().toLowerCase() : '';
  if (!/^[0-9a-f]{16}$/.test(fingerprint)) return 'fingerprint must be the 16 hex digits of a finding.';
  const word = raw['answer'];
  const answer = typeof word === 'string' ? word.trim().toLowerCase() : '';
  if (answer !== 'fixed' && answer !== 'disputed') return 'answer must be "fixed" or "disputed".';
  const evidence = typeof raw['evidence'] === 'string' ? boundText(raw['evidence']) : '';
  if (answer === 'disputed' && evidence === '') return 'a finding that is disputed needs evidence.';
  return { fingerprint, answer, evidence };
}
