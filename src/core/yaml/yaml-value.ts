/**
 * Reads a YAML node as the plain value that its place expects. The shape (a JSON Schema) decides how to read
 * a scalar: where text is wanted, `no`, `007` and `1e3` stay as written. An empty value means "not set".
 */
import { isAlias, isMap, isScalar, isSeq, type Node, type Pair, type Scalar, type YAMLMap } from 'yaml';
import { type Problem, shown } from './problem.ts';
import type { YamlFile } from './read-yaml.ts';

/** The part of JSON Schema that is used here. */
export interface Shape {
  type?: string | string[];
  title?: string;
  description?: string;
  enum?: unknown[];
  const?: unknown;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  maxLength?: number;
  maxItems?: number;
  items?: Shape;
  properties?: Record<string, Shape>;
  additionalProperties?: Shape | boolean;
  required?: string[];
  anyOf?: Shape[];
  examples?: unknown[];
}

/** Limit on nodes reached through aliases: enough for any honest use, too few for a bomb. */
const aliasedNodesMax = 10_000;
const nestingMax = 100;

export interface YamlValue {
  readonly value: unknown;
  readonly problems: readonly Problem[];
}

export function yamlValue(source: YamlFile, node: Node | null, shape: Shape): YamlValue {
  const reader = new ValueReader(source);
  const value = node ? reader.read(node, shape) : null;
  return { value, problems: reader.problems };
}

class ValueReader {
  readonly problems: Problem[] = [];
  readonly #source: YamlFile;
  readonly #anchors = new Map<string, Node>();
  readonly #open = new Set<Node>();
  #aliasDepth = 0;
  #aliased = 0;

  constructor(source: YamlFile) {
    this.#source = source;
  }

  read(node: Node, shape: Shape): unknown {
    if (isAlias(node)) return this.#alias(node, node.source, shape);
    if (this.#aliasDepth > 0 && ++this.#aliased > aliasedNodesMax) return null;
    const { anchor, tag } = node as Scalar;
    if (anchor && this.#aliasDepth === 0) this.#anchors.set(anchor, node);
    if (tag && !isPlainTag(tag))
      this.#problem(node, `the tag ${shown(tag)} is not used here`, 'the plain value');
    if (isScalar(node)) return scalarValue(node, shape);
    if (this.#open.size >= nestingMax) {
      this.#problem(node, 'the file is nested too deeply', `at most ${nestingMax} levels`);
      return null;
    }
    this.#open.add(node);
    const value = isMap(node)
      ? this.#map(node, shape)
      : isSeq(node)
        ? this.#seq(node.items as Node[], shape)
        : null;
    this.#open.delete(node);
    return value;
  }

  #alias(node: Node, name: string, shape: Shape): unknown {
    const target = this.#anchors.get(name);
    if (!target || this.#open.has(target)) {
      const why = target ? 'stands for something that contains it' : 'has no anchor before it';
      this.#problem(
        node,
        `the alias *${shown(name)} ${why}`,
        `a value, or &${shown(name)} on an earlier one`,
      );
      return null;
    }
    if (this.#aliased > aliasedNodesMax) return null;
    this.#aliasDepth++;
    const value = this.read(target, shape);
    this.#aliasDepth--;
    if (this.#aliased > aliasedNodesMax && this.#aliasDepth === 0) {
      this.#problem(
        node,
        `aliases stand for more than ${aliasedNodesMax} values`,
        'fewer aliases; `defaults:` is shared by all tasks',
      );
    }
    return value;
  }

