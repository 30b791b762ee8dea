import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { boundedLeft, type Left } from '../../src/engine/left.ts';
import {
  believedVerification,
  printVerification,
  readLeft,
  writeLeft,
} from '../../src/github/jobs/open-job.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'gza-left-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const expected = { id: 'answer', claim: 'c1', step: 'implement' };
const whole: Left = {
  task: 'answer',
  claim: 'c1',
  step: 'implement',
  started_at: '2026-01-02T03:04:05.000Z',
  ended_at: '2026-01-02T03:05:05.000Z',
  runs: [
    {
      agent: { name: 'claude', version: '2.1' },
      kind: 'ok',
      text: 'Done.',
      turns: 3,
      usage: { input: 1, cachedInput: 2, output: 3, reasoning: 0 },
      costUsd: 0.5,
      unpriced: 6,
      pricedAsOf: '2026-01-01',
    },
  ],
  spool: '{"note":"x"}\n',
  spool_cut: false,
  skipped: [{ path: 'big.bin', why: 'oversized' }],
  subjects: ['Add it'],
  discarded: [],
  patch: Buffer.from('diff --git a/a b/a\n'),
};

test('what a job leaves is read back as it was', async () => {
  await writeLeft(dir, whole);
  expect(await readLeft(dir, expected)).toEqual({ kind: 'left', left: whole });
});

test('a job that died before it wrote left nothing', async () => {
  expect(await readLeft(join(dir, 'never'), expected)).toEqual({ kind: 'nothing' });
});

test('a result of another step, with unknown fields or of a wrong form is not taken', async () => {
  await writeLeft(dir, whole);
  expect(await readLeft(dir, { ...expected, claim: 'c2' })).toMatchObject({ kind: 'unreadable' });
  const { patch: _patch, spool: _spool, ...left } = whole;
  for (const wrong of [
    { v: 1, ...left, verified: true },
    { v: 1, ...left, runs: [{ ...left.runs[0], kind: 'splendid' }] },
    { v: 1, ...left, started_at: 'yesterday' },
    { v: 1, ...left, runs: Array.from({ length: 5 }, () => left.runs[0]) },
  ]) {
    writeFileSync(join(dir, 'result.json'), JSON.stringify(wrong));
    expect(await readLeft(dir, expected)).toMatchObject({ kind: 'unreadable' });
  }
});

test('a link in the place of a file leads nowhere', async () => {
  await writeLeft(dir, whole);
  rmSync(join(dir, 'patch'));
  symlinkSync('/etc/passwd', join(dir, 'patch'));
  expect(await readLeft(dir, expected)).toMatchObject({ kind: 'unreadable' });
});

test('what it says of cost, minutes and limits is kept within what was claimed', () => {
  const [run] = whole.runs;
  const forged = {
    ...whole,
    started_at: '2026-01-01T00:00:00.000Z',
    ended_at: '2026-01-09T00:00:00.000Z',
    runs: [
      { ...run!, costUsd: 4 },
      { ...run!, costUsd: 90_000, kind: 'usage_limit' as const, resetAt: '2026-01-09T00:00:00.000Z' },
    ],
  };
  const from = '2026-01-02T03:00:00.000Z';
  const now = '2026-01-02T05:00:00.000Z';
  const bounded = boundedLeft(forged, { budgetUsd: 5, timeoutMinutes: 30 }, { from, now });
  expect(bounded).toMatchObject({ started_at: from, ended_at: '2026-01-02T03:30:00.000Z' });
  expect(bounded.runs).toMatchObject([{ costUsd: 4 }, { costUsd: 1, resetAt: '2026-01-02T06:00:00.000Z' }]);
  // What is within stays as it is.
  const job = { budgetUsd: 5, timeoutMinutes: 30 };
  expect(boundedLeft(whole, job, { from, now })).toEqual(whole);
});

const failing = {
  ok: false,
  checks: [
    { name: 'verify' as const, ok: false, reason: 'it exits 1', seconds: 2, results: null, output: 'boom' },
  ],
};

test('how the job ended counts, and its file only says what failed', () => {
  expect(believedVerification('failure', printVerification(failing))).toEqual(failing);
  expect(believedVerification('success', printVerification(failing))).toEqual({ ok: true, checks: [] });
});

test.each(['failure', 'cancelled', 'skipped', ''])(
  'a verify job that ended %j is no success, whatever its file says',
  (result) => {
    const lie = printVerification({ ok: true, checks: [] });
    expect(believedVerification(result, lie)).toMatchObject({ ok: false });
    expect(believedVerification(result, 'not JSON')).toMatchObject({ ok: false });
    expect(believedVerification(result, null)).toMatchObject({ ok: false });
  },
);
