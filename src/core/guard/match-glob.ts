/**
 * Globs over whole paths: `*` and `?` stay inside one folder, `**` crosses folders, `{a,b}` is a choice, a pattern
 * that ends in `/` means everything below. Own code, because a pattern may come from a stranger's task file and
 * libraries turn it into a regular expression that can take exponential time. Here a pattern is a row of tokens
 * walked as a set of states: at most path length × pattern length steps.
 */
type Token =
  | { readonly kind: 'char'; readonly char: string }
  | { readonly kind: 'one' }
  | { readonly kind: 'many' }
  /** Any text across folders. */
  | { readonly kind: 'all' }
  /** Nothing, or any text that ends in `/`. */
  | { readonly kind: 'folders' };

const globLengthMax = 1000;
const choicesMax = 64;
const pathLengthMax = 8192;

export type Matcher = (path: string) => boolean;

/** Throws a plain Error on a pattern that cannot be read; check patterns from outside with `globProblem` first. */
function compileGlob(pattern: string): Matcher {
  const problem = globProblem(pattern);
  if (problem) throw new Error(problem);
  const rows = (expandChoices(pattern) ?? []).map(tokenise);
  return (path) => path.length <= pathLengthMax && rows.some((tokens) => matches(tokens, path));
}

export function compileGlobs(patterns: readonly string[]): Matcher {
  const matchers = patterns.map(compileGlob);
  return (path) => matchers.some((isMatch) => isMatch(path));
}

export function matchGlob(pattern: string, path: string): boolean {
  return compileGlob(pattern)(path);
}

/** Why this pattern cannot be used, or null. */
export function globProblem(pattern: string): string | null {
  const quoted = JSON.stringify(pattern.slice(0, 80));
  if (pattern === '') return 'the pattern is empty';
  if (pattern.length > globLengthMax)
    return `the pattern ${quoted} is longer than ${globLengthMax} characters`;
  if (pattern.startsWith('/'))
    return `the pattern ${quoted} starts with "/"; paths are relative to the repository`;
  if (expandChoices(pattern) === null) {
    return `the braces of the pattern ${quoted} do not match, or mean more than ${choicesMax} choices`;
  }
  return null;
}

function expandChoices(pattern: string): string[] | null {
  const done: string[] = [];
  const queue = [pattern];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    const open = next.lastIndexOf('{');
    if (open < 0) {
      if (next.includes('}')) return null;
      done.push(next);
      continue;
    }
    const close = next.indexOf('}', open);
    if (close < 0) return null;
    // The last `{` has no braces inside it, so a plain split is right.
    const choices = next.slice(open + 1, close).split(',');
    if (queue.length + done.length + choices.length > choicesMax) return null;
    for (const choice of choices) queue.push(next.slice(0, open) + choice + next.slice(close + 1));
  }
  return done;
}

function tokenise(pattern: string): Token[] {
  const text = pattern.endsWith('/') ? `${pattern}**` : pattern;
  const tokens: Token[] = [];
  let at = 0;
  while (at < text.length) {
    const isSegmentStart = at === 0 || text[at - 1] === '/';
    if (isSegmentStart && text.startsWith('**/', at)) {
      tokens.push({ kind: 'folders' });
      at += 3;
    } else if (isSegmentStart && text.slice(at) === '**') {
      tokens.push({ kind: 'one' }, { kind: 'all' });
      at += 2;
    } else {
      const char = String.fromCodePoint(text.codePointAt(at) ?? 0);
      if (char === '*') {
        if (tokens.at(-1)?.kind !== 'many') tokens.push({ kind: 'many' });
      } else tokens.push(char === '?' ? { kind: 'one' } : { kind: 'char', char });
      at += char.length;
    }
  }
  return tokens;
}

/** `reached[i]`: the first i tokens can match what was read so far. */
function matches(tokens: readonly Token[], path: string): boolean {
  let reached = new Uint8Array(tokens.length + 1);
  reach(tokens, reached, 0);
  for (const char of path) {
    const next = new Uint8Array(tokens.length + 1);
    tokens.forEach((token, i) => {
      if (reached[i] === 1) step(tokens, token, i, char, next);
    });
    reached = next;
  }
  return reached[tokens.length] === 1;
}

/** Marks state i, and those behind it when its token may match nothing. */
function reach(tokens: readonly Token[], states: Uint8Array, i: number): void {
  let at = i;
  for (; states[at] === 0; at += 1) {
    states[at] = 1;
    const kind = tokens[at]?.kind;
    if (kind !== 'many' && kind !== 'all' && kind !== 'folders') return;
  }
}

function step(tokens: readonly Token[], token: Token, i: number, char: string, next: Uint8Array): void {
  switch (token.kind) {
    case 'char':
      if (char === token.char) reach(tokens, next, i + 1);
      return;
    case 'one':
      if (char !== '/') reach(tokens, next, i + 1);
      return;
    case 'many':
      if (char !== '/') reach(tokens, next, i);
      return;
    case 'all':
      reach(tokens, next, i);
      return;
    case 'folders':
      // In the middle of a folder's name the next token may not start.
      next[i] = 1;
      if (char === '/') reach(tokens, next, i + 1);
      return;
  }
}
