/** Lists that do not show yet what was written a moment ago: what is read comes from a replica that lags behind. */
import type { FaultEffect, Seen } from '../github/faults.ts';
import type { Github } from '../github/github.ts';
import { copyState } from '../github/snapshot.ts';
import type { State } from '../github/state.ts';
import { isRead, isWrite, type Mishap } from './mishap.ts';

/** At a write: it and its answer are as always, what is read after it is as before it. */
export const lagging = 'reads that lag';
/** The same, and the answer to the write is lost: whoever looks whether it was done does not find it. */
export const lostAndLagging = 'a lost answer, and reads that lag';

const readsMax = 3;

export function lag({ faults, state }: Github, requests: readonly Seen[], { index }: Mishap): void {
  let before: State | undefined;
  const run = () => void (before = copyState(state));
  faults.add({ match: { job: /./ }, skip: index, effect: { kind: 'run', phase: 'before', run } });
  const isStale = (seen: Seen) => before !== undefined && isRead(seen);
  const effect: FaultEffect = {
    kind: 'stale',
    get state() {
      return before ?? state;
    },
  };
  const later = requests.slice(index + 1).some((seen) => isRead(seen));
  if (later) faults.add({ match: { job: /./, where: isStale }, times: readsMax, effect });
}

export const lags = (seen: Seen) => isWrite(seen) && seen.kind !== 'git';
