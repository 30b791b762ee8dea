import type { Usage } from '../../core/policy/price.ts';
import { addUsage, noUsage } from '../../core/policy/price.ts';
import type {
  AgentAdapter,
  AgentEvent,
  AgentParser,
  AgentRequest,
  Ending,
  Launch,
  ResultKind,
} from '../agents.ts';
import { runUsage } from './build-result.ts';
import { failureKind } from './failure-kind.ts';
import { asObject, at, countAt, type Json, listAt, numberAt, stringAt } from './json-line.ts';
import { isoTime } from './reset-time.ts';
import { Heard, streamParser } from './stream-reader.ts';
import { words } from './words.ts';

/** Claude Code. Its exit code tells little, its `result` event nearly all. */
export const claude: AgentAdapter = {
  name: 'claude',
  program: 'claude',
  versionArgs: ['--version'],
  keyNames: [
    'ANTHROPIC_API_KEY',
    'ANTHROPIC_AUTH_TOKEN',
    'CLAUDE_CODE_OAUTH_TOKEN',
    'ANTHROPIC_BASE_URL',
    'ANTHROPIC_CUSTOM_HEADERS',
    'CLAUDE_CODE_USE_BEDROCK',
    'AWS_BEARER_TOKEN_BEDROCK',
    'CLAUDE_CODE_USE_VERTEX',
    'ANTHROPIC_VERTEX_PROJECT_ID',
    'CLOUD_ML_REGION',
  ],
  secretNames: [
    'ANTHROPIC_API_KEY',
    'ANTHROPIC_AUTH_TOKEN',
    'CLAUDE_CODE_OAUTH_TOKEN',
    'CLAUDE_CODE_USE_BEDROCK',
    'CLAUDE_CODE_USE_VERTEX',
  ],
  logins: ['.claude/.credentials.json'],
  ownLimits: { turns: true, budget: true },
  enforcesReadOnly: true,
  noise: ['"type":"stream_event"'],
  preflight(request, hasLogin) {
    if (hasLogin || this.secretNames.some((name) => request.keys[name])) return undefined;
    return 'Claude Code has no key. Set ANTHROPIC_API_KEY, or CLAUDE_CODE_OAUTH_TOKEN (made by `claude setup-token`).';
  },
  launch,
  parser,
};

function launch(request: AgentRequest): Launch {
  const { model, resume, maxTurns, budgetUsd, outputSchema, baseUrl, retries = 2 } = request;
  return {
    args: [
      ...words('-p --output-format stream-json --verbose --include-partial-messages'),
      ...(model ? ['--model', model] : []),
      ...accessArgs(request),
      ...(maxTurns === undefined ? [] : ['--max-turns', String(maxTurns)]),
      ...(budgetUsd === undefined ? [] : ['--max-budget-usd', String(budgetUsd)]),
      ...(outputSchema ? ['--json-schema', JSON.stringify(outputSchema)] : []),
      ...(request.writable ?? []).flatMap((folder) => ['--add-dir', folder]),
      ...(resume ? ['--resume', resume] : []),
      ...(request.extraArgs ?? []),
    ],
    env: {
      CLAUDE_CODE_MAX_RETRIES: String(retries),
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      DISABLE_TELEMETRY: '1',
      DISABLE_ERROR_REPORTING: '1',
      ...(baseUrl ? { ANTHROPIC_BASE_URL: baseUrl } : {}),
      // Without it the program refuses to run with full access as root, which containers and runners often are.
      ...(request.access === 'full' && request.isRoot ? { IS_SANDBOX: '1' } : {}),
    },
    stdin: request.prompt,
  };
}

