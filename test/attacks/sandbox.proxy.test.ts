/**
 * A hostile agent against the model proxy. What is written to it is also written to the provider itself, where the
 * attack works; through the proxy the provider must not see it, and what it costs must count.
 */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { type ModelProxyOptions, startModelProxy } from '../../src/agents/proxy/model-proxy.ts';
import {
  type Answer,
  begun,
  closing,
  ended,
  key,
  piece,
  prices,
  provider,
  stream,
} from '../agents/provider.ts';

const answering: Answer = (response) => stream(response).end(begun(1000) + ended(100));

async function open(answer: Answer = answering, more: Partial<ModelProxyOptions> = {}) {
  const upstream = await provider(answer);
  const proxy = await startModelProxy({
    targets: [{ upstream: upstream.url, key }],
    caps: {},
    prices,
    environment: {},
    ...more,
  });
  closing.push(() => proxy.close());
  return { upstream, proxy, word: proxy.words[0] ?? '' };
}

/** Writes it as it is, and gives what came in answer within a moment. */
async function raw(address: string, text: string): Promise<string> {
  const socket = connect(Number(new URL(address).port), '127.0.0.1');
  let came = '';
  socket.on('error', () => {});
  socket.on('data', (chunk: Buffer) => {
    came += chunk.toString('latin1');
  });
  socket.write(text);
  await Promise.race([once(socket, 'close'), wait(250)]);
  socket.destroy();
  return came;
}

const body = '{"model":"claude-test","stream":true}';
const post = (path: string, word: string, headers = '', content = body) =>
  `POST ${path} HTTP/1.1\r\nHost: model\r\nx-api-key: ${word}\r\n${headers}Content-Length: ${content.length}\r\n\r\n${content}`;

/** What is written with a word, and what the provider must not be asked. */
const beside: readonly (readonly [what: string, text: (word: string) => string, seen: RegExp])[] = [
  ['files', (word) => post('/v1/files', word), /files/],
  ['a batch that nobody counts', (word) => post('/v1/messages/batches', word), /batches/],
  ['keys of the account', (word) => post('/v1/organizations/api_keys', word), /organizations/],
  ['a path behind dots', (word) => post('/v1/messages/../files', word), /files/],
  ['a path behind encoded dots', (word) => post('/v1/messages/%2e%2e/files', word), /files/],
  [
    'a path behind an encoded slash',
    (word) => post('/v1/models/x%2f..%2f..%2ffiles:countTokens', word),
    /files/,
  ],
  ['a path behind two slashes', (word) => post('//v1/files', word), /files/],
  ['a path behind a semicolon', (word) => post('/v1/files;/v1/messages', word), /files/],
  ['a whole address', (word) => post('http://model/v1/files', word), /files/],
  [
    'what deletes',
    (word) => `DELETE /v1/models/mine HTTP/1.1\r\nHost: m\r\nx-api-key: ${word}\r\n\r\n`,
    /DELETE/,
  ],
  [
    'another method in a header',
    (word) => post('/v1/messages', word, 'X-HTTP-Method-Override: DELETE\r\nx-method-override: DELETE\r\n'),
    /method-override/,
  ],
  [
    'another path in a header',
    (word) => post('/v1/messages', word, 'X-Original-URL: /v1/files\r\nX-Rewrite-URL: /v1/files\r\n'),
    /files/,
  ],
  [
    'a host in a header',
    (word) => post('/v1/messages', word).replace('Host: model', 'Host: elsewhere'),
    /elsewhere/,
  ],
  [
    'whom it was sent for',
    (word) => post('/v1/messages', word, 'X-Forwarded-Host: elsewhere\r\n'),
    /elsewhere/,
  ],
  ['a cookie', (word) => post('/v1/messages', word, 'Cookie: session=other\r\n'), /session=other/],
  [
    'a second question behind the first',
    (word) => post('/v1/messages', word) + post('/v1/files', word),
    /files/,
  ],
  [
    'a question inside of a question that tells two lengths',
    (word) =>
      `POST /v1/messages HTTP/1.1\r\nHost: m\r\nx-api-key: ${word}\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${post('/v1/files', word)}`,
    /files/,
  ],
  [
    'a question to be answered later',
    (word) => post('/v1/responses', word, '', '{"model":"m","background":true}'),
    /background/,
  ],
  [
    'another way to talk',
    (word) =>
      `GET /v1/responses HTTP/1.1\r\nHost: m\r\nx-api-key: ${word}\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n`,
    /responses/,
  ],
  [
    'a header that names the key as one to drop',
    (word) => post('/v1/messages', word, 'Connection: x-api-key, keep-alive\r\n'),
    /"connection":"[^"]*x-api-key/,
  ],
  [
    'a body that is packed, so that nobody reads which model it asks',
    (word) => post('/v1/messages', word, 'Content-Encoding: gzip\r\n'),
    /content-encoding/,
  ],
  ['another key in the address', (word) => post('/v1/messages?key=other-key', word), /other-key/],
  [
    'a key of another form',
    (word) => post('/v1/messages', word, 'x-goog-api-key: other-key\r\n'),
    /other-key/,
  ],
  ['a path behind a zero byte', (word) => post('/v1/messages%00/../files', word), /files|%00/],
  ['a path behind a new line', (word) => post('/v1/messages%0d%0aHost:%20x', word), /%0d%0a/],
  ['a path in capitals', (word) => post('/V1/FILES', word), /FILES/],
  ['a path behind a sign for a part', (word) => post('/v1/messages#/../files', word), /files/],
  [
    'a trailer that is another key',
    (word) =>
      `POST /v1/messages HTTP/1.1\r\nHost: m\r\nx-api-key: ${word}\r\nTrailer: x-api-key\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nx-api-key: other\r\n\r\n`,
    /"trailer"/,
  ],
  ['a tunnel', (word) => `CONNECT files:443 HTTP/1.1\r\nHost: m\r\nx-api-key: ${word}\r\n\r\n`, /files/],
];

