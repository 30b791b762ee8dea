/** A backlog at work for the report's tests: groups, steps, verdicts, stops, costs, as many tasks as wanted. */
import type { TaskView } from '../../src/core/board/board.ts';
import type { StepRecord } from '../../src/core/ledger/record/record.ts';
import { type ReportData, reportData } from '../../src/core/report/report-data.ts';
import { board, byBoard, claim, type Given } from './world.ts';

const verbs = ['Add', 'Show', 'Move', 'Retry', 'Encrypt', 'List', 'Cache', 'Validate', 'Export', 'Rename'];
const things = [
  'the login page',
  'failed payments',
  'the audit log',
  'user avatars',
  'webhook deliveries',
  'the search index',
  'invoices',
  'the settings form',
  'rate limits',
  'session tokens',
];
const groups = ['accounts', 'payments', 'search', 'notifications', 'infrastructure', 'billing'];

function at(minutes: number): string {
  return `2026-01-${String(1 + (Math.floor(minutes / 1440) % 2)).padStart(2, '0')}T${String(Math.floor(minutes / 60) % 24).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}:00Z`;
}

function stepsOf(n: number, count: number): StepRecord[] {
  const names = ['implement', 'review', 'improve', 'review'] as const;
  return names.slice(0, count).map((step, k) => ({
    step,
    outcome: n % 13 === 5 && k === count - 1 ? 'failed' : 'ok',
    started_at: at((n * 7 + k * 12) % 2800),
    ended_at: at(((n * 7 + k * 12) % 2800) + 8),
    agent: ['claude', 'codex', 'opencode'][n % 3] as string,
    cycle: Math.ceil(k / 2),
    cost_usd: 0.07 * (1 + ((n + k) % 9)),
    ...(step === 'review'
      ? { verdict: k === 3 ? ('APPROVED' as const) : ('CHANGES_REQUESTED' as const) }
      : {}),
  }));
}

export function manyTasks(count: number, own: (n: number) => Partial<Given> = () => ({})): Given[] {
  const doneUntil = count * 0.55;
  return Array.from({ length: count }, (_, n): Given => {
    const base: Given = {
      id: `${(groups[n % groups.length] as string).slice(0, 6)}-${n}`,
      title: `${verbs[n % 10]} ${things[Math.floor(n / 10) % 10]} ${n}`,
      content: `What to do about it, at some length, so that somebody who knows nothing can start with task ${n}.`,
      group: groups[n % groups.length] as string,
      milestone: `M${1 + (n % 4)}`,
      ...(n >= 6 && n % 7 !== 0
        ? { depends_on: [`${(groups[(n - 6) % groups.length] as string).slice(0, 6)}-${n - 6}`] }
        : {}),
    };
    if (n < doneUntil) {
      return {
        ...base,
        started_at: at(n),
        closed_at: at((n * 7) % 2800),
        closed_as: 'done',
        final_verdict: 'APPROVED',
        review_cycle: 2,
        cost_usd: 0.9,
        seconds: 1900,
        steps: stepsOf(n, 4),
        ...own(n),
      };
    }
    if (n < doneUntil + 6) {
      const state: Partial<Given> =
        n % 3 === 0
          ? {
              stop: {
                reason: 'needs-discussion',
                detail: 'the review asks whether old clients must be served',
                at: at(n),
              },
            }
          : n % 3 === 1
            ? { closed_at: at(n), closed_as: 'failed', error: '3 attempts failed; the last: tests fail' }
            : { steps: stepsOf(n, 2), review_cycle: 1, cost_usd: 0.4, seconds: 500 };
      return { ...base, ...state, ...own(n) };
    }
    return { ...base, ...own(n) };
  });
}

export function reportOf(given: readonly Given[], title = 'Shop'): ReportData {
  const working = given.filter((one) => one.steps && !one.closed_at).slice(0, 3);
  const made = board(given, { claims: working.map(({ id }) => claim(id, { holder: 'claude' })) });
  const views = [...made.views.values()].sort((a, b) => a.position - b.position);
  const waiting = views.filter((view) => view.record?.stop || view.status === 'failed').map(waits);
  return reportData({ title, board: made, views, waiting, readiness: byBoard });
}

function waits({ id, task, record }: TaskView) {
  return {
    id,
    title: task.title,
    reason: record?.stop?.reason ?? 'failed',
    detail: record?.stop?.detail ?? record?.error ?? 'it failed',
    commands: [`gza retry ${id}`, `gza skip ${id}`],
  };
}
