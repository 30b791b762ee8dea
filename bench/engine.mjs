/**
 * What the engine adds to a task beside the agent's own time: one implement step in a repository of 5,000 files,
 * against the same by hand (`git clone --shared`, the agent, `git add`, `git commit`). Bars: 1.1 times the
 * floor, 30 git commands.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { median, timeOnce } from './measure.mjs';
import { cli, openScratch } from './scratch.mjs';

const { values: flags } = parseArgs({
  options: { files: { type: 'string', default: '5000' }, runs: { type: 'string', default: '7' } },
});
const [files, runs] = [Number(flags.files), Number(flags.runs)];
const timesMax = 1.1;
const commandsMax = 30;

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

/** A `git` before git in PATH counts: traces of git's own do not reach what runs in an agent's clone. */
function byEngineCounted(scratch, id) {
  const [folder, log] = [join(top, 'bin'), join(top, 'commands')];
  const { stdout: git } = spawnSync('which', ['git'], { encoding: 'utf8' });
  mkdirSync(folder);
  writeFileSync(join(folder, 'git'), `#!/bin/sh\necho >>'${log}'\nexec '${git.trim()}' "$@"\n`, {
    mode: 0o755,
  });
  const counted = byEngine(scratch, id, { PATH: `${folder}:${scratch.env.PATH}` });
  return { counted, commands: readFileSync(log).length };
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
  const { counted, commands } = byEngineCounted(scratch, add());
  if (![...hand, ...engine, counted].every(({ ok }) => ok)) throw new Error('a run failed');
  const text = (all) => {
    const counted = all.slice(1);
    const [wall, cpu] = ['wallMs', 'cpuMs'].map((name) => median(counted.map((one) => one[name])));
    return { wall, cpu, words: `${Math.round(wall)} ms wall, ${Math.round(cpu)} ms CPU` };
  };
  const [floor, ours] = [text(hand), text(engine)];
  console.log(`One implement step in a repository of ${files} files, medians of ${runs}:`);
  console.log(`- by hand (clone --shared, agent, add, commit): ${floor.words}`);
  const met = (isMet) => (isMet ? 'met' : 'NOT met');
  console.log(
    `- gza work: ${ours.words}; ${commands} git commands, at most ${commandsMax}: ${met(commands <= commandsMax)}`,
  );
  const times = ours.wall / floor.wall;
  console.log(
    `- ${times.toFixed(2)} times the floor (CPU ${(ours.cpu / floor.cpu).toFixed(2)}); at most ${timesMax}: ${met(times <= timesMax)}`,
  );
} finally {
  rmSync(top, { recursive: true, force: true });
}
