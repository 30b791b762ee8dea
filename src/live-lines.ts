/**
 * Lines that stay, and below them one line for each running task that is drawn again and again. In a pipe there
 * are only lines that stay.
 */
export interface LiveLines {
  say(line: string): void;
  live(id: string, line: string | null): void;
  close(): void;
}

const drawMs = 120;

export function openLiveLines(stream: NodeJS.WriteStream | null, columns: number | null): LiveLines {
  if (stream === null) return { say: () => {}, live: () => {}, close: () => {} };
  if (columns === null) return { say: (line) => stream.write(`${line}\n`), live: () => {}, close: () => {} };
  const lines = new Map<string, string>();
  let drawn = 0;
  let timer: NodeJS.Timeout | undefined;
  const clear = () => {
    if (drawn > 0) stream.write(`\u001b[${drawn}F\u001b[J`);
    drawn = 0;
  };
  const draw = () => {
    timer = undefined;
    clear();
    for (const [id, line] of lines) stream.write(`${`  … ${id} ${line}`.slice(0, columns - 1)}\n`);
    drawn = lines.size;
  };
  return {
    say(line) {
      clear();
      stream.write(`${line}\n`);
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
