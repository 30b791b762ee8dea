import { addModel, addUsage, type ModelUsage, noUsage, type Usage } from '../../core/policy/cost.ts';
import type { ResultKind } from '../../core/policy/endings.ts';
import type { Access, AgentAdapter, AgentEvent, AgentRequest, KeyHolding, Launch } from '../agents.ts';
import { modelRetries, placePrompt } from '../agents.ts';
import { AgentStream, isoTime } from './agent-stream.ts';
import { failureKind, type Outcome } from './build-result.ts';
import { asObject, at, countAt, type Json, listAt, numberAt, stringAt } from './json-line.ts';

/** Claude Code. Its exit code says little; its `result` event says nearly everything. */
export const claude: AgentAdapter = {
  name: 'claude',
  program: 'claude',
  tellsVersion: true,
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
  noise: ['"type":"stream_event"'],
  missing:
    'Claude Code has no key. Set ANTHROPIC_API_KEY, or CLAUDE_CODE_OAUTH_TOKEN (made by `claude setup-token`).',
  holding,
  launch,
  parser: (request) => new ClaudeStream(request),
};

function holding(keys: Readonly<Record<string, string>>): KeyHolding | undefined {
  if (keys['CLAUDE_CODE_USE_BEDROCK']) return { why: 'Bedrock signs its requests itself' };
  if (keys['CLAUDE_CODE_USE_VERTEX']) return { why: 'Vertex has a login of its own' };
  const token = keys['ANTHROPIC_AUTH_TOKEN'];
  const key = token || keys['ANTHROPIC_API_KEY'];
  if (!key)
    return keys['CLAUDE_CODE_OAUTH_TOKEN'] ? { why: 'CLAUDE_CODE_OAUTH_TOKEN is a login' } : undefined;
  const upstream = keys['ANTHROPIC_BASE_URL'] ?? 'https://api.anthropic.com';
  const lines = (keys['ANTHROPIC_CUSTOM_HEADERS'] ?? '').split('\n');
  const headers = Object.fromEntries(
    lines.filter((line) => line.includes(':')).map((line) => splitHeader(line)),
  );
  return {
    targets: [{ upstream, key, headers }],
    variables: (address, [word]) => ({
      ANTHROPIC_AUTH_TOKEN: token ? word : undefined,
      ANTHROPIC_API_KEY: token ? undefined : word,
      ANTHROPIC_BASE_URL: address,
      ANTHROPIC_CUSTOM_HEADERS: undefined,
      CLAUDE_CODE_OAUTH_TOKEN: undefined,
      AWS_BEARER_TOKEN_BEDROCK: undefined,
    }),
  };
}

function splitHeader(line: string): [name: string, value: string] {
  const colon = line.indexOf(':');
  return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()];
}

function launch(request: AgentRequest): Launch {
  const { model, resume, maxTurns, budgetUsd, outputSchema, access, writable = [] } = request;
  const { promptArgs, stdin } = placePrompt(request);
  return {
    args: [
      ...'-p --output-format stream-json --verbose --include-partial-messages'.split(' '),
      ...(model ? ['--model', model] : []),
      ...accessArgs[access],
      ...(maxTurns === undefined ? [] : ['--max-turns', String(maxTurns)]),
      ...(budgetUsd === undefined ? [] : ['--max-budget-usd', String(budgetUsd)]),
      ...(outputSchema ? ['--json-schema', JSON.stringify(outputSchema)] : []),
      ...writable.flatMap((folder) => ['--add-dir', folder]),
      ...(resume ? ['--resume', resume] : []),
      ...promptArgs,
    ],
    env: {
      CLAUDE_CODE_MAX_RETRIES: String(modelRetries),
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      DISABLE_TELEMETRY: '1',
      DISABLE_ERROR_REPORTING: '1',
      // Without this the program refuses full access as root, as which containers and runners often run.
      ...(access === 'full' && request.isRoot ? { IS_SANDBOX: '1' } : {}),
    },
    stdin,
    // Standard output reports the usage of sub-agents only at the end; their own files, during the run.
    follow: { folder: '.claude/projects', name: /^agent-.*\.jsonl$/, all: true },
  };
}

const accessArgs: Record<Access, readonly string[]> = {
  // Shell commands that the program recognizes as read-only need no permission; all others are denied.
  'read-only': [
    ...'--permission-mode dontAsk --tools Read,Grep,Glob,Bash --allowedTools Read,Grep,Glob'.split(' '),
    ...'--disallowedTools Edit,Write,NotebookEdit'.split(' '),
  ],
  edit: '--permission-mode acceptEdits --allowedTools Read,Edit,Write'.split(' '),
  full: ['--dangerously-skip-permissions'],
};

