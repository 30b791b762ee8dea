import { join } from 'node:path';
import { tokensOf, type Usage, usageSince } from '../../core/policy/cost.ts';
import type { ResultKind } from '../../core/policy/endings.ts';
import type { AgentAdapter, AgentEvent, AgentRequest, Ending, Launch, ToolPhase } from '../agents.ts';
import { modelRetries } from '../agents.ts';
import { AgentStream, isoTime, usageWithCache } from './agent-stream.ts';
import { failureKind, type Outcome, runUsage } from './build-result.ts';
import { at, countAt, type Json, numberAt, stringAt } from './json-line.ts';

const keyName = 'GZA_CODEX_KEY';
const schemaFile = 'codex-output-schema.json';

/** OpenAI Codex. Its output has usage only at the end; its session file has usage after every answer. */
export const codex: AgentAdapter = {
  name: 'codex',
  program: 'codex',
  tellsVersion: true,
  keyNames: ['CODEX_API_KEY', 'OPENAI_API_KEY', 'OPENAI_BASE_URL'],
  secretNames: ['CODEX_API_KEY', 'OPENAI_API_KEY'],
  logins: ['.codex/auth.json'],
  ownLimits: { turns: false, budget: false },
  noise: [],
  missing: 'Codex has no key. Set CODEX_API_KEY (or OPENAI_API_KEY), or log in with `codex login`.',
  holding: (keys) => {
    const key = keyOf({ keys });
    return key === undefined
      ? undefined
      : {
          targets: [{ upstream: baseUrlOf({ keys }), key }],
          variables: (address, [word]) => ({
            CODEX_API_KEY: word,
            OPENAI_API_KEY: undefined,
            OPENAI_BASE_URL: address,
          }),
        };
  },
  launch,
  parser: (request) => new CodexStream(request),
};

function launch(request: AgentRequest): Launch {
  const { model, resume, outputSchema, home } = request;
  return {
    args: [
      'exec',
      ...(resume ? ['resume', resume] : []),
      '--json',
      '--skip-git-repo-check',
      ...(model ? ['-m', model] : []),
      ...accessArgs(request),
      ...'--disable plugins --disable remote_plugin'.split(' '),
      ...'-c analytics.enabled=false -c check_for_update_on_startup=false'.split(' '),
      '-c',
      `shell_environment_policy.exclude=["${keyName}"]`,
      ...providerArgs(request),
      ...(outputSchema ? ['--output-schema', join(home, schemaFile)] : []),
      '-',
    ],
    env: {
      CODEX_HOME: join(home, '.codex'),
      CODEX_API_KEY: undefined,
      OPENAI_API_KEY: undefined,
      [keyName]: keyOf(request),
    },
    stdin: request.prompt,
    files: [
      // The folder must exist before the program starts.
      { path: '.codex/.keep', text: '' },
      ...(outputSchema ? [{ path: schemaFile, text: JSON.stringify(outputSchema) }] : []),
    ],
    follow: { folder: '.codex/sessions', name: /^rollout-.*\.jsonl$/ },
  };
}

/** Uses -c settings, because they work for a new run and for `resume`, which has no -s option. */
function accessArgs({ access, writable = [] }: AgentRequest): string[] {
  switch (access) {
    case 'read-only':
      return ['-c', 'sandbox_mode="read-only"', '-c', 'approval_policy="never"'];
    case 'edit': {
      const roots = `sandbox_workspace_write.writable_roots=${JSON.stringify(writable)}`;
      return ['-c', 'sandbox_mode="workspace-write"', '-c', 'approval_policy="never"', '-c', roots];
    }
    case 'full':
      return ['--dangerously-bypass-approvals-and-sandbox'];
  }
}

/**
 * With a key, gza configures a provider of its own. The built-in provider tries WebSockets first, waits
 * forever when there is no network, and its number of retries cannot be set. A login works only with the
 * built-in provider.
 */
function providerArgs(request: AgentRequest): string[] {
  if (!keyOf(request) && !request.keys['OPENAI_BASE_URL']) return [];
  const settings = [
    'name="gza"',
    `base_url=${JSON.stringify(baseUrlOf(request))}`,
    ...(keyOf(request) ? [`env_key="${keyName}"`] : []),
    'wire_api="responses"',
    `request_max_retries=${modelRetries}`,
    `stream_max_retries=${modelRetries}`,
  ];
  return ['-c', 'model_provider="gza"', '-c', `model_providers.gza={${settings.join(',')}}`];
}

function keyOf({ keys }: Pick<AgentRequest, 'keys'>): string | undefined {
  return keys['CODEX_API_KEY'] || keys['OPENAI_API_KEY'] || undefined;
}

function baseUrlOf({ keys }: Pick<AgentRequest, 'keys'>): string {
  return keys['OPENAI_BASE_URL'] ?? 'https://api.openai.com/v1';
}

class CodexStream extends AgentStream {
  /** From the session file. Until it has the first answer, tool calls in the output count as turns. */
  #answers = 0;
  #toolCalls = 0;
  #totals: Usage | undefined;
  /** The last session total. The session file repeats it with each update of the rate limits. */
  #session: Usage | undefined;
  #terminal: 'completed' | 'failed' | undefined;
  #hasRunCommand = false;
  #sandboxFailure: string | undefined;

