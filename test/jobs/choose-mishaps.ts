/**
 * Which mishaps are played. Without a choice, few that stand for the rest. `all`: a kill after every request of intake,
 * pick, land and next, and every trouble at every kind of request. A number: so many by chance, `seed:number` the same ones again. Anything else: those whose name it matches.
 */
import type { Moment } from './mishap-play.ts';
import { checkoutRequests, jobOf, type Mishap, troubles } from './mishaps.ts';

export interface Planned {
  /** Number of the moment. */
  readonly at: number;
  readonly mishap: Mishap;
}

export function chosenMishaps(moments: readonly Moment[], wish: string): Planned[] {
  const all = [...kills(moments), ...events(moments), ...faults(moments)].toSorted(
    (a, b) => Number(isPlainRead(a)) - Number(isPlainRead(b)) || b.at - a.at,
  );
  if (wish === '') return sample(all, moments);
  if (wish === 'all') return all;
  const random = /^(?:(\d+):)?(\d+)$/.exec(wish);
  if (random) return byChance(all, Number(random[1] ?? Date.now()), Number(random[2]));
  return all.filter((one) => new RegExp(wish).test(nameOf(one, moments)));
}

/** `kill at 12 (pick git/push) of comment, run 1` */
export function nameOf({ at, mishap }: Planned, moments: readonly Moment[]): string {
  const { kind, index, seen } = mishap;
  return `${kind} at ${index} (${jobOf(seen)} ${seen.operation}) of ${moments[at]?.name}`;
}

/** Before it wrote anything a run is easily done again: that comes last. */
function isPlainRead({ mishap: { seen } }: Planned): boolean {
  return seen.kind === 'git' && seen.operation !== 'git/push';
}

function kills(moments: readonly Moment[]): Planned[] {
  return moments.flatMap(({ requests }, at) =>
    requests.flatMap((seen, index): Planned[] => {
      if (!['intake', 'pick', 'land', 'next'].includes(jobOf(seen))) return [];
      const own = requests.filter((one) => one.job === seen.job);
      if (own.indexOf(seen) < checkoutRequests(own)) return [];
      return [{ at, mishap: { kind: 'kill', index, seen } }];
    }),
  );
}

function events(moments: readonly Moment[]): Planned[] {
  return moments.flatMap(({ requests }, at) => {
    const [seen] = requests;
    return seen
      ? ['event lost', 'event twice'].map((kind): Planned => ({ at, mishap: { kind, index: 0, seen } }))
      : [];
  });
}

/** Requests of one operation in one kind of job are alike: the last of them in the session stands for all. */
function faults(moments: readonly Moment[]): Planned[] {
  const known = new Set<string>();
  const planned: Planned[] = [];
  for (const [at, { requests }] of [...moments.entries()].toReversed()) {
    for (const [index, seen] of requests.entries()) {
      const part = requests.slice(0, index).filter((one) => one.job === seen.job);
      const same = part.filter((one) => one.operation === seen.operation).length;
      const name = `${jobOf(seen)} ${seen.operation} ${same}`;
      if (known.has(name)) continue;
      known.add(name);
      for (const [kind, { meets }] of Object.entries(troubles)) {
        if (meets(seen)) planned.push({ at, mishap: { kind, index, seen } });
      }
    }
  }
  return planned;
}

/** Each was a bug once, or stands for a way to fail of its own. */
const standing = [
  /^kill at \d+ \(land git\/push\) of task, run 1/,
  /^kill at \d+ \(pick git\/push\) of task, run 4/,
  /^kill at \d+ \(pick git\/push\) of comment, run 1/,
  /^kill at \d+ \(pick git\/push\) of tick, run 1/,
  /^500 at \d+ \(pick issues\/update\)/,
  /^the answer lost behind a 502 at \d+ \(land git\/push\)/,
  /^a spent budget, gone for an hour at \d+ \(pick pulls\/update\)/,
  /^event lost at 0 .* of tick, run 1/,
];

function sample(all: readonly Planned[], moments: readonly Moment[]): Planned[] {
  return standing.map((wanted) => {
    const found = all.find((one) => wanted.test(nameOf(one, moments)));
    if (!found) throw new Error(`the session has no ${wanted}`);
    return found;
  });
}

function byChance(all: readonly Planned[], seed: number, count: number): Planned[] {
  const left = [...all];
  let state = seed >>> 0;
  const next = (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  return Array.from({ length: Math.min(count, left.length) }, () => left.splice(next(left.length), 1)).flat();
}
