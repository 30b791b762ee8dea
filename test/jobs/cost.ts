/** What a play costs on GitHub: machines, pushes, calls of the API, requests of git. */
import type { Seen } from '../github/faults.ts';
import type { Stage } from './stage.ts';

/** Of all jobs that were given a machine, the checkouts' own requests included. */
export async function costOf({ github, play }: Stage) {
  const from = github.seen.length;
  const report = await play();
  const asked = github.seen.slice(from).filter(({ job }) => job !== undefined);
  const count = (is: (one: Seen) => boolean) => asked.filter(is).length;
  return {
    said: [report.transcript(), ...asked.map(({ job, operation }) => `${job}: ${operation}`)].join('\n'),
    runs: report.runs.map(({ conclusion }) => conclusion),
    jobs: report.jobs.filter(({ steps }) => steps.length > 0).length,
    pushes: count(({ operation }) => operation === 'git/push'),
    calls: count(({ kind }) => kind !== 'git'),
    git: count(({ kind }) => kind === 'git'),
  };
}

type Cost = Readonly<Record<'jobs' | 'pushes' | 'calls' | 'git', number>>;

/** What is more than it may be. */
export function over(cost: Cost, bars: Partial<Cost>): string[] {
  return Object.entries(bars).flatMap(([name, bar]) => {
    const found = cost[name as keyof Cost];
    return found > bar ? [`${name}: ${found}, more than ${bar}`] : [];
  });
}
