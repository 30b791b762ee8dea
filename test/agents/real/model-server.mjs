/**
 * A model that follows a script, on loopback. The script is a function of the request alone (how many tool
 * results it holds so far), so that a repeated request gets the same answer:
 *
 *   ({ tools, results, body, format }) => { text } | { tool } | { status, message } | { hang } | { drop }
 *
 * `costOf`: what the nth answer costs. `spent` is the server's own count, by model, of the answers that it gave whole.
 */
import { createServer } from 'node:http';
import { formats, usualCost } from './wire-formats.mjs';

export async function startModelServer(script, costOf = () => usualCost) {
  const requests = [];
  const spent = {};
  let answers = 0;
  const charge = (model, cost) => {
    const sum = (spent[model] ??= { calls: 0, input: 0, cached: 0, output: 0, reasoning: 0 });
    sum.calls += 1;
    for (const [name, tokens] of Object.entries(cost)) sum[name] += tokens;
  };
  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const raw = Buffer.concat(chunks).toString('utf8');
    const path = request.url.split('?')[0];
    const body = parse(raw);
    const format = request.method === 'POST' ? formats.find((one) => one.owns(path)) : undefined;
    if (!format) return sendJson(response, ...aside(path));
    const asked = {
      format: format.name,
      tools: format.tools(body),
      results: format.results(body),
      headers: request.headers,
      body,
      raw,
    };
    requests.push(asked);
    const reply = script(asked);
    if (reply.hang) return;
    if (reply.status)
      return sendJson(
        response,
        reply.status,
        format.error(reply.status, reply.message ?? `scripted ${reply.status}`),
        { 'retry-after': '1', 'retry-after-ms': '1' },
      );
    const model = body.model ?? /models\/([^:]+):/.exec(path)?.[1] ?? 'scripted';
    const cost = costOf((answers += 1));
    if (!reply.drop) charge(model, cost);
    const { whole, events } = format.reply(
      reply.drop ? { text: 'This answer will be cut off in the middle of it.' } : reply,
      { model, cost },
    );
    if (!format.isStream(body, path))
      return reply.drop ? request.socket.destroy() : sendJson(response, 200, whole);
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
    const told = reply.drop ? events.slice(0, Math.ceil(events.length / 2)) : events;
    for (const { event, data } of told) {
      response.write(
        `${event ? `event: ${event}\n` : ''}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`,
      );
    }
    if (reply.drop) setTimeout(() => request.socket.destroy(), 20);
    else response.end();
  });
  // Some clients try a WebSocket first.
  server.on('upgrade', (_, socket) => socket.end('HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n'));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    requests,
    spent,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** What clients ask besides. */
function aside(path) {
  if (path.endsWith('/count_tokens')) return [200, { input_tokens: 100 }];
  if (path.endsWith(':countTokens')) return [200, { totalTokens: 100 }];
  if (path.endsWith('/models'))
    return [
      200,
      {
        object: 'list',
        data: [{ id: 'scripted', object: 'model', created: 0, owned_by: 'test' }],
        models: [],
      },
    ];
  return [404, { error: { message: 'not found', type: 'not_found_error' } }];
}

function sendJson(response, status, body, headers = {}) {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
