/**
 * One table, measured in one run: ours, bare node, the plain git operation underneath, and the peers. Prints
 * Markdown. `--sizes 100,1000`, `--quick`, `--peers <folder>` (installs them there), `--only <words of a row>`.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { barsText } from './bars.mjs';
import { fillFiles } from './file-tasks.mjs';
import { fillLedger, idOf } from './filed-tasks.mjs';
import { graph } from './graph.mjs';
import { measureAll } from './measure.mjs';
import { installPeers, openPeer } from './peers.mjs';
import { cli, openScratch } from './scratch.mjs';
import { tableText } from './table.mjs';

const { values: flags } = parseArgs({
  options: {
    sizes: { type: 'string', default: '100,1000,10000,100000' },
    runs: { type: 'string' },
    quick: { type: 'boolean', default: false },
    peers: { type: 'string' },
    only: { type: 'string', default: '' },
  },
});
const runs = Number(flags.runs ?? (flags.quick ? 3 : 9));
const budgetMs = flags.quick ? 5_000 : 30_000;
const sizes = flags.sizes.split(',').map(Number);
/** The thirteenth task: the first that is ready. */
const firstReady = 12;
const gza = (...words) => [process.execPath, cli, ...words];

function floors({ dir, env }) {
  const row = (verb, program, argv) => ({ verb, program, argv, cwd: dir, env });
  const all = 'git ls-tree -r refs/tasks/main | cut -c13-52 | git cat-file --batch';
  const file =
    'b=$(echo "$RANDOM$RANDOM" | git hash-object -w --stdin) && t=$(printf "100644 blob $b\\tx" | git mktree) && ' +
    'c=$(git commit-tree -m x $t) && git update-ref refs/floor/x $c';
  return [
    row('start', 'node -e 0', [process.execPath, '-e', '0']),
    row('ready', 'git: read all', ['bash', '-c', all]),
    row('add', 'git: write one', ['bash', '-c', file]),
    row('show', 'git: read one', ['bash', '-c', 'git cat-file blob refs/tasks/main:tasks/00.jsonl']),
  ];
}

function ours({ dir, env }) {
  const row = (verb, argv) => ({ verb, program: 'gza', argv, cwd: dir, env });
  return [
    row('start', gza('--version')),
    row('ready', gza('ready')),
    row('list', gza('list')),
    row('show', gza('show', idOf(firstReady))),
  ];
}

/** In a repository of their own, so that the reads above find nothing changed. */
function oursWriting({ dir, env, git }) {
  const row = (verb, argv, more = {}) => ({ verb, program: 'gza', argv, cwd: dir, env, ...more });
  const run = (...words) =>
    execFileSync(process.execPath, [cli, ...words], { cwd: dir, env, encoding: 'utf8' });
  git('gc', '-q');
  const free = run('list', '--status', 'ready', '--ids').trim().split('\n');
  return [
    row('ready', gza('ready'), {
      program: 'gza, after a change',
      prepare: () => {
        run('note', idOf(firstReady), 'a change');
        return gza('ready');
      },
    }),
    row('add', gza('add', 'One more')),
    row('claim', [], { prepare: () => gza('claim', free.pop() ?? idOf(firstReady)) }),
  ];
}

function oursFromFiles({ dir, env }, program) {
  return [{ verb: 'ready', program, argv: gza('ready'), cwd: dir, env }];
}

function peerRows(peer, { dir, env }) {
  const verbs = peer.verbs(firstReady + 1);
  return Object.entries(verbs).map(([verb, words]) => ({
    verb,
    program: peer.name,
    argv: [peer.bin, ...words],
    cwd: dir,
    env,
  }));
}

async function commandsOf(size, top, found) {
  const tasks = graph(size);
  const open = async (name, fill) => {
    const scratch = openScratch(join(top, `${size}-${name}`));
    await fill(scratch.dir, tasks);
    scratch.git('gc', '-q');
    return scratch;
  };
  const filed = await open('filed', fillLedger);
  const written = await open('written', fillLedger);
  const rows = [...floors(filed), ...ours(filed), ...oursWriting(written)];
  if (size <= 10_000) {
    const one = await open('one', (dir) => fillFiles(dir, tasks, 1));
    rows.push(...oursFromFiles(one, 'gza, a YAML file each'));
  }
  const many = await open('many', (dir) => fillFiles(dir, tasks, 50));
  rows.push(...oursFromFiles(many, 'gza, 50 in a YAML file'));
  for (const peer of found) {
    if (size > peer.sizesMax) continue;
    rows.push(...peerRows(peer, openPeer(peer, join(top, `${size}-${peer.bin.split('/').pop()}`), tasks)));
  }
  return rows.filter(({ verb, program }) => verb === 'start' || `${verb} ${program}`.includes(flags.only));
}

const { found, missing } = installPeers(flags.peers);
const top = mkdtempSync(join(tmpdir(), 'gza-bench-'));
try {
  const results = [];
  for (const size of sizes) {
    console.error(`${size} tasks: filling`);
    const commands = await commandsOf(size, top, found);
    console.error(`${size} tasks: measuring ${commands.length} commands`);
    for (const result of await measureAll(commands, { runs, budgetMs })) results.push({ size, ...result });
    for (const { dir } of commands.map(({ cwd }) => ({ dir: cwd })))
      rmSync(dir, { recursive: true, force: true });
  }
  const versions = [
    `node ${process.version}`,
    execFileSync('git', ['--version'], { encoding: 'utf8' }).trim(),
  ];
  for (const { name, version } of found) versions.push(`${name} ${version}`);
  console.log(`${cpus().length} × ${cpus()[0].model}; ${versions.join(', ')}\n`);
  console.log(tableText(results, sizes));
  console.log(barsText(results));
  for (const line of missing) console.log(`- not measured: ${line}`);
} finally {
  rmSync(top, { recursive: true, force: true });
}
