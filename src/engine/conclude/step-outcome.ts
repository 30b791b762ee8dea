/** What a run of an agent means for its task: pure, the same on a laptop and in CI. */
import type { StepOutcome, StepRecord } from '../../core/ledger/record/record.ts';
import { endings, type ResultKind, restSeconds } from '../../core/policy/endings.ts';
import { addSeconds } from '../../core/time.ts';

export interface OutcomeFacts {
  readonly kind: ResultKind;
  readonly error?: string | undefined;
  readonly resetAt?: string | undefined;
  /** Something was left that can be gone on from. */
  readonly hasWork: boolean;
  /** A note of the agent that says why it cannot go on. */
  readonly blocked: string | null;
  /** The task's steps before this one. */
  readonly steps?: readonly StepRecord[] | undefined;
  readonly now: string;
}

export interface Judged {
  readonly outcome: StepOutcome;
  readonly error?: string;
  /** How the run ended, where that says more than the outcome. */
  readonly ending?: ResultKind;
  /** A person must look, with a stable reason. */
  readonly stop?: { readonly reason: string; readonly detail: string };
  /** The agent may not be asked again before. */
  readonly limitedUntil?: string;
}

/** No plan's window is longer; a time beyond it was misread. */
const limitSecondsMax = 8 * 86_400;

function limitEnd({ kind, resetAt, now, steps = [] }: OutcomeFacts): string {
  const row = steps.length - 1 - steps.findLastIndex(({ outcome }) => outcome !== 'limit');
  if (resetAt === undefined || resetAt <= now) return addSeconds(now, restSeconds(endings[kind], row));
  const latest = addSeconds(now, limitSecondsMax);
  return resetAt < latest ? resetAt : latest;
}

export function judgeRun(facts: OutcomeFacts): Judged {
  const { kind, hasWork } = facts;
  if (facts.blocked !== null) return { outcome: 'blocked', error: facts.blocked };
  const { means, words, stop } = endings[kind];
  const ended = { error: facts.error ?? words, ending: kind };
  switch (means) {
    case 'done':
      return { outcome: 'ok' };
    case 'limit':
      return { outcome: 'limit', ...ended, limitedUntil: limitEnd(facts) };
    case 'slice':
      return {
        outcome: hasWork ? 'slice' : 'failed',
        ...ended,
        ...(stop ? { stop: { reason: stop.reason, detail: ended.error } } : {}),
      };
    case 'cannot':
      // A session that grew too long has left its work: a fresh one goes on with that.
      return { outcome: hasWork && kind === 'context' ? 'slice' : 'cancelled', ...ended };
    case 'death':
      return { outcome: 'lost', ...ended };
    case 'stopped':
      return { outcome: 'cancelled', ...ended };
    case 'attempt':
      return { outcome: 'failed', ...ended };
  }
}