function accessArgs({ access, commands = [] }: AgentRequest): string[] {
  const shell = commands.map((command) => `Bash(${command}:*)`);
  switch (access) {
    case 'read-only':
      // Shell commands that it recognises as reading need no permission; all but the given ones are denied.
      return [
        ...words('--permission-mode dontAsk --tools Read,Grep,Glob,Bash'),
        '--allowedTools',
        ['Read', 'Grep', 'Glob', ...shell].join(','),
        ...words('--disallowedTools Edit,Write,NotebookEdit'),
      ];
    case 'edit':
      return [
        '--permission-mode',
        'acceptEdits',
        '--allowedTools',
        ['Read', 'Edit', 'Write', ...shell].join(','),
      ];
    case 'full':
      return ['--dangerously-skip-permissions'];
  }
}

interface State {
  readonly heard: Heard;
  /** Input of the message that is being streamed. */
  input: Usage;
  /** The last message was the program's own (an API error), not the model's. */
  isSynthetic: boolean;
  apiError: string | undefined;
  resetAt: string | undefined;
  result: Json | undefined;
}

function parser(request: AgentRequest): AgentParser {
  const state: State = {
    heard: new Heard(),
    input: noUsage,
    isSynthetic: false,
    apiError: undefined,
    resetAt: undefined,
    result: undefined,
  };
  return streamParser(
    (event) => read(state, event),
    (ending) => finish(state, request, ending),
  );
}

function read(state: State, event: Json): AgentEvent[] {
  switch (event['type']) {
    case 'system':
      return readSystem(state, event);
    case 'stream_event':
      return readStream(state, event);
    case 'assistant':
      return readAssistant(state, event);
    case 'user':
      return readToolResults(state, event);
    case 'rate_limit_event':
      if (stringAt(event, 'rate_limit_info', 'status') === 'rejected') {
        state.resetAt = isoTime(numberAt(event, 'rate_limit_info', 'resetsAt'));
      }
      return [];
    case 'result':
      state.result = event;
      return [];
    default:
      return [];
  }
}

function readSystem({ heard }: State, event: Json): AgentEvent[] {
  if (event['subtype'] === 'init') return heard.session(stringAt(event, 'session_id'));
  if (event['subtype'] === 'api_retry') {
    const status = numberAt(event, 'error_status');
    return [{ kind: 'retry', ...(status === undefined ? {} : { status }) }];
  }
  if (event['subtype'] === 'permission_denied') {
    return heard.tool(stringAt(event, 'tool_name') ?? 'a tool', 'denied');
  }
  return [];
}

function readStream(state: State, event: Json): AgentEvent[] {
  const type = stringAt(event, 'event', 'type');
  if (type === 'message_start') {
    state.input = { ...usageOf(at(event, 'event', 'message', 'usage')), output: 0, reasoning: 0 };
    // Messages of sub-agents cost tokens but are not turns of the run.
    return event['parent_tool_use_id'] ? [] : state.heard.turn();
  }
  if (type !== 'message_delta') return [];
  const usage = { ...state.input, output: countAt(event, 'event', 'usage', 'output_tokens') };
  state.input = noUsage;
  return state.heard.used(usage);
}

function readAssistant(state: State, event: Json): AgentEvent[] {
  state.isSynthetic = stringAt(event, 'message', 'model') === '<synthetic>';
  state.apiError = stringAt(event, 'error') ?? state.apiError;
  return listAt(event, 'message', 'content').flatMap((block): AgentEvent[] => {
    const text = stringAt(block, 'text');
    if (at(block, 'type') === 'text' && text) {
      return [state.isSynthetic ? { kind: 'error', message: text } : { kind: 'text', text }];
    }
    if (at(block, 'type') !== 'tool_use') return [];
    const detail = stringAt(block, 'input', 'command') ?? stringAt(block, 'input', 'file_path');
    return state.heard.toolStarted(stringAt(block, 'id'), stringAt(block, 'name'), detail);
  });
}

function readToolResults({ heard }: State, event: Json): AgentEvent[] {
  return listAt(event, 'message', 'content').flatMap((block): AgentEvent[] => {
    const name = heard.toolName(stringAt(block, 'tool_use_id'));
    return name === undefined ? [] : heard.tool(name, at(block, 'is_error') === true ? 'error' : 'ok');
  });
}

