/**
 * Objects that lie in the repository one by one, which is how gza writes its own: read without starting git. What is
 * packed, borrowed from elsewhere, damaged or too large is not found here, and is git's to answer.
 */
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inflateSync } from 'node:zlib';
import type { GitObject } from './object-reader.ts';
import { parseTree } from './object-writer.ts';

/** A file, a folder or a message of a ledger that is larger is not read: anyone who can push may put one there. */
export const objectBytesMax = 32 << 20;
const pathDepthMax = 8;
const types = ['blob', 'tree', 'commit', 'tag'];

/** `<id>`, `<id>^{tree}` or `<id>:<path>`. */
const nameShape = /^([0-9a-f]{40}|[0-9a-f]{64})(?:(\^\{tree\})|:([^\n\0]+))?$/;

export function looseObject(objectsDir: string, name: string): GitObject | null {
  const [, oid = '', ofTree, path] = nameShape.exec(name) ?? [];
  if (oid === '') return null;
  const self = readLoose(objectsDir, oid);
  if (!self || (!ofTree && path === undefined)) return self;
  const root = treeOf(objectsDir, self);
  return path === undefined ? root : entryAt(objectsDir, root, path.split('/'));
}

function treeOf(objectsDir: string, object: GitObject): GitObject | null {
  if (object.type !== 'commit') return null;
  const tree = /^tree ([0-9a-f]+)\n/.exec(object.data.toString('latin1', 0, 80))?.[1];
  return tree ? readLoose(objectsDir, tree) : null;
}

function entryAt(objectsDir: string, root: GitObject | null, path: readonly string[]): GitObject | null {
  let object = root;
  if (path.length > pathDepthMax) return null;
  for (const part of path) {
    if (object?.type !== 'tree') return null;
    const entries = parseTree(object.data, object.oid.length === 40 ? 'sha1' : 'sha256');
    const entry = entries?.find(({ name }) => name === part);
    object = entry ? readLoose(objectsDir, entry.oid) : null;
  }
  return object;
}

function readLoose(objectsDir: string, oid: string): GitObject | null {
  try {
    const packed = readSmall(join(objectsDir, oid.slice(0, 2), oid.slice(2)));
    const bytes = inflateSync(packed, { maxOutputLength: objectBytesMax });
    const end = bytes.indexOf(0);
    const [type = '', size = ''] = bytes.toString('latin1', 0, Math.min(Math.max(end, 0), 32)).split(' ');
    const data = bytes.subarray(end + 1);
    return types.includes(type) && Number(size) === data.length ? { oid, type, data } : null;
  } catch {
    return null;
  }
}

function readSmall(path: string): Buffer {
  const file = openSync(path, 'r');
  try {
    if (fstatSync(file).size > objectBytesMax) throw new Error('too large');
    return readFileSync(file);
  } finally {
    closeSync(file);
  }
}
