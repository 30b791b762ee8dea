/** Turns what zod found wrong with a value into problems that point into its file. */

import { isAlias, isMap, isScalar, isSeq, type Node } from 'yaml';
import * as z from 'zod';
import { nearestWord } from '../arguments/nearest-word.ts';
import { configSchema } from '../config/config-schema.ts';
import { manyTasksSchema, taskSchema } from '../task/task-schema.ts';
import { type Problem, shown } from './problem.ts';
import type { YamlFile } from './read-yaml.ts';
import { alternatives, findNode, type Shape, shapeAt } from './yaml-value.ts';

type Issue = z.core.$ZodIssue;

export interface ProblemSource {
  readonly yaml: YamlFile;
  readonly shape: Shape;
  /** What a map at this path is called: `a task`, `gza.yaml`, `agents.claude`. */
  nameOf(path: readonly PropertyKey[]): string;
  /** For keys that are known to be wrong here: the reason, or the right word. */
  teach?(key: string, path: readonly PropertyKey[]): { message?: string; near?: string } | null;
}

/** For one value: placing a problem takes time, and nobody reads more of them. */
const problemsMax = 50;

/** `at` is the path of the value in the file; the issues' paths are relative to it. */
function schemaProblems(
  issues: readonly Issue[],
  source: ProblemSource,
  at: readonly PropertyKey[] = [],
): Problem[] {
  return issues.slice(0, problemsMax).flatMap((issue) => {
    const path = [...at, ...issue.path];
    if (issue.code === 'invalid_union') return schemaProblems(bestBranch(issue), source, path);
    if (issue.code === 'unrecognized_keys')
      return issue.keys.slice(0, problemsMax).map((key) => unknownKey(key, path, source));
    return [wrongValue(issue, path, source)];
  });
}

/** The valid part of a value. Wrong keys are reported and left out, so that one mistake hides no other. */
export function validPart<T extends object>(
  schema: z.ZodType<T>,
  value: Readonly<Record<string, unknown>>,
  source: ProblemSource,
  at: readonly PropertyKey[] = [],
): { readonly valid: T; readonly problems: Problem[] } {
  const first = schema.safeParse(value);
  if (first.success) return { valid: first.data, problems: [] };
  const rest = { ...value };
  for (const { path, ...issue } of first.error.issues) {
    const keys = path.length === 0 && 'keys' in issue ? issue.keys : [String(path[0])];
    for (const key of keys) delete rest[key];
  }
  const second = schema.safeParse(rest);
  const problems = schemaProblems(first.error.issues, source, at);
  return { valid: second.success ? second.data : ({} as T), problems };
}

/** The branch of the union that matched furthest into the value. */
function bestBranch(issue: Extract<Issue, { code: 'invalid_union' }>): readonly Issue[] {
  const depth = (branch: readonly Issue[]) => {
    const far = Math.max(0, ...branch.map(({ path }) => path.length));
    return branch.some(({ code, path }) => code === 'invalid_type' && path.length === 0) ? -1 : far;
  };
  const best = issue.errors.toSorted((a, b) => depth(b) - depth(a))[0];
  return best && best.length > 0
    ? best
    : [{ code: 'custom', path: [], message: 'Invalid input', input: undefined }];
}

function unknownKey(key: string, path: readonly PropertyKey[], source: ProblemSource): Problem {
  const { node } = findNode(source.yaml.root, path);
  const known = alternatives(shapeAt(source.shape, path) ?? {}).flatMap(({ properties }) =>
    Object.keys(properties ?? {}),
  );
  const taught = source.teach?.(key, path);
  const near = taught?.message ? null : (taught?.near ?? nearestWord(key, known));
  const keyNode = findNode(node, [key]).key;
  return {
    ...problemAt(source.yaml, keyNode ?? node),
    message: taught?.message ?? `${shown(key)} is not a field of ${source.nameOf(path)}`,
    ...(near ? { near } : {}),
    ...(near || taught?.message ? {} : { expected: oneOf(known) }),
  };
}

function wrongValue(issue: Issue, path: readonly PropertyKey[], source: ProblemSource): Problem {
  const { key, node, there } = findNode(source.yaml.root, path);
  const shape = shapeAt(source.shape, path);
  const field = fieldName(path);
  const expected = shape ? expectation(shape) : '';
  const example = exampleOf(source.shape, path);
  const place = problemAt(source.yaml, there ? node : (key ?? node));
  const common = { ...(expected ? { expected } : {}), ...(example ? { example } : {}) };
  if (!there) return { ...place, message: `${field} is missing`, ...common };
  const found = foundText(node);
  const words = alternatives(shape ?? {})
    .flatMap((one) => one.enum ?? [])
    .filter((one) => typeof one === 'string');
  const near = words.length > 0 ? nearestWord(found, words) : null;
  const message =
    issue.code === 'custom' && issue.message !== 'Invalid input'
      ? issue.message
      : `${field} has a wrong value`;
  return { ...place, message, ...common, found: found || 'nothing', ...(near ? { near } : {}) };
}

export function problemAt(
  yaml: YamlFile,
  node: Node | null,
): Pick<Problem, 'file' | 'line' | 'column' | 'severity'> {
  return { file: yaml.file, ...yaml.place(node?.range?.[0] ?? 0), severity: 'error' };
}

