import { joinEnds } from '../../core/checks/keep-ends.ts';

/** The lines of an output, of which the beginning and the end are kept. */
export interface KeptOutput {
  add(line: string): void;
  text(): string;
}

export function keepOutput(headCharsMax: number, tailCharsMax: number): KeptOutput {
  const head: string[] = [];
  let tail: string[] = [];
  let headChars = 0;
  let tailChars = 0;
  let first = 0;
  let charsCut = 0;
  return {
    add(line) {
      const size = line.length + 1;
      if (tail.length === 0 && headChars + size <= headCharsMax) {
        head.push(line);
        headChars += size;
        return;
      }
      tail.push(line);
      tailChars += size;
      for (; tailChars > tailCharsMax && first < tail.length - 1; first += 1) {
        const size = (tail[first]?.length ?? 0) + 1;
        tailChars -= size;
        charsCut += size;
      }
      // Now and then, so that what was let go is freed without moving the array for every line.
      if (first > 10_000) {
        tail = tail.slice(first);
        first = 0;
      }
    },
    text: () => joinEnds(withEnd(head), charsCut, withEnd(tail.slice(first))),
  };
}

function withEnd(lines: readonly string[]): string {
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`;
}
