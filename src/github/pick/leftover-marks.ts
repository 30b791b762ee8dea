/**
 * Marks of claims that are gone. A claim that died before its step was recorded leaves its job behind, and with it
 * what a person asked for: that is asked for again, a few times.
 */
import type { Event } from '../../core/ledger/event.ts';
import type { LedgerMeta } from '../../core/ledger/ledger-state.ts';
import { begunMark, commandAgain } from './asked-steps.ts';
import { jobMark } from './step-job.ts';

export function leftoverMarks(
  { claims = [], marks = {} }: LedgerMeta,
  dead: ReadonlySet<string>,
  at: string,
): Event[] {
  const held = new Set(claims.flatMap(({ id }) => [jobMark(id), begunMark(id)]));
  const kinds = [jobMark(''), begunMark('')];
  return Object.entries(marks).flatMap(([name, value]): Event[] => {
    if (held.has(name) || !kinds.some((kind) => name.startsWith(kind))) return [];
    // What was stopped or released is not wanted any more.
    const isDead = dead.has(name.slice(begunMark('').length));
    const again = name.startsWith(begunMark('')) && isDead ? commandAgain(value, marks) : null;
    return [
      { kind: 'mark', at, name, value: null },
      ...(again ? [{ kind: 'mark' as const, at, ...again }] : []),
    ];
  });
}
