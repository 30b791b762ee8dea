import { type Usage, usageSince } from '../../core/policy/cost.ts';
import type { ResultKind } from '../../core/policy/endings.ts';
import type { AgentRequest, AgentResult, Ending, KilledBy } from '../agents.ts';

/** What an adapter read from its agent's output, before the rules that apply to all agents. */
export interface Outcome extends Omit<AgentResult, 'kind'> {
  /** The agent's own account of how it ended; undefined when there was no terminal event. */
  readonly kind: ResultKind | undefined;
}

/**
 * Applies the rules that hold for every agent, in this order. If the runner ended the run, nothing that the
 * agent says counts. A run without a terminal event crashed. A nonzero exit code is never a success. A
 * success without an answer is not a success.
 */
export function buildResult({ structured, error, ...outcome }: Outcome, ending: Ending): AgentResult {
  const kind = resultKind({ structured, ...outcome }, ending);
  return {
    ...outcome,
    ...(structured === undefined ? {} : { structured }),
    kind,
    error: kind === 'ok' ? undefined : (ending.used ?? error ?? defaultError(kind, ending)),
  };
}

function resultKind({ kind, text, structured, denials }: Outcome, ending: Ending): ResultKind {
  if (ending.killedBy === 'idle') return 'timeout';
  if (ending.killedBy === 'resources') return 'crash';
  if (ending.killedBy) return ending.killedBy;
  if (kind === undefined || kind === 'crash') return killer(ending) === null ? 'crash' : 'killed';
  if (kind !== 'ok' && kind !== 'empty') return kind;
  if (ending.code !== 0) return kind === 'empty' && !text.trim() ? 'empty' : 'crash';
  if (text.trim() || structured !== undefined) return 'ok';
  return denials.length > 0 ? 'denied' : 'empty';
}

/** The signal that killed the agent from outside. A wrapper process reports it as an exit code above 128. */
function killer({ signal, code }: Ending): string | null {
  return signal ?? signalsOfCodes.get(code) ?? null;
}

const signalsOfCodes: ReadonlyMap<number | null, string> = new Map([
  [134, 'SIGABRT'],
  [137, 'SIGKILL'],
  [139, 'SIGSEGV'],
  [143, 'SIGTERM'],
]);

const killedErrors: Record<KilledBy, string> = {
  timeout: 'it took longer than it may and was ended',
  idle: 'it neither printed nor worked for too long and was ended',
  max_turns: 'it reached its turn limit and was ended',
  budget: 'it reached its budget and was ended',
  output_limit: 'it printed more than it may and was ended',
  resources: 'it used more of the machine than it may and was ended',
  cancelled: 'it was cancelled',
};

function defaultError(kind: ResultKind, ending: Ending): string {
  if (ending.killedBy) return killedErrors[ending.killedBy];
  if (kind === 'empty') return 'it ended well but gave no answer';
  if (kind === 'denied') return 'it was denied the tools it asked for and gave no answer';
  const signal = kind === 'killed' ? killer(ending) : null;
  if (signal === null) return lastWords(ending);
  const memory = signal === 'SIGKILL' ? ', which most often means too little memory' : '';
  return `its program was killed by ${signal} from outside${memory}`;
}

/** The last meaningful line of standard error, for agents that die before they report an error. */
function lastWords({ stderr, code }: Ending): string {
  const lines = stderr
    .split('\n')
    .filter((line) => line.trim() && !/^(Warning:|YOLO mode|Ripgrep is not|\[STARTUP\]|\s+at )/.test(line));
  return lines.at(-1)?.trim().slice(0, 500) ?? `it exited with ${code} without saying why`;
}

/** The usage of this run, from the events of the run and from totals that may cover the whole session. */
export function runUsage(seen: Usage | null, totals: Usage | undefined, request: AgentRequest): Usage | null {
  if (totals === undefined) return seen;
  if (request.resume === undefined) return totals;
  if (request.sessionTotals !== undefined) return usageSince(totals, request.sessionTotals.usage);
  return seen ?? totals;
}

/**
 * For steps that must change files. If tools were denied and the tree is unchanged, the task is not done,
 * whatever the agent says. If the tree changed, a missing answer does not matter.
 */
export function judgedByChanges(result: AgentResult, hasChanges: boolean): AgentResult {
  if (hasChanges && result.kind === 'empty') return { ...result, kind: 'ok', error: undefined };
  if (hasChanges || result.kind !== 'ok' || result.denials.length === 0) return result;
  const error = `it changed nothing and was denied: ${[...new Set(result.denials)].join(', ')}`;
  return { ...result, kind: 'denied', error };
}

