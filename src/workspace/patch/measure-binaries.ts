import { inflateSync } from 'node:zlib';
import type { MeasuredBinary } from '../../core/guard/guard-patch.ts';
import type { BinaryHunk, FileChange, PatchLimits } from '../../core/guard/patch.ts';

export type MeasuredBinaries =
  | { readonly kind: 'measured'; readonly files: ReadonlyMap<string, MeasuredBinary> }
  | { readonly kind: 'refused'; readonly path: string; readonly why: string };

/**
 * Inflates the binary parts of a patch under a limit, before git would without one. A declared size must be the
 * true one, and a delta's result counts as much as a literal: a few bytes of delta can ask for gigabytes.
 */
export function measureBinaries(
  patch: string,
  changes: readonly FileChange[],
  limits: PatchLimits,
): MeasuredBinaries {
  const files = new Map<string, MeasuredBinary>();
  let total = 0;
  for (const change of changes) {
    for (const hunk of change.binary ? [change.binary.forward, change.binary.reverse] : []) {
      if (!hunk) continue;
      total += hunk.declaredBytes;
      const measured = total > limits.inflatedBytesMax ? null : measure(patch, hunk, limits);
      if (!measured) {
        const why = 'its binary content is damaged, lies about its size, or is over the limit';
        return { kind: 'refused', path: change.path, why };
      }
      total += hunk.method === 'delta' ? measured.bytes : 0;
      if (hunk === change.binary?.forward)
        files.set(change.path, { bytes: measured.bytes, text: measured.data.toString('latin1') });
    }
  }
  return { kind: 'measured', files };
}

function measure(
  patch: string,
  hunk: BinaryHunk,
  limits: PatchLimits,
): { bytes: number; data: Buffer } | null {
  // The old side of a large file is allowed to be large: only the sum bounds it.
  const declared = hunk.declaredBytes;
  const data = inflate(decodeBase85(patch.slice(hunk.start, hunk.end)), declared);
  if (data?.length !== declared) return null;
  const bytes = hunk.method === 'delta' ? deltaResultBytes(data) : declared;
  return bytes === null || bytes > limits.inflatedBytesMax ? null : { bytes, data };
}

function inflate(compressed: Buffer | null, bytesMax: number): Buffer | null {
  if (!compressed) return null;
  try {
    return inflateSync(compressed, { maxOutputLength: Math.max(1, bytesMax) });
  } catch {
    return null;
  }
}

/** A delta starts with the sizes of its source and its result, seven bits a byte. */
function deltaResultBytes(delta: Buffer): number | null {
  let at = 0;
  let size = 0;
  for (let field = 0; field < 2; field += 1) {
    size = 0;
    for (let shift = 1; ; shift *= 128) {
      const byte = delta[at];
      if (byte === undefined || shift > 2 ** 42) return null;
      at += 1;
      size += (byte & 127) * shift;
      if (byte < 128) break;
    }
  }
  return size;
}

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~';
const digits = new Map(alphabet.split('').map((char, value) => [char.charCodeAt(0), value]));

/** git's own base85: each line says its length in its first letter. */
function decodeBase85(text: string): Buffer | null {
  const parts: Buffer[] = [];
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const code = line.charCodeAt(0);
    const length = code >= 97 ? code - 97 + 27 : code - 65 + 1;
    const bytes = Buffer.alloc(Math.ceil(length / 4) * 4);
    for (let at = 1, to = 0; at + 5 <= line.length; at += 5, to += 4) {
      let value = 0;
      for (let i = at; i < at + 5; i += 1)
        value = value * 85 + (digits.get(line.charCodeAt(i)) ?? Number.NaN);
      if (!(value <= 0xffffffff)) return null;
      bytes.writeUInt32BE(value, to);
    }
    parts.push(bytes.subarray(0, length));
  }
  return Buffer.concat(parts);
}
