/** Lines out of chunks. A line longer than the bound is cut, and the rest of it dropped. */
export interface LineSplitter {
  push(chunk: string): string[];
  /** What is left without a line break. */
  end(): string[];
}

export function openLineSplitter(lineCharsMax = 8 << 20): LineSplitter {
  let held = '';
  let dropping = false;
  const take = (piece: string): void => {
    if (dropping) return;
    held += piece;
    if (held.length <= lineCharsMax) return;
    held = held.slice(0, lineCharsMax);
    dropping = true;
  };
  const flush = (): string => {
    const line = held.endsWith('\r') ? held.slice(0, -1) : held;
    held = '';
    dropping = false;
    return line;
  };
  return {
    push(chunk) {
      const pieces = chunk.split('\n');
      const last = pieces.pop() ?? '';
      const lines = pieces.map((piece) => {
        take(piece);
        return flush();
      });
      take(last);
      return lines;
    },
    end: () => (held === '' ? [] : [flush()]),
  };
}
