import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { readPlainFileSync } from '../system/plain-file.ts';
import { openLineSplitter } from './line-splitter.ts';

/** Reads what is appended to the newest file that matches. */
export interface FollowedFile {
  /** Lines that were completed since the last call. */
  read(): string[];
}

const depthMax = 6;
const foldersMax = 500;
const bytesPerReadMax = 16 << 20;

/** What is there already belongs to earlier runs and is passed over. */
export function followFile(folder: string, name: RegExp): FollowedFile {
  const before = new Map(matching(folder, name).map(({ path, size }) => [path, size]));
  let file: { path: string; offset: number } | undefined;
  const decoder = new StringDecoder('utf8');
  const lines = openLineSplitter();
  return {
    read() {
      file ??= newest(matching(folder, name), before);
      if (!file) return [];
      const bytes = readFrom(file.path, file.offset);
      file.offset += bytes.length;
      return lines.push(decoder.write(bytes));
    },
  };
}

interface Found {
  readonly path: string;
  readonly size: number;
  readonly changedMs: number;
}

function newest(
  files: readonly Found[],
  before: ReadonlyMap<string, number>,
): { path: string; offset: number } | undefined {
  const grown = files.filter(({ path, size }) => size > (before.get(path) ?? 0));
  const last = grown.sort((a, b) => b.changedMs - a.changedMs)[0];
  return last && { path: last.path, offset: before.get(last.path) ?? 0 };
}

function matching(folder: string, name: RegExp): Found[] {
  const found: Found[] = [];
  const folders: { path: string; depth: number }[] = [{ path: folder, depth: 0 }];
  for (let index = 0; index < folders.length && index < foldersMax; index += 1) {
    const here = folders[index];
    if (!here) break;
    for (const entry of entries(here.path)) {
      const path = join(here.path, entry.name);
      // Links are not followed: the folder is the agent's, and it may point anywhere.
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
