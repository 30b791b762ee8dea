/**
 * Which mishaps are played. Without a choice, few that stand for the rest. `all`: everything that CONTRIBUTING.md
 * lists. A number: so many by chance, one of each kind in each job first; `seed:number` the same ones again; with words
 * behind it, of those whose name they match. Words alone: all that they match.
 */
import type { Seen } from '../github/faults.ts';
import { lagging, lags, lostAndLagging } from './lagging-reads.ts';
import { isWrite, jobOf, type Mishap } from './mishap.ts';
import type { Moment } from './mishap-play.ts';
import { stepMishaps } from './step-mishaps.ts';
import { troubles } from './troubles.ts';
import { twin } from './two-picks.ts';

export interface Planned {
  /** Number of the moment. */
  readonly at: number;
  readonly mishap: Mishap;
}

interface Place {
  readonly at: number;
  readonly index: number;
  readonly seen: Seen;
}

export function chosenMishaps(moments: readonly Moment[], wish: string): Planned[] {
  const kinds = [kills, events, twins, betweenRequests, faults];
  const all = kinds
    .flatMap((planned) => planned(moments))
    .toSorted((a, b) => Number(isPlainRead(a)) - Number(isPlainRead(b)) || b.at - a.at);
  if (wish === '') return sample(all, moments);
  if (wish === 'all') return all;
  const named = (words: string) => all.filter((one) => new RegExp(words).test(nameOf(one, moments)));
  const random = /^(?:(\d+):)?(\d+)(?: (.+))?$/.exec(wish);
  if (!random) return named(wish);
  return byChance(named(random[3] ?? ''), Number(random[1] ?? Date.now()), Number(random[2]));
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
      if (!['intake', 'pick', 'start', 'land', 'land review', 'next'].includes(jobOf(seen))) return [];
      return [{ at, mishap: { kind: 'kill', index, seen } }];
    }),
  );
}

function events(moments: readonly Moment[]): Planned[] {
  return moments.flatMap(({ requests }, at) => {
    const [seen] = requests;
    return seen
      ? ['event lost', 'event twice', 'event of before, late'].map(
          (kind): Planned => ({ at, mishap: { kind, index: 0, seen } }),
        )
      : [];
  });
}

/** Requests of one operation in one kind of job are alike: the last of them in the session stands for all. */
function alike(moments: readonly Moment[]): Place[] {
  const found = new Map<string, Place>();
  for (const [at, { requests }] of [...moments.entries()].toReversed()) {
    const counts = new Map<string, number>();
    for (const [index, seen] of requests.entries()) {
      const one = `${seen.job} ${seen.operation}`;
      counts.set(one, (counts.get(one) ?? 0) + 1);
      const name = `${jobOf(seen)} ${seen.operation} ${counts.get(one)}`;
      if (!found.has(name)) found.set(name, { at, index, seen });
    }
  }
  return [...found.values()];
}

function faults(moments: readonly Moment[]): Planned[] {
  return alike(moments).flatMap(({ at, index, seen }) => {
    const kinds = Object.keys(troubles).filter((kind) => troubles[kind]?.meets(seen));
    if (lags(seen)) kinds.push(lagging, lostAndLagging);
    return kinds.map((kind): Planned => ({ at, mishap: { kind, index, seen } }));
  });
}

/**
 * The first of two picks waits before it shares what it did, and before it tells of it. Not before it opens the board's
 * issue: only the queue of picks keeps that from being opened twice.
 */
function twins(moments: readonly Moment[]): Planned[] {
  return moments.flatMap(({ requests }, at) => {
    const own = requests.filter((seen) => jobOf(seen) === 'pick');
    const push = own.findIndex(({ operation }) => operation === 'git/push');
    const told = own.findIndex(
      (seen, index) => index > push && isWrite(seen) && seen.operation !== 'issues/create',
    );
    return [push, told]
      .filter((index) => index >= 0)
      .map((index): Planned => ({ at, mishap: { kind: twin, index, seen: own[index] as Seen } }));
  });
}

/** Of a step that changes files and of one that does not: the last of each. */
function betweenRequests(moments: readonly Moment[]): Planned[] {
  const planned = new Map<string, Planned>();
  for (const [at, { requests, steps }] of moments.entries()) {
    const isChecked = steps.some(({ job }) => job.includes('/ verify'));
    for (const job of new Set(steps.map((one) => one.job))) {
      const [first] = requests.filter((seen) => seen.job === job);
      for (const [index, { name }] of steps.filter((one) => one.job === job).entries()) {
        for (const [kind, { meets }] of Object.entries(stepMishaps)) {
          if (!first || !meets(name)) continue;
          const seen = { ...first, operation: `step ${name.split('@')[0]}` };
          planned.set(`${kind} ${jobOf(seen)} ${index} ${isChecked}`, { at, mishap: { kind, index, seen } });
        }
      }
    }
  }
  return [...planned.values()];
}

/** Each was a bug once, or stands for a way to fail of its own. */
const standing = [
  // Between the two landings of a claim; with the second one's push; and before it wakes pick.
  /^kill at \d+ \(land git\/push\) of task, run 1/,
  /^kill at \d+ \(land review git\/push\) of task, run 2/,
  /^kill at \d+ \(land review graphql\/addPullRequestReview\) of task, run 1/,
  /^a lost machine at 1 \(review step/,
  /^the answer lost behind a 502 at \d+ \(land review repos\/create-dispatch-event\)/,
  // The wake-up itself.
  /^event lost at \d+ .* of task, run 2/,
  /^event twice at \d+ .* of task, run 2/,
  /^kill at \d+ \(pick git\/push\) of comment, run 1/,
  /^kill at \d+ \(pick git\/push\) of tick, run 1/,
  /^500 at \d+ \(pick issues\/update\)/,
  /^the answer lost behind a 502 at \d+ \(land git\/push\)/,
  /^a spent budget, gone for an hour at \d+ \(pick graphql\/updatePullRequest\)/,
  /^another pick at the same time at \d+ \(pick git\/push\) of comment, run 1/,
  /^a cancelled run at \d+ \(agent git\/fetch\) of tick, run 1/,
];

function sample(all: readonly Planned[], moments: readonly Moment[]): Planned[] {
  return standing.map((wanted) => {
    const found = all.find((one) => wanted.test(nameOf(one, moments)));
    if (!found) throw new Error(`the session has no ${wanted}`);
    return found;
  });
}

/** By chance, and evenly: one of each kind in each job before a second one of any. */
function byChance(all: readonly Planned[], seed: number, count: number): Planned[] {
  let state = seed >>> 0;
  const next = (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const left = [...all];
  const shuffled = all.flatMap(() => left.splice(next(left.length), 1));
  const cells = new Map<string, number>();
  const rounds = shuffled.map((one) => {
    const cell = `${one.mishap.kind} ${jobOf(one.mishap.seen)}`;
    const round = cells.get(cell) ?? 0;
    cells.set(cell, round + 1);
    return { one, round };
  });
  return rounds
    .toSorted((a, b) => a.round - b.round)
    .slice(0, count)
    .map(({ one }) => one);
}
