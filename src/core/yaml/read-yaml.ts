/**
 * YAML text → a tree of nodes with places, for files that may be wrong or hostile. Why not `parse()`:
 * 1. it stops at the first mistake, and people want all of them, each with its place;
 * 2. it decides the type of `no`, `007` and `1e3` before anyone knows whether a number or an id is wanted;
 * 3. it handles aliases, duplicate keys, merge keys, tags and second documents in surprising ways.
 * So this keeps the tree, and yaml-value.ts reads it knowing what each place expects.
 */
import { Composer, type CST, type Document, Lexer, LineCounter, type Node, Parser } from 'yaml';
import type { Problem } from './problem.ts';

const yamlCharsMax = 10 * 1024 * 1024;
const yamlLinesMax = 400_000;
const yamlProblemsMax = 50;
/** Reading stops after this many faults: the library takes long over each, and only the first are shown. */
const faultsMax = 200;
/** More tokens than any honest file of this size has; it bounds memory. */
const lexemesMax = 3_000_000;
/**
 * Characters that create tokens, counted before parsing: with more of them the library takes many seconds.
 */
const signsMax = 600_000;
/** Limited because the library compares each anchor with all others. */
const anchorsMax = 20_000;
const nestingMax = 100;
/** A text this short cannot exceed the limits, so a usual file is not scanned twice. */
const smallFile = 64 * 1024;

export interface Place {
  readonly line: number;
  readonly column: number;
}

export interface YamlFile {
  readonly file: string;
  /** null if the file is empty. */
  readonly root: Node | null;
  readonly problems: readonly Problem[];
  place(offset: number): Place;
}

export function readYaml(file: string, written: string): YamlFile {
  const text = written.startsWith('\uFEFF') ? written.slice(1) : written;
  const refusal = tooMuch(text) ?? forbidden(text);
  if (refusal) return failed(file, refusal);
  const counter = new LineCounter();
  try {
    const composer = new Composer({
      schema: 'core',
      merge: false,
      resolveKnownTags: false,
      // The library compares every pair of keys; yaml-value.ts finds duplicates in one pass.
      uniqueKeys: false,
      prettyErrors: false,
      logLevel: 'silent',
    });
    const tokens = new Parser(counter.addNewLine).parse(text);
    return readDocuments(file, [...composer.compose(untilHopeless(tokens))], counter);
  } catch (error) {
    const why = error instanceof RangeError ? 'is nested too deeply' : `cannot be read: ${String(error)}`;
    return failed(file, { message: `the file ${why}`, line: 1, column: 1 });
  }
}

function* untilHopeless(tokens: Iterable<CST.Token>): Generator<CST.Token> {
  let faults = 0;
  for (const token of tokens) {
    if (token.type === 'error' && ++faults > faultsMax) return;
    yield token;
  }
}

function readDocuments(file: string, documents: readonly Document.Parsed[], counter: LineCounter): YamlFile {
  const place = (offset: number): Place => {
    const { line, col } = counter.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const at = (offset: number, message: string, expected?: string): Problem => ({
    file,
    ...place(offset),
    message,
    ...(expected ? { expected } : {}),
    severity: 'error',
  });
  const problems: Problem[] = [];
  for (const { errors, warnings } of documents) {
    for (const fault of [...errors, ...warnings]) {
      const problem = at(fault.pos[0], yamlMessage(fault.message));
      if (problem.message !== problems.at(-1)?.message) problems.push(problem);
    }
  }
  const [first, ...more] = documents;
  const second = more.find(
    (document) => document.contents !== null && document.contents.range[2] > document.contents.range[0],
  );
  if (second) {
    const where = second.contents?.range[0] ?? 0;
    problems.push(
      at(where, 'a second document begins here', 'one document in a file; put several tasks under `tasks:`'),
    );
  }
  if (documents.some(({ directives }) => directives?.yaml.version === '1.1')) {
    problems.push(at(0, 'the file asks for YAML 1.1', 'YAML 1.2; remove the line %YAML 1.1'));
  }
  return { file, root: first?.contents ?? null, problems: problems.slice(0, yamlProblemsMax), place };
}

/**
 * The library's sentence without the place. Mistakes that people often make are reworded to say what to do.
 */
function yamlMessage(message: string): string {
  const sentence = (message.split('\n')[0] ?? '')
    .replace(/ at line \d+, column \d+:?$/, '')
    .replace(/:$/, '');
  if (/call stack/i.test(sentence)) return 'the file is nested too deeply';
  if (sentence.startsWith('Tabs are not allowed')) return 'a tab is used as indentation: use spaces';
  if (sentence.startsWith('Nested mappings are not allowed in compact')) {
    return 'a text with ": " in it must be in quotes, or begin on the next line after |';
  }
  return `not YAML: ${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}`;
}

interface Refusal extends Place {
  readonly message: string;
  readonly expected?: string;
}

function tooMuch(text: string): Refusal | null {
  const whole = { line: 1, column: 1 };
  if (text.length > yamlCharsMax) {
    return {
      ...whole,
      message: 'the file is larger than 10 MB',
      expected: 'at most 10 MB; split it into several files',
    };
  }
  let lines = 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines++;
  if (lines > yamlLinesMax) {
    const expected = `at most ${yamlLinesMax} lines; split it into several files`;
    return { ...whole, message: `the file has ${lines} lines`, expected };
  }
  return mayBeTooMuch(text) && (tooManySigns(text) || tooManyPieces(text))
    ? { ...whole, message: 'the file is nested too deeply, or has too many values' }
    : null;
}

function mayBeTooMuch(text: string): boolean {
  return text.length > smallFile || (text.match(/[[{]/g)?.length ?? 0) > nestingMax;
}

function tooManySigns(text: string): boolean {
  let [signs, anchors] = [0, 0];
  for (const [sign] of text.matchAll(/[,[\]{}\n]|[:?-] |(?<=[\s[{,])[&*](?=\S)/g)) {
    if (sign === '&' || sign === '*') anchors += 1;
    if (++signs > signsMax || anchors > anchorsMax) return true;
  }
  return false;
}

function tooManyPieces(text: string): boolean {
  let pieces = 0;
  let depth = 0;
  for (const lexeme of new Lexer().lex(text)) {
    if (++pieces > lexemesMax) return true;
    if (lexeme === '[' || lexeme === '{') depth++;
    else if (lexeme === ']' || lexeme === '}') depth--;
    if (depth > nestingMax) return true;
  }
  return false;
}

function forbidden(text: string): Refusal | null {
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  const match = /[\0-\x08\x0B\x0C\x0E-\x1F\x7F\uFFFE\uFFFF]|[\uD800-\uDBFF](?![\uDC00-\uDFFF])/.exec(text);
  if (!match) return null;
  const before = text.slice(0, match.index).split('\n');
  const code = match[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
  const column = (before.at(-1)?.length ?? 0) + 1;
  return {
    line: before.length,
    column,
    message: `the file has a control character (U+${code})`,
    expected: 'text',
  };
}

function failed(file: string, refusal: Refusal): YamlFile {
  return {
    file,
    root: null,
    problems: [{ file, severity: 'error', ...refusal }],
    place: () => ({ line: 1, column: 1 }),
  };
}
