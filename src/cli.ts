#!/usr/bin/env node
/** The command line: words → verb → outcome → output and exit status. Errors end here and nowhere else. */
import { runWords } from './commands/run-words.ts';
import { exitCode, isGzaError } from './core/errors.ts';
import { coloured, plain } from './core/text/style.ts';
import { printError } from './core/text/error.ts';
import { processPorts } from './ports.ts';

async function main(words: readonly string[]): Promise<number> {
  const ports = processPorts();
  const json = words.includes('--json') && !words.slice(0, words.indexOf('--json')).includes('--');
  try {
    const outcome = await runWords(words, ports);
    await print(
      process.stdout,
      json ? `${JSON.stringify(outcome.json, null, 2)}\n` : withBreak(outcome.text),
    );
    return outcome.exit ?? 0;
  } catch (error) {
    if (json) await print(process.stdout, `${JSON.stringify({ error: errorJson(error) }, null, 2)}\n`);
    else await print(process.stderr, printError(error, process.stderr.isTTY ? coloured : plain));
    return exitCode(error);
  }
}

function errorJson(error: unknown): Record<string, unknown> {
  const message = error instanceof Error ? error.message : String(error);
  if (!isGzaError(error)) return { code: 'bug', message };
  return { code: error.code, message, ...(error.hint ? { hint: error.hint } : {}), ...error.data };
}

function withBreak(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

/** Resolves when all of it has left, so that a pipe gets the whole at any size; a closed pipe is no failure. */
function print(stream: NodeJS.WriteStream, text: string): Promise<void> {
  if (text === '') return Promise.resolve();
  return new Promise((resolve, reject) => {
    stream.on('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EPIPE' ? resolve() : reject(error),
    );
    stream.write(text, () => resolve());
  });
}

void main(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
