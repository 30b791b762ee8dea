/**
 * Reads the findings of a review: from the JSON block that the prompt asks for, else from its prose. Nothing
 * is dropped in silence: what cannot be read is counted and said, and can be asked for again.
 */

import { type Markdown, readMarkdown } from '../markdown/markdown-lines.ts';
import { findJson, isRecord } from './find-json.ts';
import { type Finding, type FindingParts, findingsMax, makeFindings } from './finding.ts';
import { proseFindings } from './prose-findings.ts';
import { readFinding } from './read-finding.ts';
import { type Verdict, verdicts } from './verdict.ts';

export interface FindingsReading {
  readonly findings: readonly Finding[];
  /** What is wrong with them, in words for the agent that wrote them. */
  readonly problems: readonly string[];
  readonly from: 'json' | 'prose' | 'none';
  /** How many findings, or blocks of them, were there and could not be read. */
  readonly lost: number;
  /** The verdicts that the JSON names, beside the one in the text. */
  readonly verdicts: readonly Verdict[];
  /** Those of them that stand beside the nonce of the step. */
  readonly sealed: readonly Verdict[];
  /** What only a person can answer. */
  readonly questions: number;
}

export function parseFindings(text: string): FindingsReading {
  return findingsOf(readMarkdown(text), text, null);
}

const problemsMax = 50;

export function findingsOf(markdown: Markdown, text: string, nonce: string | null): FindingsReading {
  const parts: FindingParts[] = [];
  const problems: string[] = [];
  const named: Verdict[] = [];
  const sealed: Verdict[] = [];
  let questions = 0;
  let lost = 0;
  let isJson = false;
  for (const block of findJson(markdown, text, 'findings')) {
    const read = readBlock(block.kind === 'json' ? block.value : null, parts.length);
    if (block.kind === 'broken' || read === null) {
      const reason = block.kind === 'broken' ? block.message : '"findings" is not a list';
      problems.push(`The JSON block at line ${block.line} cannot be read: ${reason}.`);
      lost += 1;
      continue;
    }
    isJson = true;
    lost += read.lost;
    parts.push(...read.parts);
    problems.push(...read.problems);
    questions += read.questions;
    if (read.verdict === null) continue;
    named.push(read.verdict);
    if (nonce !== null && read.nonce === nonce) sealed.push(read.verdict);
  }
  if (!isJson) parts.push(...proseFindings(markdown.lines));
  const findings = makeFindings(parts);
  const over = findings.length - findingsMax;
  if (over > 0)
    problems.push(`There are ${findings.length} findings: only the first ${findingsMax} were read.`);
  return {
    findings: findings.slice(0, findingsMax),
    problems: problems.slice(0, problemsMax),
    from: isJson ? 'json' : parts.length > 0 ? 'prose' : 'none',
    lost: lost + Math.max(0, over),
    verdicts: [...new Set(named)],
    sealed: [...new Set(sealed)],
    questions,
  };
}

interface Block {
  readonly parts: readonly FindingParts[];
  readonly problems: readonly string[];
  readonly lost: number;
  readonly verdict: Verdict | null;
  readonly nonce: unknown;
  readonly questions: number;
}

const entriesMax = 1000;

function readBlock(value: unknown, before: number): Block | null {
  const list = isRecord(value) ? value['findings'] : null;
  if (!isRecord(value) || !Array.isArray(list)) return null;
  const readings = list
    .slice(0, entriesMax)
    .map((entry, index) => readFinding(entry, `Finding ${before + index + 1}`));
  const parts = readings.flatMap((reading) => reading.parts ?? []);
  const problems = readings.flatMap((reading) => reading.problems);
  const verdict = readVerdict(value['verdict'], problems);
  const asked = value['questions'];
  const questions = Array.isArray(asked) ? asked.length : 0;
  return { parts, problems, lost: list.length - parts.length, verdict, nonce: value['nonce'], questions };
}

function readVerdict(value: unknown, problems: string[]): Verdict | null {
  if (value === undefined || value === null) return null;
  const word =
    typeof value === 'string'
      ? value
          .trim()
          .toUpperCase()
          .replace(/[\s-]+/g, '_')
      : '';
  const verdict = verdicts.find((verdict) => verdict === word) ?? null;
  if (verdict === null) problems.push(`"verdict" in the JSON must be one of ${verdicts.join(', ')}.`);
  return verdict;
}
