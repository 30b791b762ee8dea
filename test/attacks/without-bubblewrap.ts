/** A machine without bubblewrap: for one command alone an empty file lies over the program. */
import { spawnSync } from 'node:child_process';

const found = spawnSync('sh', ['-c', 'command -v bwrap'], { encoding: 'utf8' }).stdout.trim();

export const canHideBubblewrap = process.getuid?.() === 0 && found !== '';

export const withoutBubblewrap = (words: readonly string[]): string[] => [
  'unshare',
  '-m',
  'sh',
  '-c',
  `mount --bind /dev/null ${found} && exec "$@"`,
  'sh',
  ...words,
];
