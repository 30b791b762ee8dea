/** The model proxy over real HTTP: what reaches the provider, what comes back, what is counted, and where it ends. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { type ModelProxyOptions, startModelProxy } from '../../src/agents/proxy/model-proxy.ts';
import { begun, closing, ended, key, piece, prices, provider, stream } from './provider.ts';

async function proxy(upstream: string, more: Partial<ModelProxyOptions> = {}) {
  const stops: string[] = [];
  const started = await startModelProxy({
    targets: [{ upstream, key }],
    caps: {},
    prices,
    environment: {},
    onStop: (why) => stops.push(why),
    ...more,
  });
  closing.push(() => started.close());
  return { ...started, word: started.words[0] ?? '', stops };
}

interface Question {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

async function ask(address: string, word: string, question: Question = {}) {
  const { method = 'POST', path = '/v1/messages', headers = { 'x-api-key': word } } = question;
  const body = question.body ?? JSON.stringify({ model: 'claude-test', stream: true });
  const sent = request(`${address}${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
  });
  sent.on('error', () => {});
  sent.end(method === 'POST' ? body : undefined);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  let text = '';
  let isWhole = true;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) text += chunk.toString('latin1');
  } catch {
    isWhole = false;
  }
  return {
    status: response.statusCode,
    headers: response.headers,
    text: Buffer.from(text, 'latin1').toString(),
    isWhole,
  };
}

const { formats } = (await import(new URL('real/wire-formats.mjs', import.meta.url).href)) as {
  formats: {
    name: string;
    reply: (reply: object, about: object) => { whole: object; events: { event?: string; data: unknown }[] };
  }[];
};
const paths: Record<string, string> = {
  messages: '/v1/messages',
  responses: '/v1/responses',
  chat: '/v1/chat/completions',
  generateContent: '/v1beta/models/scripted:streamGenerateContent?alt=sse',
};
const cost = { input: 1000, cached: 200, output: 50, reasoning: 10 };

test.each(
  formats.flatMap(({ name }) => [
    [name, 'stream'],
    [name, 'whole'],
  ]),
)(
  'an answer of %s as a %s comes as it is, is counted to the token, and only the provider sees the key',
  async (name, form) => {
    const format = formats.find((one) => one.name === name);
    const { whole, events } = format?.reply(
      { text: 'Grüße, 日本 and so on and on.' },
      { model: 'scripted', cost },
    ) ?? { whole: {}, events: [] };
    const printed = events
      .map(
        (one) =>
          `${one.event ? `event: ${one.event}\n` : ''}data: ${typeof one.data === 'string' ? one.data : JSON.stringify(one.data)}\n\n`,
      )
      .join('');
    const text = form === 'stream' ? printed : JSON.stringify(whole);
    const upstream = await provider(async (response) => {
      response.writeHead(200, {
        'content-type': form === 'stream' ? 'text/event-stream' : 'application/json',
      });
      // Cut anywhere, also inside a letter.
      const bytes = Buffer.from(text);
      for (let at = 0; at < bytes.length; at += 97) {
        response.write(bytes.subarray(at, at + 97));
        if (at % 5 === 0) await wait(1);
      }
      response.end();
    });
    const { address, word, usage } = await proxy(upstream.url);
    const path =
      form === 'stream'
        ? paths[name]
        : paths[name]?.replace('streamGenerateContent?alt=sse', 'generateContent');
    const body = JSON.stringify({ model: 'scripted', stream: form === 'stream' });
    const answer = await ask(address, word, {
      path: path ?? '',
      headers: { authorization: `Bearer ${word}` },
      body,
    });
    expect(answer).toMatchObject({ status: 200, text, isWhole: true });
    const { answers, estimated, costUsd, ...rest } = usage();
    expect({ answers, estimated }).toEqual({ answers: 1, estimated: 0 });
    expect(rest.usage).toMatchObject({ cachedInput: 200, output: 50 });
    expect([800, 1000]).toContain(rest.usage.input); // The scripted Anthropic counts the cached part apart.
    expect(costUsd).toBeCloseTo((rest.usage.input * 2 + 200 + 500) / 1e6, 12);
    const [asked] = upstream.asked;
    expect(asked?.headers['authorization']).toBe(`Bearer ${key}`);
    expect(JSON.stringify(asked)).not.toContain(word);
    expect(name === 'chat' && form === 'stream').toBe(asked?.body.includes('"include_usage":true'));
  },
);

test.each(['x-api-key', 'x-goog-api-key', 'api-key'])(
  'the key stands where the word stood: %s',
  async (name) => {
    const upstream = await provider((response) => response.end('{}'));
    const { address, word } = await proxy(`${upstream.url}/gateway/v1`, {
      targets: [{ upstream: `${upstream.url}/gateway/v1`, key, headers: { 'x-team': 'team-secret' } }],
    });
    await ask(address, word, {
      headers: { [name]: word, cookie: 'a=b', 'x-forwarded-for': '::1', 'anthropic-beta': 'x' },
      path: '/v1/messages?beta=true&key=other',
    });
    const [asked] = upstream.asked;
    expect(asked).toMatchObject({
      url: '/gateway/v1/messages?beta=true',
      headers: { [name]: key, 'x-team': 'team-secret', 'anthropic-beta': 'x' },
    });
    expect(Object.keys(asked?.headers ?? {})).not.toEqual(expect.arrayContaining(['cookie']));
    expect(JSON.stringify(asked)).not.toMatch(/forwarded/);
  },
);

test('nobody without the word gets through, and nothing that is no question to a model', async () => {
  const upstream = await provider((response) => response.end('{}'));
  const { address, word } = await proxy(upstream.url);
  for (const headers of [
    {},
    { 'x-api-key': '' },
    { 'x-api-key': key },
    { 'x-api-key': `${word}0` },
    { authorization: word.slice(1) },
  ])
    expect((await ask(address, word, { headers })).status).toBe(401);
  const away: Question[] = [
    ...[
      '/v1/files',
      '/v1/messages/batches',
      '/v1/models/../files',
      '/v1/models/x%2f..%2ffiles',
      '/v1/organizations/keys',
      '//elsewhere/v1/messages',
      '/v1/messages/',
      '/',
    ].map((path) => ({ path })),
    { method: 'GET' },
    { method: 'DELETE', path: '/v1/models/x' },
  ];
  for (const one of away) expect([one, (await ask(address, word, one)).status]).toEqual([one, 403]);
  expect((await ask(address, word, { body: '{"background":true}' })).status).toBe(400);
  expect((await ask(address, word, { body: '{"model":' })).status).toBe(400);
  const raw = async (text: string) => {
    const socket = connect(Number(new URL(address).port), '127.0.0.1');
    socket.on('error', () => {});
    socket.write(`${text}\r\nhost: x\r\nx-api-key: ${word}\r\n\r\n`);
    const [first] = (await once(socket, 'data')) as [Buffer];
    socket.destroy();
    return Number(first.toString().split(' ')[1]);
  };
  expect(await raw('GET http://elsewhere/v1/models HTTP/1.1')).toBe(403);
  expect(await raw('GET /v1/responses HTTP/1.1\r\nconnection: upgrade\r\nupgrade: websocket')).toBe(404);
  expect(upstream.asked).toEqual([]);
  expect((await ask(address, word, { method: 'GET', path: '/v1/models' })).status).toBe(200);
});

test('a question that is too long is refused before the provider hears of it', async () => {
  const upstream = await provider((response) => response.end('{}'));
  const { address, word } = await proxy(upstream.url);
  const body = `{"model":"${'x'.repeat((64 << 20) + 1)}"}`;
  expect((await ask(address, word, { body })).status).toBe(413);
  expect(upstream.asked).toEqual([]);
});

test('questions that come at once are bounded together, and whoever goes away at any moment ends nothing else', async () => {
  const upstream = await provider(async (response) => {
    stream(response).write(begun(1));
    await wait(50);
    response.end(ended(1));
  });
  const { address, word, usage } = await proxy(upstream.url);
  const half = { body: `{"model":"${'x'.repeat(50 << 20)}"}` };
  const many = await Promise.all([1, 2, 3, 4, 5].map(() => ask(address, word, half)));
  const refused = many.filter(({ status }) => status === 413).length;
  expect([refused > 0, refused < 5]).toEqual([true, true]);
  expect((await ask(address, word, half)).status).toBe(200);
  const starts = [
    'GET /v1/responses HTTP/1.1\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n',
    'CONNECT elsewhere:443 HTTP/1.1\r\n\r\n',
    'POST /v1/messages HTTP/1.1\r\ncontent-length: 100\r\n\r\n{"model"',
    'POST /v1/messages HTTP/1.1\r\ncontent-length: 13\r\n\r\n{"model":"x"}',
    'no HTTP at all\r\n\r\n',
  ];
  for (const start of starts) {
    for (const ms of [0, 20, 70]) {
      const socket = connect(Number(new URL(address).port), '127.0.0.1');
      socket.on('error', () => {});
      socket.write(start.replace('HTTP/1.1', `HTTP/1.1\r\nhost: x\r\nx-api-key: ${word}`));
      await wait(ms);
      socket.resetAndDestroy();
    }
  }
  await wait(100);
  const { answers } = usage();
  expect((await ask(address, word)).status).toBe(200);
  expect(usage().answers).toBe(answers + 1);
});

test('at the cap an answer ends in its middle with an error, whatever was told counts, and no other begins', async () => {
  const seen = { isOpen: true };
  const upstream = await provider(async (response) => {
    stream(response).write(begun(1000));
    response.on('close', () => {
      seen.isOpen = false;
    });
    for (let turn = 0; turn < 2000 && seen.isOpen; turn += 1) {
      response.write(piece('word '.repeat(80)));
      await wait(1);
    }
    response.end(ended(200_000));
  });
  // 1000 input and 50 cached cost 0.00205, 100 output each time 0.001.
  const { address, word, usage, stops } = await proxy(upstream.url, { caps: { usd: 0.0125 } });
  const answer = await ask(address, word);
  expect(answer).toMatchObject({ status: 200, isWhole: true });
  const events = answer.text
    .split('\n')
    .filter((line) => line.startsWith('data:'))
    .map((line) => JSON.parse(line.slice(5)));
  expect(events.at(-1)).toMatchObject({
    type: 'error',
    error: { message: 'gza: the budget of $0.0125 is used up' },
  });
  expect(events.length).toBeLessThan(40);
  await wait(50);
  expect(seen.isOpen).toBe(false);
  const refused = await ask(address, word);
  expect(refused).toMatchObject({
    status: 403,
    headers: { 'x-gza-stopped': 'the budget of $0.0125 is used up' },
  });
  expect(usage()).toMatchObject({
    answers: 1,
    estimated: 1,
    stopped: 'the budget of $0.0125 is used up',
    usage: { input: 1000, cachedInput: 50 },
  });
  expect(usage().costUsd).toBeGreaterThanOrEqual(0.0125);
  expect(usage().costUsd).toBeLessThan(0.02);
  expect(stops).toEqual(['the budget of $0.0125 is used up']);
  expect(upstream.asked.length).toBe(1);
});

test('a cap on tokens ends it too, and a proxy before another one hears of it', async () => {
  const upstream = await provider((response) => stream(response).end(begun(1000) + ended(100)));
  const behind = await proxy(upstream.url, { caps: { tokens: 1100 } });
  const before = await proxy(behind.address, { targets: [{ upstream: behind.address, key: behind.word }] });
  expect((await ask(before.address, before.word)).status).toBe(200);
  expect((await ask(before.address, before.word)).status).toBe(403);
  expect(before.stops).toEqual(['the limit of 1100 tokens is reached']);
  expect([before.usage().usage, before.usage().answers]).toEqual([behind.usage().usage, 1]);
});

test('an answer that breaks off, or that nobody waits for, is counted by what came of it', async () => {
  const seen = { gone: 0 };
  const upstream = await provider(async (response) => {
    response.on('close', () => {
      seen.gone += 1;
    });
    stream(response).write(begun(1000) + piece('x'.repeat(400)));
    await wait(30);
    if (upstream.asked.length === 1) response.destroy();
  });
  const { address, word, usage } = await proxy(upstream.url);
  expect(await ask(address, word)).toMatchObject({ status: 200, isWhole: false });
  expect(usage()).toMatchObject({
    answers: 1,
    estimated: 1,
    usage: { input: 1000, cachedInput: 50, output: 100 },
  });
  const sent = request(`${address}/v1/messages`, { method: 'POST', headers: { 'x-api-key': word } });
  sent.on('error', () => {});
  sent.end('{"model":"claude-test"}');
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  await once(response, 'data');
  sent.destroy();
  for (let turn = 0; turn < 100 && seen.gone < 2; turn += 1) await wait(20);
  await wait(20);
  expect(usage()).toMatchObject({ answers: 2, usage: { input: 2000, output: 200 } });
});

test('an answer that tells no tokens costs what it is likely to cost; one that is an error costs nothing', async () => {
  const upstream = await provider((response) =>
    upstream.asked.length === 1
      ? stream(response).end(piece('x'.repeat(4000)))
      : response.writeHead(500).end('{}'),
  );
  const { address, word, usage } = await proxy(upstream.url);
  const body = JSON.stringify({ model: 'no-price', text: 'x'.repeat(4000) });
  await ask(address, word, { body });
  const after = usage();
  expect(after).toMatchObject({ answers: 1, estimated: 1, costUsd: null, usage: { output: 1000 } });
  expect(after.usage.input).toBeGreaterThan(1000);
  expect((await ask(address, word)).status).toBe(500);
  expect(usage()).toEqual(after);
});

test('a provider that repeats the key in an error or a header does not show it to the agent', async () => {
  const upstream = await provider((response, { headers }) =>
    response
      .writeHead(401, { 'x-your-key': String(headers['x-api-key']), 'set-cookie': 'a=b' })
      .end(`wrong key: ${String(headers['x-api-key'])}`),
  );
  const { address, word } = await proxy(upstream.url);
  const answer = await ask(address, word);
  expect(answer).toMatchObject({ status: 401, text: 'wrong key: [redacted]' });
  expect(JSON.stringify(answer.headers)).not.toMatch(/REAL|cookie/);
});

test('a provider that is not there is an error, and the way leads through the proxy that the environment names', async () => {
  const none = await proxy('http://127.0.0.1:9');
  expect(await ask(none.address, none.word)).toMatchObject({
    status: 502,
    text: expect.stringContaining('ECONNREFUSED'),
  });
  const company = createServer();
  let line = '';
  company.on('connect', (asked: IncomingMessage, socket) => {
    line = `${asked.url} ${asked.headers['proxy-authorization']}`;
    socket.end('HTTP/1.1 407 Login\r\n\r\n');
  });
  company.listen(0, '127.0.0.1');
  await once(company, 'listening');
  closing.push(() => company.close());
  const { port } = company.address() as AddressInfo;
  const environment = {
    https_proxy: `http://me:pass@127.0.0.1:${port}`,
    NO_PROXY: 'localhost,.spared.invalid',
  };
  const through = await proxy('https://model.invalid', { environment });
  expect((await ask(through.address, through.word)).text).toContain(
    `the proxy 127.0.0.1:${port} answered 407`,
  );
  expect(line).toBe(`model.invalid:443 Basic ${Buffer.from('me:pass').toString('base64')}`);
  const spared = await proxy('https://model.spared.invalid', { environment });
  expect((await ask(spared.address, spared.word)).text).toMatch(/ENOTFOUND|EAI_AGAIN/);
});

test('when it closes nothing listens there any more, and what was open ends', async () => {
  const upstream = await provider((response) => stream(response).write(begun(10)));
  const { address, word, close } = await proxy(upstream.url);
  const open = ask(address, word);
  for (let turn = 0; turn < 100 && upstream.asked.length === 0; turn += 1) await wait(10);
  await close();
  // Before the first byte of an answer, or within it.
  const isWhole = await open.then(
    (answer) => answer.isWhole,
    () => false,
  );
  expect(isWhole).toBe(false);
  await expect(ask(address, word)).rejects.toThrow('ECONNREFUSED');
});
