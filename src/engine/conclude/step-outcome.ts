/** What a run of an agent means for its task: pure, the same on a laptop and in CI. */
import type { ResultKind } from '../../agents/agents.ts';
import type { StepOutcome } from '../../core/ledger/record/record.ts';
import { addSeconds } from '../../core/time.ts';

export interface OutcomeFacts {
  readonly kind: ResultKind;
  readonly error?: string | undefined;
  readonly resetAt?: string | undefined;
  /** Something was left that can be gone on from. */
  readonly hasWork: boolean;
  /** A note of the agent that says why it cannot go on. */
  readonly blocked: string | null;
  readonly now: string;
}

export interface Judged {
  readonly outcome: StepOutcome;
  readonly error?: string;
  /** A person must look, with a stable reason. */
  readonly stop?: { readonly reason: string; readonly detail: string };
  /** The agent may not be asked again before. */
  readonly limitedUntil?: string;
}

/** Where a limit does not say when it ends. */
const usageSeconds = 3600;
const rateSeconds = 300;
/** No plan's window is longer; a time beyond it was misread. */
const limitSecondsMax = 8 * 86_400;

function limitEnd({ kind, resetAt, now }: OutcomeFacts): string {
  const usual = addSeconds(now, kind === 'rate_limit' ? rateSeconds : usageSeconds);
  if (resetAt === undefined || resetAt <= now) return usual;
  const latest = addSeconds(now, limitSecondsMax);
  return resetAt < latest ? resetAt : latest;
}

export function judgeRun(facts: OutcomeFacts): Judged {
  if (facts.blocked !== null) return { outcome: 'blocked', error: facts.blocked };
  const error = facts.error ?? wordsFor[facts.kind];
  switch (facts.kind) {
    case 'ok':
      return { outcome: 'ok' };
    case 'usage_limit':
    case 'rate_limit':
      return { outcome: 'limit', error, limitedUntil: limitEnd(facts) };
    case 'timeout':
    case 'max_turns':
    case 'output_limit':
    case 'truncated':
      return facts.hasWork ? { outcome: 'slice', error } : { outcome: 'failed', error };
    case 'budget':
      return {
        outcome: facts.hasWork ? 'slice' : 'failed',
        error,
        stop: { reason: 'over-budget', detail: error },
      };
    case 'model':
      return { outcome: 'cancelled', error, stop: { reason: 'no-such-model', detail: error } };
    case 'auth':
    case 'config':
      return { outcome: 'cancelled', error, stop: { reason: 'agent-cannot-run', detail: error } };
    case 'cancelled':
      return { outcome: 'cancelled', error };
    case 'denied':
    case 'empty':
    case 'refused':
    case 'overloaded':
    case 'server':
    case 'network':
    case 'context':
    case 'session':
    case 'crash':
      return { outcome: 'failed', error };
  }
}

const wordsFor: Record<ResultKind, string> = {
  ok: '',
  denied: 'tools that it needed were denied, and it changed nothing',
  max_turns: 'it reached its turn limit',
  budget: 'it reached its budget',
  truncated: 'its answer was cut off',
  empty: 'it gave an empty answer',
  refused: 'the model declined the task',
  auth: 'it has no key, or a wrong one',
  usage_limit: 'its usage limit is reached',
  rate_limit: 'it is asked too often',
  overloaded: 'the model is overloaded',
  server: 'the model’s service failed',
  network: 'the model could not be reached',
  context: 'the prompt is too long for the model',
  model: 'there is no such model',
  session: 'its session is gone',
  config: 'it cannot run as it is set up',
  timeout: 'it took longer than it may',
  output_limit: 'it printed more than it may',
  cancelled: 'it was stopped',
  crash: 'it ended without saying how',
};

export const resultKinds = Object.keys(wordsFor) as ResultKind[];
