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
import { failureKind, statusKind } from './failure-kind.ts';
import { at, countAt, type Json, stringAt } from './json-line.ts';
import { Heard, streamParser } from './stream-reader.ts';
import { words } from './words.ts';

const policyFile = '.gemini/gza-policy.toml';

/** Gemini CLI. Its exit code is an own code or an HTTP status modulo 256; usage on the way is in its session file. */
export const gemini: AgentAdapter = {
  name: 'gemini',
  program: 'gemini',
  versionArgs: ['--version'],
  keyNames: [
    'GEMINI_API_KEY',
    'GOOGLE_API_KEY',
    'GOOGLE_GEMINI_BASE_URL',
    'GOOGLE_GENAI_USE_VERTEXAI',
    'GOOGLE_CLOUD_PROJECT',
    'GOOGLE_CLOUD_LOCATION',
  ],
  secretNames: ['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_GENAI_USE_VERTEXAI'],
  logins: ['.gemini/oauth_creds.json', '.gemini/google_accounts.json'],
  ownLimits: { turns: true, budget: false },
  enforcesReadOnly: true,
  noise: [],
  preflight(request, hasLogin) {
    if (hasLogin || this.secretNames.some((name) => request.keys[name])) return undefined;
    return 'Gemini CLI has no key. Set GEMINI_API_KEY, or log in with `gemini` once.';
  },
  launch,
  parser,
};

function launch(request: AgentRequest): Launch {
  const { model, resume, access, home, writable = [], commands = [] } = request;
  const hasPolicy = access === 'edit' && commands.length > 0;
  return {
    args: [
      ...words('-o stream-json --skip-trust'),
      ...(model ? ['-m', model] : []),
      '--approval-mode',
      approvalMode(request),
      ...(hasPolicy ? ['--policy', join(home, policyFile)] : []),
      ...(access === 'read-only' ? [] : writable.flatMap((folder) => ['--include-directories', folder])),
      ...(resume ? ['--resume', resume] : []),
      ...(request.extraArgs ?? []),
    ],
    env: {
      GEMINI_CLI_HOME: home,
      GEMINI_TELEMETRY_ENABLED: 'false',
      // Its second process does not pass signals on.
      GEMINI_CLI_NO_RELAUNCH: 'true',
      ...(request.baseUrl ? { GOOGLE_GEMINI_BASE_URL: request.baseUrl } : {}),
    },
    stdin: request.prompt,
    files: [
      { path: '.gemini/settings.json', text: JSON.stringify(settings(request), undefined, 2) },
      ...(hasPolicy ? [{ path: policyFile, text: policy(commands) }] : []),
    ],
    follow: { folder: '.gemini/tmp', name: /^session-.*\.jsonl?$/ },
  };
}

function approvalMode({ access }: AgentRequest): string {
  switch (access) {
    case 'read-only':
      return 'default';
    case 'edit':
      return 'auto_edit';
    case 'full':
      return 'yolo';
  }
}

function settings({ keys, retries = 2, maxTurns, access }: AgentRequest): Json {
  const selectedType = keys['GEMINI_API_KEY']
    ? 'gemini-api-key'
    : keys['GOOGLE_GENAI_USE_VERTEXAI']
      ? 'vertex-ai'
      : undefined;
  return {
    general: { enableAutoUpdate: false, enableAutoUpdateNotification: false, maxAttempts: retries + 1 },
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
    security: { auth: { selectedType: selectedType ?? 'oauth-personal' } },
    ...(maxTurns === undefined ? {} : { model: { maxSessionTurns: maxTurns } }),
    ...(access === 'read-only'
      ? { tools: { exclude: ['run_shell_command', 'write_file', 'replace', 'save_memory'] } }
      : {}),
  };
}

function policy(commands: readonly string[]): string {
  const rule = (command: string) =>
    `[[rule]]\ntoolName = "run_shell_command"\ncommandPrefix = ${JSON.stringify(command)}\ndecision = "allow"\npriority = 500\n`;
  return commands.map(rule).join('\n');
}

interface State {
  readonly heard: Heard;
  /** Usage by message of the session file: a message is written again when its tools have run. */
  readonly messages: Map<string, Usage>;
  result: Json | undefined;
  error: string | undefined;
}

