#!/usr/bin/env node
/**
 * The command line's first few milliseconds: what can be answered at once is, and all else is main.ts, which the
 * build puts into a file of its own. Starting is most of what a short command costs.
 */
import { keptAnswer } from './kept-answer.ts';
import { print } from './print.ts';
import { version } from './version.ts';

async function run(words: readonly string[]): Promise<number> {
  const isVersion = words[0] === '--version' && words.length === 1;
  const here = { cwd: process.cwd(), now: new Date().toISOString() };
  const answer = isVersion ? `gza ${version}\n` : await keptAnswer(words, here);
  if (answer === null) return (await import('./main.ts')).main(words);
  await print(1, answer);
  return 0;
}

void run(process.argv.slice(2)).then((code) => {
  process.exitCode = code;
});
