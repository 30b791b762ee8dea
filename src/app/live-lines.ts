/**
 * Lines that stay, and below them one line for each running task that is drawn again and again. In a pipe there
 * are only lines that stay; there a running task is named now and then, which also finds out whether anybody reads.
 */
export interface LiveLines {
  say(line: string): void;
  live(id: string, line: string | null): void;
  close(): void;
}

const drawMs = 120;

export interface LiveOptions {
  /** Called once, when nothing can be written any more. */
  readonly onClosed?: () => void;
  /** In a pipe, until what runs is named first; then twice as long, and so on. */
  readonly aliveMs?: number;
}

const aliveMsMax = 300_000;

export function openLiveLines(
  stream: NodeJS.WriteStream | null,
  columns: number | null,
  { onClosed = () => {}, aliveMs = 30_000 }: LiveOptions = {},
): LiveLines {
  if (stream === null) return { say: () => {}, live: () => {}, close: () => {} };
  let isClosed = false;
  stream.on('error', () => {
    if (!isClosed) onClosed();
    isClosed = true;
  });
  const write = (text: string) => {
    if (!isClosed) stream.write(text);
  };
  return columns === null ? inPipe(write, aliveMs) : onTerminal(write, columns);
}

function inPipe(write: (text: string) => void, aliveMs: number): LiveLines {
  const lines = new Map<string, string>();
  let timer: NodeJS.Timeout | undefined;
  const wait = (ms: number) => {
    timer = setTimeout(() => {
      for (const [id, line] of lines) write(`  … ${id} ${line}\n`);
      wait(Math.min(ms * 2, aliveMsMax));
    }, ms);
  };
  const stop = () => {
    clearTimeout(timer);
    timer = undefined;
  };
  return {
    say: (line) => write(`${line}\n`),
    live(id, line) {
      if (line === null) lines.delete(id);
      else lines.set(id, line);
      if (lines.size === 0) stop();
      else if (timer === undefined) wait(aliveMs);
    },
    close: stop,
  };
}

function onTerminal(write: (text: string) => void, columns: number): LiveLines {
  const lines = new Map<string, string>();
  let drawn = 0;
  let timer: NodeJS.Timeout | undefined;
  const clear = () => {
    if (drawn > 0) write(`\u001b[${drawn}F\u001b[J`);
    drawn = 0;
  };
  const draw = () => {
    timer = undefined;
    clear();
    for (const [id, line] of lines) write(`${`  … ${id} ${line}`.slice(0, columns - 1)}\n`);
    drawn = lines.size;
  };
  return {
    say(line) {
      clear();
      write(`${line}\n`);
      draw();
    },
    live(id, line) {
      if (line === null) lines.delete(id);
      else lines.set(id, line);
      timer ??= setTimeout(draw, drawMs);
    },
    close() {
      clearTimeout(timer);
      lines.clear();
      clear();
    },
  };
}
