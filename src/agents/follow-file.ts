import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { readPlainFileSync } from '../system/outside.ts';
import { openLineSplitter } from '../system/redacted-log.ts';

/** Reads what is appended to the newest file that matches, or to all of them. */
export interface FollowedFile {
  /** The lines completed since the last call. */
  read(): string[];
}

const depthMax = 6;
const foldersMax = 500;
const filesMax = 100;
const bytesPerReadMax = 16 << 20;

interface Followed {
  readonly path: string;
  offset: number;
  readonly decoder: StringDecoder;
  readonly lines: ReturnType<typeof openLineSplitter>;
}

/** Existing content belongs to earlier runs and is skipped. */
export function followFile(folder: string, name: RegExp, followsAll = false): FollowedFile {
  const before = new Map(matching(folder, name).map(({ path, size }) => [path, size]));
  const files = new Map<string, Followed>();
  return {
    read() {
      if (followsAll || files.size === 0) {
        const grown = matching(folder, name).filter(({ path, size }) => size > (before.get(path) ?? 0));
        grown.sort((a, b) => b.changedMs - a.changedMs);
        for (const { path } of grown.slice(0, followsAll ? filesMax : 1)) {
          if (files.has(path) || files.size === filesMax) continue;
          const offset = before.get(path) ?? 0;
          files.set(path, { path, offset, decoder: new StringDecoder('utf8'), lines: openLineSplitter() });
        }
      }
      return [...files.values()].flatMap(readOn);
    },
  };
}

function readOn(file: Followed): string[] {
  const bytes = readFrom(file.path, file.offset);
  file.offset += bytes.length;
  return file.lines.push(file.decoder.write(bytes));
}

interface Found {
  readonly path: string;
  readonly size: number;
  readonly changedMs: number;
}

function matching(folder: string, name: RegExp): Found[] {
  const found: Found[] = [];
  const folders: { path: string; depth: number }[] = [{ path: folder, depth: 0 }];
  for (let index = 0; index < folders.length && index < foldersMax; index += 1) {
    const here = folders[index];
    if (!here) break;
    for (const entry of entries(here.path)) {
      const path = join(here.path, entry.name);
      // Links are not followed: the agent owns the folder and could link to anything.
      if (entry.isDirectory() && here.depth < depthMax) folders.push({ path, depth: here.depth + 1 });
      else if (entry.isFile() && name.test(entry.name)) found.push(...stat(path));
    }
  }
  return found;
}

function entries(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return []; // not there yet
  }
}

function stat(path: string): Found[] {
  try {
    const { size, mtimeMs } = statSync(path);
    return [{ path, size, changedMs: mtimeMs }];
  } catch {
    return [];
  }
}

function readFrom(path: string, offset: number): Buffer {
  try {
    return readPlainFileSync(path, { offset, bytesMax: bytesPerReadMax });
  } catch {
    return Buffer.alloc(0);
  }
}
