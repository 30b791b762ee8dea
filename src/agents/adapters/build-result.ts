import type { Usage } from '../../core/policy/price.ts';
import { usageSince } from '../../core/policy/price.ts';
import type { AgentRequest, AgentResult, Ending, ResultKind, SessionTotals } from '../agents.ts';
import { isRetryable, killedKind, lastWords } from './failure-kind.ts';

/** What an adapter read from its agent's output, before the rules that hold for all of them. */
export interface Outcome {
  /** What the agent says of itself; undefined when there was no terminal event. */
  readonly kind: ResultKind | undefined;
  readonly text: string;
  readonly structured?: unknown;
  readonly sessionId?: string | undefined;
  readonly turns: number;
  readonly usage: Usage | null;
  readonly costUsd: number | null;
  readonly denials: readonly string[];
  readonly error?: string | undefined;
  readonly resetAt?: string | undefined;
  /** Totals of the session, for agents that count so. */
  readonly totals?: SessionTotals | undefined;
}

/**
 * The rules that hold for every agent, in this order: an end that the runner made beats all the agent says;
 * without a terminal event it crashed; a bad exit is never good; and good without an answer is not good.
 */
export function buildResult(outcome: Outcome, ending: Ending): AgentResult {
  const kind = resultKind(outcome, ending);
  return {
    kind,
    retryable: isRetryable(kind),
    text: outcome.text,
    ...(outcome.structured === undefined ? {} : { structured: outcome.structured }),
    sessionId: outcome.sessionId,
    sessionTotals: outcome.totals,
    turns: outcome.turns,
    usage: outcome.usage,
    costUsd: outcome.costUsd,
    costFrom: outcome.costUsd === null ? 'none' : 'agent',
    denials: outcome.denials,
    error: kind === 'ok' ? undefined : (outcome.error ?? defaultError(kind, ending)),
    resetAt: outcome.resetAt,
  };
}

function resultKind({ kind, text, structured, denials }: Outcome, ending: Ending): ResultKind {
  if (ending.killedBy) return killedKind(ending.killedBy);
  if (kind === undefined) return 'crash';
  if (kind !== 'ok' && kind !== 'empty') return kind;
  if (ending.code !== 0) return 'crash';
  if (text.trim() || structured !== undefined) return kind === 'empty' ? 'ok' : kind;
  return denials.length > 0 ? 'denied' : 'empty';
}

function defaultError(kind: ResultKind, ending: Ending): string {
  switch (ending.killedBy) {
    case 'timeout':
      return 'it took longer than it may and was ended';
    case 'idle':
      return 'it neither printed nor worked for too long and was ended';
    case 'max_turns':
      return 'it reached its turn limit and was ended';
    case 'budget':
      return 'it reached its budget and was ended';
    case 'output_limit':
      return 'it printed more than it may and was ended';
    case 'cancelled':
      return 'it was cancelled';
    case undefined:
      return kindError(kind, ending);
  }
}

function kindError(kind: ResultKind, ending: Ending): string {
  if (kind === 'empty') return 'it ended well but gave no answer';
  if (kind === 'denied') return 'it was denied the tools it asked for and gave no answer';
  return lastWords(ending);
}

/** Usage of this run, from what was seen on the way and from totals that may be the session's. */
export function runUsage(seen: Usage | null, totals: Usage | undefined, request: AgentRequest): Usage | null {
  if (totals === undefined) return seen;
  if (request.resume === undefined) return totals;
  if (request.sessionTotals !== undefined) return usageSince(totals, request.sessionTotals.usage);
  return seen ?? totals;
}

/**
 * For steps that are asked for changes. Denied tools and an unchanged tree mean that the task is not done,
 * whatever the agent says; a changed tree makes up for a missing answer.
 */
export function judgedByChanges(result: AgentResult, hasChanges: boolean): AgentResult {
  if (hasChanges && result.kind === 'empty') {
    return { ...result, kind: 'ok', retryable: false, error: undefined };
  }
  if (hasChanges || result.kind !== 'ok' || result.denials.length === 0) return result;
  const error = `it changed nothing and was denied: ${[...new Set(result.denials)].join(', ')}`;
  return { ...result, kind: 'denied', retryable: false, error };
}
