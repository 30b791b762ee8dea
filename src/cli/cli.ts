#!/usr/bin/env node
/**
 * The command line's first few milliseconds: what can be answered at once is, and all else is main.ts, which the
 * build puts into a file of its own. Starting is most of what a short command costs.
 */
// First: what an entry imports is run in this order.
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

/** A folder that is gone is main.ts's to tell. */
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

/** For who runs this in a process of theirs. */
export const ended = start();
