import { dirname, join, relative } from 'node:path';
import type { Usage } from '../../core/policy/cost.ts';
import type { ResultKind } from '../../core/policy/endings.ts';
import type { Access, AgentAdapter, AgentEvent, AgentRequest, Ending, Launch } from '../agents.ts';
import { placePrompt } from '../agents.ts';
import { AgentStream, isoTime } from './agent-stream.ts';
import { failureKind, type Outcome } from './build-result.ts';
import { at, countAt, type Json, numberAt, stringAt } from './json-line.ts';

/** The prefix of each provider's variables, OpenCode's id for the provider, and its base URL. */
const providers: Readonly<Record<string, readonly [id: string, baseUrl: string]>> = {
  ANTHROPIC: ['anthropic', 'https://api.anthropic.com/v1'],
  OPENAI: ['openai', 'https://api.openai.com/v1'],
  OPENROUTER: ['openrouter', 'https://openrouter.ai/api/v1'],
  OPENCODE: ['opencode', 'https://opencode.ai/zen/v1'],
  GEMINI: ['google', 'https://generativelanguage.googleapis.com/v1beta'],
  GOOGLE_GENERATIVE_AI: ['google', 'https://generativelanguage.googleapis.com/v1beta'],
  GROQ: ['groq', 'https://api.groq.com/openai/v1'],
  MISTRAL: ['mistral', 'https://api.mistral.ai/v1'],
  XAI: ['xai', 'https://api.x.ai/v1'],
  DEEPSEEK: ['deepseek', 'https://api.deepseek.com'],
};

/** OpenCode has no terminal event: a run ends with the reason of its last step, or with a later error. */
export const opencode: AgentAdapter = {
  name: 'opencode',
  program: 'opencode',
  tellsVersion: true,
  writesAnswer: true,
  keyNames: Object.keys(providers).flatMap((name) => [`${name}_API_KEY`, `${name}_BASE_URL`]),
  secretNames: [],
  logins: ['.local/share/opencode/auth.json'],
  ownLimits: { turns: false, budget: false },
  noise: [],
  // Some of its models need no key, so a missing key shows only in the answer.
  missing: undefined,
  holding: (keys) => {
    const names = Object.keys(providers).filter((name) => keys[`${name}_API_KEY`]);
    const targets = names.map((name) => ({
      upstream: baseUrlOf(name, keys),
      key: keys[`${name}_API_KEY`] ?? '',
    }));
    const variables = (address: string, words: readonly string[]) =>
      Object.fromEntries(
        names.flatMap((name, index) => [
          [`${name}_API_KEY`, words[index]],
          [`${name}_BASE_URL`, address],
        ]),
      );
    return names.length === 0 ? undefined : { targets, variables };
  },
  launch,
  parser: (request) => new OpencodeStream(request),
};

function baseUrlOf(name: string, keys: AgentRequest['keys']): string {
  const own = keys[`${name}_BASE_URL`];
  const [, usual = ''] = providers[name] ?? [];
  if (own === undefined) return usual;
  // The Anthropic SDK expects a base URL that ends in /v1. Claude Code's variable of the same name does not.
  return name === 'ANTHROPIC' && !/\/v\d\w*\/?$/.test(own) ? `${own.replace(/\/+$/, '')}/v1` : own;
}

function launch(request: AgentRequest): Launch {
  const { model, resume, access, keys } = request;
  const { promptArgs, stdin } = placePrompt(request);
  const elsewhere = Object.entries(providers).flatMap(([name, [id]]) => {
    if (!keys[`${name}_BASE_URL`]) return [];
    // OpenCode finds no key by itself for a provider whose key can have two names, so the settings name it.
    const apiKey = keys[`${name}_API_KEY`] ? { apiKey: `{env:${name}_API_KEY}` } : {};
    return [[id, { options: { baseURL: baseUrlOf(name, keys), ...apiKey } }] as const];
  });
  const settings = {
    $schema: 'https://opencode.ai/config.json',
    autoupdate: false,
    share: 'disabled',
    permission: { ...permissions[access], ...answerRule(request) },
    ...(elsewhere.length > 0 ? { provider: Object.fromEntries(elsewhere) } : {}),
  };
  return {
    args: [
      // Without --title, it asks a model for a title and does not report what that cost.
      ...'run --format json --title gza'.split(' '),
      ...(model ? ['-m', model] : []),
      ...(access === 'read-only' ? [] : ['--auto']),
      ...(resume ? ['--session', resume] : []),
      ...promptArgs,
    ],
    env: {
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      OPENCODE_CONFIG_CONTENT: JSON.stringify(settings),
    },
    stdin,
  };
}

