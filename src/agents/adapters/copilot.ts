import { dirname, join } from 'node:path';
import type { Usage } from '../../core/policy/cost.ts';
import type { ResultKind } from '../../core/policy/endings.ts';
import type { AgentAdapter, AgentEvent, AgentRequest, Ending, Launch } from '../agents.ts';
import { AgentStream, usageWithCache } from './agent-stream.ts';
import { failureKind } from './build-result.ts';
import { at, countAt, type Json, numberAt, stringAt } from './json-line.ts';

/** GitHub Copilot CLI. Its output never mentions tokens; its session file reports them after every answer. */
export const copilot: AgentAdapter = {
  name: 'copilot',
  program: 'copilot',
  tellsVersion: true,
  writesAnswer: true,
  // COPILOT_GITHUB_TOKEN is left out because it is a forge token. The configuration must allow it by name.
  keyNames: [
    'COPILOT_PROVIDER_API_KEY',
    'COPILOT_PROVIDER_BEARER_TOKEN',
    'COPILOT_PROVIDER_BASE_URL',
    'COPILOT_PROVIDER_TYPE',
    'COPILOT_PROVIDER_WIRE_API',
    'COPILOT_PROVIDER_AZURE_API_VERSION',
    'COPILOT_MODEL',
  ],
  secretNames: ['COPILOT_PROVIDER_BASE_URL', 'COPILOT_GITHUB_TOKEN'],
  logins: ['.copilot/config.json'],
  ownLimits: { turns: false, budget: false },
  noise: [
    '"type":"assistant.message_delta"',
    '"type":"assistant.tool_call_delta"',
    '"type":"assistant.reasoning_delta"',
  ],
  missing:
    'Copilot CLI has no login. Set COPILOT_PROVIDER_BASE_URL and COPILOT_PROVIDER_API_KEY for a provider of your own,' +
    ' or allow the variable COPILOT_GITHUB_TOKEN in the configuration and set it.',
  holding: (keys) => {
    const upstream = keys['COPILOT_PROVIDER_BASE_URL'];
    if (!upstream)
      return keys['COPILOT_GITHUB_TOKEN'] ? { why: 'COPILOT_GITHUB_TOKEN is a login' } : undefined;
    if (keys['COPILOT_PROVIDER_TYPE'] === 'azure') return { why: 'Azure has addresses of its own' };
    const token = keys['COPILOT_PROVIDER_BEARER_TOKEN'];
    const key = token || keys['COPILOT_PROVIDER_API_KEY'];
    const variables = (address: string, [word]: readonly string[]) => ({
      COPILOT_PROVIDER_BASE_URL: address,
      COPILOT_PROVIDER_BEARER_TOKEN: token ? word : undefined,
      COPILOT_PROVIDER_API_KEY: token ? undefined : word,
    });
    return key ? { targets: [{ upstream, key }], variables } : undefined;
  },
  launch,
  parser: (request) => new CopilotStream(request),
};

function launch(request: AgentRequest): Launch {
  const { model, resume, home, keys } = request;
  const baseUrl = keys['COPILOT_PROVIDER_BASE_URL'];
  return {
    args: [
      ...'--output-format json --no-color --no-auto-update --no-ask-user --disable-builtin-mcps'.split(' '),
      ...(model ? ['--model', model] : []),
      ...accessArgs(request),
      ...secretArgs(request),
      ...(resume ? [`--resume=${resume}`] : []),
    ],
    env: {
      COPILOT_HOME: join(home, '.copilot'),
      COPILOT_AUTO_UPDATE: 'false',
      // With COPILOT_OFFLINE it contacts only the configured provider.
      ...(baseUrl ? { COPILOT_OFFLINE: 'true' } : {}),
      ...(baseUrl && model ? { COPILOT_MODEL: model } : {}),
    },
    stdin: request.prompt,
    follow: { folder: '.copilot/session-state', name: /^events\.jsonl$/ },
  };
}

function accessArgs({ access, writable = [], answerFile }: AgentRequest): string[] {
  switch (access) {
    case 'read-only':
      // Any tool without an allow rule is refused, because there is nobody to ask.
      return answerFile === undefined
        ? ['--deny-tool=write', '--deny-tool=shell']
        : [`--allow-tool=write(${answerFile})`, '--deny-tool=shell', `--add-dir=${dirname(answerFile)}`];
    case 'edit':
      return ['--allow-tool=write', ...writable.map((folder) => `--add-dir=${folder}`)];
    case 'full':
      return ['--allow-all'];
  }
}

function secretArgs({ keys }: AgentRequest): string[] {
  const names = Object.keys(keys).filter((name) => /KEY|TOKEN|SECRET/.test(name));
  return names.length > 0 ? [`--secret-env-vars=${names.join(',')}`] : [];
}

class CopilotStream extends AgentStream {
  protected override sessionId = this.request.resume;
  #result: Json | undefined;
  #failure: unknown;

  protected read(event: Json): AgentEvent[] {
    const data = event['data'];
    switch (event['type']) {
      case 'assistant.turn_start':
        return this.turn();
      case 'assistant.turn_retry':
        return [{ kind: 'retry' }];
      case 'assistant.message': {
        const text = stringAt(data, 'content');
        return text ? this.answered(text) : [];
      }
      case 'tool.execution_start':
        return this.toolStarted(
          stringAt(data, 'toolCallId'),
          stringAt(data, 'toolName'),
          at(data, 'arguments'),
        );
      case 'tool.execution_complete':
        return this.#toolResult(data);
      case 'session.error':
        this.#failure = data ?? {};
        return this.failed(stringAt(data, 'message'));
      case 'result':
        this.#result = event;
        return this.started(stringAt(event, 'sessionId') ?? this.sessionId);
      default:
        return [];
    }
  }

  #toolResult(data: unknown): AgentEvent[] {
    const name = this.toolName(stringAt(data, 'toolCallId')) ?? 'a tool';
    const isDenied = stringAt(data, 'error', 'code') === 'denied';
    return this.tool(name, isDenied ? 'denied' : at(data, 'success') === true ? 'ok' : 'error');
  }

  /** The session file has one usage record for each answer of a model; its first line names the session. */
  protected override readFile(event: Json): AgentEvent[] {
    if (event['type'] === 'session.start') {
      this.sessionId ??= stringAt(event, 'data', 'sessionId');
      return [];
    }
    if (event['type'] !== 'session.usage_record') return [];
    // The record counts cost in credits of a plan, not in dollars.
    const usage = at(event, 'data', 'usage');
    const by = { model: stringAt(usage, 'model') };
    const call = stringAt(usage, 'apiCallId');
    return call === undefined ? this.used(usageOf(usage), by) : this.counted(call, usageOf(usage), by);
  }

  protected kind({ code, stderr }: Ending): ResultKind | undefined {
    const failure = this.#failure;
    if (numberAt(this.#result, 'exitCode') === 0 && code === 0) return 'ok';
    if (failure === undefined)
      return this.#result === undefined && code !== 0 ? failureKind({ stderr }) : undefined;
    const type = stringAt(failure, 'errorType');
    if (type === 'quota' || type === 'quota_exceeded') return 'usage_limit';
    if (type === 'authentication' || type === 'authorization') return 'auth';
    return failureKind({ status: numberAt(failure, 'statusCode'), message: stringAt(failure, 'message') });
  }
}

function usageOf(usage: unknown): Usage {
  const count = (name: string) => countAt(usage, name);
  return usageWithCache(
    count('inputTokens'),
    count('cacheReadTokens'),
    count('outputTokens'),
    count('reasoningTokens'),
  );
}