  #map(node: YAMLMap, shape: Shape): Record<string, unknown> {
    const inner = alternatives(shape).find(
      ({ properties, additionalProperties }) => properties ?? additionalProperties,
    );
    const value: Record<string, unknown> = {};
    const seen = new Map<string, Node>();
    for (const pair of node.items as Pair<Node, Node | null>[]) {
      const key = this.#key(pair.key, seen);
      if (key === null) continue;
      const known =
        inner?.properties && Object.hasOwn(inner.properties, key) ? inner.properties[key] : undefined;
      const child =
        known ?? (typeof inner?.additionalProperties === 'object' ? inner.additionalProperties : {});
      const read = pair.value ? this.read(pair.value, child) : null;
      if (read !== null) value[key] = read;
      else if (wantsOnlyMap(child)) value[key] = {};
      else if (!known) value[key] = null;
    }
    return value;
  }

  #key(node: Node | null, seen: Map<string, Node>): string | null {
    if (!node || !isScalar(node)) {
      if (node) this.#problem(node, 'a key must be a plain word', 'the name of a field');
      return null;
    }
    const key = typeof node.value === 'string' ? node.value : (node.source ?? String(node.value));
    const first = seen.get(key);
    if (first) {
      const { line } = this.#source.place(first.range?.[0] ?? 0);
      this.#problem(
        node,
        `${shown(key)} is given twice`,
        `each field once; it stands already in line ${line}`,
      );
      return null;
    }
    seen.set(key, node);
    if (key === '<<') {
      this.#problem(
        node,
        'merge keys (<<) are not read',
        'each field written out, or `defaults:` for all tasks of a file',
      );
      return null;
    }
    if (key === '__proto__') {
      this.#problem(node, '__proto__ is not a field');
      return null;
    }
    return key;
  }

  #seq(items: readonly (Node | null)[], shape: Shape): unknown[] {
    const inner = alternatives(shape).find(({ items }) => items)?.items ?? {};
    return items.map((item) => (item ? this.read(item, inner) : null));
  }

  #problem(node: Node, message: string, expected?: string): void {
    const place = this.#source.place(node.range?.[0] ?? 0);
    if (this.problems.length < 100) {
      this.problems.push({
        file: this.#source.file,
        ...place,
        message,
        ...(expected ? { expected } : {}),
        severity: 'error',
      });
    }
  }
}

/** These tags ask for what happens anyway, as in `!!str 007` and `! 007`. */
function isPlainTag(tag: string): boolean {
  return tag === '!' || /^tag:yaml\.org,2002:(str|seq|map)$/.test(tag);
}

function scalarValue(node: Scalar, shape: Shape): unknown {
  const { value, source } = node;
  if (value === null || value === undefined || typeof value === 'string') return value ?? null;
  const types = alternatives(shape).flatMap((one) => one.type ?? (one.enum ? 'string' : []));
  const wantsText = types.includes('string');
  const wantsIt = types.some(
    (type) => type === typeof value || (type === 'integer' && typeof value === 'number'),
  );
  return wantsText && !wantsIt ? (source ?? shown(value)) : value;
}

function wantsOnlyMap(shape: Shape): boolean {
  const types = alternatives(shape).map(({ type }) => type);
  return types.includes('object') && types.every((type) => type === 'object' || type === 'null');
}

/** The members of a union, flattened. */
export function alternatives(shape: Shape): Shape[] {
  return shape.anyOf ? shape.anyOf.flatMap(alternatives) : [shape];
}

/** The shape at a path of a value, or null where nothing is known. */
export function shapeAt(shape: Shape, path: readonly PropertyKey[]): Shape | null {
  let at: Shape | null = shape;
  for (const step of path) {
    if (!at) return null;
    const options: Shape[] = alternatives(at);
    if (typeof step === 'number') at = options.find(({ items }) => items)?.items ?? at;
    else {
      const owner = options.find(
        ({ properties, additionalProperties }) => properties ?? additionalProperties,
      );
      const named = owner?.properties?.[String(step)];
      at = named ?? (typeof owner?.additionalProperties === 'object' ? owner.additionalProperties : null);
    }
  }
  return at;
}

export interface Found {
  readonly key: Node | null;
  readonly node: Node | null;
  /** False if the path ends in something missing; `node` is then the node that should hold it. */
  readonly there: boolean;
}

/**
 * The node at a path. An index on a scalar gives that scalar, because one value may stand for a list of one.
 */
export function findNode(root: Node | null, path: readonly PropertyKey[]): Found {
  let node = root;
  let key: Node | null = null;
  for (const step of path) {
    if (isMap(node)) {
      const pair = (node.items as Pair<Node, Node | null>[]).find(({ key }) => keyText(key) === String(step));
      if (!pair) return { key, node, there: false };
      [key, node] = [pair.key, pair.value ?? pair.key];
    } else if (isSeq(node) && typeof step === 'number') {
      const item = (node.items as (Node | null)[])[step];
      if (!item) return { key, node, there: false };
      node = item;
    } else return { key, node, there: true };
  }
  return { key, node, there: true };
}

/** A key as written in the file. */
export function keyText(key: unknown): string {
  return isScalar(key) ? (typeof key.value === 'string' ? key.value : (key.source ?? String(key.value))) : '';
}
