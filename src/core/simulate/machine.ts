/** Where steps run, and the time that this adds to the agent's own. */
import type { StepName } from '../ledger/record/record.ts';
import { isWork } from '../policy/steps-so-far.ts';

export interface Machine {
  /** Seconds from the end of a step to the start of the next pick. */
  readonly dispatch: number;
  /** Seconds that a pick takes. */
  readonly pick: number;
  /** Seconds of each job of a step, in order. */
  readonly jobs: (step: StepName, seconds: number) => readonly number[];
  /** The review follows its step under the same claim. */
  readonly goesOn: boolean;
  /** Its jobs are billed by whole minutes, and picks continue by themselves on the next day. */
  readonly isBilled: boolean;
}

export const laptop: Machine = {
  dispatch: 0,
  pick: 0,
  jobs: (_, seconds) => [seconds],
  goesOn: false,
  isBilled: false,
};

/**
 * Seconds that jobs on GitHub take besides the agent. `dispatch`: from a wake-up to the start of its run;
 * `machine`: until a job runs its first command; `setup`: installs agent, toolchain and dependencies.
 */
export const usualJobs = { dispatch: 3, machine: 9, checkout: 4, setup: 40, pick: 9, land: 7, checks: 150 };

export function github(given: Partial<typeof usualJobs> = {}): Machine {
  const { dispatch, machine, checkout, setup, pick, land, checks } = { ...usualJobs, ...given };
  const begin = machine + checkout;
  return {
    dispatch,
    pick: begin + pick,
    jobs: (step, seconds) => [
      begin + setup + seconds,
      ...(isWork(step) ? [begin + setup + checks] : []),
      begin + land,
    ],
    goesOn: true,
    isBilled: true,
  };
}
