/**
 * The four ways in which agents ask a model: their paths, where each tells the tokens that it used, and how each
 * says in the middle of an answer that it ends here. What is no such path does not get through the proxy.
 */
import type { Usage } from '../../core/policy/cost.ts';
import { usageWithCache } from '../adapters/agent-stream.ts';
import { asObject, at, countAt, type Json, listAt, stringAt } from '../adapters/json-line.ts';

export interface ModelApi {
  readonly path: RegExp;
  /** Tokens of the answer so far, from one event or from the whole of it; undefined where it tells none. */
  readonly usage: (data: Json) => Usage | undefined;
  /** The new text in one event, in any shape. */
  readonly piece: (data: Json) => unknown;
  /** The last event of an answer that is cut. */
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
    // Of the codes that clients know, the one after which they neither ask again nor put words of their own.
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

/** What costs nothing: lists of models, and counting tokens. */
const free: Readonly<Record<string, RegExp>> = {
  GET: new RegExp(`${version}/models(?:/[\\w.:-]{1,200})?$`),
  POST: new RegExp(`${version}/(?:messages/count_tokens|models/[\\w.-]{1,200}:countTokens)$`),
};

/** Undefined for what is neither a question to a model nor free. */
export function routeOf(method: string, path: string): ModelApi | 'free' | undefined {
  if (free[method]?.test(path)) return 'free';
  return method === 'POST' ? apis.find((api) => api.path.test(path)) : undefined;
}

/**
 * What a question says: its model, and its bytes, of which a stream is asked to tell what it used. A question whose
 * answer would be fetched later is none that can be counted.
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
    // Where the path names it, what stands in the body is nobody's.
    const model = /\/models\/([^/:]+):/.exec(path)?.[1] ?? stringAt(asked, 'model');
    const isStream = api === chat && at(asked, 'stream') === true;
    const counted = isStream
      ? { stream_options: { ...asObject(at(asked, 'stream_options')), include_usage: true } }
      : {};
    // Written anew, so that what was read here is what is read there.
    return { model, body: Buffer.from(JSON.stringify({ ...asObject(asked), ...counted })) };
  } catch {
    return undefined;
  }
}

/** Two million would be read for seconds, in which this program does nothing else; pictures are long, and have none. */
const partsMax = 1_000_000;

function hasManyParts(body: Buffer): boolean {
  let left = partsMax;
  for (const mark of ',[{')
    for (let found = body.indexOf(mark); found >= 0 && left > 0; found = body.indexOf(mark, found + 1))
      left -= 1;
  return left === 0;
}

/** The form in which every one of them tells an error: clients look for other parts of it. */
export function refusal(why: string, status = 403, type = 'permission_error'): Json {
  return { type: 'error', error: { type, message: why, code: status, status: type.toUpperCase() } };
}
