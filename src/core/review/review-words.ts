/**
 * Reads what a review contains besides verdict and findings: a summary, what was tried, and which criteria
 * are met.
 */

import { readMarkdown } from '../markdown/markdown-lines.ts';
import { closingWords } from '../markdown/neutralise.ts';
import { isRecord } from '../shape.ts';
import { findJson } from './find-json.ts';
import { readVerdictLine } from './verdict-line.ts';

export interface ReviewWords {
  /** One or two paragraphs; empty when there are none. */
  readonly summary: string;
  readonly lookedAt: readonly string[];
  /** Keyed by the criterion's number in the task, from 1. */
  readonly criteria: ReadonlyMap<number, { readonly met: boolean; readonly evidence: string }>;
}

const summaryCharsMax = 1_500;
const entriesMax = 50;

export function reviewWords(text: string): ReviewWords {
  const markdown = readMarkdown(text);
  const blocks = findJson(markdown, text, 'summary', 'looked_at', 'criteria');
  const block = blocks.findLast((one) => one.kind === 'json');
  const value = block?.kind === 'json' && isRecord(block.value) ? block.value : {};
  const criteria = listOf(value['criteria']).flatMap((one) => {
    if (!isRecord(one) || typeof one['number'] !== 'number' || typeof one['met'] !== 'boolean') return [];
    return [[one['number'], { met: one['met'], evidence: textOf(one['evidence']).slice(0, 500) }] as const];
  });
  const own = textOf(value['summary']).trim();
  const prose = markdown.lines.filter(({ isFenced, text: line }) => !isFenced && !/^\s*[{}[\]]/.test(line));
  return {
    summary: closingWords(own === '' ? paragraphs(prose) : own, summaryCharsMax),
    lookedAt: listOf(value['looked_at'])
      .map(textOf)
      .filter((one) => one.trim() !== ''),
    criteria: new Map(criteria),
  };
}

/** The first paragraphs, up to the first heading, list or table, where the findings begin. */
function paragraphs(lines: readonly { readonly text: string }[]): string {
  const kept: string[] = [];
  for (const { text } of lines) {
    const line = text.replace(/^\s{0,3}> ?/, '').trim();
    const isList = /^(?:[-*+]|\d{1,3}[.)])\s|^\|/.test(line);
    if (isList && kept.some((one) => one !== '')) break;
    const isOther =
      isList || line.startsWith('#') || /^nonce\b/i.test(line) || readVerdictLine(line) !== null;
    if (!isOther) kept.push(line);
  }
  return kept.join('\n');
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value.slice(0, entriesMax) : [];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
