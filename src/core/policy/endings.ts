/**
 * How a run of an agent can end, and what follows from it. Code that judges a run, counts a try, chooses the
 * next agent or informs a person reads it here.
 */

export const resultKinds = [
  'ok',
  'denied',
  'max_turns',
  'budget',
  'truncated',
  'empty',
  'refused',
  'auth',
  'usage_limit',
  'rate_limit',
  'overloaded',
  'server',
  'network',
  'context',
  'model',
  'session',
  'config',
  'timeout',
  'output_limit',
  'cancelled',
  'baseline',
  'killed',
  'died',
  'crash',
] as const;
export type ResultKind = (typeof resultKinds)[number];

/**
 * What an ending means for its task:
 * - `attempt`: a failed try.
 * - `slice`: if it left work, the next try continues it; otherwise a failed try.
 * - `limit`: nobody is to blame, and its agent rests.
 * - `cannot`: no other try of this agent can change it, so no attempt is spent.
 * - `death`: a machine or a process ended, which is counted separately.
 */
export type Meaning = 'done' | 'attempt' | 'slice' | 'limit' | 'cannot' | 'death' | 'stopped';

export interface EndingRow {
  readonly words: string;
  readonly means: Meaning;
  /** Another of the task's agents may do better, so it is tried first. */
  readonly elsewhere?: true;
  /** The connection to the model failed: the run is repeated at once, a few times. */
  readonly passes?: true;
  /** Seconds that the agent rests, doubled each time in a row. */
  readonly rest?: number;
  /** Why a person must act, for scripts, and what they can do. */
  readonly stop?: { readonly reason: string; readonly change: string };
}

const otherAgent = 'or name another agent for it (agent: in its file, or gza work --codex)';

export const endings: Readonly<Record<ResultKind, EndingRow>> = {
  ok: { words: '', means: 'done' },
  denied: { words: 'tools that it needed were denied, and it changed nothing', means: 'attempt' },
  max_turns: { words: 'it reached its turn limit', means: 'slice' },
  budget: {
    words: 'it reached its budget',
    means: 'slice',
    stop: { reason: 'over-budget', change: 'raise its budget' },
  },
  truncated: { words: 'its answer was cut off', means: 'slice' },
  empty: { words: 'it gave an empty answer', means: 'attempt', elsewhere: true },
  refused: {
    words: 'the model declined the task',
    means: 'cannot',
    stop: {
      reason: 'model-declined',
      change: `say it in other words (gza retry takes the new text), ${otherAgent}`,
    },
  },
  auth: {
    words: 'it has no key, or a wrong one',
    means: 'cannot',
    stop: { reason: 'agent-cannot-run', change: `give it its key (gza doctor says which), ${otherAgent}` },
  },
  usage_limit: { words: 'its usage limit is reached', means: 'limit', rest: 3600 },
  rate_limit: { words: 'it is asked too often', means: 'limit', rest: 300 },
  overloaded: { words: 'the model is overloaded', means: 'limit', passes: true, rest: 60 },
  server: { words: 'the model’s service failed', means: 'limit', passes: true, rest: 60 },
  network: { words: 'the model could not be reached', means: 'limit', passes: true, rest: 60 },
  context: {
    words: 'the prompt is too long for the model',
    means: 'cannot',
    stop: {
      reason: 'context-too-long',
      change: `shorten or split it (gza split), name a model with a larger context, ${otherAgent}`,
    },
  },
  model: {
    words: 'there is no such model',
    means: 'cannot',
    stop: { reason: 'no-such-model', change: `correct the model (gza check), ${otherAgent}` },
  },
  session: { words: 'its session is gone', means: 'attempt' },
  config: {
    words: 'it cannot run as it is set up',
    means: 'cannot',
    stop: { reason: 'agent-cannot-run', change: `set it up (gza doctor), ${otherAgent}` },
  },
  timeout: { words: 'it took longer than it may', means: 'slice' },
  output_limit: { words: 'it printed more than it may', means: 'slice' },
  cancelled: { words: 'it was stopped', means: 'stopped' },
  baseline: { words: 'its checks fail on the untouched base too', means: 'stopped' },
  killed: { words: 'its program was killed', means: 'death', elsewhere: true },
  died: { words: 'its machine or process died', means: 'death' },
  crash: { words: 'it ended without saying how', means: 'attempt', elsewhere: true },
};

/** The row for a step's record; null if it has no ending, or one that another version wrote. */
export function endingOf({ ending }: { readonly ending?: string | undefined }): EndingRow | null {
  return ending !== undefined && Object.hasOwn(endings, ending) ? endings[ending as ResultKind] : null;
}

const restMax = 3600;

/** Seconds before the agent is used again. `row`: how often in a row it has rested before. */
export function restSeconds({ rest = restMax }: EndingRow, row: number): number {
  return Math.max(rest, Math.min(restMax, rest * 2 ** Math.min(row, 10)));
}

/** After this many deaths in a row a person must act: something about the task or the machine causes them. */
export const deathsMax = 5;

/** Minutes before a step that died is tried again. After the first death there is no reason to wait. */
const deathPauses = [0, 1, 5, 15];

export function deathPauseSeconds(deaths: number): number {
  return (deathPauses[Math.min(deaths, deathPauses.length) - 1] ?? 0) * 60;
}
