/** `${{ }}` by GitHub's own evaluator. */
import { data, Evaluator, Lexer, Parser } from '@actions/expressions';
import { truthy } from '@actions/expressions/result';

export type Contexts = Readonly<Record<string, unknown>>;

export interface StatusFunctions {
  readonly success: boolean;
  readonly failure: boolean;
  readonly cancelled: boolean;
}

const names = [
  'github',
  'env',
  'vars',
  'job',
  'jobs',
  'steps',
  'runner',
  'secrets',
  'strategy',
  'matrix',
  'needs',
  'inputs',
];

const functionInfo = ['success', 'failure', 'always', 'cancelled', 'hashFiles'].map((name) => ({
  name,
  minArgs: 0,
  maxArgs: 255,
}));

function toData(value: unknown): data.ExpressionData {
  return JSON.parse(JSON.stringify(value ?? null), data.reviver) as data.ExpressionData;
}

function run(expression: string, contexts: Contexts, status?: StatusFunctions): data.ExpressionData {
  const tree = new Parser(new Lexer(expression).lex().tokens, names, functionInfo).parse();
  const words = expression.toLowerCase();
  const dictionary = new data.Dictionary(
    ...names.map((key) => ({ key, value: toData(words.includes(key) ? contexts[key] : {}) })),
  );
  const call = (name: string, value: boolean) =>
    [name, { name, minArgs: 0, maxArgs: 255, call: () => new data.BooleanData(value) }] as const;
  const functions = new Map<string, Parameters<typeof Map.prototype.set>[1]>([
    call('success', status?.success ?? true),
    call('failure', status?.failure ?? false),
    call('cancelled', status?.cancelled ?? false),
    call('always', true),
    [
      'hashfiles',
      { name: 'hashFiles', minArgs: 1, maxArgs: 255, call: () => new data.StringData('0'.repeat(64)) },
    ],
  ]);
  return new Evaluator(tree, dictionary, functions).evaluate();
}

/** A string that is one expression gives its value as it is; in longer text values become text. */
export function interpolate(value: unknown, contexts: Contexts, status?: StatusFunctions): unknown {
  if (Array.isArray(value)) return value.map((one) => interpolate(one, contexts, status));
  if (value !== null && typeof value === 'object')
    return Object.fromEntries(
      Object.entries(value).map(([key, one]) => [key, interpolate(one, contexts, status)]),
    );
  if (typeof value !== 'string') return value;
  const parts = split(value);
  const [only] = parts;
  if (parts.length === 1 && only && 'expression' in only)
    return fromData(run(only.expression, contexts, status));
  return parts
    .map((part) => ('text' in part ? part.text : run(part.expression, contexts, status).coerceString()))
    .join('');
}

/** As it reaches an environment variable or an input. */
export function asText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : `${value as number | boolean}`;
}

export function interpolateText(value: unknown, contexts: Contexts, status?: StatusFunctions): string {
  return asText(interpolate(value, contexts, status));
}

export function interpolateMap(value: unknown, contexts: Contexts): Record<string, string> {
  const map = (interpolate(value ?? {}, contexts) ?? {}) as Record<string, unknown>;
  return Object.fromEntries(Object.entries(map).map(([key, one]) => [key, asText(one)]));
}

/** `if:`; one that asks for no status means "and everything before it succeeded". */
export function condition(value: unknown, contexts: Contexts, status: StatusFunctions): boolean {
  if (value === undefined || value === null || value === '') return status.success;
  const parts = typeof value === 'string' ? split(value) : [];
  const [only] = parts;
  const expression = parts.length === 1 && only && 'expression' in only ? only.expression : asText(value);
  const asks = /\b(success|failure|cancelled|always)\s*\(/i.test(expression);
  return truthy(run(expression, contexts, status)) && (asks || status.success);
}

type Part = { readonly text: string } | { readonly expression: string };

function split(value: string): Part[] {
  const parts: Part[] = [];
  let at = 0;
  while (at < value.length) {
    const start = value.indexOf('${{', at);
    if (start < 0) break;
    const end = closing(value, start + 3);
    if (end < 0) break;
    if (start > at) parts.push({ text: value.slice(at, start) });
    parts.push({ expression: value.slice(start + 3, end).trim() });
    at = end + 2;
  }
  if (at < value.length || parts.length === 0) parts.push({ text: value.slice(at) });
  return parts;
}

function closing(value: string, from: number): number {
  let quoted = false;
  for (let at = from; at < value.length - 1; at += 1) {
    if (value[at] === "'") quoted = !quoted;
    if (!quoted && value.startsWith('}}', at)) return at;
  }
  return -1;
}

function fromData(value: data.ExpressionData): unknown {
  return JSON.parse(JSON.stringify(value, data.replacer) ?? 'null');
}
