#!/usr/bin/env node
/** The command line: words → verb → outcome → output and exit status. Errors end here and nowhere else. */
import { runWords } from './commands/run-words.ts';
import { GzaError, exitCode, isGzaError } from './core/errors.ts';
import { coloured, plain } from './core/text/style.ts';
import { printError } from './core/text/error.ts';
import { processPorts } from './ports.ts';

async function main(words: readonly string[]): Promise<number> {
  const json = words.includes('--json') && !words.slice(0, words.indexOf('--json')).includes('--');
  try {
    const outcome = await runWords(words, processPorts());
    const text = json ? `${JSON.stringify(outcome.json, null, 2)}\n` : withBreak(outcome.text);
    await print(process.stdout, text);
    return outcome.exit ?? 0;
  } catch (error) {
    await printFailure(error, json);
    return exitCode(error);
  }
}

/** Where the answer cannot be written, what is wrong still can be said. */
async function printFailure(error: unknown, json: boolean): Promise<void> {
  const forPeople = () => print(process.stderr, printError(error, process.stderr.isTTY ? coloured : plain));
  if (!json) return forPeople();
  const text = `${JSON.stringify({ error: errorJson(error) }, null, 2)}\n`;
  return print(process.stdout, text).catch(forPeople);
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
    const end = (error?: NodeJS.ErrnoException | null) => {
      if (!error || error.code === 'EPIPE') resolve();
      else
        reject(new GzaError('world', `the output could not be written: ${error.message}`, { cause: error }));
    };
    stream.on('error', end);
    stream.write(text, end);
  });
}

async function start(): Promise<void> {
  process.exitCode = await main(process.argv.slice(2));
}

void start();
