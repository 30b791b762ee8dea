/** Connects to a provider: directly, or through the HTTPS proxy that the environment names. */
import { type ClientRequest, request as httpRequest, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Duplex } from 'node:stream';
import { connect as tlsConnect } from 'node:tls';

type Environment = Readonly<Record<string, string | undefined>>;

export function reach(url: URL, options: RequestOptions, env: Environment): ClientRequest {
  if (url.protocol === 'http:') return httpRequest(url, options);
  const proxy = proxyFor(url, env);
  if (!proxy) return httpsRequest(url, options);
  const createConnection = (_: unknown, ready: (error: Error | null, socket: Duplex) => void) => {
    tunnel(proxy, url, ready);
    return undefined;
  };
  return httpsRequest(url, { ...options, createConnection } as RequestOptions);
}

function tunnel(proxy: URL, to: URL, ready: (error: Error | null, socket: Duplex) => void): void {
  const target = `${to.hostname}:${to.port || 443}`;
  const login = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  const headers = {
    host: target,
    ...(proxy.username ? { 'proxy-authorization': `Basic ${Buffer.from(login).toString('base64')}` } : {}),
  };
  const ask = proxy.protocol === 'https:' ? httpsRequest : httpRequest;
  const { hostname, port, protocol } = proxy;
  const where = { protocol, hostname, port: port || (protocol === 'https:' ? 443 : 80) };
  const asked = ask({ ...where, method: 'CONNECT', path: target, headers, agent: false, timeout: 30_000 });
  const fail = (why: string) => ready(new Error(`the proxy ${proxy.host} ${why}`), undefined as never);
  asked.on('timeout', () => asked.destroy(new Error('did not answer')));
  asked.on('error', ({ message }) => fail(`cannot be used: ${message}`));
  asked.on('response', (response) => {
    response.resume();
    fail(`answered ${response.statusCode}`);
  });
  asked.on('connect', (response, socket) => {
    if (response.statusCode === 200) return ready(null, tlsConnect({ socket, servername: to.hostname }));
    socket.destroy();
    fail(`answered ${response.statusCode}`);
  });
  asked.end();
}

function proxyFor({ hostname }: URL, env: Environment): URL | undefined {
  const named = (name: string) => env[name] || env[name.toLowerCase()];
  const proxy = named('HTTPS_PROXY') ?? named('ALL_PROXY');
  const spared = (named('NO_PROXY') ?? '').split(/[\s,]+/).filter(Boolean);
  const isSpared = spared.some((entry) => {
    const name = entry.replace(/^\*?\./, '').replace(/:\d+$/, '');
    return entry === '*' || hostname === name || hostname.endsWith(`.${name}`);
  });
  if (!proxy || isSpared || !URL.canParse(proxy)) return undefined;
  const url = new URL(proxy);
  return /^https?:$/.test(url.protocol) ? url : undefined;
}
