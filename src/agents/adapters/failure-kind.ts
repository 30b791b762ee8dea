/**
 * Which failure it was, from an HTTP status and from the message of a structured error. What a model or a tool
 * said never gets here: a repository about rate limits must not look like one.
 */
import type { ResultKind } from '../../core/policy/endings.ts';

interface Failure {
  readonly status?: number | undefined;
  /** The agent's own error message, from its structured output. */
  readonly message?: string | undefined;
  /** The end of standard error: only for failures before the agent could say anything in a structure. */
  readonly stderr?: string | undefined;
}

type Rule = readonly [ResultKind, RegExp];

// First match wins: a used-up quota also comes as 429, a prompt too long as 400.
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

// Limits are read from structures alone, so standard error can mean only what keeps an agent from starting.
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

/** "unexpected status 401 Unauthorized", "last status: 429", `"code":503`. */
function statusIn(message: string): number | undefined {
  const found = /(?:status(?: code)?|HTTP|"code")[\s":(]{0,4}([45]\d\d)\b/i.exec(message)?.[1];
  return found === undefined ? undefined : Number(found);
}
