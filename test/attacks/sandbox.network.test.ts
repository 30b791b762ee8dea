/** What hostile code asks of the one door of a closed network; each way leads through where the host is allowed. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, expect, test } from '@jest/globals';
import { openGate } from '../../src/agents/sandbox/network.ts';

const closing: (() => unknown)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** What a server of this machine was sent through a gate that lets these through, and what came back. */
async function ask(text: (port: number) => string, allowed: (port: number) => string[]) {
  const got: string[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (bytes: Buffer) => got.push(bytes.toString()));
    socket.write('reached');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => server.close());
  const { port } = server.address() as AddressInfo;
  const gate = await openGate(allowed(port), [], undefined);
  closing.push(() => gate.close());
  const client = connect(gate.relays[0]?.path ?? '');
  let came = '';
  client.on('error', () => {});
  client.on('data', (bytes: Buffer) => {
    came += bytes.toString();
  });
  client.write(text(port));
  await Promise.race([once(client, 'close'), wait(300)]);
  client.destroy();
  return { came, got: got.join('') };
}

const head = (target: string, more = '') => `CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${more}\r\n`;
const ways: readonly (readonly [string, (port: number) => string, (port: number) => string[]])[] = [
  ['a host that is not named', (port) => head(`127.0.0.1:${port}`), () => ['127.0.0.2']],
  [
    'another port of a host that is',
    (port) => head(`127.0.0.1:${port}`),
    (port) => [`127.0.0.1:${port + 1}`],
  ],
  ['a name that ends as one that is', (port) => head(`127.0.0.1:${port}`), (port) => [`0.0.1:${port}`]],
  [
    'the same name in another spelling',
    (port) => head(`0x7f000001:${port}`),
    (port) => [`127.0.0.1:${port}`],
  ],
  ['a name with a dot behind it', (port) => head(`localhost.:${port}`), (port) => [`localhost:${port}`]],
  ['a host behind a user', (port) => head(`named@127.0.0.1:${port}`), () => ['named', 'named:80']],
  [
    'a second host in the headers',
    (port) => head('named:443', `Host: 127.0.0.1:${port}\r\n`),
    () => ['none'],
  ],
  [
    'a request that is no tunnel',
    (port) => `GET http://127.0.0.1:${port}/ HTTP/1.1\r\nHost: x\r\n\r\n`,
    (port) => [`127.0.0.1:${port}`],
  ],
  [
    'a tunnel behind a request',
    (port) => `GET / HTTP/1.1\r\nHost: x\r\n\r\n${head(`127.0.0.1:${port}`)}`,
    () => ['none'],
  ],
  ['two tunnels', (port) => head('none:443') + head(`127.0.0.1:${port}`), () => ['other']],
  [
    'a head without end',
    (port) => `CONNECT 127.0.0.1:${port} HTTP/1.1\r\nX: ${'x'.repeat(20_000)}`,
    (port) => [`127.0.0.1:${port}`],
  ],
];

test.each(ways)('%s is not reached', async (_, text, allowed) => {
  expect(await ask(text, allowed)).toEqual({ came: expect.not.stringContaining('reached'), got: '' });
});

test('a host that is named is reached, with what was sent at once', async () => {
  const { came, got } = await ask(
    (port) => `${head(`127.0.0.1:${port}`)}early`,
    (port) => [`127.0.0.1:${port}`],
  );
  expect(came).toMatch(/^HTTP\/1\.1 200 .*\r\n\r\nreached$/s);
  expect(got).toBe('early');
});
