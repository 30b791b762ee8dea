import { dirname } from 'node:path';
import type { Usage } from '../../core/policy/cost.ts';
import type { ResultKind } from '../../core/policy/endings.ts';
import type { Access, AgentAdapter, AgentEvent, AgentRequest, Ending, Launch } from '../agents.ts';
import { modelRetries } from '../agents.ts';
import { AgentStream, usageWithCache } from './agent-stream.ts';
import { failureKind, type Outcome, statusKind } from './build-result.ts';
import { asObject, at, countAt, type Json, stringAt } from './json-line.ts';

/**
 * Gemini CLI. Its exit code is one of its own codes or an HTTP status modulo 256. During the run, its
 * session file reports the usage.
 */
export const gemini: AgentAdapter = {
  name: 'gemini',
  program: 'gemini',
  tellsVersion: true,
  writesAnswer: true,
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
  noise: [],
  missing: 'Gemini CLI has no key. Set GEMINI_API_KEY, or log in with `gemini` once.',
  holding: (keys) => {
    if (keys['GOOGLE_GENAI_USE_VERTEXAI'] && !keys['GEMINI_API_KEY']) {
      return { why: 'Vertex has a login of its own' };
    }
    const key = keys['GEMINI_API_KEY'] || keys['GOOGLE_API_KEY'];
    const upstream = keys['GOOGLE_GEMINI_BASE_URL'] ?? 'https://generativelanguage.googleapis.com';
    const variables = (address: string, [word]: readonly string[]) => ({
      GEMINI_API_KEY: word,
      GOOGLE_API_KEY: undefined,
      GOOGLE_GEMINI_BASE_URL: address,
      GOOGLE_GENAI_USE_VERTEXAI: undefined,
    });
    return key ? { targets: [{ upstream, key }], variables } : undefined;
  },
  launch,
  parser: (request) => new GeminiStream(request),
};

function launch(request: AgentRequest): Launch {
  const { model, resume, access, home, writable = [], answerFile } = request;
  const folders = access !== 'read-only' ? writable : answerFile === undefined ? [] : [dirname(answerFile)];
  const policy = answerFile === undefined ? [] : [{ path: policyFile, text: answerPolicy(answerFile) }];
  return {
    args: [
      ...'-o stream-json --skip-trust'.split(' '),
      ...(model ? ['-m', model] : []),
      '--approval-mode',
      approvalModes[access],
      ...folders.flatMap((folder) => ['--include-directories', folder]),
      ...(resume ? ['--resume', resume] : []),
    ],
    env: {
      GEMINI_CLI_HOME: home,
      GEMINI_TELEMETRY_ENABLED: 'false',
      // Otherwise it starts a second process that receives no signals.
      GEMINI_CLI_NO_RELAUNCH: 'true',
    },
    stdin: request.prompt,
    files: [
      { path: '.gemini/settings.json', text: JSON.stringify(settings(request), undefined, 2) },
      ...policy,
    ],
    follow: { folder: '.gemini/tmp', name: /^session-.*\.jsonl?$/ },
  };
}

const approvalModes: Record<Access, string> = { 'read-only': 'default', edit: 'auto_edit', full: 'yolo' };

function settings({ keys, maxTurns, access, answerFile }: AgentRequest): Json {
  const ownKey = keys['GOOGLE_GENAI_USE_VERTEXAI'] ? 'vertex-ai' : 'oauth-personal';
  return {
    general: { enableAutoUpdate: false, enableAutoUpdateNotification: false, maxAttempts: modelRetries + 1 },
    privacy: { usageStatisticsEnabled: false },
    telemetry: { enabled: false },
    security: { auth: { selectedType: keys['GEMINI_API_KEY'] ? 'gemini-api-key' : ownKey } },
    ...(maxTurns === undefined ? {} : { model: { maxSessionTurns: maxTurns } }),
    ...(access === 'read-only'
      ? { tools: { exclude: answerFile === undefined ? [...noEdits, 'write_file'] : noEdits } }
      : {}),
  };
}

const noEdits = ['run_shell_command', 'replace', 'save_memory'];
const policyFile = '.gemini/policies/answer.toml';

/** The policy engine matches `argsPattern` against the tool's arguments as JSON. */
function answerPolicy(file: string): string {
  const pattern = `"file_path":${JSON.stringify(file)}`.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const rule = (words: string) => `[[rule]]\ntoolName = "write_file"\n${words}\n`;
  return [
    rule('decision = "deny"\npriority = 900'),
    rule(`argsPattern = ${JSON.stringify(pattern)}\ndecision = "allow"\npriority = 950`),
  ].join('\n');
}