  protected read(event: Json): AgentEvent[] {
    switch (event['type']) {
      case 'thread.started':
        return this.started(stringAt(event, 'thread_id'));
      case 'item.started':
        return this.#item(event, true);
      case 'item.completed':
        return this.#item(event, false);
      case 'turn.completed':
        this.#terminal = 'completed';
        this.#totals = usageOf(event['usage']);
        return [];
      case 'turn.failed':
        this.#terminal = 'failed';
        this.error = stringAt(event, 'error', 'message') ?? this.error;
        return [];
      case 'error': {
        const message = stringAt(event, 'message') ?? '';
        return /^Reconnecting\b/.test(message) ? [{ kind: 'retry' }] : this.failed(message);
      }
      default:
        return [];
    }
  }

  #item(event: Json, isStart: boolean): AgentEvent[] {
    const item = event['item'];
    const type = stringAt(item, 'type') ?? '';
    if (type === 'agent_message') return isStart ? [] : this.answered(stringAt(item, 'text'));
    if (!/^(command_execution|file_change|mcp_tool_call|web_search|collab_tool_call)$/.test(type)) return [];
    const name = type === 'command_execution' ? 'shell' : type;
    if (isStart) return this.tool(name, 'start', item);
    this.#toolCalls += 1;
    const turn: AgentEvent[] = this.#answers === 0 ? [{ kind: 'turn' }] : [];
    return [...turn, ...this.tool(name, this.#toolPhase(item))];
  }

  #toolPhase(item: unknown): ToolPhase {
    const status = stringAt(item, 'status');
    const output = stringAt(item, 'aggregated_output') ?? '';
    if (status === 'completed') {
      this.#hasRunCommand = true;
      return 'ok';
    }
    if (/^bwrap: /m.test(output)) this.#sandboxFailure = output.slice(0, 300);
    else this.#hasRunCommand = true;
    const isDenied =
      status === 'declined' || /Read-only file system|Operation not permitted|^bwrap: /m.test(output);
    return isDenied ? 'denied' : 'error';
  }

  protected override readFile(event: Json): AgentEvent[] {
    const payload = event['payload'];
    if (event['type'] === 'turn_context') this.model = stringAt(payload, 'model') ?? this.model;
    if (event['type'] !== 'event_msg' || at(payload, 'type') !== 'token_count') return [];
    this.resetAt = resetTime(payload) ?? this.resetAt;
    const usage = this.#sinceLast(at(payload, 'info'));
    if (usage === null) return [];
    this.#answers += 1;
    // Until the first answer was counted, each tool call counted as a turn.
    const isNew = this.#answers > this.#toolCalls || this.#answers > 1;
    return [...(isNew ? [{ kind: 'turn' } as const] : []), ...this.used(usage)];
  }

  /** The usage since the previous report; null when there was no new answer. */
  #sinceLast(info: unknown): Usage | null {
    const last = at(info, 'last_token_usage');
    if (!last) return null;
    const total = at(info, 'total_token_usage');
    if (!total) return usageOf(last);
    const now = usageOf(total);
    const usage = this.#session ? usageSince(now, this.#session) : usageOf(last);
    this.#session = now;
    return tokensOf(usage) === 0 ? null : usage;
  }

  protected kind({ stderr, code }: Ending): ResultKind | undefined {
    if (this.#terminal === 'completed') {
      // Where the Codex sandbox cannot start, every command fails, and yet the run reports success.
      return this.#sandboxFailure && !this.#hasRunCommand ? 'config' : 'ok';
    }
    if (this.#terminal === 'failed') return failureKind({ message: this.error });
    return code === 0 ? undefined : failureKind({ message: this.error, stderr });
  }

  protected override outcome(kind: ResultKind | undefined): Partial<Outcome> {
    const { request } = this;
    const totals = this.#totals;
    return {
      structured: request.outputSchema && structuredText(this.text),
      turns: this.#answers || this.#toolCalls,
      ...this.total(runUsage(this.usage, totals, request)),
      error: kind === 'config' && this.#sandboxFailure ? sandboxHint(this.#sandboxFailure) : this.error,
      resetAt: kind === 'usage_limit' ? this.resetAt : undefined,
      sessionTotals: totals && { usage: totals },
    };
  }
}

function resetTime(payload: unknown): string | undefined {
  const used = ['primary', 'secondary'].map((name) => at(payload, 'rate_limits', name));
  const full = used.filter((window) => (numberAt(window, 'used_percent') ?? 0) >= 100);
  const times = full.map((window) => numberAt(window, 'resets_at') ?? 0);
  return times.length === 0 ? undefined : isoTime(Math.max(...times));
}

/** The answer of an agent that was given an output schema, as a value; undefined when it is not JSON. */
function structuredText(text: string): unknown {
  const fenced = /^\s*```(?:json)?\n([\s\S]*?)\n```\s*$/.exec(text)?.[1];
  try {
    return JSON.parse(fenced ?? text);
  } catch {
    return undefined;
  }
}

function sandboxHint(said: string): string {
  const first = said.split('\n')[0];
  return `Codex cannot start its sandbox here (${first}): user namespaces are forbidden. Allow them, or use full access inside a container.`;
}

function usageOf(usage: unknown): Usage {
  const count = (name: string) => countAt(usage, name);
  return usageWithCache(
    count('input_tokens'),
    count('cached_input_tokens'),
    count('output_tokens'),
    count('reasoning_output_tokens'),
  );
}
