/** A provider of models for tests: it answers as it is told, in the events of Anthropic's API. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach } from '@jest/globals';

export const key = 'sk-ant-REAL-key-0123456789';
export const prices = {
  'claude-test': { input: 2, cached_input: 1, output: 10 },
  scripted: { input: 2, cached_input: 1, output: 10 },
};
/** What to do when a test is over. */
export const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

export interface Asked {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export type Answer = (response: ServerResponse, asked: Asked) => unknown;

/** A provider that answers as it is told, and remembers what it was asked. */
export async function provider(answer: Answer) {
  const asked: Asked[] = [];
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const { method = '', url = '', headers } = request;
    const one = { method, url, headers, body: Buffer.concat(chunks).toString() };
    asked.push(one);
    await answer(response, one);
  };
  const server = createServer((request, response) => void take(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(
    () => server.closeAllConnections(),
    () => server.close(),
  );
  return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const event = (data: object) => `event: x\ndata: ${JSON.stringify(data)}\n\n`;
export const begun = (input: number) =>
  event({
    type: 'message_start',
    message: { usage: { input_tokens: input, cache_read_input_tokens: 50, output_tokens: 1 } },
  });
export const piece = (text: string) =>
  event({ type: 'content_block_delta', delta: { type: 'text_delta', text } });
export const ended = (output: number) => event({ type: 'message_delta', usage: { output_tokens: output } });
export const stream = (response: ServerResponse) =>
  response.writeHead(200, { 'content-type': 'text/event-stream' });
