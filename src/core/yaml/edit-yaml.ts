/**
 * Changes one field in the text of a YAML file and leaves every other byte alone: comments, order, quotes.
 * Lines are spliced by hand, so callers check that the result reads the same as an edit by the yaml library.
 */
import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  parse,
  parseDocument,
  stringify,
  type YAMLMap,
} from 'yaml';

/** A null `value` removes the field. */
export function editYaml(text: string, path: readonly string[], value: unknown): string {
  const careful = parseDocument(text);
  if (value === null) careful.deleteIn(path);
  else careful.setIn(path, careful.createNode(value));
  const map = parseDocument(text).getIn(path.slice(0, -1));
  const spliced = isMap<Node, Node | null>(map) ? setField(text, map, path.at(-1) ?? '', value) : null;
  return spliced !== null && readsAs(spliced, careful.toJS())
    ? spliced
    : careful.toString({ lineWidth: 0, flowCollectionPadding: false });
}

function readsAs(text: string, wanted: unknown): boolean {
  try {
    return JSON.stringify(parse(text)) === JSON.stringify(wanted);
  } catch {
    return false;
  }
}

/** Returns null where lines cannot be spliced by hand. */
export function setField(
  text: string,
  map: YAMLMap<Node, Node | null>,
  field: string,
  value: unknown,
): string | null {
  const pair = map.items.find(({ key }) => isScalar(key) && (key.value === field || key.source === field));
  if (isAlias(pair?.value)) return null;
  if (map.flow) return setInFlow(text, map, pair, field, value);
  const [first] = map.items;
  if (!first) return null;
  const indent = ' '.repeat(first.key.range![0] - lineStart(text, first.key.range![0]));
  if (!pair) {
    if (value === null) return text;
    const end = pairEnd(map.items.at(-1)!);
    const before = text.slice(0, end);
    const gap = before.endsWith('\n') ? '' : '\n';
    const rest = gap === '' ? text.slice(end) : text.slice(lineEnd(text, end));
    const tail = gap === '' ? '' : text.slice(end, lineEnd(text, end)).replace(/\r?\n$/, '');
    return `${before}${tail}${gap}${indent}${lines(field, value, indent)}\n${rest}`;
  }
  const start = pair.key.range![0];
  const end = pairEnd(pair);
  if (value === null) {
    if (pair === first && lineStart(text, start) + indent.length !== start) return null;
    if (pair === first && text.slice(lineStart(text, start), start).trim() !== '') return null;
    return (
      text.slice(0, lineStart(text, start)) + text.slice(text[end - 1] === '\n' ? end : lineEnd(text, end))
    );
  }
  const items = spliceItems(text, pair.value, value);
  if (items !== null) return items;
  const breaks = text.slice(start, end).endsWith('\n') ? '\n' : '';
  const isFlow = (isMap(pair.value) || isSeq(pair.value)) && pair.value.flow === true;
  const written = isFlow ? inFlow(field, value) : lines(field, value, indent);
  return text.slice(0, start) + written + breaks + text.slice(end);
}

/** For flow style: `{ a: 1, b: 2 }`. */
function setInFlow(
  text: string,
  map: YAMLMap<Node, Node | null>,
  pair: Pair<Node, Node | null> | undefined,
  field: string,
  value: unknown,
): string | null {
  const last = map.items.at(-1);
  if (value === null || !last) return null;
  const [start, end] = pair ? [pair.key.range![0], pairEnd(pair)] : [pairEnd(last), pairEnd(last)];
  return `${text.slice(0, start)}${pair ? '' : ', '}${inFlow(field, value)}${text.slice(end)}`;
}

function inFlow(field: string, value: unknown): string {
  const options = { collectionStyle: 'flow', lineWidth: 0, flowCollectionPadding: false } as const;
  return stringify({ [field]: value }, options)
    .trim()
    .slice(1, -1);
}

/** Keeps the layout and comments of a list whose number of items stays; null if that is not possible. */
function spliceItems(text: string, list: Node | null, value: unknown): string | null {
  const wanted: unknown[] = Array.isArray(value) ? value : [value];
  if (!isSeq<Node>(list) || list.items.length !== wanted.length) return null;
  let result = text;
  for (const [at, item] of [...list.items.entries()].reverse()) {
    const next = wanted[at];
    if (!isScalar(item) || typeof next !== 'string') return null;
    if (item.value === next) continue;
    const [start, end] = item.range!;
    const written = stringify(next, { lineWidth: 0 }).trimEnd();
    if (written.includes('\n') || text.slice(start, end).includes('\n')) return null;
    result = result.slice(0, start) + written + result.slice(end);
  }
  return result;
}

function lines(field: string, value: unknown, indent: string): string {
  return stringify({ [field]: value }, { lineWidth: 0 })
    .trimEnd()
    .replaceAll(/\n(?=[^\n])/g, `\n${indent}`);
}

function pairEnd({ key, value }: Pair<Node, Node | null>): number {
  return value?.range?.[1] ?? key.range![2];
}

export function lineStart(text: string, at: number): number {
  return text.lastIndexOf('\n', at - 1) + 1;
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end + 1;
}
