import { join } from 'node:path';
import type { Usage } from '../../core/policy/price.ts';
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
import { at, countAt, type Json, numberAt, stringAt } from './json-line.ts';
import { isoTime } from './reset-time.ts';
import { Heard, streamParser } from './stream-reader.ts';
import { structuredText } from './structured-text.ts';
import { words } from './words.ts';

const keyName = 'GZA_CODEX_KEY';
const schemaFile = 'codex-output-schema.json';

/** OpenAI Codex. Its output has no usage before the end, its session file has it after every answer. */
export const codex: AgentAdapter = {
  name: 'codex',
  program: 'codex',
  versionArgs: ['--version'],
  keyNames: ['CODEX_API_KEY', 'OPENAI_API_KEY', 'OPENAI_BASE_URL'],
  secretNames: ['CODEX_API_KEY', 'OPENAI_API_KEY'],
  logins: ['.codex/auth.json'],
  ownLimits: { turns: false, budget: false },
  enforcesReadOnly: true,
  noise: [],
  preflight(request, hasLogin) {
    if (hasLogin || keyOf(request)) return undefined;
    return 'Codex has no key. Set CODEX_API_KEY (or OPENAI_API_KEY), or log in with `codex login`.';
  },
  launch,
  parser,
};

function launch(request: AgentRequest): Launch {
  const { model, resume, outputSchema, home } = request;
  return {
    args: [
      'exec',
      ...(resume ? ['resume', resume] : []),
      ...words('--json --skip-git-repo-check'),
      ...(model ? ['-m', model] : []),
      ...accessArgs(request),
      ...words('--disable plugins --disable remote_plugin'),
      ...words('-c analytics.enabled=false -c check_for_update_on_startup=false'),
      '-c',
      `shell_environment_policy.exclude=["${keyName}"]`,
      ...providerArgs(request),
      ...(outputSchema ? ['--output-schema', join(home, schemaFile)] : []),
      ...(request.extraArgs ?? []),
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

/** Resuming knows no -s: settings work for both. */
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
 * With a key a provider entry of our own: the built-in one tries WebSockets first, waits for ever when there
 * is no network, and cannot be told how often to retry. A login works only with the built-in one.
 */
function providerArgs(request: AgentRequest): string[] {
  const { retries = 2 } = request;
  const baseUrl = request.baseUrl ?? request.keys['OPENAI_BASE_URL'];
  if (!keyOf(request) && !baseUrl) return [];
  const settings = [
    'name="gza"',
    `base_url=${JSON.stringify(baseUrl ?? 'https://api.openai.com/v1')}`,
    ...(keyOf(request) ? [`env_key="${keyName}"`] : []),
    'wire_api="responses"',
    `request_max_retries=${retries}`,
    `stream_max_retries=${retries}`,
  ];
  return ['-c', 'model_provider="gza"', '-c', `model_providers.gza={${settings.join(',')}}`];
}

function keyOf({ keys }: AgentRequest): string | undefined {
  return keys['CODEX_API_KEY'] || keys['OPENAI_API_KEY'] || undefined;
}

interface State {
  readonly heard: Heard;
  /** Answers of the model by the session file, and tool calls by the output: the first once it has any. */
  answers: number;
  toolCalls: number;
  totals: Usage | undefined;
  terminal: 'completed' | 'failed' | undefined;
  error: string | undefined;
  hasRunCommand: boolean;
  sandboxFailure: string | undefined;
  resetAt: string | undefined;
}

function parser(request: AgentRequest): AgentParser {
  const state: State = {
    heard: new Heard(),
    answers: 0,
    toolCalls: 0,
    totals: undefined,
    terminal: undefined,
    error: undefined,
    hasRunCommand: false,
    sandboxFailure: undefined,
    resetAt: undefined,
  };
  return streamParser(
    (event, source) => (source === 'file' ? readSession(state, event) : read(state, event)),
    (ending) => finish(state, request, ending),
  );
}

function read(state: State, event: Json): AgentEvent[] {
  switch (event['type']) {
    case 'thread.started':
      return state.heard.session(stringAt(event, 'thread_id'));
    case 'item.started':
      return readItem(state, event, true);
    case 'item.completed':
      return readItem(state, event, false);
    case 'turn.completed':
      state.terminal = 'completed';
      state.totals = usageOf(event['usage']);
      return [];
    case 'turn.failed':
      state.terminal = 'failed';
      state.error = stringAt(event, 'error', 'message') ?? state.error;
      return [];
    case 'error':
      return readError(state, stringAt(event, 'message') ?? '');
    default:
      return [];
  }
}

function readError(state: State, message: string): AgentEvent[] {
  if (/^Reconnecting\b/.test(message)) return [{ kind: 'retry' }];
  state.error = message;
  return [{ kind: 'error', message }];
}

function readItem(state: State, event: Json, isStart: boolean): AgentEvent[] {
  const { heard } = state;
  const type = stringAt(event, 'item', 'type') ?? '';
  if (type === 'agent_message') return isStart ? [] : heard.answer(stringAt(event, 'item', 'text'));
  if (!/^(command_execution|file_change|mcp_tool_call|web_search|collab_tool_call)$/.test(type)) return [];
  const name = type === 'command_execution' ? 'shell' : type;
  if (isStart) return heard.tool(name, 'start', stringAt(event, 'item', 'command'));
  state.toolCalls += 1;
  const turn: AgentEvent[] = state.answers === 0 ? [{ kind: 'turn' }] : [];
  return [...turn, ...heard.tool(name, toolPhase(state, event))];
}

function toolPhase(state: State, event: Json): 'ok' | 'error' | 'denied' {
  const status = stringAt(event, 'item', 'status');
  const output = stringAt(event, 'item', 'aggregated_output') ?? '';
  if (status === 'completed') {
    state.hasRunCommand = true;
    return 'ok';
  }
  if (/^bwrap: /m.test(output)) state.sandboxFailure = output.slice(0, 300);
  else state.hasRunCommand = true;
  const isDenied =
    status === 'declined' || /Read-only file system|Operation not permitted|^bwrap: /m.test(output);
  return isDenied ? 'denied' : 'error';
}

function readSession(state: State, event: Json): AgentEvent[] {
  const payload = event['payload'];
  if (event['type'] !== 'event_msg' || at(payload, 'type') !== 'token_count') return [];
  state.resetAt = resetTime(payload) ?? state.resetAt;
  const last = at(payload, 'info', 'last_token_usage');
  if (!last) return [];
  state.answers += 1;
  // Tool calls were counted as turns until now.
  const turn: AgentEvent[] = state.answers > state.toolCalls || state.answers > 1 ? [{ kind: 'turn' }] : [];
  return [...turn, ...state.heard.used(usageOf(last))];
}

function resetTime(payload: unknown): string | undefined {
  const used = ['primary', 'secondary'].map((name) => at(payload, 'rate_limits', name));
  const full = used.filter((window) => (numberAt(window, 'used_percent') ?? 0) >= 100);
  const times = full.map((window) => numberAt(window, 'resets_at') ?? 0);
  return times.length === 0 ? undefined : isoTime(Math.max(...times));
}

function finish(state: State, request: AgentRequest, ending: Ending) {
  const { heard, totals } = state;
  const kind = resultKind(state, ending);
  return heard.result(kind, ending, {
    structured: request.outputSchema && structuredText(heard.text),
    turns: state.answers || state.toolCalls,
    usage: runUsage(heard.usage, totals, request),
    error: kind === 'config' && state.sandboxFailure ? sandboxHint(state.sandboxFailure) : state.error,
    resetAt: kind === 'usage_limit' ? state.resetAt : undefined,
    totals: totals && { usage: totals, costUsd: null },
  });
}

function resultKind(state: State, { stderr, code }: Ending): ResultKind | undefined {
  if (state.terminal === 'completed') {
    // Where its sandbox cannot start every command fails, and yet the run ends well.
    return state.sandboxFailure && !state.hasRunCommand ? 'config' : 'ok';
  }
  if (state.terminal === 'failed') return failureKind({ message: state.error });
  return code === 0 ? undefined : failureKind({ message: state.error, stderr });
}

function sandboxHint(said: string): string {
  const first = said.split('\n')[0];
  return `Codex cannot start its sandbox here (${first}): user namespaces are forbidden. Allow them, or use full access inside a container.`;
}

/** Its input counts the cached part too. */
function usageOf(usage: unknown): Usage {
  const cachedInput = countAt(usage, 'cached_input_tokens');
  return {
    input: Math.max(0, countAt(usage, 'input_tokens') - cachedInput),
    cachedInput,
    output: countAt(usage, 'output_tokens'),
    reasoning: countAt(usage, 'reasoning_output_tokens'),
  };
}
