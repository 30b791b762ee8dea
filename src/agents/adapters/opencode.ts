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
import { failureKind } from './failure-kind.ts';
import { at, countAt, type Json, numberAt, stringAt } from './json-line.ts';
import { isoTime } from './reset-time.ts';
import { Heard, streamParser } from './stream-reader.ts';
import { words } from './words.ts';

const provider = 'gza';

/** OpenCode. It has no terminal event: the reason of the last step, or an error after it, is how it ended. */
export const opencode: AgentAdapter = {
  name: 'opencode',
  program: 'opencode',
  versionArgs: ['--version'],
  keyNames: [
    'ANTHROPIC_API_KEY',
    'OPENAI_API_KEY',
    'OPENROUTER_API_KEY',
    'OPENCODE_API_KEY',
    'GEMINI_API_KEY',
    'GOOGLE_GENERATIVE_AI_API_KEY',
    'GROQ_API_KEY',
    'MISTRAL_API_KEY',
    'XAI_API_KEY',
    'DEEPSEEK_API_KEY',
  ],
  secretNames: [],
  logins: ['.local/share/opencode/auth.json'],
  ownLimits: { turns: false, budget: false },
  enforcesReadOnly: true,
  noise: [],
  // It has models that need no key, so a missing one is known only from the answer.
  preflight: () => undefined,
  launch,
  parser,
};

function launch(request: AgentRequest): Launch {
  const { model, resume, access } = request;
  const named =
    model && request.baseUrl && !model.startsWith(`${provider}/`) ? `${provider}/${model}` : model;
  return {
    args: [
      ...words('run --format json'),
      ...(named ? ['-m', named] : []),
      ...(access === 'read-only' ? [] : ['--auto']),
      ...(resume ? ['--session', resume] : []),
      ...(request.extraArgs ?? []),
    ],
    env: {
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      // The list of models is needed to know the providers' own; an address of one's own brings its model along.
      ...(request.baseUrl ? { OPENCODE_DISABLE_MODELS_FETCH: '1' } : {}),
      OPENCODE_CONFIG_CONTENT: JSON.stringify(settings(request, named)),
    },
    stdin: request.prompt,
  };
}

function settings(request: AgentRequest, model: string | undefined): Json {
  const base = { $schema: 'https://opencode.ai/config.json', autoupdate: false, share: 'disabled' };
  const rules = { ...base, permission: permissions(request) };
  if (!request.baseUrl || !model) return rules;
  const key = Object.keys(request.keys).find((name) => name.endsWith('_API_KEY'));
  const options = { baseURL: request.baseUrl, ...(key ? { apiKey: `{env:${key}}` } : {}) };
  const id = model.slice(provider.length + 1);
  const models = { [id]: { name: id, tool_call: true } };
  const own = { npm: '@ai-sdk/openai-compatible', name: provider, options, models };
  return { ...rules, model, small_model: model, provider: { [provider]: own } };
}

function permissions({ access, commands = [] }: AgentRequest): Json {
  switch (access) {
    case 'read-only':
      // Its shell rules do not see redirections, so there is no shell at all.
      return { '*': 'allow', edit: 'deny', bash: 'deny', task: 'deny', external_directory: 'deny' };
    case 'edit': {
      const shell = Object.fromEntries(
        commands.flatMap((command) => [command, `${command} *`].map((rule) => [rule, 'allow'])),
      );
      return { '*': 'allow', bash: { '*': 'deny', ...shell }, external_directory: 'deny' };
    }
    case 'full':
      return { '*': 'allow' };
  }
}

interface State {
  readonly heard: Heard;
  costUsd: number;
  /** Reason of the last finished step, gone again when an error follows. */
  reason: string | undefined;
  error: Json | undefined;
}

function parser(): AgentParser {
  const state: State = { heard: new Heard(), costUsd: 0, reason: undefined, error: undefined };
  return streamParser(
    (event) => [...session(state.heard, event), ...read(state, event)],
    (ending) => finish(state, ending),
  );
}

function session(heard: Heard, event: Json): AgentEvent[] {
  return heard.sessionId === undefined ? heard.session(stringAt(event, 'sessionID')) : [];
}

function read(state: State, event: Json): AgentEvent[] {
  const { heard } = state;
  switch (event['type']) {
    case 'step_start':
      state.reason = undefined;
      return heard.turn();
    case 'text':
      return heard.answer(stringAt(event, 'part', 'text'));
    case 'tool_use':
      return readTool(heard, event['part']);
    case 'step_finish':
      return readStep(state, event['part']);
    case 'error':
      state.error = event;
      state.reason = undefined;
      return [{ kind: 'error', message: errorMessage(event) }];
    default:
      return [];
  }
}

function readTool(heard: Heard, part: unknown): AgentEvent[] {
  const name = stringAt(part, 'tool') ?? 'a tool';
  const detail = stringAt(part, 'state', 'input', 'command') ?? stringAt(part, 'state', 'input', 'filePath');
  const denied = /rejected permission|prevents you from using/.test(stringAt(part, 'state', 'error') ?? '');
  const phase = denied ? 'denied' : stringAt(part, 'state', 'status') === 'error' ? 'error' : 'ok';
  return heard.tool(name, phase, detail);
}

function readStep(state: State, part: unknown): AgentEvent[] {
  state.reason = stringAt(part, 'reason') ?? 'unknown';
  state.error = undefined;
  const costUsd = countAt(part, 'cost');
  state.costUsd += costUsd;
  return state.heard.used(usageOf(at(part, 'tokens')), costUsd);
}

function finish(state: State, ending: Ending) {
  return state.heard.result(resultKind(state, ending), ending, {
    // A model it has no price for costs it nothing; that is not a cost.
    costUsd: state.costUsd > 0 ? state.costUsd : null,
    error: state.error && errorMessage(state.error),
    resetAt: state.error && retryAfter(state.error, ending.now),
  });
}

function resultKind(state: State, { code, stderr }: Ending): ResultKind | undefined {
  const { error } = state;
  if (error) {
    const message = `${stringAt(error, 'error', 'name') ?? ''} ${errorMessage(error)}`;
    return failureKind({ status: numberAt(error, 'error', 'data', 'statusCode'), message });
  }
  switch (state.reason) {
    case 'stop':
      return 'ok';
    case 'length':
      return 'truncated';
    case 'content-filter':
      return 'refused';
    case 'tool-calls':
      return state.heard.denials.length > 0 ? 'denied' : undefined;
    case undefined:
      return code === 0 ? undefined : failureKind({ stderr });
    default:
      return undefined;
  }
}

function errorMessage(event: Json): string {
  const error = event['error'];
  return (
    stringAt(error, 'data', 'message') ?? stringAt(error, 'message') ?? stringAt(error, 'name') ?? 'an error'
  );
}

function retryAfter(event: Json, now: number): string | undefined {
  const seconds = Number(stringAt(event, 'error', 'data', 'responseHeaders', 'retry-after'));
  return seconds > 0 ? isoTime(now + seconds * 1000) : undefined;
}

/** Its output leaves reasoning out, ours has it in. */
function usageOf(tokens: unknown): Usage {
  const reasoning = countAt(tokens, 'reasoning');
  return {
    input: countAt(tokens, 'input') + countAt(tokens, 'cache', 'write'),
    cachedInput: countAt(tokens, 'cache', 'read'),
    output: countAt(tokens, 'output') + reasoning,
    reasoning,
  };
}
