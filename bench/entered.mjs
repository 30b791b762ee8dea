/**
 * How many source files one task enters: a function of theirs was called, from its words to its approval. A stranger
 * who wants to follow a task has to read so many at most.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { openScratch, root } from './scratch.mjs';

const top = mkdtempSync(join(tmpdir(), 'gza-entered-'));
const coverage = join(top, 'coverage');

/** The program in one file, where a comment before each module says which it is. */
async function bundle() {
  const file = join(top, 'gza.cjs');
  await build({
    absWorkingDir: root,
    entryPoints: ['src/cli/main.ts'],
    bundle: true,
    platform: 'node',
    format: 'cjs',
    supported: { 'dynamic-import': false },
    define: { __GZA_VERSION__: '"0"', 'import.meta.dirname': '__dirname' },
    footer: { js: 'main(process.argv.slice(2)).then((code) => { process.exitCode = code; });' },
    outfile: file,
    logLevel: 'error',
  });
  return file;
}

/** Modules by where they begin in the bundle. */
function modulesOf(text) {
  return [...text.matchAll(/^ *\/\/ ((?:src|node_modules)\/\S+)$/gm)].map(({ index, 1: path }) => ({
    index,
    path,
  }));
}

function entered(file) {
  const text = readFileSync(file, 'utf8');
  const modules = modulesOf(text);
  const found = new Set();
  for (const name of readdirSync(coverage)) {
    const { result } = JSON.parse(readFileSync(join(coverage, name), 'utf8'));
    for (const { url, functions } of result) {
      if (!url.endsWith('/gza.cjs')) continue;
      for (const { functionName, ranges } of functions) {
        const [{ startOffset, count }] = ranges;
        // Not the making of the modules themselves, nor the bundle's own word for what a file hands on.
        if (count === 0 || startOffset === 0 || /^(src|node_modules)\//.test(functionName)) continue;
        if (
          text.startsWith(`() => ${functionName},\n`, startOffset) ||
          text.startsWith(`() => ${functionName}\n`, startOffset)
        )
          continue;
        const at = modules.findLast(({ index }) => index <= startOffset);
        if (at?.path.startsWith('src/')) found.add(at.path);
      }
    }
  }
  return found;
}

/** An agent that works, is reviewed, improves, and is approved. */
const agent = `#!/bin/sh
cat >/dev/null
case $GZA_STEP in
review)
  if grep -q better notes.md; then echo "Verdict: APPROVED ($GZA_NONCE)"; else
  printf '1. [BLOCKER] notes.md:1 say it better\\n\\nVerdict: CHANGES_REQUESTED (%s)\\n' "$GZA_NONCE"; fi ;;
improve) echo better >>notes.md; echo Done. ;;
*) echo good >notes.md; echo Done. ;;
esac
`;

try {
  const file = await bundle();
  const { dir, env, git } = openScratch(join(top, 'repo'));
  mkdirSync(join(dir, 'tasks'));
  writeFileSync(join(dir, 'agent.sh'), agent, { mode: 0o755 });
  writeFileSync(
    join(dir, 'tasks', 'login.yml'),
    'type: implement\ntitle: Log in\nprompt: Let people log in.\nauto_review: true\n',
  );
  git('add', '--all');
  git('commit', '-q', '-m', 'Files');
  const told = execFileSync(process.execPath, [file, 'work', 'login', '--runner', join(dir, 'agent.sh')], {
    cwd: dir,
    env: { ...env, HOME: top, NODE_V8_COVERAGE: coverage },
    encoding: 'utf8',
  });
  if (process.argv.includes('--told')) console.log(told);
  const files = [...entered(file)].toSorted((a, b) => (a < b ? -1 : 1));
  if (process.argv.includes('--list')) console.log(files.join('\n'));
  const byRoom = new Map();
  for (const path of files) {
    const room = path
      .split('/')
      .slice(1, path.startsWith('src/core') ? 3 : 2)
      .join('/');
    byRoom.set(room, (byRoom.get(room) ?? 0) + 1);
  }
  console.log([...byRoom].map(([room, many]) => `${many} ${room}`).join(', '));
  console.log(`One task, from its words to its approval, enters ${files.length} source files`);
} finally {
  rmSync(top, { recursive: true, force: true });
}
