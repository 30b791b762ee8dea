import { describe, expect, test } from '@jest/globals';
import type { StepRecord } from '../../src/core/ledger/record/record.ts';
import { endings, type ResultKind } from '../../src/core/policy/endings.ts';
import { judgeRun } from '../../src/engine/conclude/step-report.ts';

const now = '2026-01-02T12:00:00.000Z';
const judged = (kind: ResultKind, more: Partial<Parameters<typeof judgeRun>[0]> = {}) =>
  judgeRun({ kind, hasWork: false, blocked: null, now, ...more });

describe('what a run means', () => {
  test('only what another try could change spends an attempt', () => {
    const kinds = Object.keys(endings) as ResultKind[];
    const of = (outcome: string, hasWork: boolean) =>
      kinds.filter((kind) => judged(kind, { hasWork }).outcome === outcome).sort();
    expect(of('failed', false)).toEqual([
      'budget',
      'crash',
      'denied',
      'empty',
      'max_turns',
      'output_limit',
      'session',
      'timeout',
      'truncated',
    ]);
    expect(of('failed', true)).toEqual(['crash', 'denied', 'empty', 'session']);
    expect(of('limit', true)).toEqual(['network', 'overloaded', 'rate_limit', 'server', 'usage_limit']);
    expect(of('lost', true)).toEqual(['died', 'killed']);
    expect(of('cancelled', true)).toEqual(['auth', 'baseline', 'cancelled', 'config', 'model', 'refused']);
    // A session that grew too long goes on afresh with its work; a prompt that is too long stays so.
    expect(of('slice', true)).toContain('context');
    expect(of('cancelled', false)).toContain('context');
  });

  test('each is named as what it is', () => {
    for (const [kind, { words }] of Object.entries(endings)) {
      if (kind === 'ok') continue;
      expect(judged(kind as ResultKind)).toMatchObject({ error: words, ending: kind });
    }
    expect(judged('model', { error: 'no model gpt-9' })).toMatchObject({ error: 'no model gpt-9' });
    expect(new Set(Object.values(endings).map(({ words }) => words)).size).toBe(Object.keys(endings).length);
  });

  test('an agent rests twice as long each time in a row, up to an hour; its own word on that counts', () => {
    const limit: StepRecord = { step: 'implement', outcome: 'limit', started_at: now, ended_at: now };
    const minutes = (row: number, kind: ResultKind = 'overloaded') => {
      const steps = [{ ...limit, outcome: 'ok' as const }, ...Array.from({ length: row }, () => limit)];
      return (Date.parse(judged(kind, { steps }).limitedUntil ?? '') - Date.parse(now)) / 60_000;
    };
    expect([0, 1, 2, 3, 20].map((row) => minutes(row))).toEqual([1, 2, 4, 8, 60]);
    expect(minutes(0, 'usage_limit')).toBe(60);
    expect(minutes(0, 'rate_limit')).toBe(5);
    const resetAt = '2026-01-02T12:00:07.000Z';
    expect(judged('overloaded', { resetAt }).limitedUntil).toBe(resetAt);
  });
});