class GeminiStream extends AgentStream {
  /** Messages of the session file that were counted: a message is written again after its tools have run. */
  readonly #messages = new Set<string>();
  #result: Json | undefined;

  protected read(event: Json): AgentEvent[] {
    switch (event['type']) {
      case 'init':
        return this.started(stringAt(event, 'session_id'));
      case 'message': {
        const text = stringAt(event, 'content') ?? '';
        if (event['role'] !== 'assistant') return [];
        this.text += text;
        return text ? [{ kind: 'text', text }] : [];
      }
      case 'tool_use':
        // Text before a tool call is not the answer.
        this.text = '';
        return this.toolStarted(
          stringAt(event, 'tool_id'),
          stringAt(event, 'tool_name'),
          at(event, 'parameters'),
        );
      case 'tool_result':
        return this.#toolResult(event);
      case 'error':
        return this.failed(stringAt(event, 'message') ?? this.error);
      case 'result':
        this.#result = event;
        return [];
      default:
        return [];
    }
  }

  #toolResult(event: Json): AgentEvent[] {
    const name = this.toolName(stringAt(event, 'tool_id')) ?? 'a tool';
    const error = `${stringAt(event, 'error', 'type')} ${stringAt(event, 'error', 'message')}`;
    const isDenied = /^tool_not_registered |denied by policy|policy_violation/i.test(error);
    return this.tool(name, isDenied ? 'denied' : event['status'] === 'success' ? 'ok' : 'error');
  }

  protected override readFile(event: Json): AgentEvent[] {
    const id = stringAt(event, 'id');
    const tokens = at(event, 'tokens');
    if (event['type'] !== 'gemini' || id === undefined || !tokens) return [];
    const turn = this.#messages.has(id) ? [] : this.turn();
    this.#messages.add(id);
    const usage = usageOf(countAt(tokens, 'input'), tokens);
    return [...turn, ...this.counted(id, usage, { model: stringAt(event, 'model') })];
  }

  protected kind({ code, stderr }: Ending): ResultKind | undefined {
    const own = ownExits.get(code);
    if (own) return own;
    if (stringAt(this.#result, 'status') === 'success') return 'ok';
    const error = at(this.#result, 'error');
    if (stringAt(error, 'type') === 'FatalTurnLimitedError') return 'max_turns';
    if (this.#result === undefined && code === 0) return undefined;
    const message = stringAt(error, 'message') ?? this.error;
    // Exit codes keep only the low byte of an HTTP status: 429 becomes 173.
    const status = [400, 401, 403, 404, 413, 429, 500, 502, 503, 504].find((http) => (http & 255) === code);
    const kind = failureKind({ message, stderr });
    return kind === 'crash' ? (statusKind(status) ?? kind) : kind;
  }

  protected override outcome(kind: ResultKind | undefined): Partial<Outcome> {
    const stats = at(this.#result, 'stats');
    return {
      turns: this.turns || countAt(stats, 'tool_calls') + (kind === 'ok' ? 1 : 0),
      ...(stats ? totalOf(stats) : {}),
      error: stringAt(this.#result, 'error', 'message') ?? this.error,
    };
  }
}

/** Covers all models that were used, including those that the session file does not mention. */
function totalOf(stats: unknown): Pick<Outcome, 'usage' | 'unpriced'> {
  const models = Object.entries(asObject(at(stats, 'models')) ?? {});
  const unpriced = Object.fromEntries(models.map(([model, tokens]) => [model, statUsage(tokens)]));
  return { usage: statUsage(stats), unpriced: models.length > 0 ? unpriced : { '': statUsage(stats) } };
}

/** The output count of Gemini leaves out thoughts; only the total includes them. */
function statUsage(tokens: unknown): Usage {
  const input = countAt(tokens, 'input_tokens');
  const output = Math.max(countAt(tokens, 'output_tokens'), countAt(tokens, 'total_tokens') - input);
  return usageWithCache(input, countAt(tokens, 'cached'), output, output - countAt(tokens, 'output_tokens'));
}

const ownExits: ReadonlyMap<number | null, ResultKind> = new Map([
  [41, 'auth'],
  [42, 'session'],
  [44, 'config'],
  [52, 'config'],
  [53, 'max_turns'],
  [55, 'config'],
  [130, 'cancelled'],
]);

function usageOf(input: number, tokens: unknown): Usage {
  const reasoning = countAt(tokens, 'thoughts');
  return usageWithCache(input, countAt(tokens, 'cached'), countAt(tokens, 'output') + reasoning, reasoning);
}