function foundText(node: Node | null): string {
  if (isScalar(node)) {
    const text = typeof node.value === 'string' ? node.value : (node.source ?? String(node.value));
    const size = Array.from(text).length;
    return size > 60 ? `${shown(text)} (${size} characters)` : shown(text);
  }
  if (isAlias(node)) return `*${shown(node.source)}`;
  return isMap(node) ? 'a map of fields' : isSeq(node) ? 'a list' : '';
}

/** For example `depends_on[2]`, without the path to the task, which the line and column already show. */
function fieldName(path: readonly PropertyKey[]): string {
  const inner = path[0] === 'tasks' && typeof path[1] === 'number' ? path.slice(2) : path;
  if (inner.length === 0) return path.length > 0 ? 'the task' : 'the file';
  return inner
    .map((step) => (typeof step === 'number' ? `[${step + 1}]` : `.${String(step)}`))
    .join('')
    .replace(/^\./, '');
}

function exampleOf(shape: Shape, path: readonly PropertyKey[]): string {
  const field = path.findLast((step) => typeof step === 'string');
  const [own, outer] = [shapeAt(shape, path), shapeAt(shape, path.slice(0, -1))];
  const example = (typeof path.at(-1) === 'number' ? (outer?.examples ?? own?.examples) : own?.examples)?.[0];
  if (example === undefined || typeof field !== 'string') return '';
  return `${field}: ${Array.isArray(example) ? `[${example.join(', ')}]` : shown(example)}`;
}

function expectation(shape: Shape): string {
  if (shape.title) return shape.title;
  const options = alternatives(shape);
  const [single, several] = options;
  if (single && several?.items && options.length === 2 && single.type === several.items.type) {
    return `${one(single)}, or a list of them`;
  }
  const parts = alternatives(shape)
    .filter(({ type }) => type !== 'null')
    .map(one);
  return [...new Set(parts)].filter(Boolean).join(', or ');
}

function one(shape: Shape): string {
  if (shape.title) return shape.title;
  if (shape.enum) return oneOf(shape.enum.map(String));
  switch (shape.type) {
    case 'string':
      return shape.maxLength && shape.maxLength < 1000
        ? `text of at most ${shape.maxLength} characters`
        : 'text';
    case 'boolean':
      return 'true or false';
    case 'integer':
      return `a whole number${range(shape)}`;
    case 'number':
      return `a number${range(shape)}`;
    case 'array':
      return shape.items ? `a list: ${expectation(shape.items)}` : 'a list';
    case 'object':
      return shape.properties
        ? `a map with ${Object.keys(shape.properties).slice(0, 8).join(', ')}`
        : 'a map of fields';
    case undefined:
    default:
      return '';
  }
}

function range({ minimum, maximum, exclusiveMinimum }: Shape): string {
  const top = maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER ? maximum : undefined;
  if (exclusiveMinimum !== undefined)
    return ` above ${exclusiveMinimum}${top === undefined ? '' : `, at most ${top}`}`;
  if (minimum !== undefined && top !== undefined) return ` from ${minimum} to ${top}`;
  return minimum === undefined ? '' : `, at least ${minimum}`;
}

function oneOf(words: readonly string[]): string {
  return words.length > 1 ? `one of ${words.join(', ')}` : (words[0] ?? '');
}

/** The schemas as JSON Schema: for editors, and as the shapes that yaml-value.ts uses. */

function shapeOf(schema: z.ZodType): Shape {
  return z.toJSONSchema(schema, { target: 'draft-7', io: 'input', reused: 'inline' }) as Shape;
}

/** Converts each field when it is first needed, because converting is slow and a file uses few fields. */
export function lazyShapeOf(schema: z.ZodObject): Shape {
  const properties: Record<string, Shape> = {};
  for (const [name, field] of Object.entries(schema.shape)) {
    let known: Shape | undefined;
    const get = () => (known ??= shapeOf(field as z.ZodType));
    Object.defineProperty(properties, name, { enumerable: true, get });
  }
  return { type: 'object', properties, additionalProperties: false };
}

/**
 * One task, or several under `tasks:`. Uses if/then/else instead of anyOf, so that an editor complains about
 * the one wrong field and not about the whole file.
 */
export function taskFileJsonSchema(): object {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'gza task file',
    description: 'One task, or several under `tasks:` with shared `group`, `milestone` and `defaults`.',
    if: { type: 'object', required: ['tasks'] },
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema, not a promise
    then: forEditors(shapeOf(manyTasksSchema)),
    else: forEditors(shapeOf(taskSchema)),
  };
}

export function configJsonSchema(): object {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'gza.yaml',
    ...forEditors(shapeOf(configSchema)),
  };
}

function forEditors(shape: Shape): object {
  const { $schema: _, ...rest } = shape as Shape & { $schema?: string };
  return cleaned(rest) as object;
}

/** Removes bounds that are only the largest number of JavaScript, and the schema of the key names. */
function cleaned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(cleaned);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(
    ([key, inner]) =>
      !(key === 'maximum' && inner === Number.MAX_SAFE_INTEGER) &&
      !(key === 'propertyNames' && JSON.stringify(inner) === '{"type":"string"}'),
  );
  return Object.fromEntries(entries.map(([key, inner]) => [key, cleaned(inner)]));
}

export function printJsonSchema(schema: object): string {
  return `${JSON.stringify(schema, null, 2)}\n`;
}