function finish(state: State, request: AgentRequest, ending: Ending) {
  const { heard, result } = state;
  const totals = result && asObject(result['modelUsage']) ? modelTotals(result['modelUsage']) : undefined;
  const own = result && asObject(result['model_usage_since_last_result']);
  const run = own ? modelTotals(own) : undefined;
  const totalCost = numberAt(result, 'total_cost_usd') ?? null;
  const kind = result ? resultKind(state, result) : undefined;
  const denials = listAt(result, 'permission_denials');
  return heard.result(kind, ending, {
    text: kind === 'ok' ? (stringAt(result, 'result') ?? '') : '',
    structured: at(result, 'structured_output'),
    sessionId: stringAt(result, 'session_id') ?? heard.sessionId,
    turns: numberAt(result, 'num_turns') ?? heard.turns,
    usage: run?.usage ?? runUsage(heard.usage, totals?.usage, request),
    costUsd: run ? run.costUsd : runCost(totalCost, request),
    denials: denials.map((denial) => stringAt(denial, 'tool_name') ?? 'a tool'),
    error: result && errorOf(result),
    resetAt: state.resetAt,
    totals: totals && { usage: totals.usage, costUsd: totalCost },
  });
}

function resultKind(state: State, result: Json): ResultKind {
  const subtype = stringAt(result, 'subtype');
  if (subtype === 'error_max_turns') return 'max_turns';
  if (subtype === 'error_max_budget_usd') return 'budget';
  if (result['terminal_reason'] === 'prompt_too_long') return 'context';
  if (result['stop_reason'] === 'refusal') return 'refused';
  if (result['is_error'] === true || (subtype ?? 'success') !== 'success') return errorKind(state, result);
  return result['stop_reason'] === 'max_tokens' ? 'truncated' : 'ok';
}

function errorKind(state: State, result: Json): ResultKind {
  if (state.apiError === 'billing_error' || state.resetAt) return 'usage_limit';
  if (state.apiError === 'authentication_failed') return 'auth';
  if (state.apiError === 'max_output_tokens') return 'truncated';
  const errors = listAt(result, 'errors').filter((error) => typeof error === 'string');
  const message = state.isSynthetic ? [stringAt(result, 'result'), ...errors].join(' ') : errors.join(' ');
  return failureKind({ status: numberAt(result, 'api_error_status'), message });
}

function errorOf(result: Json): string | undefined {
  const errors = listAt(result, 'errors').filter((error) => typeof error === 'string');
  return errors.join('; ') || stringAt(result, 'result') || stringAt(result, 'terminal_reason');
}

/** A program that goes on with a session reports what the whole session cost; older ones only the run. */
function runCost(total: number | null, { resume, sessionTotals }: AgentRequest): number | null {
  const before = resume ? sessionTotals?.costUsd : undefined;
  return total === null || before === undefined || before === null || before > total ? total : total - before;
}

function usageOf(usage: unknown): Usage {
  return {
    input: countAt(usage, 'input_tokens') + countAt(usage, 'cache_creation_input_tokens'),
    cachedInput: countAt(usage, 'cache_read_input_tokens'),
    output: countAt(usage, 'output_tokens'),
    reasoning: 0,
  };
}

function modelTotals(models: unknown): { usage: Usage; costUsd: number } | undefined {
  const rows = Object.values(asObject(models) ?? {});
  if (rows.length === 0) return undefined;
  const usages = rows.map((row) => ({
    input: countAt(row, 'inputTokens') + countAt(row, 'cacheCreationInputTokens'),
    cachedInput: countAt(row, 'cacheReadInputTokens'),
    output: countAt(row, 'outputTokens'),
    reasoning: countAt(row, 'thinkingTokens'),
  }));
  return {
    usage: usages.reduce(addUsage),
    costUsd: rows.reduce((sum: number, row) => sum + countAt(row, 'costUSD'), 0),
  };
}