test.each(beside)('%s: the provider is not asked', async (_, text, seen) => {
  const { upstream, proxy, word } = await open();
  await raw(proxy.address, text(word));
  const asked = () => upstream.asked.map((one) => JSON.stringify(one)).join('\n');
  expect(asked()).not.toMatch(seen);
  // The provider of the tests knows neither tunnels nor lengths that differ; there the attack ends before it.
  if (/a tunnel|two lengths/.test(_)) return;
  await raw(upstream.url, text(key));
  expect(asked()).toMatch(seen);
});

/** Who is not let in at all. */
test.each([
  ['the word of another step', (word: string) => `x-api-key: ${word.replace(/.{8}$/, '00000000')}`],
  ['the word twice', (word: string) => `x-api-key: ${word}\r\nx-api-key: ${word}`],
  ['the word behind something else', (word: string) => `authorization: Bearer other\r\nx-api-key: ${word}`],
  ['the word in the address', () => 'x-none: 1'],
])('%s opens nothing', async (what, headers) => {
  const { upstream, proxy, word } = await open();
  const path = what.endsWith('address') ? `/v1/messages?key=${word}` : '/v1/messages';
  const text = (line: string) =>
    `POST ${path} HTTP/1.1\r\nHost: m\r\n${line}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  expect(await raw(proxy.address, text(headers(word)))).toMatch(/^HTTP\/1.1 401 /);
  expect(upstream.asked).toEqual([]);
  expect(await raw(proxy.address, text(`x-api-key: ${word}`))).toMatch(/^HTTP\/1.1 200 /);
});

test('where the provider sends it elsewhere, the key does not follow', async () => {
  const elsewhere = await provider(answering);
  const { upstream, proxy, word } = await open((response) =>
    response.writeHead(307, { location: `${elsewhere.url}/v1/messages` }).end(),
  );
  const direct = await fetch(`${upstream.url}/v1/messages`, {
    method: 'POST',
    body,
    headers: { 'x-api-key': key },
  });
  expect([direct.status, elsewhere.asked[0]?.headers['x-api-key']]).toEqual([200, key]);
  await fetch(`${proxy.address}/v1/messages`, { method: 'POST', body, headers: { 'x-api-key': word } });
  expect(elsewhere.asked.slice(1).map(({ headers }) => headers['x-api-key'])).toEqual([word]);
});

const path = '/v1/messages';
async function ask(address: string, word: string, content: object, to = path) {
  const text = JSON.stringify({ model: 'claude-test', stream: true, ...content });
  const response = await fetch(`${address}${to}`, {
    method: 'POST',
    body: text,
    headers: { 'x-api-key': word },
  });
  return { status: response.status, text: await response.text() };
}

/** Questions that want to cost nothing; one that is asked honestly costs 0.003 and some. */
const usageMetadata = { promptTokenCount: 1050, cachedContentTokenCount: 50, candidatesTokenCount: 100 };
test.each([
  [
    'a model in the body that is not the one of the address',
    { model: 'free' },
    '/v1beta/models/claude-test:generateContent',
  ],
  [
    'a stream that shall tell no tokens',
    { stream_options: { include_usage: false } },
    '/v1/chat/completions',
  ],
  ['a model without a price', { model: 'newest-and-dearest' }, path],
  ['a name that another one begins with', { model: 'claude-test-2026' }, path],
] as const)('%s counts like any other', async (_, content, to) => {
  const whole = JSON.stringify({
    usageMetadata,
    usage: { prompt_tokens: 1050, prompt_tokens_details: { cached_tokens: 50 }, completion_tokens: 100 },
  });
  const { upstream, proxy, word } = await open(
    (response, { url, body: asked }) => {
      if (url === path) return stream(response).end(begun(1000) + ended(100));
      // This one tells only when it is asked to, as they do.
      const isSilent = asked.includes('"include_usage":false');
      return stream(response).end(isSilent ? 'data: {}\n\n' : `data: ${whole}\n\n`);
    },
    { caps: { usd: 0.005 } },
  );
  expect((await ask(proxy.address, word, {})).status).toBe(200);
  expect((await ask(proxy.address, word, content, to)).status).toBe(200);
  expect((await ask(proxy.address, word, content, to)).status).toBe(403);
  expect(proxy.usage().stopped).toBe('the budget of $0.005 is used up');
  expect(upstream.asked.length).toBe(2);
});

test.each(['before the answer begins', 'when it has begun'])(
  'who goes away %s pays for what the provider was asked',
  async (when) => {
    const { upstream, proxy, word } = await open((response) => {
      if (when !== 'before the answer begins') stream(response).write(begun(1000) + piece('x'.repeat(400)));
    });
    const sent = request(`${proxy.address}${path}`, { method: 'POST', headers: { 'x-api-key': word } });
    sent.on('error', () => {});
    const hasBegun = once(sent, 'response').then(([response]) => once(response as IncomingMessage, 'data'));
    sent.end(JSON.stringify({ model: 'claude-test', stream: true, text: 'x'.repeat(4000) }));
    if (when === 'when it has begun') await hasBegun;
    else hasBegun.catch(() => {});
    const until = async (is: () => boolean) => {
      for (let turn = 0; turn < 500 && !is(); turn += 1) await wait(10);
    };
    await until(() => upstream.asked.length === 1);
    sent.destroy();
    await until(() => proxy.usage().answers === 1);
    expect(proxy.usage()).toMatchObject({ answers: 1, estimated: 1 });
    expect(proxy.usage().usage.input).toBeGreaterThanOrEqual(1000);
  },
);

test('many questions at once do not run far beyond the budget', async () => {
  const seen = { open: 0 };
  const { proxy, word } = await open(
    async (response) => {
      seen.open += 1;
      stream(response).write(begun(100));
      for (let turn = 0; turn < 400 && !response.destroyed; turn += 1) {
        response.write(piece('word '.repeat(80)));
        await wait(2);
      }
      response.end(ended(40_000));
    },
    { caps: { usd: 0.05 } },
  );
  const answers = await Promise.all(
    Array.from({ length: 30 }, () => ask(proxy.address, word, {}).catch(() => null)),
  );
  expect(seen.open).toBeGreaterThan(5);
  expect(answers.some((one) => one?.text.includes('the budget of $0.05 is used up'))).toBe(true);
  expect(proxy.usage().costUsd ?? 0).toBeLessThan(0.1);
});

test.each([
  ['deep', '['.repeat(20 << 20)],
  ['wide', `[${'{},'.repeat(20 << 20)}{}]`],
  ['long and of numbers', `[${'1,'.repeat(31 << 20)}1]`],
])('a question that is %s ends nothing but itself', async (_, text) => {
  const { proxy, word } = await open();
  const content = `{"model":"claude-test","x":${text}}`;
  const send = () =>
    fetch(`${proxy.address}${path}`, { method: 'POST', body: content, headers: { 'x-api-key': word } })
      .then((response) => response.status)
      .catch(() => 0);
  expect(await send()).toBe(400);
  expect((await ask(proxy.address, word, {})).status).toBe(200);
});

/** What a provider, or who answers in its place, may tell to make a question free. */
const tells = (input: string, output: string) =>
  `data: {"type":"message_start","message":{"usage":{"input_tokens":${input},"output_tokens":${output}}}}\n\n`;
test.each([
  ['fewer tokens than none', tells('-1000000', '-1000000')],
  ['tokens as words', tells('"1000"', '"x"')],
  ['no tokens at all', tells('0', '0')],
  ['more tokens than a number holds', tells('1e999', '-1e999')],
  [
    'its count inside of what it says',
    begun(1000) + piece('data: {"usage":{"input_tokens":0}}') + ended(100),
  ],
  ['a smaller count at the end', begun(1000) + ended(100) + ended(0)],
  ['nothing that can be read', 'data: {"type":"message_start","message":{"usage":\n\n'],
])('an answer that tells %s makes nothing cheaper', async (_, told) => {
  let answer = begun(1000) + ended(100);
  const { proxy, word } = await open((response) => stream(response).end(answer));
  await ask(proxy.address, word, {});
  const first = proxy.usage();
  answer = told;
  await ask(proxy.address, word, { text: 'x'.repeat(4000) });
  const { usage, costUsd, answers } = proxy.usage();
  expect(answers).toBe(2);
  expect(usage.input).toBeGreaterThan(first.usage.input);
  expect(usage.output).toBeGreaterThanOrEqual(first.usage.output);
  expect(costUsd ?? 0).toBeGreaterThan(first.costUsd ?? 0);
  expect(Number.isFinite(costUsd)).toBe(true);
});

test('a question that names its model twice costs as the dearest of what it could mean', async () => {
  const { proxy, word } = await open(answering, { prices: { ...prices, cheap: { input: 0, output: 0 } } });
  const send = (body: string) =>
    fetch(`${proxy.address}${path}`, { method: 'POST', body, headers: { 'x-api-key': word } }).then((one) =>
      one.text(),
    );
  await send('{"model":"claude-test","stream":true,"model":"cheap"}');
  await send('{"model":"cheap","stream":true,"m\\u006fdel":"claude-test"}');
  const { costUsd } = proxy.usage();
  // Either is refused, or what the provider is asked is what was counted.
  expect(costUsd === 0 || (costUsd ?? 0) > 0.002).toBe(true);
});
