/** A real headless Chromium, driven over its own pipe: no driver package, no port. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const answerMsMax = 30_000;

/** Null where none is installed. */
export function findChromium(): string | null {
  for (const name of [process.env['CHROMIUM'] ?? '', ...names]) {
    if (name === '') continue;
    try {
      execFileSync(name, ['--version'], { stdio: 'ignore' });
      return name;
    } catch {
      // the next one
    }
  }
  return null;
}

export interface PageOptions {
  readonly width?: number;
  readonly height?: number;
  readonly dark?: boolean;
  readonly touch?: boolean;
}

export interface Page {
  /** The value of an expression in the page; a promise is waited for. */
  value<T = unknown>(expression: string): Promise<T>;
  /** Waits until an expression holds, at most ten seconds. */
  until(expression: string): Promise<void>;
  key(key: string): Promise<void>;
  type(text: string): Promise<void>;
  click(selector: string): Promise<void>;
  screenshot(): Promise<Buffer>;
  /** Errors, refusals of the policy, and dialogs. */
  readonly complaints: string[];
  /** Addresses that were asked for, the page itself first. */
  readonly requests: string[];
  close(): Promise<void>;
}

export interface Browser extends AsyncDisposable {
  open(url: string, options?: PageOptions): Promise<Page>;
}

type Message = {
  id?: number;
  method?: string;
  sessionId?: string;
  params?: never;
  result?: never;
  error?: { message: string };
};

export async function openBrowser(program: string): Promise<Browser> {
  const profile = mkdtempSync(join(tmpdir(), 'gza-chromium-'));
  const flags = [
    '--headless=new',
    '--no-sandbox',
    '--disable-gpu',
    '--disable-dev-shm-usage',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--hide-scrollbars',
    '--remote-debugging-pipe',
    `--user-data-dir=${profile}`,
  ];
  const child = spawn(program, flags, { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
  const pipe = new Pipe(child);
  return {
    open: (url, options) => openPage(pipe, url, options ?? {}),
    [Symbol.asyncDispose]: async () => {
      const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
      await pipe.send('Browser.close').catch(() => child.kill('SIGKILL'));
      await ended;
      rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    },
  };
}

class Pipe {
  readonly #out: Writable;
  readonly #waiting = new Map<number, { resolve: (value: never) => void; reject: (error: Error) => void }>();
  readonly #listeners = new Set<(message: Message) => void>();
  #next = 1;
  #rest = '';

  constructor(child: ChildProcess) {
    this.#out = child.stdio[3] as Writable;
    (child.stdio[4] as Readable).setEncoding('utf8').on('data', (chunk: string) => this.#read(chunk));
    child.on('close', () => {
      for (const { reject } of this.#waiting.values()) reject(new Error('the browser ended'));
    });
  }

  #read(chunk: string): void {
    const parts = (this.#rest + chunk).split('\0');
    this.#rest = parts.pop() ?? '';
    for (const part of parts) {
      const message = JSON.parse(part) as Message;
      const waiting = message.id === undefined ? undefined : this.#waiting.get(message.id);
      if (waiting) {
        this.#waiting.delete(message.id as number);
        if (message.error) waiting.reject(new Error(message.error.message));
        else waiting.resolve(message.result as never);
      } else for (const listen of this.#listeners) listen(message);
    }
  }

  listen(listener: (message: Message) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  send<T = Record<string, unknown>>(method: string, params: object = {}, sessionId?: string): Promise<T> {
    const id = this.#next++;
    return new Promise<T>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`${method} was not answered`)), answerMsMax);
      this.#waiting.set(id, {
        resolve: (value) => {
          clearTimeout(timer);
          resolve(value);
        },
        reject: (error) => {
          clearTimeout(timer);
          reject(error);
        },
      });
      this.#out.write(`${JSON.stringify({ id, method, params, ...(sessionId ? { sessionId } : {}) })}\0`);
    });
  }
}

async function openPage(pipe: Pipe, url: string, options: PageOptions): Promise<Page> {
  const { width = 1280, height = 900, dark = false, touch = false } = options;
  const { targetId } = await pipe.send<{ targetId: string }>('Target.createTarget', { url: 'about:blank' });
  const { sessionId } = await pipe.send<{ sessionId: string }>('Target.attachToTarget', {
    targetId,
    flatten: true,
  });
  const send = <T>(method: string, params: object = {}) => pipe.send<T>(method, params, sessionId);
  const complaints: string[] = [];
  const requests: string[] = [];
  const unlisten = pipe.listen(({ sessionId: from, method, params }) => {
    if (from !== sessionId) return;
    if (method === 'Network.requestWillBeSent')
      requests.push((params as unknown as { request: { url: string } }).request.url);
    else if (
      method === 'Runtime.exceptionThrown' ||
      method === 'Log.entryAdded' ||
      method === 'Page.javascriptDialogOpening'
    )
      complaints.push(JSON.stringify(params));
    if (method === 'Page.javascriptDialogOpening') void send('Page.handleJavaScriptDialog', { accept: true });
  });
  for (const domain of ['Page', 'Runtime', 'Log', 'Network']) await send(`${domain}.enable`);
  await send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: touch });
  if (touch) await send('Emulation.setTouchEmulationEnabled', { enabled: true });
  const features = [{ name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' }];
  await send('Emulation.setEmulatedMedia', { features });
  await send('Page.navigate', { url });
  const value = async <T>(expression: string) => {
    const params = { expression, awaitPromise: true, returnByValue: true };
    const { result, exceptionDetails } = await send<{ result: { value: T }; exceptionDetails?: unknown }>(
      'Runtime.evaluate',
      params,
    );
    if (exceptionDetails) throw new Error(`${expression}: ${JSON.stringify(exceptionDetails)}`);
    return result.value;
  };
  const until = async (expression: string) => {
    for (let n = 0; n < 200; n += 1) {
      if (await value(expression).catch(() => false)) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`never held: ${expression}`);
  };
  const page: Page = {
    value,
    until,
    complaints,
    requests,
    key: async (key) => {
      const codes: Record<string, number> = { Enter: 13, Tab: 9, Escape: 27, ArrowLeft: 37, ArrowRight: 39 };
      const windowsVirtualKeyCode = codes[key] ?? key.toUpperCase().charCodeAt(0);
      const text = key === 'Enter' ? '\r' : key.length === 1 ? key : undefined;
      const params = { key, windowsVirtualKeyCode, ...(text === undefined ? {} : { text }) };
      await send('Input.dispatchKeyEvent', { type: 'keyDown', ...params });
      await send('Input.dispatchKeyEvent', { type: 'keyUp', key, windowsVirtualKeyCode });
    },
    type: async (text) => void (await send('Input.insertText', { text })),
    click: async (selector) => {
      const at = await value<{ x: number; y: number }>(
        `(() => { const e = document.querySelector(${JSON.stringify(selector)}); e.scrollIntoView({ block: 'center' }); const b = e.getBoundingClientRect(); return { x: b.x + b.width / 2, y: b.y + b.height / 2 }; })()`,
      );
      const mouse = (type: string) =>
        send('Input.dispatchMouseEvent', { type, ...at, button: 'left', clickCount: 1 });
      await mouse('mousePressed');
      await mouse('mouseReleased');
    },
    screenshot: async () =>
      Buffer.from((await send<{ data: string }>('Page.captureScreenshot')).data, 'base64'),
    close: async () => {
      unlisten();
      await pipe.send('Target.closeTarget', { targetId });
    },
  };
  await until(`document.documentElement.dataset.ready === 'yes'`);
  return page;
}
