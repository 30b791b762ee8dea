/** Where steps run, and what that takes beside the agent's own time. */
import type { StepName } from '../ledger/record/record.ts';
import { isWork } from '../policy/steps-so-far.ts';

export interface Machine {
  /** Seconds from an end to the wake-up of the next pick. */
  readonly dispatch: number;
  /** A picking job. */
  readonly pick: number;
  /** The jobs of a step, one after the other. */
  readonly jobs: (step: StepName, seconds: number) => readonly number[];
  /** The review of a step follows under the same claim. */
  readonly goesOn: boolean;
  /** Its jobs are billed, each by whole minutes, and its picks go on by themselves. */
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
 * Seconds of what jobs on GitHub do beside the agent. `dispatch`: from a wake-up to its run; `machine`: from a job that
 * may start to its first command; `setup`: agent, toolchain, dependencies.
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