function parser(): AgentParser {
  const state: State = { heard: new Heard(), messages: new Map(), result: undefined, error: undefined };
  return streamParser(
    (event, source) => (source === 'file' ? readSession(state, event) : read(state, event)),
    (ending) => finish(state, ending),
  );
}

function read(state: State, event: Json): AgentEvent[] {
  const { heard } = state;
  switch (event['type']) {
    case 'init':
      return heard.session(stringAt(event, 'session_id'));
    case 'message': {
      const text = stringAt(event, 'content') ?? '';
      if (event['role'] !== 'assistant') return [];
      heard.text += text;
      return text ? [{ kind: 'text', text }] : [];
    }
    case 'tool_use': {
      // What it said before a tool was not the answer.
      heard.text = '';
      const detail = stringAt(event, 'parameters', 'command') ?? stringAt(event, 'parameters', 'file_path');
      return heard.toolStarted(stringAt(event, 'tool_id'), stringAt(event, 'tool_name'), detail);
    }
    case 'tool_result':
      return readToolResult(heard, event);
    case 'error':
      state.error = stringAt(event, 'message') ?? state.error;
      return [{ kind: 'error', message: state.error ?? 'an error' }];
    case 'result':
      state.result = event;
      return [];
    default:
      return [];
  }
}

function readToolResult(heard: Heard, event: Json): AgentEvent[] {
  const name = heard.toolName(stringAt(event, 'tool_id')) ?? 'a tool';
  const isDenied =
    stringAt(event, 'error', 'type') === 'tool_not_registered' ||
    /denied by policy|policy_violation/i.test(
      `${stringAt(event, 'error', 'type')} ${stringAt(event, 'error', 'message')}`,
    );
  return heard.tool(name, isDenied ? 'denied' : event['status'] === 'success' ? 'ok' : 'error');
}

function readSession(state: State, event: Json): AgentEvent[] {
  const id = stringAt(event, 'id');
  const tokens = at(event, 'tokens');
  if (event['type'] !== 'gemini' || id === undefined || !tokens || state.messages.has(id)) return [];
  const usage = usageOf(countAt(tokens, 'input'), tokens);
  state.messages.set(id, usage);
  return [...state.heard.turn(), ...state.heard.used(usage)];
}

function finish(state: State, ending: Ending) {
  const { heard } = state;
  const kind = resultKind(state, ending);
  const stats = at(state.result, 'stats');
  return heard.result(kind, ending, {
    turns: heard.turns || countAt(stats, 'tool_calls') + (kind === 'ok' ? 1 : 0),
    usage: stats ? usageOf(countAt(stats, 'input_tokens'), stats) : heard.usage,
    error: stringAt(state.result, 'error', 'message') ?? state.error,
  });
}

function resultKind(state: State, { code, stderr }: Ending): ResultKind | undefined {
  const own = ownExit(code);
  if (own) return own;
  if (stringAt(state.result, 'status') === 'success') return 'ok';
  const error = at(state.result, 'error');
  if (stringAt(error, 'type') === 'FatalTurnLimitedError') return 'max_turns';
  if (state.result === undefined && code === 0) return undefined;
  const message = stringAt(error, 'message') ?? state.error;
  // 429 & 255 = 173: an HTTP status the exit code has room for only in part.
  const status = [400, 401, 403, 404, 413, 429, 500, 502, 503, 504].find((http) => (http & 255) === code);
  const kind = failureKind({ message, stderr });
  return kind === 'crash' ? (statusKind(status) ?? kind) : kind;
}

function ownExit(code: number | null): ResultKind | undefined {
  switch (code) {
    case 41:
      return 'auth';
    case 42:
      return 'session';
    case 44:
    case 52:
    case 55:
      return 'config';
    case 53:
      return 'max_turns';
    case 130:
      return 'cancelled';
    case null:
      return undefined;
    default:
      return undefined;
  }
}

/** Its input counts the cached part too. */
function usageOf(input: number, tokens: unknown): Usage {
  const cachedInput = countAt(tokens, 'cached');
  const reasoning = countAt(tokens, 'thoughts');
  const output = countAt(tokens, 'output_tokens') || countAt(tokens, 'output');
  return { input: Math.max(0, input - cachedInput), cachedInput, output: output + reasoning, reasoning };
}
