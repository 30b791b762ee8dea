/**
 * Checks one by one the settings that keep gza from working. GitHub reports most of them too late: as a run
 * that never starts, or as a 403 at the end of an hour's work.
 */
import { judgeBranches, judgeConfig, judgeToken } from './judge-branches.ts';
import { judgeCaller } from './judge-caller.ts';
import { judgePlace, judgeSettings } from './judge-place.ts';
import { judgeWorkflow } from './judge-workflow.ts';
import type { Judged } from './judged.ts';
import type { RepositorySeen } from './repository-seen.ts';

export function judgeRepository(seen: RepositorySeen): Judged[] {
  return [
    ...judgePlace(seen),
    ...judgeSettings(seen),
    ...judgeWorkflow(seen),
    ...judgeCaller(seen),
    ...judgeBranches(seen),
    ...judgeConfig(seen),
    judgeToken(seen),
  ];
}