const permissions: Record<Access, Json> = {
  // OpenCode's shell rules do not notice redirections, so read-only access has no shell at all.
  'read-only': { '*': 'allow', edit: 'deny', bash: 'deny', task: 'deny', external_directory: 'deny' },
  edit: { '*': 'allow', bash: { '*': 'deny' }, external_directory: 'deny' },
  full: { '*': 'allow' },
};

/** OpenCode's edit rules need paths relative to the work tree. */
function answerRule({ cwd, access, answerFile }: AgentRequest): Json {
  if (access !== 'read-only' || answerFile === undefined) return {};
  return {
    edit: { '*': 'deny', [relative(cwd, answerFile)]: 'allow' },
    external_directory: { '*': 'deny', [join(dirname(answerFile), '*')]: 'allow' },
  };
}

class OpencodeStream extends AgentStream {
  /** The reason of the last finished step; cleared when an error follows. */
  #reason: string | undefined;
  #failure: Json | undefined;

  protected read(event: Json): AgentEvent[] {
    const session = this.sessionId === undefined ? this.started(stringAt(event, 'sessionID')) : [];
    return [...session, ...this.#part(event, event['part'])];
  }

  #part(event: Json, part: unknown): AgentEvent[] {
    switch (event['type']) {
      case 'step_start':
        this.#reason = undefined;
        return this.turn();
      case 'text':
        return this.answered(stringAt(part, 'text'));
      case 'tool_use':
        return this.#tool(part);
      case 'step_finish': {
        this.#reason = stringAt(part, 'reason') ?? 'unknown';
        this.#failure = undefined;
        this.error = undefined;
        // OpenCode reports a cost of 0 for a model without a known price. That does not count as a cost.
        const costUsd = countAt(part, 'cost');
        const usage = usageOf(at(part, 'tokens'));
        const id = stringAt(part, 'id');
        return id === undefined ? this.used(usage, { costUsd }) : this.counted(id, usage, { costUsd });
      }
      case 'error':
        this.#failure = event;
        this.#reason = undefined;
        return this.failed(errorMessage(event));
      default:
        return [];
    }
  }

  #tool(part: unknown): AgentEvent[] {
    const state = at(part, 'state');
    const isDenied = /rejected permission|prevents you from using/.test(stringAt(state, 'error') ?? '');
    const phase = isDenied ? 'denied' : stringAt(state, 'status') === 'error' ? 'error' : 'ok';
    return this.tool(stringAt(part, 'tool') ?? 'a tool', phase, at(state, 'input'));
  }

  protected kind({ code, stderr }: Ending): ResultKind | undefined {
    const failure = this.#failure;
    if (failure) {
      const message = `${stringAt(failure, 'error', 'name') ?? ''} ${errorMessage(failure)}`;
      return failureKind({ status: numberAt(failure, 'error', 'data', 'statusCode'), message });
    }
    switch (this.#reason) {
      case 'stop':
        return 'ok';
      case 'length':
        return 'truncated';
      case 'content-filter':
        return 'refused';
      case 'tool-calls':
        return this.denials.length > 0 ? 'denied' : undefined;
      case undefined:
        return code === 0 ? undefined : failureKind({ stderr });
      default:
        return undefined;
    }
  }

  protected override outcome(_kind: ResultKind | undefined, { now }: Ending): Partial<Outcome> {
    return {
      resetAt: this.#failure && retryAfter(this.#failure, now),
    };
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

/** OpenCode counts reasoning apart from output; gza includes it in output. */
function usageOf(tokens: unknown): Usage {
  const reasoning = countAt(tokens, 'reasoning');
  return {
    input: countAt(tokens, 'input') + countAt(tokens, 'cache', 'write'),
    cachedInput: countAt(tokens, 'cache', 'read'),
    output: countAt(tokens, 'output') + reasoning,
    reasoning,
  };
}
