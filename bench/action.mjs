/**
 * What the action costs before it does anything: its start-up against bare node, and against what the actions of
 * others run (those that npm can install), and its size. `--runs`, `--peers <folder>` (installs them there).
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { measureAll } from './measure.mjs';
import { openScratch, root } from './scratch.mjs';

const { values: flags } = parseArgs({
  options: { runs: { type: 'string', default: '9' }, peers: { type: 'string' } },
});
const sizeMax = 3_000_000;
const index = join(root, 'dist', 'index.js');

/** Each answers `--version`; none of them is asked for more. */
const peers = [
  { name: 'release-please', version: '17.11.2', bin: 'release-please' },
  { name: '@changesets/cli', version: '2.29.7', bin: 'changeset' },
  { name: 'danger', version: '14.0.7', bin: 'danger' },
];

function installed(peer, top) {
  const folder = join(resolve(top), peer.name);
  if (`${folder}/`.startsWith(`${root}/`)) throw new Error('--peers: a folder outside of the repository');
  const bin = join(folder, 'node_modules', '.bin', peer.bin);
  if (!existsSync(bin)) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
    const args = ['install', '--no-audit', '--no-fund', '--ignore-scripts', `${peer.name}@${peer.version}`];
    execFileSync('npm', args, { cwd: folder, stdio: 'pipe', timeout: 900_000 });
  }
  return { bin, bytes: bytesOf(join(folder, 'node_modules')) };
}

function bytesOf(path) {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath ?? entry.path, entry.name)).size, 0);
}

const top = mkdtempSync(join(tmpdir(), 'gza-bench-action-'));
try {
  const { dir, env } = openScratch(join(top, 'repo'));
  const size = statSync(index).size;
  const row = (program, argv, inputs = {}, bytes = null) => ({
    program,
    bytes,
    argv,
    cwd: dir,
    env: { ...env, RUNNER_TEMP: top, GITHUB_REPOSITORY: 'a/b', ...inputs },
  });
  const action = [process.execPath, index];
  const commands = [
    row('node -e 0', [process.execPath, '-e', '0']),
    row('gza, `command: --version`', action, { INPUT_COMMAND: '--version' }, size),
    row('gza, `agent` whose claim is gone', action, { INPUT_COMMAND: 'agent', INPUT_CLAIM: 'c1' }, size),
  ];
  const missing = [];
  for (const peer of flags.peers ? peers : []) {
    try {
      const { bin, bytes } = installed(peer, flags.peers);
      commands.push(row(`${peer.name} ${peer.version} --version`, [bin, '--version'], {}, bytes));
    } catch (error) {
      missing.push(`${peer.name}: npm could not install it (${String(error.message).split('\n')[0]})`);
    }
  }
  const results = await measureAll(commands, { runs: Number(flags.runs), budgetMs: 60_000 });
  const [bare] = results;
  console.log(
    '| program | wall ms | CPU ms | times bare node (CPU) | peak MB | bytes |\n|---|---|---|---|---|---|',
  );
  for (const { program, failed, wallMs, cpuMs, memoryMb, bytes } of results) {
    const times = failed
      ? ['failed', '', '', '']
      : [
          wallMs.toFixed(0),
          cpuMs.toFixed(0),
          `${(cpuMs / bare.cpuMs).toFixed(1)}×`,
          memoryMb?.toFixed(0) ?? '–',
        ];
    console.log(`| ${[program, ...times, bytes === null ? '–' : bytes.toLocaleString('en')].join(' | ')} |`);
  }
  const verdict = size <= sizeMax ? 'met' : 'NOT met';
  console.log(
    `\n- dist/index.js: ${size.toLocaleString('en')} bytes; at most ${sizeMax.toLocaleString('en')}: ${verdict}`,
  );
  for (const line of missing) console.log(`- not measured: ${line}`);
} finally {
  rmSync(top, { recursive: true, force: true });
}