/**
 * Classifies a failure by its HTTP status and the message of a structured error. Text from a model or a
 * tool must never get here: work on a repository about rate limits must not look like a rate limit.
 */

interface Failure {
  readonly status?: number | undefined;
  /** The agent's own error message, from its structured output. */
  readonly message?: string | undefined;
  /** The end of standard error, used only if the agent failed before it reported a structured error. */
  readonly stderr?: string | undefined;
}

type Rule = readonly [ResultKind, RegExp];

// The first match wins, because a used-up quota also comes as 429, and a prompt that is too long as 400.
const messageRules: readonly Rule[] = [
  [
    'session',
    /no conversation found|no rollout found|session not found|invalid session identifier|no (saved )?session(, task, or name)?( found)?\b/i,
  ],
  [
    'context',
    /prompt (is |as )?too long|token count.{0,40}exceeds the maximum|ContextOverflow|context[_ ](length|window|limit)|maximum context/i,
  ],
  [
    'usage_limit',
    /credit balance|insufficient_quota|exceeded your current quota|quota exceeded|daily quota|quota.{0,200}exhausted|billing|usage limit/i,
  ],
  ['max_turns', /maximum number of turns|max session turns|turn limit/i],
  ['budget', /maximum budget/i],
  ['refused', /usage policy|content[_ ]filter|content policy|invalid_prompt|\brefusal\b/i],
  ['truncated', /output token maximum|max_output_tokens/i],
];

const wordRules: readonly Rule[] = [
  [
    'auth',
    /not logged in|invalid (x-)?api[- ]?key|authenticat|unauthori[sz]ed|forbidden|missing environment variable|missing api key|must specify the GEMINI_API_KEY|invalid auth method|API_KEY_INVALID/i,
  ],
  [
    'model',
    /selected model|model\S{0,80} .{0,80}(not found|does not exist|not exist|not supported)|ProviderModelNotFound/i,
  ],
  ['rate_limit', /rate.?limit|too many requests/i],
  ['overloaded', /overloaded|high demand|service unavailable/i],
  ['empty', /empty response|no response was returned/i],
  ['server', /server.side issue|internal server|server_error/i],
  [
    'network',
    /ECONN|ENOTFOUND|EAI_AGAIN|socket|connection|fetch failed|terminated|stream disconnected|stream closed|lookup address|network|sending request/i,
  ],
  [
    'config',
    /trusted directory|bwrap|bubblewrap|cannot be used with root|unknown option|unexpected argument|unknown argument/i,
  ],
];

// Standard error is trusted only for failures to start. Limits must come from structured errors.
const stderrKinds = new Set<ResultKind>(['session', 'auth', 'model', 'network', 'config']);

export function failureKind({ status, message = '', stderr = '' }: Failure): ResultKind {
  const said = message.replace(/https?:\/\/\S+/g, '');
  const byMessage = match(messageRules, said);
  if (byMessage) return byMessage;
  const byStatus = statusKind(status ?? statusIn(said));
  if (byStatus) return byStatus;
  const byWord = match(wordRules, said);
  if (byWord) return byWord;
  const early = said
    ? undefined
    : match([...messageRules, ...wordRules], stderr.replace(/https?:\/\/\S+/g, ''));
  return early && stderrKinds.has(early) ? early : 'crash';
}

function match(rules: readonly Rule[], text: string): ResultKind | undefined {
  return text ? rules.find(([, pattern]) => pattern.test(text))?.[0] : undefined;
}

export function statusKind(status: number | undefined): ResultKind | undefined {
  if (status === undefined || status < 400) return undefined;
  if (status === 401 || status === 403) return 'auth';
  if (status === 402) return 'usage_limit';
  if (status === 404) return 'model';
  if (status === 408) return 'network';
  if (status === 413) return 'context';
  if (status === 429) return 'rate_limit';
  if (status === 503 || status === 529) return 'overloaded';
  return status >= 500 ? 'server' : undefined;
}

/** Matches texts such as "unexpected status 401 Unauthorized", "last status: 429" and `"code":503`. */
function statusIn(message: string): number | undefined {
  const found = /(?:status(?: code)?|HTTP|"code")[\s":(]{0,4}([45]\d\d)\b/i.exec(message)?.[1];
  return found === undefined ? undefined : Number(found);
}
