/**
 * A model of the pipeline on GitHub: twenty tasks from the first push to the last approval, against the least time
 * that agents and checks alone would need. Nothing is run: jobs, machines and agents are numbers, and each may be
 * set (`--workers 8 --implement 1200`). The same seed draws the same tasks.
 */
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

/** Seconds, but for the first four. */
export const usual = {
  tasks: 20,
  workers: 4,
  seed: 1,
  approved: 0.55, // how often a review approves
  dispatch: 3, // from a wake-up to its run
  machine: 9, // from a job that may start to its first command
  checkout: 4,
  setup: 40, // the team's own: agent, toolchain, dependencies
  pick: 9,
  land: 7,
  implement: 900,
  review: 240,
  improve: 420,
  checks: 150,
  spread: 0.5, // a step takes this much more or less
};

const cyclesMax = 3;

export function play(changes = {}) {
  const set = { ...usual, ...changes };
  const tasks = draw(set);
  const bound = leastTime(tasks, set);
  return { ...schedule(tasks, set), bound };
}

/** Mulberry32: small, and the same everywhere. */
function randomOf(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
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

/** One cycle is one run: agent, verify, land, review, land. Each job is a machine of its own. */
function runOf({ work, review }, set) {
  const start = set.machine + set.checkout;
  return [start + set.setup + work, start + set.setup + set.checks, start + set.land].concat([
    start + set.setup + review,
    start + set.land,
  ]);
}

function schedule(tasks, set) {
  const rest = remainders(tasks, set);
  const states = tasks.map(() => ({ cycle: 0, isBusy: false, isDone: false }));
  const wakes = [set.dispatch];
  let [jobs, minutes, busy, pickFree, end] = [0, 0, 0, 0, 0];
  const bill = (seconds) => {
    jobs += 1;
    minutes += Math.ceil(seconds / 60);
  };
  const ends = [];
  const mayStart = (n) =>
    !states[n].isBusy && !states[n].isDone && tasks[n].after.every((other) => states[other].isDone);
  while (wakes.length > 0 || ends.length > 0) {
    // Whatever comes first: a run that ends wakes pick, and a pick claims what may start by then.
    const wake =
      wakes.length > 0 ? Math.max(wakes[0], pickFree) + set.machine + set.checkout + set.pick : Infinity;
    ends.sort((a, b) => a.at - b.at);
    if (ends.length > 0 && ends[0].at <= wake) {
      const { n, at } = ends.shift();
      const state = states[n];
      state.isBusy = false;
      state.cycle += 1;
      busy -= 1;
      if (state.cycle === tasks[n].cycles.length) {
        state.isDone = true;
        end = Math.max(end, at);
      }
      if (states.some(({ isDone }) => !isDone)) wakes.push(at + set.dispatch);
      continue;
    }
    wakes.shift();
    pickFree = wake;
    bill(set.machine + set.checkout + set.pick);
    const ready = tasks.flatMap((_, n) => (mayStart(n) ? [n] : [])).sort((a, b) => rest[b] - rest[a]);
    for (const n of ready.slice(0, set.workers - busy)) {
      const run = runOf(tasks[n].cycles[states[n].cycle], set);
      for (const seconds of run) bill(seconds);
      states[n].isBusy = true;
      busy += 1;
      ends.push({ n, at: wake + sum(run) });
    }
  }
  return { end, jobs, minutes };
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
