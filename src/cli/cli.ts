#!/usr/bin/env node
/**
 * The start of the command line. It answers at once what it can, and loads main.ts for the rest, which the
 * build puts into a separate file. Most of a short command's time is start-up.
 */
// Must be the first import, because imports run in this order.
import './ignore-debugger.ts';
import { keptAnswer } from '../app/kept-answer.ts';
import { version } from '../core/version.ts';
import { print } from '../system/print.ts';

async function run(words: readonly string[]): Promise<number> {
  const isVersion = words[0] === '--version' && words.length === 1;
  const answer = isVersion ? `gza ${version}\n` : await answerHere(words);
  if (answer === null) return (await import('./main.ts')).main(words);
  await print(1, answer);
  return 0;
}

/** If the current folder no longer exists, main.ts reports it. */
function answerHere(words: readonly string[]): Promise<string | null> {
  try {
    return keptAnswer(words, { cwd: process.cwd(), now: new Date().toISOString() });
  } catch {
    return Promise.resolve(null);
  }
}

async function start(): Promise<void> {
  process.exitCode = await run(process.argv.slice(2));
}

/** For callers that run this file inside their own process. */
export const ended = start();
