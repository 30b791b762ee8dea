/**
 * Reads the findings of a review from the JSON block that the prompt asks for, or else from its prose.
 * Unreadable findings are counted, because an approval with such findings must not stand.
 */

import { type Markdown, readMarkdown } from '../markdown/markdown-lines.ts';
import { isRecord } from '../shape.ts';
import { findJson } from './find-json.ts';
import {
  type Finding,
  type FindingParts,
  findingsMax,
  makeFindings,
  readFinding,
  type Severity,
} from './finding.ts';
import { proseFindings } from './prose-findings.ts';
import { type Verdict, verdicts } from './verdict.ts';

export interface FindingsReading {
  readonly findings: readonly Finding[];
  readonly from: 'json' | 'prose' | 'none';
  /** Number of findings, or blocks of findings, that could not be read. */
  readonly lost: number;
  /** The verdicts in the JSON. */
  readonly verdicts: readonly Verdict[];
  /** The verdicts in JSON that also has the step's nonce. */
  readonly sealed: readonly Verdict[];
  /** Number of questions that only a person can answer. */
  readonly questions: number;
  /** Number of acceptance criteria that it reports as not met. */
  readonly unmet: number;
}

export function parseFindings(text: string): FindingsReading {
  return findingsOf(readMarkdown(text), text, null);
}

export function findingsOf(markdown: Markdown, text: string, nonce: string | null): FindingsReading {
  const read = findJson(markdown, text, ...listNames, 'claim').map((block) =>
    block.kind === 'json' ? readBlock(block.value) : null,
  );
  const blocks = read.filter((block) => block !== null);
  const isJson = blocks.length > 0;
  const parts = isJson ? blocks.flatMap((block) => block.parts) : proseFindings(markdown.lines);
  const findings = makeFindings(parts);
  const named = blocks.filter((block) => block.verdict !== null);
  const verdictsOf = (some: readonly Block[]) => [...new Set(some.flatMap(({ verdict }) => verdict ?? []))];
  const sum = (counts: readonly number[]): number => counts.reduce((all, count) => all + count, 0);
  return {
    findings: findings.slice(0, findingsMax),
    from: isJson ? 'json' : parts.length > 0 ? 'prose' : 'none',
    lost:
      read.length -
      blocks.length +
      sum(blocks.map(({ lost }) => lost)) +
      Math.max(0, findings.length - findingsMax),
    verdicts: verdictsOf(named),
    sealed: nonce === null ? [] : verdictsOf(named.filter((block) => block.nonce === nonce)),
    questions: sum(blocks.map(({ questions }) => questions)),
    unmet: sum(blocks.map(({ unmet }) => unmet)),
  };
}

interface Block {
  readonly parts: readonly FindingParts[];
  readonly lost: number;
  readonly verdict: Verdict | null;
  readonly nonce: unknown;
  readonly questions: number;
  readonly unmet: number;
}

const entriesMax = 1000;

/** The lists that a block may contain, with the severity of entries that name none. */
const lists: Readonly<Record<string, Severity | null>> = {
  findings: null,
  issues: null,
  comments: null,
  blockers: 'blocker',
  required_changes: 'blocker',
  must_fix: 'blocker',
  followups: 'follow-up',
  follow_ups: 'follow-up',
  suggestions: 'follow-up',
  nits: 'follow-up',
};
const listNames = Object.keys(lists);

function readBlock(value: unknown): Block | null {
  const block = isRecord(value) ? value : { findings: value };
  if (!listNames.some((name) => Array.isArray(block[name]))) return null;
  const list = listNames.flatMap((name) => entriesOf(block[name], lists[name] ?? null));
  const parts = list.slice(0, entriesMax).flatMap((entry) => readFinding(entry) ?? []);
  const { verdict, questions, nonce, criteria } = block;
  return {
    parts,
    lost: list.length - parts.length,
    verdict: readVerdict(verdict),
    nonce,
    questions: Array.isArray(questions) ? questions.length : 0,
    unmet: Array.isArray(criteria)
      ? criteria.filter((one) => isRecord(one) && one['met'] === false).length
      : 0,
  };
}

function entriesOf(list: unknown, severity: Severity | null): readonly unknown[] {
  if (!Array.isArray(list)) return [];
  if (severity === null) return list;
  return list.map((entry) => (isRecord(entry) ? { severity, ...entry } : { severity, claim: entry }));
}

function readVerdict(value: unknown): Verdict | null {
  const word =
    typeof value === 'string'
      ? value
          .trim()
          .toUpperCase()
          .replace(/[\s-]+/g, '_')
      : '';
  return verdicts.find((verdict) => word === verdict || word === `${verdict}_WITH_FOLLOWUPS`) ?? null;
}
