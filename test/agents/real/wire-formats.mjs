/**
 * The four ways a model is spoken to. A format says which requests are its own, what a request tells (tools
 * offered, tool results so far), and how a reply is written: as JSON, or as server-sent events.
 *
 * A reply is { text } or { tool: { name, input, custom? } }, and costs tokens: all of the input, of which some were
 * cached, and all of the output, of which some was reasoning.
 */
export const usualCost = { input: 1000, cached: 200, output: 50, reasoning: 10 };

let count = 0;
const nextId = (prefix) => `${prefix}_${String((count += 1)).padStart(6, '0')}`;
/** Small pieces, so that clients must put them together. */
const pieces = (text) => text.match(/[\s\S]{1,24}/g) ?? [''];

const messages = {
  name: 'messages',
  owns: (path) => path.endsWith('/messages'),
  isStream: (body) => body.stream === true,
  tools: (body) => (body.tools ?? []).map((tool) => tool.name),
  results: (body) =>
    (body.messages ?? [])
      .flatMap((message) => (Array.isArray(message.content) ? message.content : []))
      .filter((part) => part.type === 'tool_result').length,
  error: (status, message) => {
    const types = {
      400: 'invalid_request_error',
      401: 'authentication_error',
      404: 'not_found_error',
      429: 'rate_limit_error',
      529: 'overloaded_error',
    };
    return { type: 'error', error: { type: types[status] ?? 'api_error', message } };
  },
  reply({ text, tool, filtered }, { model, cost }) {
    const usage = {
      // Here the input leaves out what was cached.
      input_tokens: cost.input - cost.cached,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: cost.cached,
      output_tokens: 1,
    };
    const block = tool
      ? { type: 'tool_use', id: nextId('toolu'), name: tool.name, input: tool.input }
      : { type: 'text', text };
    const stop = filtered ? 'refusal' : tool ? 'tool_use' : 'end_turn';
    const message = {
      id: nextId('msg'),
      type: 'message',
      role: 'assistant',
      model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage,
    };
    const deltas = tool
      ? pieces(JSON.stringify(tool.input)).map((partial_json) => ({ type: 'input_json_delta', partial_json }))
      : pieces(text).map((piece) => ({ type: 'text_delta', text: piece }));
    const events = [
      { type: 'message_start', message },
      {
        type: 'content_block_start',
        index: 0,
        content_block: tool ? { ...block, input: {} } : { type: 'text', text: '' },
      },
      ...deltas.map((delta) => ({ type: 'content_block_delta', index: 0, delta })),
      { type: 'content_block_stop', index: 0 },
      {
        type: 'message_delta',
        delta: { stop_reason: stop, stop_sequence: null },
        usage: { output_tokens: cost.output },
      },
      { type: 'message_stop' },
    ];
    const whole = {
      ...message,
      content: [block],
      stop_reason: stop,
      usage: { ...usage, output_tokens: cost.output },
    };
    return { whole, events: events.map((data) => ({ event: data.type, data })) };
  },
};

const responses = {
  name: 'responses',
  owns: (path) => path.endsWith('/responses'),
  isStream: (body) => body.stream === true,
  tools: (body) => {
    const added = (Array.isArray(body.input) ? body.input : []).flatMap((item) =>
      item.type === 'additional_tools' ? (item.tools ?? []) : [],
    );
    return [...(body.tools ?? []), ...added].flatMap((tool) =>
      tool.type === 'namespace'
        ? (tool.tools ?? []).map((inner) => `${tool.name}.${inner.name}`)
        : [tool.name ?? tool.type],
    );
  },
  results: (body) =>
    (Array.isArray(body.input) ? body.input : []).filter((item) => (item.type ?? '').endsWith('_call_output'))
      .length,
  error: (status, message) => openAiError(status, message),
  reply({ text, tool, filtered }, { model, cost }) {
    const item = tool
      ? {
          type: 'function_call',
          id: nextId('fc'),
          call_id: nextId('call'),
          name: tool.name,
          arguments: JSON.stringify(tool.input),
          status: 'completed',
        }
      : {
          type: 'message',
          id: nextId('msg'),
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text, annotations: [] }],
        };
    const usage = {
      input_tokens: cost.input,
      input_tokens_details: { cached_tokens: cost.cached },
      output_tokens: cost.output,
      output_tokens_details: { reasoning_tokens: cost.reasoning },
      total_tokens: cost.input + cost.output,
    };
    const base = {
      id: nextId('resp'),
      object: 'response',
      created_at: 0,
      model,
      parallel_tool_calls: false,
      tool_choice: 'auto',
      tools: [],
    };
    const ended = filtered
      ? { status: 'incomplete', incomplete_details: { reason: 'content_filter' } }
      : { status: 'completed' };
    const whole = { ...base, ...ended, output: [item], usage };
    const place = { item_id: item.id, output_index: 0 };
    const part = { type: 'output_text', text: '', annotations: [] };
    const middle = tool
      ? [
          {
            type: 'response.output_item.added',
            output_index: 0,
            item: { ...item, status: 'in_progress', arguments: '' },
          },
          ...pieces(item.arguments).map((delta) => ({
            type: 'response.function_call_arguments.delta',
            ...place,
            delta,
          })),
          { type: 'response.function_call_arguments.done', ...place, arguments: item.arguments },
        ]
      : [
          {
            type: 'response.output_item.added',
            output_index: 0,
            item: { ...item, status: 'in_progress', content: [] },
          },
          { type: 'response.content_part.added', ...place, content_index: 0, part },
          ...pieces(text).map((delta) => ({
            type: 'response.output_text.delta',
            ...place,
            content_index: 0,
            delta,
          })),
          { type: 'response.output_text.done', ...place, content_index: 0, text },
          { type: 'response.content_part.done', ...place, content_index: 0, part: { ...part, text } },
        ];
    const events = [
      { type: 'response.created', response: { ...base, status: 'in_progress', output: [], usage: null } },
      ...middle,
      { type: 'response.output_item.done', output_index: 0, item },
      { type: filtered ? 'response.incomplete' : 'response.completed', response: whole },
    ];
    return {
      whole,
      events: events.map((data, index) => ({ event: data.type, data: { sequence_number: index, ...data } })),
    };
  },
};

