/**
 * The way out of a sandbox that has its own network. Inside there is only loopback, where a small relay
 * forwards ports to Unix sockets. On the other side, gza connects to the allowed hosts only.
 */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The hosts behind the words of `network` in gza.yaml. `model-only`: the default hosts of models. */
const hostsOf: Readonly<Record<string, string>> = {
  'model-only':
    'api.anthropic.com claude.ai platform.claude.com console.anthropic.com api.openai.com auth.openai.com chatgpt.com ' +
    'generativelanguage.googleapis.com cloudcode-pa.googleapis.com oauth2.googleapis.com accounts.google.com ' +
    'api.githubcopilot.com *.githubcopilot.com openrouter.ai api.mistral.ai api.deepseek.com ' +
    'api.x.ai api.groq.com opencode.ai models.dev dashscope.aliyuncs.com dashscope-intl.aliyuncs.com chat.qwen.ai',
  registries:
    'registry.npmjs.org registry.yarnpkg.com repo.yarnpkg.com npm.jsr.io jsr.io nodejs.org pypi.org ' +
    'files.pythonhosted.org crates.io index.crates.io static.crates.io static.rust-lang.org proxy.golang.org ' +
    'sum.golang.org go.dev dl.google.com repo.maven.apache.org repo1.maven.org plugins.gradle.org ' +
    'services.gradle.org downloads.gradle.org rubygems.org index.rubygems.org packagist.org repo.packagist.org ' +
    'api.nuget.org hex.pm repo.hex.pm builds.hex.pm cdn.playwright.dev playwright.download.prss.microsoft.com',
};

/** Null when every host is allowed. `models` is null where the program itself asks no model. */
export function allowedHosts(network: readonly string[], models: readonly string[] | null): string[] | null {
  if (network.includes('open')) return null;
  return network.flatMap((word) => {
    if (word === 'model-only') return models === null ? [] : [...(hostsOf[word] ?? '').split(' '), ...models];
    return (hostsOf[word] ?? word).split(' ');
  });
}

/** Hosts of the addresses in an agent's variables, because a model need not be at its maker's address. */
export function hostsIn(env: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(env).flatMap(([name, value]) => {
    if (!/(BASE_URL|API_BASE|ENDPOINT)$/.test(name) || !value || !URL.canParse(value)) return [];
    const { hostname, port, protocol } = new URL(value);
    return [`${hostname}:${port || (protocol === 'http:' ? 80 : 443)}`];
  });
}

/** An entry without a port means 443. */
function isAllowed(host: string, port: number, allowed: readonly string[]): boolean {
  return allowed.some((one) => {
    const [name = '', wanted = '443'] = one.toLowerCase().split(':');
    const given = host.toLowerCase();
    const isNamed = name.startsWith('*.') ? given.endsWith(name.slice(1)) : given === name;
    return isNamed && port === Number(wanted);
  });
}

/** A socket of this program that appears inside as this port of 127.0.0.1. */
export interface Relayed {
  readonly port: number;
  readonly path: string;
}

export interface Gate {
  /** Relays to the allowed hosts (by CONNECT), and to the requested ports of this machine. */
  readonly relays: readonly Relayed[];
  close(): void;
}

/** The port inside the sandbox where the proxy to the allowed hosts listens. */
export const gatePort = 3128;
const connectionsMax = 500;
const headBytesMax = 8192;
const waitMsMax = 30_000;

