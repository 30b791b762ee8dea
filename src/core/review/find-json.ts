/**
 * Finds the JSON that an agent was asked for: in a fenced block, or as its whole answer. Fenced YAML counts
 * too.
 */
import { parse } from 'yaml';
import type { Markdown } from '../markdown/markdown-lines.ts';
import { isRecord } from '../shape.ts';

export type JsonBlock =
  | { readonly line: number; readonly kind: 'json'; readonly value: unknown }
  | { readonly line: number; readonly kind: 'broken'; readonly message: string };

/** The blocks that contain one of `keys`. The caller must check their content. */
export function findJson(markdown: Markdown, text: string, ...keys: readonly string[]): readonly JsonBlock[] {
  const whole = text.length <= wholeCharsMax ? text.trim() : '';
  const isNamed = (json: string): boolean => keys.some((key) => json.includes(`"${key}"`));
  if (/^[{[]/.test(whole) && /[}\]]$/.test(whole) && isNamed(whole)) {
    const block = readJson(1, whole);
    if (block.kind === 'json') return [block];
  }
  return markdown.blocks
    .map((block) => ({ ...block, language: block.info.split(/[\s{:]/)[0]?.toLowerCase() ?? '' }))
    .filter(({ language, text: body }) =>
      /^ya?ml$/.test(language)
        ? keys.some((key) => new RegExp(`^${key}:`, 'm').test(body))
        : /^(?:json(?:[c5l]|lines)?)?$/.test(language) && (isNamed(body) || findingLines.test(body)),
    )
    .map(({ language, line, text: body }) =>
      /^ya?ml$/.test(language) ? readYaml(line, body) : readJson(line, body),
    );
}

const wholeCharsMax = 1_000_000;
/** JSON lines: one finding on each line. */
const findingLines = /^(?:\{[^\n]{0,4000}"severity"[^\n]{0,4000}\}\s*)+$/;

const yamlCharsMax = 50_000;

function readYaml(line: number, text: string): JsonBlock {
  try {
    if (text.length > yamlCharsMax) return { line, kind: 'broken', message: 'too long' };
    return {
      line,
      kind: 'json',
      value: parse(text, { maxAliasCount: 0, uniqueKeys: false, logLevel: 'silent' }),
    };
  } catch {
    return { line, kind: 'broken', message: 'unreadable' };
  }
}

function readJson(line: number, text: string): JsonBlock {
  try {
    return { line, kind: 'json', value: JSON.parse(text) };
  } catch (error) {
    const value = parsedWithoutCommas(text) ?? parsedLines(text);
    if (value !== undefined) return { line, kind: 'json', value };
    return {
      line,
      kind: 'broken',
      message: error instanceof Error ? error.message.slice(0, 200) : 'unreadable',
    };
  }
}

/**
 * Repairs the two most common mistakes of models: a comma after the last entry, and a comment on its own
 * line.
 */
function parsedWithoutCommas(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^[ \t]{0,40}\/\/.*$/gm, '').replace(/,(?=\s*[}\]])/g, ''));
  } catch {
    return undefined;
  }
}

function parsedLines(text: string): unknown {
  if (!findingLines.test(text)) return undefined;
  const lines = text.trim().split('\n').map(parsedWithoutCommas);
  return lines.includes(undefined) ? undefined : { findings: lines };
}

const wordsCharsMax = 100_000;
const verdictNames = /^(?:(?:final|review|overall)_?)?(?:verdict|decision|recommendation)$|^final$/i;

/**
 * Turns an answer that is a single JSON object with a verdict into prose: names become titles, texts become
 * items, and the verdict comes last. Null for other texts, and when the object has only a verdict.
 */
export function jsonAsProse({ blocks, lines }: Markdown, text: string): string | null {
  const [block, ...others] = blocks;
  const isOnlyBlock = block !== undefined && others.length === 0 && !lines.some(isOutside);
  const whole = (isOnlyBlock ? block.text : text).trim();
  if (!/^\{[^]*\}$/.test(whole) || whole.length > wordsCharsMax) return null;
  const { value } = { value: null, ...readJson(1, whole) };
  if (!isRecord(value)) return null;
  const names = Object.keys(value).filter((name) => verdictNames.test(name));
  const [name = '', more] = names;
  const verdict = value[name];
  if (typeof verdict !== 'string' || more !== undefined) return null;
  const said = Object.entries(value).flatMap(([key, one]) => (key === name ? [] : saidUnder(key, one)));
  if (said.length === 0) return null;
  return [...said, `Verdict: ${plainly(verdict)}`].join('\n\n');
}

function isOutside({ text, isFenced }: Markdown['lines'][number]): boolean {
  return isFenced !== true && text.trim() !== '';
}

function saidUnder(key: string, value: unknown): readonly string[] {
  const texts = textsIn(value, 0);
  return texts.length === 0 ? [] : [`## ${plainly(key)}`, ...texts.map((one) => `- ${plainly(one)}`)];
}

function textsIn(value: unknown, depth: number): readonly string[] {
  if (typeof value === 'string') return value.trim() === '' ? [] : [value];
  if (typeof value !== 'object' || value === null || depth > 8) return [];
  return Object.values(value).flatMap((one) => textsIn(one, depth + 1));
}

/** Puts text on one line, without leading characters that mean something in Markdown. */
function plainly(text: string): string {
  return text.replace(/[\s_]+/g, ' ').replace(/^[^\p{L}\p{N}]+/u, '');
}
