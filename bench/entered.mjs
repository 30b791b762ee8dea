/**
 * How many source files one task enters, and one improve that a person asks for on GitHub: a function of theirs was
 * called. A stranger who wants to follow them has to read so many at most. The bars are half of what they once were,
 * 249 and 329. `--list` names the files, `--task` leaves the improve out.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { openScratch, root } from './scratch.mjs';

const top = mkdtempSync(join(tmpdir(), 'gza-entered-'));
const { values: flags } = parseArgs({
  options: {
    list: { type: 'boolean' },
    task: { type: 'boolean' },
    json: { type: 'boolean' },
    coverage: { type: 'string' },
    bundle: { type: 'string' },
  },
});

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

/** `coverage`: the folder of NODE_V8_COVERAGE; `file`: the bundle that ran, where a comment names each module. */
function entered(coverage, file) {
  const text = readFileSync(file, 'utf8');
  const modules = [...text.matchAll(/^ *\/\/ ((?:src|node_modules)\/\S+)$/gm)];
  const found = new Set();
  for (const name of readdirSync(coverage)) {
    const { result } = JSON.parse(readFileSync(join(coverage, name), 'utf8'));
    const own = result.filter(({ url }) => url === pathToFileURL(file).href);
    for (const { functionName, ranges } of own.flatMap(({ functions }) => functions)) {
      const [{ startOffset, endOffset, count }] = ranges;
      if (count === 0 || startOffset === 0) continue;
      const at = modules.findLast(({ index }) => index <= startOffset);
      const isMaking = /^(src|node_modules)\//.test(functionName);
      // The bundler's own word for what a file hands on of another.
      const isHandingOn = text.slice(startOffset, endOffset) === `() => ${functionName}`;
      if (at?.[1].startsWith('src/') && !isMaking && !isHandingOn) found.add(at[1]);
    }
  }
  return [...found].toSorted((a, b) => (a < b ? -1 : 1));
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

/** On a laptop. */
async function byTask() {
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
  const coverage = join(top, 'coverage');
  execFileSync(process.execPath, [file, 'work', 'login', '--runner', join(dir, 'agent.sh')], {
    cwd: dir,
    env: { ...env, HOME: top, NODE_V8_COVERAGE: coverage },
  });
  return entered(coverage, file);
}

/** In jobs on the GitHub that tests play on; its coverage is read by this program, which the test calls. */
function byImprove() {
  const kept = join(top, 'improve.json');
  const words = ['run', '-s', 'jest', '--', 'test/jobs/entered.test.ts', '-t', 'improve'];
  execFileSync('npm', words, { cwd: root, env: { ...process.env, GZA_ENTERED: kept }, stdio: 'ignore' });
  return JSON.parse(readFileSync(kept, 'utf8'));
}

function print(what, files, max) {
  if (flags.list) console.log(files.join('\n'));
  const byRoom = new Map();
  for (const path of files) {
    const room = path
      .split('/')
      .slice(1, path.startsWith('src/core') ? 3 : 2)
      .join('/');
    byRoom.set(room, (byRoom.get(room) ?? 0) + 1);
  }
  console.log([...byRoom].map(([room, many]) => `${many} ${room}`).join(', '));
  const isMet = files.length <= max ? 'met' : 'NOT met';
  console.log(`${what} enters ${files.length} source files; at most ${max}: ${isMet}`);
}

try {
  if (flags.coverage) console.log(JSON.stringify(entered(flags.coverage, flags.bundle)));
  else if (flags.json) console.log(JSON.stringify(await byTask()));
  else {
    print('One task, from its words to its approval,', await byTask(), 124);
    if (!flags.task) print('An improve that a person asks for on GitHub', byImprove(), 164);
  }
} finally {
  rmSync(top, { recursive: true, force: true });
}
