/**
 * The four APIs that agents use to ask a model: their paths, where each reports the tokens used, and how
 * each ends an answer early with an error. The proxy refuses all other paths.
 */
import type { Usage } from '../../core/policy/cost.ts';
import { usageWithCache } from '../adapters/agent-stream.ts';
import { asObject, at, countAt, type Json, listAt, stringAt } from '../adapters/json-line.ts';

export interface ModelApi {
  readonly path: RegExp;
  /** The tokens of the answer so far, from one event or the whole answer; undefined where there are none. */
  readonly usage: (data: Json) => Usage | undefined;
  /** The new text in one event, in whatever structure the API uses. */
  readonly piece: (data: Json) => unknown;
  /** The last event of an answer that the proxy cuts off. */
  readonly cut: (message: string) => { readonly event?: string; readonly data: Json };
}

const version = String.raw`^(?:/v\d\w{0,10})?`;

const messages: ModelApi = {
  path: new RegExp(`${version}/messages$`),
  usage: (data) => {
    const usage = at(data, 'message', 'usage') ?? data['usage'];
    if (!usage) return undefined;
    const created = countAt(usage, 'cache_creation_input_tokens');
    return {
      input: countAt(usage, 'input_tokens') + created,
      cachedInput: countAt(usage, 'cache_read_input_tokens'),
      ...(created > 0 ? { cacheWrite: created } : {}),
      output: countAt(usage, 'output_tokens'),
      reasoning: 0,
    };
  },
  piece: (data) => data['delta'],
  cut: (message) => ({ event: 'error', data: refusal(message) }),
};

const responses: ModelApi = {
  path: new RegExp(`${version}/responses(?:/compact)?$`),
  usage: (data) => {
    const usage = at(data, 'response', 'usage') ?? data['usage'];
    if (!usage) return undefined;
    return usageWithCache(
      countAt(usage, 'input_tokens'),
      countAt(usage, 'input_tokens_details', 'cached_tokens'),
      countAt(usage, 'output_tokens'),
      countAt(usage, 'output_tokens_details', 'reasoning_tokens'),
    );
  },
  piece: (data) => data['delta'],
  cut: (message) => {
    // Of the error codes that clients know, this is the one where they neither retry nor replace the message.
    const response = { status: 'failed', error: { code: 'invalid_prompt', message } };
    return { event: 'response.failed', data: { type: 'response.failed', response } };
  },
};

const chat: ModelApi = {
  path: new RegExp(`${version}/chat/completions$`),
  usage: (data) => {
    const usage = data['usage'];
    if (!usage) return undefined;
    return usageWithCache(
      countAt(usage, 'prompt_tokens'),
      countAt(usage, 'prompt_tokens_details', 'cached_tokens') || countAt(usage, 'prompt_cache_hit_tokens'),
      countAt(usage, 'completion_tokens'),
      countAt(usage, 'completion_tokens_details', 'reasoning_tokens'),
    );
  },
  piece: (data) => listAt(data, 'choices').map((choice) => at(choice, 'delta')),
  cut: (message) => ({ data: refusal(message) }),
};

const gemini: ModelApi = {
  path: new RegExp(`${version}/models/[\\w.-]{1,200}:(?:stream)?[gG]enerateContent$`),
  usage: (data) => {
    const usage = data['usageMetadata'];
    if (!usage) return undefined;
    const reasoning = countAt(usage, 'thoughtsTokenCount');
    return usageWithCache(
      countAt(usage, 'promptTokenCount') + countAt(usage, 'toolUsePromptTokenCount'),
      countAt(usage, 'cachedContentTokenCount'),
      countAt(usage, 'candidatesTokenCount') + reasoning,
      reasoning,
    );
  },
  piece: (data) => listAt(data, 'candidates').map((candidate) => at(candidate, 'content', 'parts')),
  cut: (message) => ({ data: refusal(message) }),
};

const apis: readonly ModelApi[] = [messages, responses, chat, gemini];

/** Requests that cost nothing: lists of models, and counting tokens. */
const free: Readonly<Record<string, RegExp>> = {
  GET: new RegExp(`${version}/models(?:/[\\w.:-]{1,200})?$`),
  POST: new RegExp(`${version}/(?:messages/count_tokens|models/[\\w.-]{1,200}:countTokens)$`),
};

/** Undefined for a request that is neither a question to a model nor free. */
export function routeOf(method: string, path: string): ModelApi | 'free' | undefined {
  if (free[method]?.test(path)) return 'free';
  return method === 'POST' ? apis.find((api) => api.path.test(path)) : undefined;
}

/**
 * Reads the model from a question, and makes a streamed answer report its usage. Undefined when the body is
 * invalid or asks for a background answer, which is fetched later and so cannot be counted.
 */
export function readQuestion(
  api: ModelApi,
  path: string,
  body: Buffer,
): { readonly model: string | undefined; readonly body: Buffer } | undefined {
  try {
    if (hasManyParts(body)) return undefined;
    const asked: unknown = JSON.parse(body.toString('utf8'));
    if (!asObject(asked) || at(asked, 'background') === true) return undefined;
    // If the path names the model, the model in the body has no effect.
    const model = /\/models\/([^/:]+):/.exec(path)?.[1] ?? stringAt(asked, 'model');
    const isStream = api === chat && at(asked, 'stream') === true;
    const counted = isStream
      ? { stream_options: { ...asObject(at(asked, 'stream_options')), include_usage: true } }
      : {};
    // The body is written again, so that the provider reads exactly what was checked here.
    return { model, body: Buffer.from(JSON.stringify({ ...asObject(asked), ...counted })) };
  } catch {
    return undefined;
  }
}

/** Parsing two million parts would block this program for seconds. Images are long but have few parts. */
const partsMax = 1_000_000;

function hasManyParts(body: Buffer): boolean {
  let left = partsMax;
  for (const mark of ',[{')
    for (let found = body.indexOf(mark); found >= 0 && left > 0; found = body.indexOf(mark, found + 1))
      left -= 1;
  return left === 0;
}

/** An error in a form that all clients understand: each looks for other fields of it. */
export function refusal(why: string, status = 403, type = 'permission_error'): Json {
  return { type: 'error', error: { type, message: why, code: status, status: type.toUpperCase() } };
}