class ClaudeStream extends AgentStream {
  /** The messages being streamed, by the tool call that started them: sub-agents run in parallel. */
  readonly #streams = new Map<
    string,
    { readonly id: string; readonly model?: string; readonly usage: Usage }
  >();
  #messages = 0;
  /** The sum of all `result` events so far: a run with several answers has several of them. */
  #told: Reported | undefined;
  /** Whether the last message was the program's own (an API error), not the model's. */
  #isSynthetic = false;
  #apiError: string | undefined;
  #result: Json | undefined;

  protected read(event: Json): AgentEvent[] {
    switch (event['type']) {
      case 'system':
        return this.#system(event);
      case 'stream_event':
        return this.#message(event);
      case 'assistant':
        return this.#assistant(event);
      case 'user':
        return this.#toolResults(event);
      case 'rate_limit_event':
        if (stringAt(event, 'rate_limit_info', 'status') === 'rejected') {
          this.resetAt = isoTime(numberAt(event, 'rate_limit_info', 'resetsAt'));
        }
        return [];
      case 'result':
        this.#result = event;
        this.#settle(asObject(event['model_usage_since_last_result']));
        return [];
      default:
        return [];
    }
  }

  #system(event: Json): AgentEvent[] {
    if (event['subtype'] === 'init') return this.started(stringAt(event, 'session_id'));
    if (event['subtype'] === 'api_retry') {
      const status = numberAt(event, 'error_status');
      return [{ kind: 'retry', ...(status === undefined ? {} : { status }) }];
    }
    if (event['subtype'] !== 'permission_denied') return [];
    return this.tool(stringAt(event, 'tool_name') ?? 'a tool', 'denied');
  }

  /** Counts a message when it starts, and again each time it grows. */
  #message(event: Json): AgentEvent[] {
    const type = stringAt(event, 'event', 'type');
    const asker = stringAt(event, 'parent_tool_use_id') ?? '';
    if (type === 'message_start') {
      const message = at(event, 'event', 'message');
      const model = stringAt(message, 'model');
      const id = stringAt(message, 'id') ?? `${asker} ${(this.#messages += 1)}`;
      const stream = { id, usage: usageOf(at(message, 'usage')), ...(model ? { model } : {}) };
      this.#streams.set(asker, stream);
      // Messages of sub-agents cost tokens but are not turns of the run.
      return [...(asker ? [] : this.turn()), ...this.counted(id, stream.usage, stream)];
    }
    const stream = this.#streams.get(asker);
    if (type !== 'message_delta' || !stream) return [];
    const output = countAt(event, 'event', 'usage', 'output_tokens');
    return this.counted(stream.id, { ...stream.usage, output }, stream);
  }

  /**
   * A result reports the usage of all models since the last result, including helper models that the stream
   * does not show. So it replaces what was counted from the stream.
   */
  #settle(models: Json | undefined): void {
    if (!models) return;
    const told = Object.entries(models).reduce(withRow, this.#told ?? nothingReported);
    this.#told = told;
    [this.usage, this.costUsd, this.unpriced] = [told.usage, told.costUsd, told.unpriced];
  }

  #assistant(event: Json): AgentEvent[] {
    this.#isSynthetic = stringAt(event, 'message', 'model') === '<synthetic>';
    this.#apiError = stringAt(event, 'error') ?? this.#apiError;
    const said = listAt(event, 'message', 'content').flatMap((block): AgentEvent[] => {
      const text = stringAt(block, 'text');
      if (at(block, 'type') === 'text' && text) {
        return [this.#isSynthetic ? { kind: 'error', message: text } : { kind: 'text', text }];
      }
      if (at(block, 'type') !== 'tool_use') return [];
      return this.toolStarted(stringAt(block, 'id'), stringAt(block, 'name'), at(block, 'input'));
    });
    return [...this.#countMessage(event['message']), ...said];
  }

  /** After the first result, the followed files add nothing: the result already includes what they hold. */
  protected override readFile(event: Json): AgentEvent[] {
    return event['type'] === 'assistant' && !this.#told ? this.#countMessage(event['message']) : [];
  }

  #countMessage(message: unknown): AgentEvent[] {
    const [id, model] = [stringAt(message, 'id'), stringAt(message, 'model')];
    if (id === undefined || model === '<synthetic>') return [];
    return this.counted(id, usageOf(at(message, 'usage')), { model });
  }

  #toolResults(event: Json): AgentEvent[] {
    return listAt(event, 'message', 'content').flatMap((block): AgentEvent[] => {
      const name = this.toolName(stringAt(block, 'tool_use_id'));
      return name === undefined ? [] : this.tool(name, at(block, 'is_error') === true ? 'error' : 'ok');
    });
  }

  protected kind(): ResultKind | undefined {
    const result = this.#result;
    if (!result) return undefined;
    const subtype = stringAt(result, 'subtype');
    if (subtype === 'error_max_turns') return 'max_turns';
    if (subtype === 'error_max_budget_usd') return 'budget';
    if (result['terminal_reason'] === 'prompt_too_long') return 'context';
    if (result['stop_reason'] === 'refusal') return 'refused';
    if (result['is_error'] === true || (subtype ?? 'success') !== 'success') return this.#errorKind(result);
    return result['stop_reason'] === 'max_tokens' ? 'truncated' : 'ok';
  }

  #errorKind(result: Json): ResultKind {
    if (this.#apiError === 'billing_error' || this.resetAt) return 'usage_limit';
    if (this.#apiError === 'authentication_failed') return 'auth';
    if (this.#apiError === 'max_output_tokens') return 'truncated';
    const said = this.#isSynthetic ? [stringAt(result, 'result')] : [];
    const message = [...said, ...errorsOf(result)].join(' ');
    return failureKind({ status: numberAt(result, 'api_error_status'), message });
  }

  protected override outcome(kind: ResultKind | undefined): Partial<Outcome> {
    const result = this.#result;
    const rows = Object.entries(asObject(at(result, 'modelUsage')) ?? {});
    const totalCost = countAt(result, 'total_cost_usd');
    // Older versions do not report the usage since the last result. Their totals cover only this run, also
    // when it resumes a session.
    const isWhole = this.#told === undefined && totalCost > 0;
    return {
      text: kind === 'ok' ? (stringAt(result, 'result') ?? '') : '',
      structured: at(result, 'structured_output'),
      sessionId: stringAt(result, 'session_id') ?? this.sessionId,
      turns: numberAt(result, 'num_turns') ?? this.turns,
      ...(isWhole ? { costUsd: totalCost, unpriced: {} } : {}),
      ...(isWhole && rows.length > 0 ? { usage: rows.reduce(withRow, nothingReported).usage } : {}),
      denials: listAt(result, 'permission_denials').map((one) => stringAt(one, 'tool_name') ?? 'a tool'),
      error: errorsOf(result).join('; ') || stringAt(result, 'result') || stringAt(result, 'terminal_reason'),
    };
  }
}

function errorsOf(result: Json | undefined): unknown[] {
  return listAt(result, 'errors').filter((error) => typeof error === 'string');
}

function usageOf(usage: unknown): Usage {
  const written = countAt(usage, 'cache_creation_input_tokens');
  return {
    input: countAt(usage, 'input_tokens') + written,
    cachedInput: countAt(usage, 'cache_read_input_tokens'),
    ...(written > 0 ? { cacheWrite: written } : {}),
    output: countAt(usage, 'output_tokens'),
    reasoning: 0,
  };
}

interface Reported {
  readonly usage: Usage;
  readonly costUsd: number | null;
  readonly unpriced: ModelUsage;
}

const nothingReported: Reported = { usage: noUsage, costUsd: null, unpriced: {} };

/** Claude Code reports a cost of 0 for a model without a known price. That does not count as a cost. */
function withRow(told: Reported, [model, row]: [string, unknown]): Reported {
  const written = countAt(row, 'cacheCreationInputTokens');
  const usage = {
    input: countAt(row, 'inputTokens') + written,
    cachedInput: countAt(row, 'cacheReadInputTokens'),
    ...(written > 0 ? { cacheWrite: written } : {}),
    output: countAt(row, 'outputTokens'),
    reasoning: countAt(row, 'thinkingTokens'),
  };
  const cost = countAt(row, 'costUSD');
  return {
    usage: addUsage(told.usage, usage),
    costUsd: cost > 0 ? (told.costUsd ?? 0) + cost : told.costUsd,
    unpriced: cost > 0 ? told.unpriced : addModel(told.unpriced, model, usage),
  };
}
