import { TextDecoder } from 'node:util';
import type { Problem } from '../core/yaml/problem.ts';
import { fileProblem } from './backlog.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The text of a file, or what is wrong with its bytes: never a text with replacement characters in it. */
export function decodeText(file: string, bytes: Buffer): string | Problem {
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) {
    return fileProblem(file, 'is UTF-16', 'UTF-8: save it with that encoding');
  }
  try {
    return utf8.decode(bytes);
  } catch {
    const good = firstBadByte(bytes);
    const before = bytes.subarray(0, good).toString('latin1').split('\n');
    const found = `the byte 0x${(bytes[good] ?? 0).toString(16).padStart(2, '0')}`;
    const column = (before.at(-1)?.length ?? 0) + 1;
    return {
      ...fileProblem(file, 'is not UTF-8', 'UTF-8: save it with that encoding'),
      line: before.length,
      column,
      found,
    };
  }
}

function firstBadByte(bytes: Buffer): number {
  const again = Buffer.from(bytes.toString('utf8'), 'utf8');
  let at = 0;
  while (at < bytes.length && bytes[at] === again[at]) at++;
  return at;
}
