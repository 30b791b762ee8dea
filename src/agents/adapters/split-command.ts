import { GzaError } from '../../core/errors.ts';

/**
 * Words of a command as a person writes them: `aider --yes --message-file "my file"`. Quotes and backslashes
 * group; nothing is expanded, and what only a shell could do is refused instead of being passed on as a word.
 */
export function splitCommand(text: string): string[] {
  const words: string[] = [];
  const rest = text.trim();
  const token = /\s+|"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)|([^\s"'\\]+)|(["'\\])/gsu;
  let word: string | undefined;
  for (const match of rest.matchAll(token)) {
    const [all, double, single, escaped, plain, open] = match;
    if (open !== undefined) throw unclosed(text, open);
    if (plain !== undefined && /^[|&;<>()`]|^\$\(/.test(plain) && word === undefined)
      throw needsShell(text, plain);
    const part = double?.replace(/\\(["\\$`])/g, '$1') ?? single ?? escaped ?? plain;
    if (part !== undefined) word = (word ?? '') + part;
    else if (word !== undefined && /^\s/.test(all)) {
      words.push(word);
      word = undefined;
    }
  }
  if (word !== undefined) words.push(word);
  if (words.length === 0 || words[0] === '') throw empty();
  return words;
}

function unclosed(text: string, quote: string): GzaError {
  const found = quote === '\\' ? 'a backslash at its end' : `a ${quote} that is never closed`;
  return new GzaError('usage', `the runner command cannot be read: it has ${found}: ${text}`, {
    hint: 'Write it as on a command line, for example: --runner "aider --yes"',
  });
}

function needsShell(text: string, word: string): GzaError {
  return new GzaError('usage', `the runner command needs a shell for "${word}", and none is used: ${text}`, {
    hint: 'Put the pipeline into a script and name the script, or quote the word if it is meant as it is.',
  });
}

function empty(): GzaError {
  return new GzaError('usage', 'the runner command is empty', {
    hint: 'Name a program and its arguments, for example: --runner "aider --yes"',
  });
}
