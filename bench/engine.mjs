/**
 * What the engine adds to a task beside the agent's own time: one implement step in a repository of 5,000 files,
 * against the same by hand (`git clone --shared`, the agent, `git add`, `git commit`). Bar: 3 times the floor.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { median, timeOnce } from './measure.mjs';
import { cli, openScratch } from './scratch.mjs';

const { values: flags } = parseArgs({
  options: { files: { type: 'string', default: '5000' }, runs: { type: 'string', default: '7' } },
});
const [files, runs] = [Number(flags.files), Number(flags.runs)];
const timesMax = 3;

const top = mkdtempSync(join(tmpdir(), 'gza-engine-'));
const agent = join(top, 'agent.sh');

function openLarge() {
  const { dir, git, env } = openScratch(join(top, 'repo'));
  // What gza keeps for the user is outside of the repository.
  const scratch = { dir, git, env: { ...env, HOME: top } };
  for (let n = 0; n < files; n++) {
    const folder = join(scratch.dir, 'src', `part-${n % 100}`);
    if (n < 100) mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `file-${n}.ts`), `export const value${n} = ${n};\n`.repeat(20));
  }
  scratch.git('add', '--all');
  scratch.git('commit', '-q', '-m', 'Files');
  scratch.git('gc', '-q');
  return scratch;
}

/** The agent is a shell script that takes next to no time: what is left is everybody else's. */
writeFileSync(
  agent,
  '#!/bin/sh\ncat >/dev/null\necho "export const more = 1;" > src/part-1/more.ts\necho Done.\n',
);
chmodSync(agent, 0o755);

function byHand({ dir, env }, n) {
  const clone = join(top, `clone-${n}`);
  const script =
    'git clone -q --shared "$1" "$2" && cd "$2" && "$3" </dev/null && git add --all && git commit -q -m Step';
  const one = timeOnce({ argv: ['bash', '-c', script, 'bash', dir, clone, agent], cwd: dir, env });
  rmSync(clone, { recursive: true, force: true });
  return one;
}

function byEngine({ dir, env }, id, more = {}) {
  const argv = [process.execPath, cli, 'work', id, '--runner', agent];
  return timeOnce({ argv, cwd: dir, env: { ...env, ...more } });
}

try {
  const scratch = openLarge();
  const run = (...words) =>
    execFileSync(process.execPath, [cli, ...words], { cwd: scratch.dir, env: scratch.env, encoding: 'utf8' });
  const add = () => run('add', 'One more constant', '-t', 'implement').split(':')[0];
  const [hand, engine] = [[], []];
  for (let n = 0; n <= runs; n++) {
    const id = add();
    hand.push(byHand(scratch, n));
    engine.push(byEngine(scratch, id));
  }
  const trace = join(top, 'trace');
  const traced = byEngine(scratch, add(), { GIT_TRACE2_EVENT: trace });
  if (![...hand, ...engine, traced].every(({ ok }) => ok)) throw new Error('a run failed');
  const starts = (existsSync(trace) ? readFileSync(trace, 'utf8').trim().split('\n') : [])
    .map((line) => JSON.parse(line))
    .filter(({ event }) => event === 'start');
  const own = starts.filter(({ sid }) => !sid.includes('/')).length;
  const text = (all) => {
    const counted = all.slice(1);
    const [wall, cpu] = ['wallMs', 'cpuMs'].map((name) => median(counted.map((one) => one[name])));
    return { wall, cpu, words: `${Math.round(wall)} ms wall, ${Math.round(cpu)} ms CPU` };
  };
  const [floor, ours] = [text(hand), text(engine)];
  console.log(`One implement step in a repository of ${files} files, medians of ${runs}:`);
  console.log(`- by hand (clone --shared, agent, add, commit): ${floor.words}`);
  console.log(
    `- gza work: ${ours.words}; ${own} git commands (${starts.length} git processes with those that git itself starts)`,
  );
  const times = ours.wall / floor.wall;
  console.log(
    `- ${times.toFixed(2)} times the floor (CPU ${(ours.cpu / floor.cpu).toFixed(2)}); at most ${timesMax}: ${times <= timesMax ? 'met' : 'NOT met'}`,
  );
} finally {
  rmSync(top, { recursive: true, force: true });
}
