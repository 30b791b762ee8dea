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
import { failureKind } from './failure-kind.ts';
import { at, countAt, type Json, numberAt, stringAt } from './json-line.ts';
import { Heard, streamParser } from './stream-reader.ts';
import { words } from './words.ts';

/** GitHub Copilot CLI. Its output never mentions tokens, its session file does after every answer. */
export const copilot: AgentAdapter = {
  name: 'copilot',
  program: 'copilot',
  versionArgs: ['--version'],
  // COPILOT_GITHUB_TOKEN is a forge token: it reaches the agent only when the configuration allows it by name.
  keyNames: [
    'COPILOT_PROVIDER_API_KEY',
    'COPILOT_PROVIDER_BEARER_TOKEN',
    'COPILOT_PROVIDER_BASE_URL',
    'COPILOT_PROVIDER_TYPE',
    'COPILOT_PROVIDER_WIRE_API',
    'COPILOT_PROVIDER_AZURE_API_VERSION',
    'COPILOT_MODEL',
  ],
  secretNames: ['COPILOT_PROVIDER_API_KEY', 'COPILOT_PROVIDER_BEARER_TOKEN', 'COPILOT_GITHUB_TOKEN'],
  logins: ['.copilot/config.json'],
  ownLimits: { turns: false, budget: false },
  enforcesReadOnly: true,
  noise: [
    '"type":"assistant.message_delta"',
    '"type":"assistant.tool_call_delta"',
    '"type":"assistant.reasoning_delta"',
  ],
  preflight(request, hasLogin) {
    const isLocal = request.baseUrl ?? request.keys['COPILOT_PROVIDER_BASE_URL'];
    if (hasLogin || isLocal || request.keys['COPILOT_GITHUB_TOKEN']) return undefined;
    return (
      'Copilot CLI has no login. Set COPILOT_PROVIDER_BASE_URL and COPILOT_PROVIDER_API_KEY for a provider of your own,' +
      ' or allow the variable COPILOT_GITHUB_TOKEN in the configuration and set it.'
    );
  },
  launch,
  parser,
};

function launch(request: AgentRequest): Launch {
  const { model, resume, home, keys } = request;
  const baseUrl = request.baseUrl ?? keys['COPILOT_PROVIDER_BASE_URL'];
  return {
    args: [
      ...words('--output-format json --no-color --no-auto-update --no-ask-user --disable-builtin-mcps'),
      ...(model ? ['--model', model] : []),
      ...accessArgs(request),
      ...secretArgs(request),
      ...(resume ? [`--resume=${resume}`] : []),
      ...(request.extraArgs ?? []),
    ],
    env: {
      COPILOT_HOME: join(home, '.copilot'),
      COPILOT_AUTO_UPDATE: 'false',
      // Offline it speaks to the given provider and to nobody else.
      ...(baseUrl ? { COPILOT_OFFLINE: 'true', COPILOT_PROVIDER_BASE_URL: baseUrl } : {}),
      ...(baseUrl && model ? { COPILOT_MODEL: model } : {}),
    },
    stdin: request.prompt,
    follow: { folder: '.copilot/session-state', name: /^events\.jsonl$/ },
  };
}

function accessArgs({ access, commands = [], writable = [] }: AgentRequest): string[] {
  switch (access) {
    case 'read-only':
      return ['--deny-tool=write', '--deny-tool=shell'];
    case 'edit':
      return [
        '--allow-tool=write',
        ...commands.map((command) => `--allow-tool=shell(${command}:*)`),
        ...writable.map((folder) => `--add-dir=${folder}`),
      ];
    case 'full':
      return ['--allow-all'];
  }
}

function secretArgs({ keys }: AgentRequest): string[] {
  const names = Object.keys(keys).filter((name) => /KEY|TOKEN|SECRET/.test(name));
  return names.length > 0 ? [`--secret-env-vars=${names.join(',')}`] : [];
}

interface State {
  readonly heard: Heard;
  result: Json | undefined;
  error: Json | undefined;
}

function parser(request: AgentRequest): AgentParser {
  const state: State = { heard: new Heard(request.resume), result: undefined, error: undefined };
  return streamParser(
    (event, source) => (source === 'file' ? readSession(state.heard, event) : read(state, event)),
    (ending) => finish(state, ending),
  );
}

function read(state: State, event: Json): AgentEvent[] {
  const { heard } = state;
  const data = event['data'];
  switch (event['type']) {
    case 'assistant.turn_start':
      return heard.turn();
    case 'assistant.turn_retry':
      return [{ kind: 'retry' }];
    case 'assistant.message': {
      const text = stringAt(data, 'content');
      return text ? heard.answer(text) : [];
    }
    case 'tool.execution_start': {
      const detail = stringAt(data, 'arguments', 'command') ?? stringAt(data, 'arguments', 'path');
      return heard.toolStarted(stringAt(data, 'toolCallId'), stringAt(data, 'toolName'), detail);
    }
    case 'tool.execution_complete':
      return readToolResult(heard, data);
    case 'session.error':
      state.error = event;
      return [{ kind: 'error', message: stringAt(data, 'message') ?? 'an error' }];
    case 'result':
      state.result = event;
      return heard.session(stringAt(event, 'sessionId') ?? heard.sessionId);
    default:
      return [];
  }
}

function readToolResult(heard: Heard, data: unknown): AgentEvent[] {
  const name = heard.toolName(stringAt(data, 'toolCallId')) ?? 'a tool';
  const isDenied = stringAt(data, 'error', 'code') === 'denied';
  return heard.tool(name, isDenied ? 'denied' : at(data, 'success') === true ? 'ok' : 'error');
}

/** One record for each answer of a model; the first line names the session. */
function readSession(heard: Heard, event: Json): AgentEvent[] {
  if (event['type'] === 'session.start') {
    heard.sessionId ??= stringAt(event, 'data', 'sessionId');
    return [];
  }
  if (event['type'] !== 'session.usage_record') return [];
  return heard.used(usageOf(at(event, 'data', 'usage')));
}

function finish(state: State, ending: Ending) {
  // It counts in credits of a plan, which are no dollars.
  const error = stringAt(state.error, 'data', 'message');
  return state.heard.result(resultKind(state, ending), ending, { error });
}

function resultKind({ result, error }: State, { code, stderr }: Ending): ResultKind | undefined {
  if (numberAt(result, 'exitCode') === 0 && code === 0) return 'ok';
  if (error === undefined) return result === undefined && code !== 0 ? failureKind({ stderr }) : undefined;
  const type = stringAt(error, 'data', 'errorType');
  if (type === 'quota' || type === 'quota_exceeded') return 'usage_limit';
  if (type === 'authentication' || type === 'authorization') return 'auth';
  return failureKind({
    status: numberAt(error, 'data', 'statusCode'),
    message: stringAt(error, 'data', 'message'),
  });
}

/** Its input counts the cached part too. */
function usageOf(usage: unknown): Usage {
  const cachedInput = countAt(usage, 'cacheReadTokens');
  return {
    input: Math.max(0, countAt(usage, 'inputTokens') - cachedInput),
    cachedInput,
    output: countAt(usage, 'outputTokens'),
    reasoning: countAt(usage, 'reasoningTokens'),
  };
}
