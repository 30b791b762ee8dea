/**
 * Derived data that is costly to compute, under `<git dir>/gza/cache`. It is safe to delete and safe for
 * concurrent readers (a file is replaced as a whole), and never trusted blindly: an entry carries the
 * checksum of its text, and the caller's key names what it was derived from. On a read-only disk nothing is
 * cached, and nothing fails.
 */

import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Cache {
  /** The folder of the cache. */
  readonly dir: string;
  /** The text kept under this name for this key, or null. */
  get(name: string, key: string): string | null;
  put(name: string, key: string, text: string): void;
}

export const noCache: Cache = { dir: '', get: () => null, put: () => {} };

/** `name` is a short fixed word, one file each; `key` identifies the inputs and the version of the format. */
export function openCache(gitDir: string): Cache {
  const dir = join(gitDir, 'gza', 'cache');
  return {
    dir,
    get(name, key) {
      try {
        return readEntry(readFileSync(join(dir, name)), key);
      } catch {
        return null;
      }
    },
    put(name, key, text) {
      const scratch = join(dir, `${name}.${process.pid}.${Math.random().toString(36).slice(2)}`);
      try {
        mkdirSync(dir, { recursive: true });
        const bytes = Buffer.from(text);
        writeFileSync(scratch, Buffer.concat([Buffer.from(`${checksum(bytes)} ${key}\n`), bytes]));
        // A rename over another file waits for the disk, so that a crash loses neither. Here nobody would
        // miss them.
        rmSync(join(dir, name), { force: true });
        renameSync(scratch, join(dir, name));
      } catch {
        rmSync(scratch, { force: true });
      }
    },
  };
}

function readEntry(bytes: Buffer, key: string): string | null {
  const end = bytes.indexOf(10);
  const header = bytes.toString('utf8', 0, Math.max(end, 0));
  const text = bytes.subarray(end + 1);
  return header === `${checksum(text)} ${key}` ? text.toString('utf8') : null;
}

/** Up to this size a sum computed here is quicker than loading a fast hash. */
const smallBytesMax = 262_144;

/** Detects accidental differences; for short texts it does not detect those that somebody made on purpose. */
export function checksum(bytes: Buffer): string {
  return bytes.length <= smallBytesMax ? sumOfWords(bytes) : createHash('sha1').update(bytes).digest('hex');
}

function sumOfWords(bytes: Buffer): string {
  const whole = bytes.length & ~3;
  const words = new Uint32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + whole));
  let a = 0x811c9dc5;
  let b = bytes.length;
  for (let n = 0; n < words.length; n++) {
    a = Math.imul(a ^ words[n]!, 0x01000193);
    b = (Math.imul(b, 31) + (a >>> 15) + words[n]!) | 0;
  }
  for (let n = whole; n < bytes.length; n++) a = Math.imul(a ^ bytes[n]!, 0x01000193);
  return `${(a >>> 0).toString(16)}-${(b >>> 0).toString(16)}-${bytes.length}`;
}