/** `upstream` is the proxy that this machine itself must use, `http://…`. */
export async function openGate(
  allowed: readonly string[],
  ports: readonly number[],
  upstream: string | undefined,
): Promise<Gate> {
  const dir = mkdtempSync(join(tmpdir(), 'gza-net-'));
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    return socket;
  };
  const servers: Server[] = [];
  const listen = async (port: number, server: Server): Promise<Relayed> => {
    const path = join(dir, String(port));
    server.maxConnections = connectionsMax;
    servers.push(server.on('connection', keep).listen(path));
    await once(server, 'listening');
    return { port, path };
  };
  const close = () => {
    for (const server of servers) server.close();
    for (const socket of sockets) socket.destroy();
    rmSync(dir, { recursive: true, force: true });
  };
  const limits = { maxHeaderSize: headBytesMax, headersTimeout: waitMsMax, requestTimeout: waitMsMax };
  const toHosts = createHttpServer(limits, ({ socket }) => refuse(socket, ''));
  toHosts.on('connect', ({ url = '' }, stream, rest: Buffer) => {
    const client = stream as Socket;
    const [, host = '', port = ''] = /^([\w.-]{1,255}):(\d{1,5})$/.exec(url) ?? [];
    if (isAllowed(host, Number(port), allowed))
      keep(passOn(client, { host, port: Number(port) }, rest, upstream));
    else refuse(client, host);
  });
  const near = (port: number) =>
    createServer((client) => {
      const server = keep(connect(port, '127.0.0.1'));
      server.on('close', () => client.destroy());
      client.on('close', () => server.destroy());
      client.pipe(server).pipe(client);
    });
  const all = [listen(gatePort, toHosts), ...ports.map((port) => listen(port, near(port)))];
  return { relays: await Promise.all(all), close };
}

/** `host` is empty when the request was not a CONNECT. */
function refuse(client: Socket, host: string): void {
  const why = host
    ? `${host} is not among the hosts that network in gza.yaml names\n`
    : 'Only CONNECT to a host that network in gza.yaml names, as for https\n';
  client.end(
    `HTTP/1.1 403 Not allowed by gza\r\nContent-Length: ${why.length}\r\nConnection: close\r\n\r\n${why}`,
  );
}

interface Target {
  readonly host: string;
  readonly port: number;
}

function passOn(client: Socket, { host, port }: Target, rest: Buffer, upstream: string | undefined): Socket {
  const via = upstream === undefined ? null : new URL(upstream);
  const server = via
    ? connect(Number(via.port || 80), via.hostname)
    : connect({ host, port, autoSelectFamily: true });
  server.on('connect', () => {
    client.setTimeout(0);
    if (via) server.write(connectHead({ host, port }, via));
    else client.write('HTTP/1.1 200 Connected\r\n\r\n');
    server.write(rest);
    client.pipe(server).pipe(client);
  });
  server.on('error', () => client.end('HTTP/1.1 502 Not reachable\r\nConnection: close\r\n\r\n'));
  client.on('close', () => server.destroy());
  return server;
}

function connectHead({ host, port }: Target, { username, password }: URL): string {
  const login = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString(
    'base64',
  );
  const authorized = username ? `Proxy-Authorization: Basic ${login}\r\n` : '';
  return `CONNECT ${host}:${port} HTTP/1.1\r\nHost: ${host}:${port}\r\n${authorized}\r\n`;
}

/** Runs inside, in node, with pairs of a port and a socket. Prints a line when it listens on all ports. */
export const relayProgram = `const net = require('net'); const pairs = process.argv.slice(1); let open = 0;
for (let i = 0; i < pairs.length; i += 2) net.createServer((c) => {
  const u = net.connect(pairs[i + 1]); c.pipe(u).pipe(c); c.on('error', () => u.destroy()); u.on('error', () => c.destroy());
}).listen(Number(pairs[i]), '127.0.0.1', () => { if (++open === pairs.length / 2) console.log('ready'); });`;

/** Variables that make programs use the relay. */
export function proxyVariables(port: number): Record<string, string> {
  const [url, none] = [`http://127.0.0.1:${port}`, 'localhost,127.0.0.1,::1'];
  const set = { HTTP_PROXY: url, HTTPS_PROXY: url, ALL_PROXY: url, NO_PROXY: none };
  const lower = Object.entries(set).map(([name, value]) => [name.toLowerCase(), value]);
  return { ...set, ...Object.fromEntries(lower), NODE_USE_ENV_PROXY: '1' };
}
