#!/usr/bin/env node
/**
 * The real agents, through the adapters and the runner of this program, against a model that follows a script.
 *
 *   npm run test:agents [-- claude codex ...] [-- --check=hang]
 *
 * Installs what it tests from npm (about 1.4 GB, once) into $GZA_AGENTS_DIR or node_modules/.cache/gza-agents.
 * Needs no key and, where the system lets it, has no network but loopback. Prints a line for each agent and
 * check, names what it could not install, and exits with 1 when a check fails.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { checks } from './checks.mjs';
import { install, programs } from './programs.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '..', '..', '..');
const cache = join(root, 'node_modules', '.cache');
const words = process.argv.slice(2);
const names = words.filter((word) => !word.startsWith('--'));
const only = words.find((word) => word.startsWith('--check='))?.slice('--check='.length);
const unknown = names.filter((name) => !programs[name]);
if (unknown.length > 0) {
  console.error(`There is no agent ${unknown.join(', ')}. Known: ${Object.keys(programs).join(', ')}.`);
  process.exit(2);
}
const wanted = names.length > 0 ? names : Object.keys(programs);
const folder = process.env.GZA_AGENTS_DIR ?? join(cache, 'gza-agents');
mkdirSync(folder, { recursive: true });

const installed = Object.fromEntries(wanted.map((name) => [name, install(name, folder)]));
if (process.env.GZA_AGENTS_LOOPBACK === undefined) process.exit(withoutNetwork());
process.exit(await main());

/** Runs this program again where nothing but loopback exists; as it is, with a word about it, where that is refused. */
function withoutNetwork() {
  const loop = ['sh', '-c', 'ip link set lo up && exec "$@"', 'sh'];
  const isolate = process.getuid?.() === 0 ? ['unshare', '--net'] : ['unshare', '--net', '--map-root-user'];
  const works = spawnSync(isolate[0], [...isolate.slice(1), ...loop, 'true']).status === 0;
  console.log(
    works ? 'network: loopback only' : 'network: not cut off (unshare is refused here); relying on settings',
  );
  const command = [...(works ? [...isolate, ...loop] : []), process.execPath, ...process.argv.slice(1)];
  const env = { ...process.env, GZA_AGENTS_LOOPBACK: works ? 'yes' : 'no' };
  return spawnSync(command[0], command.slice(1), { stdio: 'inherit', env }).status ?? 1;
}

async function main() {
  const gza = await load();
  const failed = [];
  for (const name of wanted) {
    const { bin } = installed[name];
    if (!bin) continue;
    const names = Object.keys(checks).filter((check) => !only || check.includes(only));
    for (const check of names) {
      const began = Date.now();
      const found = await checks[check]({ gza, name, bin, program: programs[name] }).catch(
        (error) => error.stack ?? String(error),
      );
      const seconds = ((Date.now() - began) / 1000).toFixed(1);
      if (found && !found.skipped) failed.push(`${name}: ${check}`);
      const [word, more] = found?.skipped
        ? ['n/a ', `: ${found.skipped}`]
        : found
          ? ['FAIL', `\n     ${found}`]
          : ['PASS', ''];
      console.log(`${word} ${name.padEnd(8)} ${check.padEnd(56)} ${seconds.padStart(5)} s${more}`);
    }
  }
  for (const name of wanted)
    if (!installed[name].bin) console.log(`NOT INSTALLED ${name}: ${installed[name].problem}`);
  console.log(failed.length > 0 ? `${failed.length} failed: ${failed.join('; ')}` : 'All passed.');
  return failed.length > 0 ? 1 : 0;
}

/** The sources, as one module that this node can run. */
async function load() {
  const outfile = join(cache, 'gza-agents-under-test.mjs');
  const contents = ['run-agent', 'agent-named', 'agent-environment', 'marked-processes', 'sandbox/sandbox']
    .map((file) => `export * from './src/agents/${file}.ts';`)
    .join('\n');
  await build({
    stdin: { contents, resolveDir: root, loader: 'ts' },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'warning',
  });
  return import(pathToFileURL(outfile).href);
}
