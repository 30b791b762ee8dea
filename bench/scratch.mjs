/** Repositories to measure in: nothing of this machine's git or user reaches them. */
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
export const cli = join(root, 'dist', 'cli.js');

export function environment(home) {
  const kept = ['PATH', 'TMPDIR', 'LANG'].flatMap((name) =>
    process.env[name] === undefined ? [] : [[name, process.env[name]]],
  );
  return {
    ...Object.fromEntries(kept),
    HOME: home,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_AUTHOR_NAME: 'Bench',
    GIT_AUTHOR_EMAIL: 'bench@example.com',
    GIT_COMMITTER_NAME: 'Bench',
    GIT_COMMITTER_EMAIL: 'bench@example.com',
    NO_COLOR: '1',
  };
}

export function openScratch(dir) {
  mkdirSync(dir, { recursive: true });
  const env = environment(dir);
  const git = (...args) =>
    execFileSync('git', args, { cwd: dir, env, encoding: 'utf8', maxBuffer: 1 << 28 }).trim();
  git('init', '-q', '-b', 'main');
  git('commit', '-q', '--allow-empty', '-m', 'Start');
  return { dir, env, git };
}
