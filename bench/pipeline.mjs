/**
 * A model of the pipeline on GitHub: twenty tasks from the first push to the last approval, against the least time
 * that agents and checks alone would need. Nothing is run: jobs, machines and agents are numbers, and each may be
 * set (`--workers 8 --implement 1200`). The same seed draws the same tasks.
 */
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { libraryOf } from './filed-tasks.mjs';

const {
  buildBoard,
  github,
  play: playTasks,
  randomOf,
  usualJobs,
} = await libraryOf(`
export { buildBoard } from './src/core/board/board.ts';
export { randomOf } from './src/core/simulate/estimates.ts';
export { github, usualJobs } from './src/core/simulate/machine.ts';
export { play } from './src/core/simulate/play.ts';
`);

/** Seconds, but for the first four. */
export const usual = {
  tasks: 20,
  workers: 4,
  seed: 1,
  approved: 0.55, // how often a review approves
  implement: 900,
  review: 240,
  improve: 420,
  ...usualJobs,
  spread: 0.5, // a step takes this much more or less
};

const cyclesMax = 3;

export function play(changes = {}) {
  const set = { ...usual, ...changes };
  const tasks = draw(set);
  const bound = leastTime(tasks, set);
  return { ...schedule(tasks, set), bound };
}

/**
 * A backlog as teams file it: a third stands alone, the rest waits for one or two of the six before it. Each task has
 * its cycles drawn beforehand: a work step and a review, until one approves.
 */
function draw(set) {
  const random = randomOf(set.seed);
  const about = (mean) => mean * (1 - set.spread + 2 * set.spread * random());
  return Array.from({ length: set.tasks }, (_, n) => {
    const before = n === 0 || random() < 1 / 3 ? 0 : random() < 0.7 ? 1 : 2;
    const after = new Set(
      Array.from({ length: before }, () => Math.max(0, n - 1 - Math.floor(random() * 6))),
    );
    const cycles = [];
    do
      cycles.push({
        work: about(cycles.length === 0 ? set.implement : set.improve),
        review: about(set.review),
      });
    while (random() >= set.approved && cycles.length < cyclesMax);
    return { after: [...after], cycles };
  });
}

const sum = (numbers) => numbers.reduce((all, one) => all + one, 0);

/** Agents and checks, each on a machine that is set up for it. */
function needed({ cycles }, set) {
  return sum(cycles.map(({ work, review }) => work + set.checks + review + 3 * set.setup));
}

/** From each task to the end of the longest chain that begins with it. */
function remainders(tasks, set) {
  const rest = tasks.map((task) => needed(task, set));
  for (let n = tasks.length - 1; n >= 0; n--) {
    const followers = tasks.flatMap(({ after }, other) => (after.includes(n) ? [rest[other]] : []));
    rest[n] += Math.max(0, ...followers);
  }
  return rest;
}

function leastTime(tasks, set) {
  const all = sum(tasks.map((task) => needed(task, set)));
  return Math.max(all / set.workers, ...remainders(tasks, set));
}

/** The program's own policy, played with these tasks: the last cycle of each approves. */
function schedule(tasks, set) {
  const items = tasks.map(({ after }, n) => ({
    task: { id: `${n}`, type: 'implement', title: `Task ${n}`, content: '', depends_on: after.map(String) },
    record: null,
    branch: null,
    position: n,
  }));
  const gates = () => ({ auto_review: true, approval: false, requires_merge: false });
  const settings = {
    auto_review: true,
    max_review_cycles: cyclesMax,
    max_attempts: 1,
    max_slices: 1,
    budget: null,
    agents: ['agent'],
  };
  const draw = ({ step, cycle, size }) => {
    const { cycles } = tasks[size];
    if (step !== 'review') return { seconds: cycles[cycle].work, dollars: 0, outcome: 'ok' };
    const verdict = cycle === cycles.length ? 'APPROVED' : 'CHANGES_REQUESTED';
    return { seconds: cycles[cycle - 1].review, dollars: 0, outcome: 'ok', verdict };
  };
  const world = {
    items,
    meta: { v: 1, branch: 'main', lane: 'bench' },
    now: '2026-01-01T00:00:00.000Z',
    board: (given, { claims = [] }, now) => buildBoard({ items: given, claims, now, gates }),
    facts: (board) => ({
      board,
      settings: () => settings,
      lane: () => ({}),
      command: () => null,
      alive: () => true,
      limits: {},
      parallelWorkers: set.workers,
      dollarsLeft: null,
      agents: ['agent'],
    }),
    agent: () => ({ agent: 'agent' }),
    lane: () => null,
    reserve: () => null,
    reviewOf: () => null,
    sizeOf: ({ id }) => id,
    estimates: { draw },
    machine: github(set),
    wanted: () => true,
    tasksMax: Infinity,
  };
  const { seconds, jobs, minutes } = playTasks(world, () => 0);
  return { end: seconds, jobs, minutes };
}

export const goal = 1.15;

function main() {
  const options = Object.fromEntries(Object.keys(usual).map((name) => [name, { type: 'string' }]));
  const { values } = parseArgs({ options });
  const changes = Object.fromEntries(Object.entries(values).map(([name, text]) => [name, Number(text)]));
  const set = { ...usual, ...changes };
  console.log(
    Object.entries(set)
      .map(([name, value]) => `${name} ${value}`)
      .join(', '),
  );
  const hours = (seconds) => `${(seconds / 3600).toFixed(2)} h`;
  console.log('\n| workers | last approval | least | times | jobs | minutes billed |');
  console.log('|---|---|---|---|---|---|');
  for (const workers of values.workers === undefined ? [1, 2, 4, 8] : [set.workers]) {
    const { end, bound, jobs, minutes } = play({ ...changes, workers });
    const times = (end / bound).toFixed(2);
    console.log(`| ${workers} | ${hours(end)} | ${hours(bound)} | ${times} | ${jobs} | ${minutes} |`);
  }
  const ratios = Array.from({ length: 200 }, (_, seed) => play({ ...changes, seed }))
    .map(({ end, bound }) => end / bound)
    .sort((a, b) => a - b);
  const [middle, worst] = [ratios[100], ratios[199]].map((one) => one.toFixed(2));
  const word = ratios[100] <= goal ? 'met' : 'NOT met';
  console.log(
    `\n200 backlogs, ${set.workers} workers: ${middle} times the least in the middle, ${worst} at worst; goal ${goal}: ${word}`,
  );
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main();