const chat = {
  name: 'chat',
  owns: (path) => path.endsWith('/chat/completions'),
  isStream: (body) => body.stream === true,
  tools: (body) => (body.tools ?? []).map((tool) => tool.function?.name),
  results: (body) => (body.messages ?? []).filter((message) => message.role === 'tool').length,
  error: (status, message) => openAiError(status, message),
  reply({ text, tool, filtered }, { model, cost }) {
    const base = { id: nextId('chatcmpl'), created: 0, model };
    const usage = {
      prompt_tokens: cost.input,
      completion_tokens: cost.output,
      total_tokens: cost.input + cost.output,
      prompt_tokens_details: { cached_tokens: cost.cached },
      completion_tokens_details: { reasoning_tokens: cost.reasoning },
    };
    const call = tool && {
      id: nextId('call'),
      type: 'function',
      function: { name: tool.name, arguments: JSON.stringify(tool.input) },
    };
    const finish_reason = filtered ? 'content_filter' : tool ? 'tool_calls' : 'stop';
    const message = { role: 'assistant', content: text ?? null, ...(call ? { tool_calls: [call] } : {}) };
    const whole = {
      ...base,
      object: 'chat.completion',
      choices: [{ index: 0, finish_reason, message }],
      usage,
    };
    const chunk = (delta, reason = null) => ({
      ...base,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, finish_reason: reason }],
    });
    const middle = tool
      ? [
          chunk({
            tool_calls: [
              { index: 0, id: call.id, type: 'function', function: { name: tool.name, arguments: '' } },
            ],
          }),
          ...pieces(call.function.arguments).map((part) =>
            chunk({ tool_calls: [{ index: 0, function: { arguments: part } }] }),
          ),
        ]
      : pieces(text).map((content) => chunk({ content }));
    const end = { ...base, object: 'chat.completion.chunk', choices: [], usage };
    const events = [
      chunk({ role: 'assistant', content: tool ? null : '' }),
      ...middle,
      chunk({}, finish_reason),
      end,
      '[DONE]',
    ];
    return { whole, events: events.map((data) => ({ data })) };
  },
};

const generateContent = {
  name: 'generateContent',
  owns: (path) => /:(streamGenerateContent|generateContent)$/.test(path),
  isStream: (_, path) => path.includes(':stream'),
  tools: (body) =>
    (body.tools ?? []).flatMap((tool) => (tool.functionDeclarations ?? []).map((one) => one.name)),
  results: (body) =>
    (body.contents ?? []).flatMap((content) => content.parts ?? []).filter((part) => part.functionResponse)
      .length,
  error: (status, message) => {
    const names = {
      400: 'INVALID_ARGUMENT',
      401: 'UNAUTHENTICATED',
      404: 'NOT_FOUND',
      429: 'RESOURCE_EXHAUSTED',
      500: 'INTERNAL',
      503: 'UNAVAILABLE',
    };
    return { error: { code: status, message, status: names[status] ?? 'UNKNOWN' } };
  },
  reply({ text, tool, filtered }, { model, cost }) {
    const usageMetadata = {
      promptTokenCount: cost.input,
      // Here thoughts are no part of the answer.
      candidatesTokenCount: cost.output - cost.reasoning,
      thoughtsTokenCount: cost.reasoning,
      totalTokenCount: cost.input + cost.output,
      cachedContentTokenCount: cost.cached,
    };
    const make = (parts, finishReason) => ({
      candidates: [
        { index: 0, content: { role: 'model', parts }, ...(finishReason ? { finishReason } : {}) },
      ],
      usageMetadata,
      modelVersion: model,
      responseId: nextId('response'),
    });
    if (tool) {
      const whole = make(
        [
          {
            functionCall: { id: nextId('fc'), name: tool.name, args: tool.input },
            thoughtSignature: 'c2NyaXB0ZWQ=',
          },
        ],
        'STOP',
      );
      return { whole, events: [{ data: whole }] };
    }
    const end = filtered ? 'SAFETY' : 'STOP';
    const parts = pieces(text);
    const events = parts.map((piece, index) => ({
      data: make([{ text: piece }], index === parts.length - 1 ? end : undefined),
    }));
    return { whole: make([{ text }], end), events };
  },
};

function openAiError(status, message) {
  const codes = {
    400: 'context_length_exceeded',
    401: 'invalid_api_key',
    404: 'model_not_found',
    429: 'rate_limit_exceeded',
    500: 'server_error',
    503: 'server_overloaded',
  };
  const type =
    status === 401 ? 'invalid_request_error' : status === 429 ? 'rate_limit_error' : 'server_error';
  return { error: { message, type, param: null, code: codes[status] ?? null } };
}

export const formats = [messages, responses, chat, generateContent];
